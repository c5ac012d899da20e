package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opNorm *graph.Op

// NormAttrs are the fixed arguments of Norm: those of a reduction, and the order.
type NormAttrs struct {
	Axes     []int
	KeepDims bool
	P        float64
}

func (a NormAttrs) reduced() ReduceAttrs { return ReduceAttrs{a.Axes, a.KeepDims} }

func init() {
	opNorm = reduction("norm", "Norm", "the vector norm of order p over axes; its gradient at 0 is 0.", graph.NoFold,
		floatOnly(func(t graph.DType) string {
			return "linalg.vector_norm: Expected a floating point or complex tensor as input. Got " + t.TorchName()
		}), false)
	opNorm.Class = graph.Composite
	rule := opNorm.Infer
	opNorm.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := rule(c)
		if p := c.Attrs().(NormAttrs).P; !c.Failed() && (math.IsInf(p, 0) || p < 0) {
			rules.NonEmpty(c, "linalg.vector_norm", c.Attrs().(NormAttrs).Axes)
		}
		return t, s
	}
	opNorm.Expand = expandNorm
	opNorm.Grad = normGrad
	opNorm.Ref = named("numpy.linalg.norm", "torch.linalg.vector_norm, torch.linalg.norm, torch.norm",
		"jax.numpy.linalg.norm, jax.numpy.linalg.vector_norm", "ReduceL2", "Norm",
		func(e *graph.Example) node { return Norm(e.Of("x", "n", "k"), 2, 1) })
}

func expandNorm(n *graph.Node, in []*graph.Node) *graph.Node {
	x, a := in[0], n.Attrs().(NormAttrs)
	switch {
	case math.IsInf(a.P, 1):
		return Apply(opMax, a.reduced(), Abs(x))
	case math.IsInf(a.P, -1):
		return Apply(opMin, a.reduced(), Abs(x))
	case a.P == 0:
		return Apply(opSum, a.reduced(), Cast(NotEqual(x, num(0)), x.DType()))
	case a.P == 1:
		return Apply(opSum, a.reduced(), Abs(x))
	case a.P == 2:
		return Sqrt(Apply(opSum, a.reduced(), Square(x)))
	}
	return Pow(Apply(opSum, a.reduced(), Pow(Abs(x), num(a.P))), num(1/a.P))
}

// normGrad is sign(x) (|x| / norm)^(p-1) times dy, and 0 where the norm is: of a negative order, where one element is
// 0.
func normGrad(n, dy node, _ int) node {
	x, p := n.In(0), n.Attrs().(NormAttrs).P
	norm := keepShape(n, n)
	dy = keepShape(n, dy)
	switch {
	case math.IsInf(p, 0):
		won := Equal(Abs(x), norm)
		winners := Apply(opSum, ReduceAttrs{Axes: Axes(n), KeepDims: true}, Cast(won, x.DType()))
		return Where(won, Mul(Div(dy, winners), Sign(x)), num(0))
	case p == 0:
		return nil
	case p == 1:
		return Mul(dy, Sign(x))
	case p == 2:
		return Mul(x, divided(dy, norm))
	}
	// 1 replaces 0 under powers, some of which have no derivative there: the sign makes it 0 again.
	magnitude := Where(Equal(x, num(0)), num(1), Abs(x))
	isFlat := Equal(norm, num(0))
	length := Where(isFlat, num(1), norm)
	return Mul(Mul(Sign(x), Pow(magnitude, num(p-1))), Where(isFlat, num(0), Div(dy, Pow(length, num(p-1)))))
}

// Norm returns the vector norm of order p over the given axes, or over all. Order 2 is the Euclidean length, 1 the
// sum of magnitudes, and infinity the greatest magnitude. Where the norm has no derivative, gradients of any order
// are 0; PyTorch's second gradients are NaN there.
func Norm(x *graph.Node, p float64, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	return Apply(opNorm, NormAttrs{a.Axes, a.KeepDims, p}, x)
}
