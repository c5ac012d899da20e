package ops

import "github.com/broadloom/broadloom/graph"

// CDist returns the distances of each row of x, [..., n, d], from each row of y, [..., m, d], by the norm of order p, which is not negative:
// [..., n, m]. Leading axes broadcast. Where a distance is 0, so is its gradient. For an infinite order equal greatest
// differences share the gradient; in PyTorch each has the whole.
func CDist(x, y *graph.Node, p float64) *graph.Node {
	defer building("CDist", x, y, p)()
	call := refused("CDist", x, y).with(p)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	for i, v := range call.in {
		switch {
		case !v.DType().IsFloat():
			return call.wrong(graph.CodeDType, "cdist only supports floating-point dtypes, X%d got: %s", i+1, v.DType().TorchName())
		case v.Rank() < 2:
			return call.wrong(graph.CodeRank, "cdist only supports at least 2D tensors, X%d got: %dD", i+1, v.Rank())
		}
	}
	if d, e := lastSize(x), lastSize(y); d.IsConst() && e.IsConst() && d != e {
		return call.wrong(graph.CodeBroadcast, "X1 and X2 must have the same number of columns. X1: %s X2: %s", d, e)
	}
	if !(p >= 0) {
		return call.wrong(graph.CodeOperand, "cdist only supports non-negative p values")
	}
	return lengthOf(Sub(Unsqueeze(x, -2), Unsqueeze(y, -3)).Silence(graph.CodeMutualExpand), p, -1)
}

// lengthOf is the norm of differences; of none of them it is 0, also of an infinite order.
func lengthOf(difference node, p float64, axis Axis) node {
	if difference.Judged() && lastSize(difference) == 0 {
		return Sum(difference, axis)
	}
	return Norm(difference, p, axis)
}

// PDist returns the distances of each two rows of x, [n, d], by the norm of order p: of rows 0 and 1, 0 and 2, …, 1 and 2, …; there are
// n·(n-1)/2. n is known, and up to 256. The gradient is that of [CDist].
func PDist(x *graph.Node, p float64) *graph.Node {
	defer building("PDist", x, p)()
	call := refused("PDist", x).with(p)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case x.Rank() != 2:
		return call.wrong(graph.CodeRank, "pdist only supports 2D tensors, got: %dD", x.Rank())
	case !x.DType().IsFloat():
		return call.wrong(graph.CodeDType, "pdist only supports floating-point dtypes")
	case !(p >= 0):
		return call.wrong(graph.CodeOperand, "pdist only supports non-negative p values")
	}
	n, known := x.Shape()[0].Int()
	if !known {
		return call.wrong(graph.CodeOperand, "the rows of %s have to be known, and they are %s", x.Called(), x.Shape()[0])
	}
	one, other := TriuIndices(x.Graph(), int(n), int(n), 1)
	if !one.Judged() {
		return one
	}
	return lengthOf(Sub(IndexSelect(x, 0, one), IndexSelect(x, 0, other)), p, -1)
}

// Dist returns the norm of order p of x - y, of all elements; x and y broadcast. As torch.dist.
func Dist(x, y *graph.Node, p float64) *graph.Node {
	defer building("Dist", x, y, p)()
	return Norm(Sub(x, y), p)
}

// renormRest is PyTorch's number that keeps a division by a norm from one by 0.
const renormRest = 1e-7

// Renorm returns x with those slices along an axis made shorter whose norm of order p, above 0, is above the greatest that is wanted: to it. As
// torch.renorm.
func Renorm(x *graph.Node, p float64, axis int, greatest float64) *graph.Node {
	defer building("Renorm", x, p, axis, greatest)()
	call := refused("Renorm", x).with(p, axis, greatest)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case !(p > 0):
		return call.wrong(graph.CodeOperand, "renorm: non-positive-norm not supported")
	case x.Rank() < 2:
		return call.wrong(graph.CodeRank, "renorm: input needs at least 2 dimensions, got %d dimensions", x.Rank())
	case !(greatest >= 0):
		return call.wrong(graph.CodeOperand, "renorm: expected maxnorm to be >= 0 but got %v", greatest)
	case !x.DType().IsFloat():
		return call.wrong(graph.CodeDType, "renorm: floating-point numbers are wanted")
	}
	at, bad := call.axis(axis)
	if bad != nil {
		return bad
	}
	others := []Axis{keepDims}
	for i := range x.Rank() {
		if i != at {
			others = append(others, Axis(i))
		}
	}
	length := Norm(x, p, others...)
	return Mul(x, Where(Greater(length, num(greatest)), Div(num(greatest), Add(length, num(renormRest))), num(1)))
}

func init() {
	composed("CDist", "the distances of rows of x from rows of y.",
		named("scipy.spatial.distance.cdist", "torch.cdist", "", "", "", func(e *graph.Example) node { return CDist(e.Of("x", "n", "d"), e.Of("y", "m", "d"), 2) }))
	composed("PDist", "the distances of each two rows.",
		named("scipy.spatial.distance.pdist", "torch.pdist, torch.nn.functional.pdist", "", "", "", func(e *graph.Example) node { return PDist(e.Of("x", "8", "d"), 2) }))
	composed("Dist", "the norm of order p of x - y.",
		named("", "torch.dist", "", "", "", func(e *graph.Example) node { return Dist(e.Of("x", "n"), e.Of("y", "n"), 2) }))
	composed("Renorm", "slices made shorter to a greatest norm.",
		named("", "torch.renorm", "", "", "", func(e *graph.Example) node { return Renorm(e.Of("x", "n", "k"), 2, 0, 1) }))
}
