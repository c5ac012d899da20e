package main

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// reducing are reductions over the first, middle and last axes of long and short rows.
var reducing = []entry{
	{"1000000", "x.sum()", func(x, y, z node) node { return ops.Sum(x) }},
	{"1000 1000", "x.sum(0)", func(x, y, z node) node { return ops.Sum(x, 0) }},
	{"100000 10", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"100000 10", "x.sum(0)", func(x, y, z node) node { return ops.Sum(x, 0) }},
	{"10 100000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"10 100000", "x.sum(0)", func(x, y, z node) node { return ops.Sum(x, 0) }},
	{"100 100 100", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"100 100 100", "x.sum((0, 2))", func(x, y, z node) node { return ops.Sum(x, 0, 2) }},
	{"64 32 7 7 7", "x.sum((0, 2, 3, 4))", func(x, y, z node) node { return ops.Sum(x, 0, 2, 3, 4) }},
	{"1000 33 31", "x.sum(2)", func(x, y, z node) node { return ops.Sum(x, 2) }},
	{"1000 33 31", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"200000 3", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"1000 1000", "x.amax(0)", func(x, y, z node) node { return ops.Max(x, 0) }},
	{"1000 1000", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"100 100 100", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"1000000", "x.amax()", func(x, y, z node) node { return ops.Max(x) }},
	{"1000 1000", "x.argmax(0)", func(x, y, z node) node { return ops.ArgMax(x, 0) }},
	{"1000 1000", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"100000 10", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"100000 10", "x.argmin(1)", func(x, y, z node) node { return ops.ArgMin(x, 1) }},
	{"100000 3", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"int64<50 100000 5", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"100000 16", "x.max(1)[1]", func(x, y, z node) node { _, i := ops.MaxIndex(x, 1); return i }},
	{"100 100 100", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"1000000", "x.argmax()", func(x, y, z node) node { return ops.ArgMax(x) }},
	{"1000 1000", "x.max(0)[0]", func(x, y, z node) node { v, _ := ops.MaxIndex(x, 0); return v }},
	{"1000 1000", "x.max(1)[0]", func(x, y, z node) node { v, _ := ops.MaxIndex(x, 1); return v }},
	{"1000 1000", "x.prod(1)", func(x, y, z node) node { return ops.Prod(x, 1) }},
	{"1000 1000", "x.prod(0)", func(x, y, z node) node { return ops.Prod(x, 0) }},
	{"1000 1000", "x.mean(0)", func(x, y, z node) node { return ops.Mean(x, 0) }},
	{"1000 1000", "x.var(0)", func(x, y, z node) node { return ops.Var(x, 1, 0) }},
	{"1000 1000", "x.var(1)", func(x, y, z node) node { return ops.Var(x, 1, 1) }},
	{"100000 10", "x.var(1)", func(x, y, z node) node { return ops.Var(x, 1, 1) }},
	{"1000000", "x.std()", func(x, y, z node) node { return ops.Std(x, 1) }},
	{"100 100 100", "x.std(1)", func(x, y, z node) node { return ops.Std(x, 1, 1) }},
	{"1000 1000", "torch.linalg.vector_norm(x, 2, 0)", func(x, y, z node) node { return ops.Norm(x, 2, 0) }},
	{"1000 1000", "torch.linalg.vector_norm(x, 1, 1)", func(x, y, z node) node { return ops.Norm(x, 1, 1) }},
	{"1000 1000", "torch.linalg.vector_norm(x, 3, 1)", func(x, y, z node) node { return ops.Norm(x, 3, 1) }},
	{"1000 1000", "torch.linalg.vector_norm(x, math.inf, 1)", func(x, y, z node) node {
		return ops.Norm(x, math.Inf(1), 1)
	}},
	{"1000 1000", "torch.linalg.vector_norm(x, 0, 1)", func(x, y, z node) node { return ops.Norm(x, 0, 1) }},
	{"1000 1000", "x.logsumexp(0)", func(x, y, z node) node { return ops.LogSumExp(x, 0) }},
	{"1000 1000", "x.logsumexp(1)", func(x, y, z node) node { return ops.LogSumExp(x, 1) }},
	{"bool 1000 1000", "x.any(1)", func(x, y, z node) node { return ops.Any(x, 1) }},
	{"bool 1000 1000", "x.all(0)", func(x, y, z node) node { return ops.All(x, 0) }},
	{"bool 1000 1000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"bool 1000 1000", "torch.count_nonzero(x, 0)", func(x, y, z node) node { return ops.CountNonzero(x, 0) }},
	{"uint8 1000 1000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"int8 1000 1000", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"int8 1000 1000", "x.amax(0)", func(x, y, z node) node { return ops.Max(x, 0) }},
	{"int8 1000 1000", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"int32<1000 1000 1000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"int64<1000 1000 1000", "x.sum(0)", func(x, y, z node) node { return ops.Sum(x, 0) }},
	{"int64<1000 1000 1000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"int64<1000 1000 1000", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"int64<1000 1000 1000", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"int64<3 1000 1000", "x.prod(1)", func(x, y, z node) node { return ops.Prod(x, 1) }},
	{"float16 1000 1000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"bfloat16 1000 1000", "x.sum(0)", func(x, y, z node) node { return ops.Sum(x, 0) }},
	{"bfloat16 1000 1000", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"bfloat16 1000 1000", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"float64 1000 1000", "x.sum(1)", func(x, y, z node) node { return ops.Sum(x, 1) }},
	{"float64 1000 1000", "x.amax(1)", func(x, y, z node) node { return ops.Max(x, 1) }},
	{"float64 1000 1000", "x.argmax(1)", func(x, y, z node) node { return ops.ArgMax(x, 1) }},
	{"200 1000", "x.median(1)[0]", func(x, y, z node) node { v, _ := ops.Median(x, 1); return v }},
	{"200 1000", "x.kthvalue(10, 1)[0]", func(x, y, z node) node { v, _ := ops.KthValue(x, 10, 1); return v }},
	{"1000 200", "torch.quantile(x, 0.3, 1)", func(x, y, z node) node {
		return ops.Quantile(x, graph.Num(0.3), 1, ops.QuantileLinear)
	}},
	{"200 1000", "x.topk(5, 1)[0]", func(x, y, z node) node { v, _ := ops.TopK(x, 5, 1, true); return v }},
	{"1000 200", "x.topk(5, 0)[0]", func(x, y, z node) node { v, _ := ops.TopK(x, 5, 0, true); return v }},
	{"int64<50 200 1000", "x.mode(1)[0]", func(x, y, z node) node { v, _ := ops.Mode(x, 1); return v }},
}

// running are accumulations along an axis, and differences.
var running = []entry{
	{"1000000", "x.cumsum(0)", func(x, y, z node) node { return ops.CumSum(x, 0) }},
	{"1000 1000", "x.cumsum(0)", func(x, y, z node) node { return ops.CumSum(x, 0) }},
	{"1000 1000", "x.cumsum(1)", func(x, y, z node) node { return ops.CumSum(x, 1) }},
	{"100 100 100", "x.cumsum(1)", func(x, y, z node) node { return ops.CumSum(x, 1) }},
	{"100000 10", "x.cumsum(1)", func(x, y, z node) node { return ops.CumSum(x, 1) }},
	{"int64<100 1000 1000", "x.cumsum(1)", func(x, y, z node) node { return ops.CumSum(x, 1) }},
	{"bool 1000 1000", "x.cumsum(1)", func(x, y, z node) node { return ops.CumSum(x, 1) }},
	{"float64 1000 1000", "x.cumsum(0)", func(x, y, z node) node { return ops.CumSum(x, 0) }},
	{"float16 1000 1000", "x.cumsum(1)", func(x, y, z node) node { return ops.CumSum(x, 1) }},
	{"share 1000 1000", "x.cumprod(1)", func(x, y, z node) node { return ops.CumProd(x, 1) }},
	{"share 1000 1000", "x.cumprod(0)", func(x, y, z node) node { return ops.CumProd(x, 0) }},
	{"1000 1000", "x.cummax(1)[0]", func(x, y, z node) node { v, _ := ops.CumMax(x, 1); return v }},
	{"1000 1000", "x.cummax(0)[0]", func(x, y, z node) node { v, _ := ops.CumMax(x, 0); return v }},
	{"1000 1000", "x.cummax(1)[1]", func(x, y, z node) node { _, i := ops.CumMax(x, 1); return i }},
	{"1000 1000", "x.logcumsumexp(1)", func(x, y, z node) node { return ops.LogCumSumExp(x, 1) }},
	{"1000 1000", "x.logcumsumexp(0)", func(x, y, z node) node { return ops.LogCumSumExp(x, 0) }},
	{"1000 1000", "x.diff(1, 1)", func(x, y, z node) node { return ops.Diff(x, 1, 1) }},
	{"1000 1000", "x.diff(1, 0)", func(x, y, z node) node { return ops.Diff(x, 1, 0) }},
	{"1000 1000", "torch.cumulative_trapezoid(x, dx=0.5)", func(x, y, z node) node {
		return ops.CumulativeTrapezoid(x, graph.Num(0.5), 1)
	}},
}
