package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// maxDifferences bounds how often a difference is taken, each of which adds nodes.
const maxDifferences = 64

// Diff returns the differences of neighbouring elements along an axis, taken the given number of times. Each time
// makes the axis shorter by one, down to 0. For booleans it reports which neighbours differ.
func Diff(x *graph.Node, times, axis int) *graph.Node {
	defer building("Diff", x, times, axis)()
	call := refused("Diff", x).with(times, axis)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	switch {
	case bad != nil:
		return bad
	case times < 0 || times > maxDifferences:
		return call.wrong(graph.CodeOperand, "order must be from 0 to %d but got %d", maxDifferences, times)
	}
	if size, known := x.Shape()[at].Int(); known && int64(times) > size {
		return Slice(x, at, 0, 0, 1)
	}
	size := x.Shape()[at]
	for k := range times {
		left, right := neighboursOf(x, at, size.Minus(lesserSize(x.Graph(), size, graph.Dim(k+1))))
		if x.DType() == graph.Bool {
			x = Xor(right, left)
		} else {
			x = Sub(right, left)
		}
	}
	return x
}

// neighbours are the elements along an axis but the last, and but the first; none of an axis without elements.
func neighbours(x node, axis int) (left, right node) {
	size := x.Shape()[axis]
	return neighboursOf(x, axis, size.Minus(lesserSize(x.Graph(), size, 1)))
}

// neighboursOf are the first and the last elements along an axis, as many as there are pairs.
func neighboursOf(x node, axis int, pairs graph.Dim) (left, right node) {
	size := x.Shape()[axis]
	return Slice(x, axis, 0, pairs, 1), Slice(x, axis, size.Minus(pairs), size, 1)
}

// steps are the distances of neighbours along an axis of x: a scalar is one, and a vector or a tensor that broadcasts
// with x has places. They broadcast with differences of x.
func (r refusedCall) steps(spacing node, axis int) (steps, bad node) {
	x := r.in[0]
	switch spacing.Rank() {
	case 0:
		return spacing, nil
	case 1:
		if have, want := spacing.Shape()[0], x.Shape()[axis]; have.IsConst() && want.IsConst() && have != want {
			return nil, r.wrong(graph.CodeBroadcast, "there are %s coordinates for %s elements along axis %d", have,
				want, axis)
		}
		for range x.Rank() - 1 - axis {
			spacing = Unsqueeze(spacing, -1)
		}
	}
	behind := x.Rank() - axis // the axis counted from the end
	if spacing.Rank() < behind {
		return nil, r.wrong(graph.CodeBroadcast,
			"coordinates of shape %s have no axis that matches axis %d of shape %s", spacing.Shape(), axis, x.Shape())
	}
	return Diff(spacing, 1, -behind), nil
}

// spacedCall begins a call of values along an axis whose places another operand has, which may be a number.
func spacedCall(fn string, y, spacing node, more ...any) (call refusedCall, bad node) {
	call = refused(fn, y, spacing).with(more...)
	if bad := notTensors(refusedCall{fn, []node{y}, call.args}); bad != nil {
		return call, bad
	}
	if spacing == nil || !spacing.Judged() {
		return call, refusal(call, nil)
	}
	for _, x := range []node{y, spacing} {
		if x.DType() == graph.Bool {
			return call, call.wrongDType(cast(x, graph.Int64), "%s: received a bool input, but needs numbers", fn)
		}
	}
	return call, nil
}

// trapezoids are the areas between neighbours along an axis.
func trapezoids(call refusedCall, y, spacing node, axis int) (areas node, at int, bad node) {
	if at, bad = call.axis(axis); bad != nil {
		return nil, 0, bad
	}
	steps, bad := call.steps(spacing, at)
	if bad != nil {
		return nil, 0, bad
	}
	left, right := neighbours(y, at)
	return Div(Mul(Add(left, right), steps), num(2)), at, nil
}

// Trapezoid returns the integral of y along an axis by the trapezoidal rule. spacing is the distance between
// neighbours, a number or a scalar, or their coordinates: a vector, or a tensor that broadcasts with y. Integers give
// Float32. It is torch.trapezoid.
func Trapezoid(y, spacing *graph.Node, axis int) *graph.Node {
	defer building("Trapezoid", y, spacing, axis)()
	call, bad := spacedCall("Trapezoid", y, spacing, axis)
	if bad != nil {
		return bad
	}
	if axis == -1 || axis >= 0 && axis < y.Rank() {
		if at := countedFromZero([]int{axis}, y.Rank())[0]; at < y.Rank() && y.Shape()[at] == 0 {
			return Sum(asFloat(y), Axis(at))
		}
	}
	areas, at, bad := trapezoids(call, y, spacing, axis)
	if bad != nil {
		return bad
	}
	return Sum(areas, Axis(at))
}

