package ops

import "github.com/broadloom/broadloom/graph"

var opMaxFirst, opMinFirst *graph.Op

func init() {
	opMaxFirst = reduction("max", "MaxIndex", "the greatest element along one axis; NaN wins; the first of equal ones has the gradient.", graph.FoldMax, operandType, true)
	opMaxFirst.Grad = func(n, dy node, _ int) node { return firstGrad(n, dy, opArgMax) }
	opMinFirst = reduction("min", "MinIndex", "the least element along one axis; NaN wins; the first of equal ones has the gradient.", graph.FoldMin, operandType, true)
	opMinFirst.Grad = func(n, dy node, _ int) node { return firstGrad(n, dy, opArgMin) }
}

// firstGrad gives the gradient to the element whose index the operation arg finds.
func firstGrad(n, dy node, arg *graph.Op) node {
	x, axes := n.In(0), Axes(n)
	if len(axes) == 0 {
		return dy
	}
	at := Apply(arg, ReduceAttrs{Axes: axes, KeepDims: true}, x)
	won := Equal(Iota(x.Graph(), axes[0], x.Shape()...), at)
	return Where(won, keepShape(n, dy), num(0))
}

// MaxIndex gives the greatest elements along one axis and the index of the first of
// each. The gradient of a value goes to that element alone, where Max shares it.
func MaxIndex(x *graph.Node, axis int, options ...Axis) (values, indices *graph.Node) {
	list := append([]Axis{Axis(axis)}, options...)
	return reduceCall(opMaxFirst, x, list), reduceCall(opArgMax, x, list)
}

// MinIndex gives the least elements along one axis and the index of the first of each.
func MinIndex(x *graph.Node, axis int, options ...Axis) (values, indices *graph.Node) {
	list := append([]Axis{Axis(axis)}, options...)
	return reduceCall(opMinFirst, x, list), reduceCall(opArgMin, x, list)
}
