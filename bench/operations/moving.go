package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// moving are changes of the arrangement.
var moving = []entry{
	{"1000 1000", "x.t().contiguous()", func(x, y, z node) node { return ops.Copy(ops.Transpose(x, 0, 1)) }},
	{"float64 1000 1000", "x.t().contiguous()", func(x, y, z node) node { return ops.Copy(ops.Transpose(x, 0, 1)) }},
	{"uint8 1000 1000", "x.t().contiguous()", func(x, y, z node) node { return ops.Copy(ops.Transpose(x, 0, 1)) }},
	{"bfloat16 1000 1000", "x.t().contiguous()", func(x, y, z node) node { return ops.Copy(ops.Transpose(x, 0, 1)) }},
	{"8 32 56 56", "x.permute(0, 2, 3, 1).contiguous()", func(x, y, z node) node {
		return ops.Copy(ops.Permute(x, 0, 2, 3, 1))
	}},
	{"8 56 56 3", "x.permute(0, 3, 1, 2).contiguous()", func(x, y, z node) node {
		return ops.Copy(ops.Permute(x, 0, 3, 1, 2))
	}},
	{"uint8 8 224 224 3", "x.permute(0, 3, 1, 2).float().div(255)", func(x, y, z node) node {
		return ops.Div(ops.Cast(ops.Permute(x, 0, 3, 1, 2), graph.Float32), graph.Num(255))
	}},
	{"32 128 8 16", "x.transpose(1, 2).contiguous()", func(x, y, z node) node {
		return ops.Copy(ops.Transpose(x, 1, 2))
	}},
	{"1000 1000", "x + x.t()", func(x, y, z node) node { return ops.Add(x, ops.Transpose(x, 0, 1)) }},
	{"1000 1000", "x.flip(0)", func(x, y, z node) node { return ops.Flip(x, 0) }},
	{"1000 1000", "x.flip(1)", func(x, y, z node) node { return ops.Flip(x, 1) }},
	{"1000 1000", "x.roll(7, 1)", func(x, y, z node) node { return ops.Roll(x, 1, 7) }},
	{"1000 1000", "x.roll(7, 0)", func(x, y, z node) node { return ops.Roll(x, 0, 7) }},
	{"1000 1000", "torch.rot90(x)", func(x, y, z node) node { return ops.Rot90(x, 1, 0, 1) }},
	{"1000 1000", "torch.tril(x)", func(x, y, z node) node { return ops.Tril(x, 0) }},
	{"64 64", "torch.block_diag(x, x, x, x, x, x, x, x)", func(x, y, z node) node {
		return ops.BlockDiag(x, x, x, x, x, x, x, x)
	}},
	{"1000", "torch.diag_embed(x)", func(x, y, z node) node { return ops.DiagEmbed(x, 0) }},
	{"1000 1000", "torch.diagonal(x).contiguous()", func(x, y, z node) node {
		return ops.Copy(ops.Diagonal(x, 0, 0, 1))
	}},
	{"500 500; 500 500", "torch.cat([x, y], 1)", func(x, y, z node) node { return ops.Concat(1, x, y) }},
	{"100000 3; 100000 2", "torch.cat([x, y], 1)", func(x, y, z node) node { return ops.Concat(1, x, y) }},
	{"100000; 100000", "torch.stack([x, y], 1)", func(x, y, z node) node { return ops.Stack(1, x, y) }},
	{"500 500; 500 500", "torch.stack([x, y], 0)", func(x, y, z node) node { return ops.Stack(0, x, y) }},
	{"100 1000", "x.repeat(3, 3)", func(x, y, z node) node { return ops.Tile(x, 3, 3) }},
	{"500 500", "x.repeat_interleave(3, 1)", func(x, y, z node) node { return ops.RepeatInterleave(x, 1, 3) }},
	{"500 500", "x.repeat_interleave(3, 0)", func(x, y, z node) node { return ops.RepeatInterleave(x, 0, 3) }},
	{"1000 1000", "x[:, ::2].contiguous()", func(x, y, z node) node { return ops.Copy(ops.Slice(x, 1, 0, 1000, 2)) }},
	{"1000 1000", "x[::2].contiguous()", func(x, y, z node) node { return ops.Copy(ops.Slice(x, 0, 0, 1000, 2)) }},
	{"1000 1000", "F.pad(x, (3, 5))", func(x, y, z node) node { return ops.Pad(x, 1, 3, 5, 0) }},
	{"8 32 56 56", "F.pad(x, (1, 1, 1, 1))", func(x, y, z node) node {
		return ops.Pad(ops.Pad(x, 3, 1, 1, 0), 2, 1, 1, 0)
	}},
	{"8 32 56 56", "F.pad(x, (1, 1, 1, 1), mode='reflect')", func(x, y, z node) node {
		return ops.PadWith(ops.PadWith(x, 3, 1, 1, ops.PadReflect), 2, 1, 1, ops.PadReflect)
	}},
	{"8 32 56 56", "F.pad(x, (1, 1, 1, 1), mode='replicate')", func(x, y, z node) node {
		return ops.PadWith(ops.PadWith(x, 3, 1, 1, ops.PadReplicate), 2, 1, 1, ops.PadReplicate)
	}},
	{"8 32 56 56", "F.pad(x, (1, 1, 1, 1), mode='circular')", func(x, y, z node) node {
		return ops.PadWith(ops.PadWith(x, 3, 1, 1, ops.PadCircular), 2, 1, 1, ops.PadCircular)
	}},
	{"100 10000", "x.unfold(1, 16, 4).contiguous()", func(x, y, z node) node {
		return ops.Copy(ops.Window(x, 1, 16, 4, 1))
	}},
	{"1000; 1000", "torch.meshgrid(x, y, indexing='ij')[1].contiguous()", func(x, y, z node) node {
		return ops.Copy(ops.Meshgrid(x, y)[1])
	}},
	{"1000; 1000", "torch.cartesian_prod(x, y)", func(x, y, z node) node { return ops.CartesianProd(x, y) }},
	{"30 30; 30 30", "torch.kron(x, y)", func(x, y, z node) node { return ops.Kron(x, y) }},
	{"1000; 1000", "torch.outer(x, y)", func(x, y, z node) node { return ops.Outer(x, y) }},
}