// CumulativeTrapezoid returns the integrals of y along an axis from the first element to each of the others, by the
// trapezoidal rule. The axis becomes shorter by one. spacing is that of [Trapezoid].
func CumulativeTrapezoid(y, spacing *graph.Node, axis int) *graph.Node {
	defer building("CumulativeTrapezoid", y, spacing, axis)()
	call, bad := spacedCall("CumulativeTrapezoid", y, spacing, axis)
	if bad != nil {
		return bad
	}
	areas, at, bad := trapezoids(call, y, spacing, axis)
	if bad != nil {
		return bad
	}
	return CumSum(areas, at)
}

// GradientAlong returns estimates of the derivative of y along an axis, in y's shape, by second-order differences. At
// the edges these are of order edgeOrder, 1 or 2. spacing is the distance between neighbours, a number or a scalar,
// or a vector of their coordinates. The axis must have more elements than edgeOrder. It is one result of
// torch.gradient.
func GradientAlong(y, spacing *graph.Node, axis, edgeOrder int) *graph.Node {
	defer building("GradientAlong", y, spacing, axis, edgeOrder)()
	call, bad := spacedCall("GradientAlong", y, spacing, axis, edgeOrder)
	if bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	switch {
	case bad != nil:
		return bad
	case edgeOrder != 1 && edgeOrder != 2:
		return call.wrong(graph.CodeOperand, "torch.gradient only supports edge_order=1 and edge_order=2.")
	case spacing.Rank() > 1:
		return call.wrong(graph.CodeRank, "coordinates must be a vector, but %s has shape %s", spacing.Called(),
			spacing.Shape())
	}
	if size, known := y.Shape()[at].Int(); known && size <= int64(edgeOrder) {
		return call.wrong(graph.CodeEmpty, "torch.gradient expected each dimension size to be at least edge_order+1")
	}
	steps, bad := call.steps(spacing, at)
	if bad != nil {
		return bad
	}
	isEven, distance := spacing.Rank() == 0, steps
	if isEven {
		steps = Mul(steps, Ones(y.Graph(), asFloat(y).DType(), graph.Shape{y.Shape()[at].Minus(1)}...))
		for range y.Rank() - 1 - at {
			steps = Unsqueeze(steps, -1)
		}
	}
	slopes := Div(Diff(asFloat(y), 1, at), steps)
	inner := innerSlopes(slopes, steps, at)
	if isEven { // what stands between does not count, be it no number
		size := y.Shape()[at]
		inner = Mul(num(0.5),
			Div(Sub(Slice(asFloat(y), at, 2, size, 1), Slice(asFloat(y), at, 0, size.Minus(2), 1)), distance))
	}
	return Concat(at, edgeSlope(slopes, steps, at, false, edgeOrder), inner,
		edgeSlope(slopes, steps, at, true, edgeOrder))
}

// innerSlopes are the means of neighbouring slopes, of which each counts as much as the other's step is long.
func innerSlopes(slopes, steps node, axis int) node {
	if size, known := slopes.Shape()[axis].Int(); known && size == 1 {
		return Slice(slopes, axis, 0, 0, 1)
	}
	behind := axis - slopes.Rank()
	left, right := neighbours(slopes, axis)
	before, after := neighbours(steps, steps.Rank()+behind)
	return Div(Add(Mul(left, after), Mul(right, before)), Add(before, after))
}

// edgeSlope is the slope at an end: that of the first step, or corrected by how slopes change up to the second one.
func edgeSlope(slopes, steps node, axis int, last bool, order int) node {
	pick := func(x node, place int64) node {
		at := x.Rank() + axis - slopes.Rank()
		from := graph.Dim(place)
		if last {
			from = x.Shape()[at].Minus(graph.Dim(place + 1))
		}
		return Slice(x, at, from, from.Plus(1), 1)
	}
	edge := pick(slopes, 0)
	if order == 1 {
		return edge
	}
	near := pick(steps, 0)
	return Add(edge, Mul(Sub(edge, pick(slopes, 1)), Div(near, Add(near, pick(steps, 1)))))
}

