package ops

import "github.com/broadloom/broadloom/graph"

// Squareplus returns (x + sqrt(x² + b)) / 2, which is [Relu] if b is 0. It is jax.nn.squareplus.
func Squareplus(x *graph.Node, b float64) *graph.Node {
	defer building("Squareplus", x, b)()
	return Mul(Add(x, Sqrt(Add(Square(x), num(b)))), num(0.5))
}

// SparsePlus returns 0 up to -1, (x+1)²/4 between -1 and 1, and x from 1 on. It is jax.nn.sparse_plus.
func SparsePlus(x *graph.Node) *graph.Node {
	defer building("SparsePlus", x)()
	between := Mul(Square(Add(x, num(1))), num(0.25))
	return Where(LessEqual(x, num(-1)), num(0), Where(GreaterEqual(x, num(1)), x, between))
}

// SparseSigmoid returns (x+1)/2, limited to the range from 0 to 1. It is the derivative of [SparsePlus], and
// jax.nn.sparse_sigmoid.
func SparseSigmoid(x *graph.Node) *graph.Node {
	defer building("SparseSigmoid", x)()
	return Mul(Clamp(Add(x, num(1)), 0, 2), num(0.5))
}

// WeightNorm returns v * gain / |v|, where the norm is over all axes except the given one. gain has the shape of the
// norm with its axes kept, such as [out, 1] for v [out, in] and axis 0. It is PyTorch's weight_norm. Source: T.
// Salimans and D. Kingma, Weight Normalization, 2016.
func WeightNorm(v, gain *graph.Node, axis int) *graph.Node {
	defer building("WeightNorm", v, gain, axis)()
	others, bad := axesBut(refused("WeightNorm", v, gain).with(axis), axis)
	if bad != nil {
		return bad
	}
	return Mul(v, Div(gain, Norm(v, 2, others...)))
}

// axesBut lists the axes of the first operand but one, and that they are kept.
func axesBut(call refusedCall, axis int) (others []Axis, bad node) {
	if bad := notTensors(call); bad != nil {
		return nil, bad
	}
	at, bad := call.axis(axis)
	if bad != nil {
		return nil, bad
	}
	if call.in[0].Rank() < 2 {
		return nil, call.wrong(graph.CodeRank, "weight_norm: input needs at least 2 dimensions, got %d dimensions",
			call.in[0].Rank())
	}
	for i := range call.in[0].Rank() {
		if i != at {
			others = append(others, Axis(i))
		}
	}
	return append(others, KeepDims()), nil
}

func init() {
	composed("Squareplus", "(x + sqrt(x² + b)) / 2.",
		named("", "", "jax.nn.squareplus", "", "", func(e *graph.Example) node {
			return Squareplus(e.Of("x", "n"), 4)
		}))
	composed("SparsePlus", "0 up to -1, x from 1 on, (x+1)²/4 between.",
		named("", "", "jax.nn.sparse_plus", "", "", func(e *graph.Example) node { return SparsePlus(e.Of("x", "n")) }))
	composed("SparseSigmoid", "(x+1)/2 between 0 and 1.",
		named("", "", "jax.nn.sparse_sigmoid", "", "", func(e *graph.Example) node {
			return SparseSigmoid(e.Of("x", "n"))
		}))
	composed("WeightNorm", "v * gain / |v|, with the norm over all axes but one.",
		named("", "torch._weight_norm, torch.nn.utils.weight_norm", "", "", "", func(e *graph.Example) node {
			return WeightNorm(e.Of("v", "n", "k"), e.Of("gain", "n", "1"), 0)
		}))
}
