package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// converting are changes of dtype.
var converting = []entry{
	{"1000000", "x.half()", func(x, y, z node) node { return ops.Cast(x, graph.Float16) }},
	{"1000000", "x.bfloat16()", func(x, y, z node) node { return ops.Cast(x, graph.BFloat16) }},
	{"1000000", "x.double()", func(x, y, z node) node { return ops.Cast(x, graph.Float64) }},
	{"1000000", "x.int()", func(x, y, z node) node { return ops.Cast(x, graph.Int32) }},
	{"1000000", "x.long()", func(x, y, z node) node { return ops.Cast(x, graph.Int64) }},
	{"share 1000000", "x.to(torch.uint8)", func(x, y, z node) node { return ops.Cast(x, graph.Uint8) }},
	{"1000000", "x.to(torch.int8)", func(x, y, z node) node { return ops.Cast(x, graph.Int8) }},
	{"1000000", "x.bool()", func(x, y, z node) node { return ops.Cast(x, graph.Bool) }},
	{"float16 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"bfloat16 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"float64 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"float64 1000000", "x.long()", func(x, y, z node) node { return ops.Cast(x, graph.Int64) }},
	{"uint8 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"int64<1000000 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"int64<1000000 1000000", "x.double()", func(x, y, z node) node { return ops.Cast(x, graph.Float64) }},
	{"int64<1000000 1000000", "x.int()", func(x, y, z node) node { return ops.Cast(x, graph.Int32) }},
	{"int32<1000000 1000000", "x.long()", func(x, y, z node) node { return ops.Cast(x, graph.Int64) }},
	{"int32<1000000 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"bool 1000000", "x.float()", func(x, y, z node) node { return ops.Cast(x, graph.Float32) }},
	{"bool 1000000", "x.long()", func(x, y, z node) node { return ops.Cast(x, graph.Int64) }},
}

// computing are operations of elements.
var computing = []entry{
	{"int32<100 1000000; int32 positive<100 1000000", "x // y", func(x, y, z node) node { return ops.FloorDiv(x, y) }},
	{"int64<100 1000000; int64 positive<100 1000000", "x // y", func(x, y, z node) node { return ops.FloorDiv(x, y) }},
	{"int64<100 1000000; int64 positive<100 1000000", "x % y", func(x, y, z node) node { return ops.Remainder(x, y) }},
	{"int64<100 1000000", "x % 7", func(x, y, z node) node { return ops.Remainder(x, graph.Num(7)) }},
	{"int64<100 1000000", "x // 7", func(x, y, z node) node { return ops.FloorDiv(x, graph.Num(7)) }},
	{"int32<100 1000000", "x % 7", func(x, y, z node) node { return ops.Remainder(x, graph.Num(7)) }},
	{"uint8<100 1000000; uint8 positive<100 1000000", "x // y", func(x, y, z node) node { return ops.FloorDiv(x, y) }},
	{"int64<100 1000000; int64<100 1000000", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"int64<100 1000000; int64<100 1000000", "torch.maximum(x, y)", func(x, y, z node) node {
		return ops.Maximum(x, y)
	}},
	{"int64<100 1000000; int64<100 1000000", "x == y", func(x, y, z node) node { return ops.Equal(x, y) }},
	{"int64<100 1000000; int64<100 1000000", "x & y", func(x, y, z node) node { return ops.BitAnd(x, y) }},
	{"int64<100 1000000; int64<5 1000000", "x << y", func(x, y, z node) node { return ops.ShiftLeft(x, y) }},
	{"int64<100 1000000", "x ** 2", func(x, y, z node) node { return ops.Pow(x, graph.Num(2)) }},
	{"int64<100 1000000; int64<5 1000000", "x ** y", func(x, y, z node) node { return ops.Pow(x, y) }},
	{"int64<100 500000; int64<100 500000", "torch.gcd(x, y)", func(x, y, z node) node { return ops.Gcd(x, y) }},
	{"int64<100 500000; int64<100 500000", "torch.lcm(x, y)", func(x, y, z node) node { return ops.Lcm(x, y) }},
	{"uint8<100 1000000; uint8<100 1000000", "x + y", func(x, y, z node) node { return ops.Add(x, y) }},
	{"uint8<100 1000000; uint8<100 1000000", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"int8<100 1000000; int8<100 1000000", "torch.maximum(x, y)", func(x, y, z node) node { return ops.Maximum(x, y) }},
	{"bool 1000000; bool 1000000", "x & y", func(x, y, z node) node { return ops.And(x, y) }},
	{"bool 1000000; bool 1000000", "x ^ y", func(x, y, z node) node { return ops.Xor(x, y) }},
	{"bool 1000000", "~x", func(x, y, z node) node { return ops.Not(x) }},
	{"1000000; 1000000", "x > y", func(x, y, z node) node { return ops.Greater(x, y) }},
	{"float16 1000000; float16 1000000", "x > y", func(x, y, z node) node { return ops.Greater(x, y) }},
	{"float16 1000000; float16 1000000", "x + y", func(x, y, z node) node { return ops.Add(x, y) }},
	{"bfloat16 1000000; bfloat16 1000000", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"bfloat16 1000000", "F.gelu(x)", func(x, y, z node) node { return ops.Gelu(x) }},
	{"float64 500000", "torch.exp(x)", func(x, y, z node) node { return ops.Exp(x) }},
	{"share 500000", "x ** 2.5", func(x, y, z node) node { return ops.Pow(x, graph.Num(2.5)) }},
	{"share 500000", "x ** 3", func(x, y, z node) node { return ops.Pow(x, graph.Num(3)) }},
	{"share 500000", "x ** 0.5", func(x, y, z node) node { return ops.Pow(x, graph.Num(0.5)) }},
	{"share 500000; 500000", "x ** y", func(x, y, z node) node { return ops.Pow(x, y) }},
	{"500000", "x % 1.5", func(x, y, z node) node { return ops.Remainder(x, graph.Num(1.5)) }},
	{"500000", "torch.fmod(x, 1.5)", func(x, y, z node) node { return ops.Fmod(x, graph.Num(1.5)) }},
	{"1000", "torch.relu(x)", func(x, y, z node) node { return ops.Relu(x) }},
	{"10", "x * 2", func(x, y, z node) node { return ops.Mul(x, graph.Num(2)) }},
}
