package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opVar, opStd *graph.Op

// VarianceAttrs are the fixed arguments of Var and Std: those of a reduction, and the correction.
type VarianceAttrs struct {
	Axes       []int
	KeepDims   bool
	Correction float64
}

func (a VarianceAttrs) reduced() ReduceAttrs { return ReduceAttrs{a.Axes, a.KeepDims} }

func init() {
	floats := floatOnly(func(graph.DType) string {
		return "std and var only support floating point and complex dtypes"
	})
	opVar = reduction("var", "Var",
		"the mean squared distance from the mean over axes, with n - correction in place of n.", graph.NoFold, floats,
		false)
	opVar.Class, opVar.Infer = graph.Composite, estimated(opVar.Infer)
	opVar.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node {
		squares := reapply(opSum, n, Square(centred(n, in[0])))
		return Div(squares, Maximum(freedom(n, in[0]), num(0)))
	}
	opVar.Grad = func(n, dy node, _ int) node { return varianceGrad(n, dy) }
	opStd = reduction("std", "Std", "the square root of the variance; the gradient at 0 is 0.", graph.NoFold, floats,
		false)
	opStd.Class, opStd.Infer = graph.Composite, estimated(opStd.Infer)
	opStd.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node {
		if n.DType() != graph.Float32 {
			return Sqrt(Apply(opVar, n.Attrs(), in[0]))
		}
		// The squares of what has a deviation may be beyond Float32, or below it. The mean of equal elements of 24 bits
		// is that element.
		x := Cast(in[0], graph.Float64)
		squares := reapply(opSum, n, Square(Sub(x, meanOver(n, x))))
		return Cast(Sqrt(Div(squares, Maximum(freedom(n, x), num(0)))), graph.Float32)
	}
	opStd.Grad = func(n, dy node, _ int) node {
		return varianceGrad(n, divided(dy, Mul(n, num(2))))
	}
	opStd.Ref = named("numpy.std", "torch.std", "jax.numpy.std", "", "",
		func(e *graph.Example) node { return Std(e.Of("x", "n", "k"), 1, 1) })
	opVar.Ref = named("numpy.var", "torch.var", "jax.numpy.var", "", "",
		func(e *graph.Example) node { return Var(e.Of("x", "n", "k"), 1, 1) })
}

// estimated wraps a rule, and warns about too few elements for the correction.
func estimated(rule func(*graph.Call) (graph.DType, graph.Shape)) func(*graph.Call) (graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := rule(c)
		if a := c.Attrs().(VarianceAttrs); !c.Failed() {
			axes, _ := rules.Axes(c, a.Axes, c.In(0).Rank())
			rules.Freedom(c, axes, a.Correction)
		}
		return t, s
	}
}

// meanOver is the mean over the axes that n folds, which stay with size 1.
func meanOver(n, x node) node { return Apply(opMean, ReduceAttrs{Axes: Axes(n), KeepDims: true}, x) }

// centred is x less its mean over the axes that n folds. The mean is corrected once by the mean of
// what is left: that of equal elements is then the element itself, so that their variance is 0, as
// PyTorch's is, and no rounding error is taken for a deviation.
func centred(n, x node) node {
	mean := meanOver(n, x)
	return Sub(x, Add(mean, meanOver(n, Sub(x, mean))))
}

// freedom is the number of elements folded into one, less the correction.
func freedom(n, x node) node {
	return Sub(count(n, x), num(n.Attrs().(VarianceAttrs).Correction))
}

// varianceGrad is 2 (x - mean) / (n - correction) times the gradient of the variance.
func varianceGrad(n, dy node) node {
	x := n.In(0)
	return Mul(Mul(keepShape(n, dy), Div(num(2), freedom(n, x))), centred(n, x))
}

// Var returns the variance over the given axes, or over all: the sum of the squared distances from the mean, divided
// by the number of elements minus the correction. The correction 1 gives the unbiased estimate from a sample. If
// there are no more elements than the correction, the result is NaN, with a warning.
func Var(x *graph.Node, correction float64, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	return Apply(opVar, VarianceAttrs{a.Axes, a.KeepDims, correction}, x)
}

// Std returns the square root of Var.
func Std(x *graph.Node, correction float64, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	return Apply(opStd, VarianceAttrs{a.Axes, a.KeepDims, correction}, x)
}
