package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opMaxFirst, opMinFirst, opMaxOfWindow *graph.Op

func init() {
	opMaxFirst = reduction("max", "MaxIndex",
		"the greatest element over axes; NaN wins; the first of equal ones has the gradient.", graph.FoldMax,
		operandType, true)
	opMaxOfWindow = reduction("max_of_window", "maxOfWindow",
		"the greatest element over axes; NaN wins; the first of equal ones or the last NaN has the gradient.",
		graph.FoldMax, operandType, true)
	opMaxOfWindow.Grad = func(n, dy node, _ int) node {
		x := n.In(0)
		return leastRankGrad(n, dy, func(place, none node) node {
			return firstOrLastNaN(x, Equal(x, keepShape(n, n)), place, none)
		})
	}
	opMaxFirst.Grad = func(n, dy node, _ int) node { return firstGrad(n, dy) }
	opMinFirst = reduction("min", "MinIndex",
		"the least element over axes; NaN wins; the first of equal ones has the gradient.", graph.FoldMin, operandType,
		true)
	opMinFirst.Grad = func(n, dy node, _ int) node { return firstGrad(n, dy) }
	opMaxFirst.Ref = named("", "torch.max", "", "", "",
		func(e *graph.Example) node { return e.Several(MaxIndex(e.Of("x", "n", "k"), 1)) })
	opMinFirst.Ref = named("", "torch.min", "", "", "",
		func(e *graph.Example) node { return e.Several(MinIndex(e.Of("x", "n", "k"), 1)) })
}

// firstGrad returns the gradient to the winner alone: in row-major order over the folded
// axes, the first element that equals the result, or the first NaN.
func firstGrad(n, dy node) node {
	x := n.In(0)
	return leastRankGrad(n, dy, func(place, none node) node {
		return Where(Or(Equal(x, keepShape(n, n)), NotEqual(x, x)), place, none)
	})
}

// firstOrLastNaN ranks elements whose places rise: the first of those that are the greatest comes first, or the last
// NaN, as PyTorch's pools choose; none is behind them all.
func firstOrLastNaN(x, isGreatest, place, none node) node {
	return Where(NotEqual(x, x), Sub(num64(-1), place), Where(isGreatest, place, none))
}

// leastRankGrad returns the gradient to the element of the least rank over the folded axes. Ranks
// are made of places in row-major order; none is behind them all.
func leastRankGrad(n, dy node, rank func(place, none node) node) node {
	x, axes := n.In(0), Axes(n)
	if len(axes) == 0 {
		return dy
	}
	var place node
	count := graph.Dim(1)
	for _, axis := range axes {
		count = count.Times(x.Shape()[axis])
		along := Iota(x.Graph(), axis, x.Shape()...)
		if place == nil {
			place = along
		} else {
			place = Add(Mul(place, Size(x.Graph(), graph.Int64, x.Shape()[axis])), along)
		}
	}
	most := int64(math.MaxInt64)
	if indexType(count) == graph.Int32 { // half the memory
		place, most = Cast(place, graph.Int32), math.MaxInt32
	}
	ranks := rank(place, graph.Num(most))
	return Where(Equal(ranks, Apply(opMin, ReduceAttrs{Axes: axes, KeepDims: true}, ranks)), keepShape(n, dy), num(0))
}

// MaxIndex returns the greatest elements along one axis and their indices, of equal ones the first. That element
// alone gets the gradient; with [Max], equal ones share it. For booleans, true is the greatest.
func MaxIndex(x *graph.Node, axis int, options ...Axis) (values, indices *graph.Node) {
	defer building("MaxIndex", append([]any{x, axis}, axisWords(reduceList(options).Axes)...)...)()
	list := append([]Axis{Axis(axis)}, options...)
	return reduceCall(opMaxFirst, x, list), reduceCall(opArgMax, countable(x), list)
}

// countable makes 0 and 1 of truth values, of which ArgMax and ArgMin have no order.
func countable(x node) node {
	if x != nil && x.Judged() && x.DType() == graph.Bool {
		return Cast(x, graph.Int32).Implied()
	}
	return x
}

// MinIndex returns the least elements along one axis and their indices, of equal ones the first.
func MinIndex(x *graph.Node, axis int, options ...Axis) (values, indices *graph.Node) {
	defer building("MinIndex", append([]any{x, axis}, axisWords(reduceList(options).Axes)...)...)()
	list := append([]Axis{Axis(axis)}, options...)
	return reduceCall(opMinFirst, x, list), reduceCall(opArgMin, countable(x), list)
}
