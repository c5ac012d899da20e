package ops

import "github.com/broadloom/broadloom/graph"

// Dist returns the norm of order p of x - y over all elements. x and y broadcast. It is torch.dist.
func Dist(x, y *graph.Node, p float64) *graph.Node {
	defer building("Dist", x, y, p)()
	return Norm(Sub(x, y), p)
}

// renormRest is PyTorch's number that keeps a division by a norm from one by 0.
const renormRest = 1e-7

// Renorm returns x with those slices along an axis scaled down whose norm of order p, above 0, is greater than
// greatest: their norm becomes greatest. It is torch.renorm.
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
		return call.wrongDType(oneFloat(x), "renorm needs floating-point numbers")
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
	composed("Dist", "the norm of order p of x - y.",
		named("", "torch.dist", "", "", "", func(e *graph.Example) node {
			return Dist(e.Of("x", "n"), e.Of("y", "n"), 2)
		}))
	composed("Renorm", "slices made shorter to a greatest norm.",
		named("", "torch.renorm", "", "", "", func(e *graph.Example) node {
			return Renorm(e.Of("x", "n", "k"), 2, 0, 1)
		}))
}
