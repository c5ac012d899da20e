package exec_test

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// axesForms are forms of attention in which the axes of scores stand in another order than [b, h, q, k], or scores are
// sums of products.
var axesForms = []attentionForm{
	{"heads last", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.Einsum("bqhd,bkhd->bqkh", q, k), f.num(1/math.Sqrt(8)))
		return ops.Einsum("bqkh,bkhd->bqhd", ops.Softmax(s, 2), v)
	}},
	{"heads behind queries", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.Einsum("bqhd,bkhd->bqhk", q, k), f.num(1/math.Sqrt(8)))
		s = ops.MaskedFill(s, ops.Unsqueeze(f.hidden(), 1), lowest)
		return ops.Einsum("bqhk,bkhd->bqhd", ops.Softmax(s, 3), v)
	}},
	{"heads before the batch", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Einsum("bqhd,bkhd->hbqk", q, k)
		return ops.Einsum("hbqk,bkhd->bqhd", ops.Softmax(s, 3), v)
	}},
	{"keys first", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.Einsum("bqhd,bkhd->kqbh", q, k), f.num(1/math.Sqrt(8)))
		return ops.Einsum("kqbh,bkhd->bqhd", ops.Softmax(s, 0), v)
	}},
	{"keys in rows", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.MatMul(byHead(k), ops.Transpose(byHead(q), 2, 3)), f.num(1/math.Sqrt(8)))
		s = ops.MaskedFill(s, ops.Transpose(f.hidden(), 0, 1), lowest)
		return byHead(ops.MatMul(ops.Transpose(ops.Softmax(s, 2), 2, 3), byHead(v)))
	}},
	{"heads last behind a mask", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Permute(scaledScores(q, k), 0, 2, 3, 1)
		s = ops.MaskedFill(s, ops.Unsqueeze(f.hidden(), 2), lowest)
		return byHead(ops.MatMul(ops.Permute(ops.Softmax(s, 2), 0, 3, 1, 2), byHead(v)))
	}},
	{"columns", 4, func(_ *formInputs, q, k, v *graph.Node) *graph.Node { // of queries, keys and values: [b h 8 s]
		column := func(x *graph.Node) *graph.Node { return ops.Permute(x, 0, 2, 3, 1) }
		w := ops.Softmax(ops.Div(ops.MatMul(byHead(k), column(q)), graph.Num(math.Sqrt(8))), -2)
		return ops.Permute(ops.MatMul(column(v), w), 0, 3, 1, 2)
	}},
	{"columns of weights by sigmoid", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		column := func(x *graph.Node) *graph.Node { return ops.Permute(x, 2, 0, 3, 1) } // [h b 8 s]
		w := ops.Sigmoid(ops.MaskedFill(ops.MatMul(ops.Permute(q, 2, 0, 1, 3), column(k)), f.hidden(), f.num(-9)))
		return ops.Permute(ops.MatMul(column(v), ops.Transpose(w, 2, 3)), 1, 3, 0, 2)
	}},
	{"sums of products", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Sum(ops.Mul(ops.Unsqueeze(byHead(q), 3), ops.Unsqueeze(byHead(k), 2)), -1)
		w := ops.Softmax(ops.Mul(s, f.num(1/math.Sqrt(8))), -1)
		return byHead(ops.Sum(ops.Mul(ops.Unsqueeze(w, 4), ops.Unsqueeze(byHead(v), 2)), 3))
	}},
	{"sums of products with heads last", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Sum(ops.Mul(ops.Unsqueeze(q, 2), ops.Unsqueeze(k, 1)), -1) // b q k h
		w := ops.Softmax(ops.MaskedFill(s, ops.Unsqueeze(f.hidden(), 2), lowest), 2)
		return ops.Sum(ops.Mul(ops.Unsqueeze(w, 4), ops.Unsqueeze(v, 1)), 2)
	}},
}
