package ops

import (
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Windows are windows over all axes of a value, for [ReduceWindow]. Each list has one number for each axis, or is
// nil.
type Windows struct {
	Sizes []int
	// Strides are the distances between windows, and Dilations those between neighbouring elements of a window. The
	// default is 1.
	Strides, Dilations []int
	// Apart is the distance between neighbouring elements of the operand: with 1, the default, nothing is between
	// them, else elements that do not count.
	Apart []int
	// Padding is the number of elements that do not count before and after each axis. A negative number removes
	// elements.
	Padding [][2]int
}

// lists are the lists of numbers from 1 on, in the order of the fields.
func (w Windows) lists() []windowList {
	return []windowList{{"Sizes", w.Sizes}, {"Strides", w.Strides}, {"Dilations", w.Dilations}, {"Apart", w.Apart}}
}

type windowList struct {
	name string
	of   []int
}

// at is the number for an axis, 1 where nothing is said.
func (l windowList) at(axis int) int {
	if l.of == nil {
		return 1
	}
	return l.of[axis]
}

// String returns the windows as they are written in Go.
func (w Windows) String() string {
	var fields []string
	for _, l := range w.lists() {
		if l.of != nil {
			fields = append(fields, l.name+": "+goWord(l.of))
		}
	}
	if w.Padding != nil {
		pairs := make([]string, len(w.Padding))
		for i, p := range w.Padding {
			pairs[i] = fmt.Sprintf("{%d, %d}", p[0], p[1])
		}
		fields = append(fields, "Padding: [][2]int{"+strings.Join(pairs, ", ")+"}")
	}
	return "ops.Windows{" + strings.Join(fields, ", ") + "}"
}

// wrong says what is wrong with windows over so many axes, or "".
func (w Windows) wrong(rank int) string {
	for i, l := range w.lists() {
		if (l.of != nil || i == 0) && len(l.of) != rank {
			return fmt.Sprintf("%s has %d numbers for %d axes", l.name, len(l.of), rank)
		}
		for _, n := range l.of {
			if n < 1 || n > 1<<30 {
				return fmt.Sprintf("%s must be from 1 to 2^30, but one is %d", l.name, n)
			}
		}
	}
	if w.Padding != nil && len(w.Padding) != rank {
		return fmt.Sprintf("Padding has %d pairs for %d axes", len(w.Padding), rank)
	}
	for _, p := range w.Padding {
		if min(p[0], p[1]) < -1<<30 || max(p[0], p[1]) > 1<<30 {
			return fmt.Sprintf("Padding must be at most 2^30 elements, but one pair is %v", p)
		}
	}
	return ""
}

// ReduceWindow reduces windows over all axes of x to their sum, product, greatest or least element, such as by
// ReduceSum. Along each axis there are floor((L - dilation·(size-1) - 1)/stride) + 1 windows, at least one, where L
// is the size with padding. The result has x's dtype, that of numbers: sums and products of integers wrap around. The
// first of equal greatest or least elements gets the gradient, and NaN wins. Lists of a wrong length, numbers out of
// range and an axis without room for a window are errors. It is jax.lax.reduce_window.
func ReduceWindow(x *graph.Node, by Reduction, w Windows) *graph.Node {
	word := w.String() // now: a user may change the lists later
	defer building("ReduceWindow", x, by, word)()
	call := refused("ReduceWindow", x).with(by, word)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	problem, t := w.wrong(x.Rank()), x.DType()
	switch {
	case problem != "":
		return call.wrong(graph.CodeWindow, "%s", problem)
	case by != ReduceSum && by != ReduceProd && by != ReduceMax && by != ReduceMin:
		return call.wrong(graph.CodeOperand,
			"windows can be reduced by ReduceSum, ReduceProd, ReduceMax or ReduceMin, but not by %s", by)
	case t == graph.Bool:
		return call.wrongDType(cast(x, graph.Int64), "windows need numbers, but %s has dtype %s", x.Called(), t)
	case by == ReduceMin && t.IsInt(): // of which the greatest number has no neutral element that a float64 holds
		y := w.over(BitNot(x), opMaxFirst, lowest(t))
		if y.Judged() && y.Err() == nil {
			y = BitNot(y)
		}
		return y
	}
	switch by {
	case ReduceProd:
		return w.over(x, opProd, 1)
	case ReduceMax:
		return w.over(x, opMaxFirst, lowest(t))
	case ReduceMin:
		return w.over(x, opMinFirst, math.Inf(1))
	}
	return w.over(x, opSum, 0)
}

// over reduces windows over x, among elements that change nothing.
func (w Windows) over(x node, op *graph.Op, neutral float64) node {
	t, lists := x.DType(), w.lists()
	sizes, strides, dilations, apart := lists[0], lists[1], lists[2], lists[3]
	for axis := range x.Rank() {
		if n := apart.at(axis); n > 1 && x.Shape()[axis] != 0 {
			x = Apply(opPad, PadAttrs{Axis: axis, Step: n, Value: neutral}, x)
		}
		if w.Padding != nil && w.Padding[axis] != [2]int{} {
			x = Pad(x, axis, graph.Dim(w.Padding[axis][0]), graph.Dim(w.Padding[axis][1]), neutral)
		}
		if !x.Judged() || x.Err() != nil {
			return x
		}
	}
	var folded []int
	for axis := range x.Rank() {
		size, stride := sizes.at(axis), strides.at(axis)
		if size == 1 && stride == 1 {
			continue
		}
		folded = append(folded, x.Rank())
		if x = Window(x, axis, graph.Dim(size), stride, dilations.at(axis)); !x.Judged() || x.Err() != nil {
			return x
		}
	}
	if len(folded) == 0 {
		return x
	}
	return Cast(Apply(op, ReduceAttrs{Axes: folded}, x), t)
}

func init() {
	composed("ReduceWindow",
		"the sum, the product, the greatest or the least of the elements of windows over all axes.",
		named("", "", "jax.lax.reduce_window", "", "", func(e *graph.Example) node {
			return ReduceWindow(e.Of("x", "6", "8"), ReduceSum, Windows{Sizes: []int{2, 3}, Strides: []int{1, 2}})
		}))
}
