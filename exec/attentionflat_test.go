package exec_test

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// flatForms are forms in which axes of the batch are one axis at times, as layers for torch.bmm have them.
var flatForms = []attentionForm{
	{"mask of padding over batches of heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		// PyTorch's layer
		s := f.ofHeads(f.flatScores(q, k))
		s = ops.MaskedFill(s, ops.Unsqueeze(ops.Unsqueeze(f.g.Input("pad", graph.Bool, f.batch, f.len), 1), 1), lowest)
		return f.flatWeighed(ops.Softmax(f.flat(s), -1), v)
	}},
	{"bias over batches of heads, softmax of heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Add(f.ofHeads(f.flatScores(q, k)), f.g.Input("bias", f.dt, f.batch, 1, 1, f.len))
		return f.flatWeighed(f.flat(ops.Softmax(s, -1)), v)
	}},
	{"bias of heads over batches of heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Add(f.ofHeads(f.flatScores(q, k)), ops.Mul(f.slopes(), f.distance()))
		return f.flatWeighed(ops.Softmax(ops.MaskedFill(f.flat(s), f.hidden(), lowest), -1), v)
	}},
	{"weights of heads of flat scores", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		w := f.ofHeads(ops.Softmax(f.flatScores(q, k), -1))
		return byHead(ops.MatMul(w, byHead(v)))
	}},
	{"flat weights of scores of heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return f.flatWeighed(f.flat(ops.Softmax(ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest), -1)), v)
	}},
	{"mask that is repeated over heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		pad := ops.Unsqueeze(ops.RepeatInterleave(f.g.Input("pad", graph.Bool, f.batch, f.len), 0, 4), 1)
		return f.flatWeighed(ops.Softmax(ops.MaskedFill(f.flatScores(q, k), pad, lowest), -1), v)
	}},
	{"mask that is expanded over heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		pad := ops.Expand(ops.Unsqueeze(ops.Unsqueeze(f.g.Input("pad", graph.Bool, f.batch, f.len), 1), 1), f.batch, 4,
			1, f.len)
		pad = ops.Reshape(pad, f.batch.Times(4), 1, f.len)
		return f.flatWeighed(ops.Softmax(ops.MaskedFill(f.flatScores(q, k), pad, lowest), -1), v)
	}},
	{"groups of flat heads", 2, func(f *formInputs, q, k, v *graph.Node) *graph.Node { // b·2 groups of 2·s queries
		q = ops.Reshape(byHead(q), f.batch.Times(2), f.len.Times(2), 8)
		k, v = ops.Reshape(byHead(k), f.batch.Times(2), f.len, 8), ops.Reshape(byHead(v), f.batch.Times(2), f.len, 8)
		s := ops.Reshape(ops.MatMul(q, ops.Transpose(k, 1, 2)), f.batch, 4, f.len, f.len)
		s = ops.MaskedFill(ops.Mul(s, graph.Num(1/math.Sqrt(8))), f.hidden(), lowest)
		w := ops.Reshape(ops.Softmax(s, -1), f.batch.Times(2), f.len.Times(2), f.len)
		return byHead(ops.Reshape(ops.MatMul(w, v), f.batch, 4, f.len, 8))
	}},
}

// flat has the heads of a batch one after the other.
func (f *formInputs) flat(x *graph.Node) *graph.Node {
	return ops.Reshape(x, f.batch.Times(4), x.Shape()[2], x.Shape()[3])
}

// ofHeads has an axis for the heads of a flat batch.
func (f *formInputs) ofHeads(x *graph.Node) *graph.Node {
	return ops.Reshape(x, f.batch, 4, x.Shape()[1], x.Shape()[2])
}

func (f *formInputs) flatScores(q, k *graph.Node) *graph.Node {
	s := ops.MatMul(f.flat(byHead(q)), ops.Transpose(f.flat(byHead(k)), 1, 2))
	return ops.Mul(s, graph.Num(1/math.Sqrt(8)))
}

func (f *formInputs) flatWeighed(w, v *graph.Node) *graph.Node {
	return byHead(f.ofHeads(ops.MatMul(w, f.flat(byHead(v)))))
}