// Unwrap adds multiples of a period along an axis wherever neighbours differ by more than discontinuity, so that they
// differ by at most half a period. A discontinuity below half the period counts as half the period. Gradients pass to
// x unchanged; integers give Float32. With the period 2π it is numpy.unwrap.
func Unwrap(x *graph.Node, discontinuity, period float64, axis int) *graph.Node {
	defer building("Unwrap", x, discontinuity, period, axis)()
	call := refused("Unwrap", x).with(discontinuity, period, axis)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	switch {
	case bad != nil:
		return bad
	case !(period > 0) || math.IsInf(period, 0) || math.IsNaN(discontinuity):
		return call.wrong(graph.CodeOperand, "a period must be above 0 and finite, but it is %v", period)
	}
	x = asFloat(x)
	step := Diff(StopGradient(x), 1, at)
	least := Sub(Remainder(Add(step, num(period/2)), num(period)), num(period/2))
	least = Where(And(Equal(least, num(-period/2)), Greater(step, num(0))), num(period/2), least)
	more := Where(Less(Abs(step), num(max(discontinuity, period/2))), num(0), Sub(least, step))
	size := x.Shape()[at]
	return Add(x, Slice(Pad(CumSum(more, at), at, 1, 0, 0), at, 0, size, 1))
}

// Interp returns, for each element of x, the piecewise linear function that has the given values at the given places:
// two vectors of one size, of which places is ascending. Before the first place it is the first value, and after the
// last place the last value. It is numpy.interp.
func Interp(x, places, values *graph.Node) *graph.Node {
	defer building("Interp", x, places, values)()
	call := refused("Interp", x, places, values)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if places.Rank() != 1 || values.Rank() != 1 || places.Shape()[0] == 0 {
		return call.wrong(graph.CodeRank,
			"places and values must be two vectors of the same size, but their shapes are %s and %s", places.Shape(),
			values.Shape())
	}
	same := sameSize{a: places, i: 0, b: values, j: 0, of: "places"}
	if bad := call.unequal(graph.CodeRank, same); bad != nil {
		return bad
	}
	in := converted(opDiv, x, places, values)
	x, places, values = in[0], in[1], in[2]
	last := Sub(Size(x.Graph(), graph.Int64, places.Shape()[0]), num64(1))
	low := Minimum(ClampMin(Sub(SearchSorted(places, x, true), num64(1)), 0), ClampMin(Sub(last, num64(1)), 0))
	high := Minimum(Add(low, num64(1)), last)
	at, of := func(i node) node { return Take(places, 0, i) }, func(i node) node { return Take(values, 0, i) }
	width := Sub(at(high), at(low))
	share := Div(Sub(x, at(low)), Where(Equal(width, num(0)), num(1), width))
	y := Add(of(low), Mul(share, Sub(of(high), of(low))))
	y = Where(Less(x, Select(places, 0, 0)), Select(values, 0, 0), y)
	y = Where(GreaterEqual(x, Select(places, 0, -1)), Select(values, 0, -1), y)
	requireEqual(y, same)
	return y
}

func init() {
	composed("Diff", "the differences of neighbours along an axis.",
		named("numpy.diff", "torch.diff", "jax.numpy.diff", "", "", func(e *graph.Example) node {
			return Diff(e.Of("x", "n", "8"), 1, 1)
		}))
	composed("Trapezoid", "the integral along an axis by the trapezoidal rule.",
		named("numpy.trapezoid", "torch.trapezoid, torch.trapz", "jax.numpy.trapezoid", "", "",
			func(e *graph.Example) node { return Trapezoid(e.Of("y", "n", "8"), e.Of("places", "8"), 1) }))
	composed("CumulativeTrapezoid", "the integrals up to each place along an axis by the trapezoidal rule.",
		named("scipy.integrate.cumulative_trapezoid", "torch.cumulative_trapezoid", "", "", "",
			func(e *graph.Example) node { return CumulativeTrapezoid(e.Of("y", "n", "8"), num(0.5), 1) }))
	composed("GradientAlong", "the derivative along an axis by differences.",
		named("numpy.gradient", "torch.gradient", "jax.numpy.gradient", "", "", func(e *graph.Example) node {
			return GradientAlong(e.Of("y", "n", "8"), num(0.5), 1, 1)
		}))
	composed("Unwrap", "x and multiples of a period, by which neighbours differ less.",
		named("numpy.unwrap", "", "jax.numpy.unwrap", "", "", func(e *graph.Example) node {
			return Unwrap(e.Of("x", "n", "8"), 0, 0.5, 1)
		}))
	composed("Interp", "the value of a piecewise linear function.",
		named("numpy.interp", "", "jax.numpy.interp", "", "", func(e *graph.Example) node {
			return Interp(e.Of("x", "n"), e.Of("places", "k"), e.Of("values", "k"))
		}))
}
