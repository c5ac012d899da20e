package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// gathering are operations that pick and write by index and by mask.
var gathering = []entry{
	{"1000 500; int64<1000 2000", "x.index_select(0, y)", func(x, y, z node) node { return ops.IndexSelect(x, 0, y) }},
	{"1000 500; int64<500 300", "x.index_select(1, y)", func(x, y, z node) node { return ops.IndexSelect(x, 1, y) }},
	{"100000 3; int64<100000 200000", "x[y]", func(x, y, z node) node { return ops.Index(x, y) }},
	{"1000 500; int64<1000 100000; int64<500 100000", "x[y, z]", func(x, y, z node) node { return ops.Index(x, y, z) }},
	{"1000 500; int64<500 1000 300", "x.gather(1, y)", func(x, y, z node) node { return ops.Gather(x, 1, y) }},
	{"1000 500; int64<1000 300 500", "x.gather(0, y)", func(x, y, z node) node { return ops.Gather(x, 0, y) }},
	{"1000000; int64<1000000 200000", "torch.take(x, y)", func(x, y, z node) node { return ops.TakeFlat(x, y) }},
	{"1000 500; int64<1000 2000 500; 2000 500", "x.scatter_add(0, y, z)", func(x, y, z node) node {
		return ops.ScatterAdd(x, 0, y, z)
	}},
	{"1000 50; int64<50 1000 500; 1000 500", "x.scatter_add(1, y, z)", func(x, y, z node) node {
		return ops.ScatterAdd(x, 1, y, z)
	}},
	{"1000 500; int64<500 1000 300; 1000 300", "x.scatter(1, y, z)", func(x, y, z node) node {
		return ops.Scatter(x, 1, y, z)
	}},
	{"1000 500; int64<1000 300 500; 300 500", "x.scatter_reduce(0, y, z, 'amax')", func(x, y, z node) node {
		return ops.ScatterReduce(x, 0, y, z, ops.ReduceMax)
	}},
	{"1000 500; int64<1000 300 500; 300 500", "x.scatter_reduce(0, y, z, 'mean')", func(x, y, z node) node {
		return ops.ScatterReduce(x, 0, y, z, ops.ReduceMean)
	}},
	{"1000 500; int64<1000 300 500; 300 500", "x.scatter_reduce(0, y, z, 'prod')", func(x, y, z node) node {
		return ops.ScatterReduce(x, 0, y, z, ops.ReduceProd)
	}},
	{"1000 500; int64<1000 2000; 2000 500", "x.index_add(0, y, z)", func(x, y, z node) node {
		return ops.IndexAdd(x, 0, y, z)
	}},
	{"500 100; int64<100 1000; 500 1000", "x.index_add(1, y, z)", func(x, y, z node) node {
		return ops.IndexAdd(x, 1, y, z)
	}},
	{"100000 3; int64<100000 200000; 200000 3", "x.index_add(0, y, z)", func(x, y, z node) node {
		return ops.IndexAdd(x, 0, y, z)
	}},
	{"1000; int64<1000 500000; 500000", "x.index_add(0, y, z)", func(x, y, z node) node {
		return ops.IndexAdd(x, 0, y, z)
	}},
	{"1000 500; int64<1000 500; 500 500", "x.index_copy(0, y, z)", func(x, y, z node) node {
		return ops.IndexCopy(x, 0, y, z)
	}},
	{"1000 500; int64<1000 500; 500 500", "x.index_reduce(0, y, z, 'amax')", func(x, y, z node) node {
		return ops.IndexReduce(x, 0, y, z, ops.ReduceMax)
	}},
	{"1000 500; int64<1000 500", "x.index_fill(0, y, 1)", func(x, y, z node) node {
		return ops.IndexFill(x, 0, y, graph.Num(1))
	}},
	{"1000 500; int64<1000 2000; 2000 500", "x.index_put((y,), z, accumulate=True)", func(x, y, z node) node {
		return ops.IndexPut(x, []node{y}, z, ops.Accumulate())
	}},
	{"int64<10000 256 64; 10000 128", "F.embedding(x, y)", func(x, y, z node) node { return ops.Embedding(x, y) }},
	{"int64<10000 512 20; 10000 64", "F.embedding_bag(x, y)", func(x, y, z node) node {
		return ops.EmbeddingBag(x, y, ops.ReduceMean)
	}},
	{"int64<10000 512 20; 10000 64", "F.embedding_bag(x, y, mode='sum')", func(x, y, z node) node {
		return ops.EmbeddingBag(x, y, ops.ReduceSum)
	}},
	{"int64<10000 512 20; 10000 64", "F.embedding_bag(x, y, mode='max')", func(x, y, z node) node {
		return ops.EmbeddingBag(x, y, ops.ReduceMax)
	}},
	{"1000 500; bool 1000 500", "x.masked_fill(y, 0)", func(x, y, z node) node {
		return ops.MaskedFill(x, y, graph.Num(0))
	}},
	{"1000 500; bool 1000 500", "torch.masked_select(x, y).sum()", func(x, y, z node) node {
		v, _ := ops.MaskedSelect(x, y, 500000, graph.Num(0))
		return ops.Sum(v)
	}},
	{"1000 500; bool 1000 500; 500000", "x.masked_scatter(y, z)", func(x, y, z node) node {
		return ops.MaskedScatter(x, y, z)
	}},
	{"bool 1000 500; 1000 500; 1000 500", "torch.where(x, y, z)", func(x, y, z node) node {
		return ops.Where(x, y, z)
	}},
	{"bool 1000 500; 1000 1; 500", "torch.where(x, y, z)", func(x, y, z node) node { return ops.Where(x, y, z) }},
	{"bool 1000 500", "torch.count_nonzero(x)", func(x, y, z node) node { return ops.CountNonzero(x) }},
	{"bool 1000 500", "torch.nonzero(x).shape[0]", func(x, y, z node) node {
		_, c := ops.Nonzero(x, 500000, graph.Num(0))
		return c
	}},
	{"int64<100 200000", "F.one_hot(x, 100).float()", func(x, y, z node) node {
		return ops.OneHot(x, 100, graph.Float32)
	}},
	{"int64<1000 500000", "torch.bincount(x, minlength=1000)", func(x, y, z node) node {
		return ops.Bincount(x, 1000, nil)
	}},
	{"int64<10 500000", "torch.bincount(x, minlength=10)", func(x, y, z node) node { return ops.Bincount(x, 10, nil) }},
	{"int64<1000 500000; 500000", "torch.bincount(x, y, 1000)", func(x, y, z node) node {
		return ops.Bincount(x, 1000, y)
	}},
	{"500000", "torch.histc(x, 100, -3, 3)", func(x, y, z node) node { return ops.Histc(x, 100, -3, 3) }},
	{"500000; rising 100", "torch.bucketize(x, y)", func(x, y, z node) node { return ops.Bucketize(x, y, false) }},
	{"rising 100000; 500000", "torch.searchsorted(x, y)", func(x, y, z node) node {
		return ops.SearchSorted(x, y, false)
	}},
	{"int64<1000 100000; int64<2000 100", "torch.isin(x, y)", func(x, y, z node) node { return ops.IsIn(x, y) }},
	{"int64<1000 200000", "torch.unique(x)", func(x, y, z node) node {
		v, _, _ := ops.Unique(x, 1000, graph.Num(0))
		return v
	}},
	{"1000 64; int64<100 1000; 100 64", "z.index_reduce(0, y, x, 'amax', include_self=False)", func(x, y, z node) node {
		return ops.SegmentMax(x, 0, y, 100)
	}},
	{"100000 16; int64<1000 100000; 1000 16", "torch.zeros_like(z).index_add(0, y, x)", func(x, y, z node) node {
		return ops.SegmentSum(x, 0, y, 1000)
	}},
	{"4000 64; int64<4000 40000; int64<4000 40000", "(x[y] * x[z]).sum(1)", func(x, y, z node) node {
		return ops.Sum(ops.Mul(ops.Take(x, 0, y), ops.Take(x, 0, z)), ops.Axis(1))
	}},
	{"4000 64; int64<4000 40000; int64<4000 40000", "torch.zeros_like(x).index_add(0, z, torch.relu(x[y] + x[z]))",
		func(x, y, z node) node {
			return ops.SegmentSum(ops.Relu(ops.Add(ops.Take(x, 0, y), ops.Take(x, 0, z))), 0, z, 4000)
		}},
	{"4000 64; int64<4000 40000; 40000 64", "torch.zeros_like(x).index_add(0, y, x[y] * z)", func(x, y, z node) node {
		return ops.SegmentSum(ops.Mul(ops.Take(x, 0, y), z), 0, y, 4000)
	}},
	{"20000 64; int64<20000 2000 20", "x[y].mean(1)", func(x, y, z node) node {
		return ops.Mean(ops.Take(x, 0, y), ops.Axis(1))
	}},
	{"20000 256; int64<20000 4096; 256", "F.layer_norm(x[y] + z, (256,), z)", func(x, y, z node) node {
		return ops.LayerNorm(ops.Add(ops.Take(x, 0, y), z), z, nil, 1e-5)
	}},
	{"8 1000 64; int64<1000 8 500", "torch.gather(x, 1, y[:, :, None].expand(-1, -1, 64))", func(x, y, z node) node {
		return ops.GatherND(x, ops.Unsqueeze(y, 2), 1)
	}},
}