// broadcasting are operations with repeated operands, products and distances.
var broadcasting = []entry{
	{"1000 1; 1 1000", "x - y", func(x, y, z node) node { return ops.Sub(x, y) }},
	{"1000 1; 1 1000", "(x - y).abs().sum()", func(x, y, z node) node { return ops.Sum(ops.Abs(ops.Sub(x, y))) }},
	{"8 32 56 56; 32 1 1", "x + y", func(x, y, z node) node { return ops.Add(x, y) }},
	{"64 256 7 7; 256 1 1", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"100000 5; 5", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"100000 5; 100000 1", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"100 1 100; 1 100 100", "x * y", func(x, y, z node) node { return ops.Mul(x, y) }},
	{"3 100000; 3 1", "x / y", func(x, y, z node) node { return ops.Div(x, y) }},
	{"256 32 32; 256 32 32", "torch.einsum('bij,bjk->bik', x, y)", func(x, y, z node) node {
		return ops.Einsum("bij,bjk->bik", x, y)
	}},
	{"2000 3 3; 2000 3 3", "torch.einsum('bij,bjk->bik', x, y)", func(x, y, z node) node {
		return ops.Einsum("bij,bjk->bik", x, y)
	}},
	{"20000 4 4; 20000 4", "torch.einsum('bij,bj->bi', x, y)", func(x, y, z node) node {
		return ops.Einsum("bij,bj->bi", x, y)
	}},
	{"8 128 8 32; 8 128 8 32", "torch.einsum('bqhd,bkhd->bhqk', x, y)", func(x, y, z node) node {
		return ops.Einsum("bqhd,bkhd->bhqk", x, y)
	}},
	{"1000 500; 1000 500", "torch.einsum('ij,ij->i', x, y)", func(x, y, z node) node {
		return ops.Einsum("ij,ij->i", x, y)
	}},
	{"1000 500; 1000 500", "torch.einsum('ij,ij->j', x, y)", func(x, y, z node) node {
		return ops.Einsum("ij,ij->j", x, y)
	}},
	{"1000 1000", "torch.einsum('ii->i', x)", func(x, y, z node) node { return ops.Einsum("ii->i", x) }},
	{"1000 1000", "torch.einsum('ij->j', x)", func(x, y, z node) node { return ops.Einsum("ij->j", x) }},
	{"64 100; 64 100; 64 100", "torch.einsum('bi,bj,bk->bij', x, y, z)", func(x, y, z node) node {
		return ops.Einsum("bi,bj,bk->bij", x, y, z)
	}},
	{"32 20 64; 32 30 64; 20 30", "torch.einsum('bqd,bkd,qk->bq', x, y, z)", func(x, y, z node) node {
		return ops.Einsum("bqd,bkd,qk->bq", x, y, z)
	}},
	{"500 3; 500 3", "torch.cdist(x, y)", func(x, y, z node) node { return ops.CDist(x, y, 2) }},
	{"500 64; 500 64", "torch.cdist(x, y)", func(x, y, z node) node { return ops.CDist(x, y, 2) }},
	{"500 64; 500 64", "torch.cdist(x, y, 1)", func(x, y, z node) node { return ops.CDist(x, y, 1) }},
	{"500 16", "F.pdist(x)", func(x, y, z node) node { return ops.PDist(x, 2) }},
	{"100000 3; 100000 3", "torch.linalg.cross(x, y)", func(x, y, z node) node { return ops.Cross(x, y, 1) }},
	{"1000 1000; 1000 1000", "F.cosine_similarity(x, y, 1)", func(x, y, z node) node {
		return ops.CosineSimilarity(x, y, 1, 1e-8)
	}},
	{"1000 1000; 1000 1000", "F.pairwise_distance(x, y)", func(x, y, z node) node {
		return ops.PairwiseDistance(x, y, 2, 1e-6)
	}},
	{"1000 64; 1000 64; 10 64 64", "F.bilinear(x, y, z)", func(x, y, z node) node {
		return ops.Bilinear(x, y, z, nil)
	}},
	{"1000 1000; 1000", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"1000; 1000 1000", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"1000000; 1000000", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"100000 3; 3 3", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"20000 4 4; 4 4", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"4000 8 8; 4000 8 8", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"1000 3; 5 3; 5", "F.linear(x, y, z)", func(x, y, z node) node { return ops.Linear(x, y, z) }},
	{"int64<100 200 200; int64<100 200 200", "x @ y", func(x, y, z node) node { return ops.MatMul(x, y) }},
	{"8 8 128 64; 8 8 128 64; 8 8 128 64", "F.scaled_dot_product_attention(x, y, z)", func(x, y, z node) node {
		return ops.ScaledDotProductAttention(x, y, z)
	}},
}
