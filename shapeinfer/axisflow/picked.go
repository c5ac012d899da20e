package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Picked returns the axis of its first operand along which a composite operation selects elements by indices, its
// second operand, as a loss selects the score of a class: there is one index for each position of all other axes. It
// is -1 for other operations, and if neither sizes nor a comparison of the indices with positions determine the axis.
func (f *Flow) Picked(n *graph.Node) int {
	if n.Op().Class != graph.Composite || len(n.Operands()) < 2 || n.In(1).Rank() != n.In(0).Rank()-1 ||
		n.Rank() > 0 && !n.Shape().Equal(n.In(1).Shape()) {
		return -1
	}
	if axis := leftOut(n.In(0).Shape(), n.In(1).Shape()); axis != severalAxes {
		return axis
	}
	t := f.templates.of(n)
	if t.result == nil {
		return -1
	}
	x, index := t.operands[0], t.operands[1]
	inner := f.inside(t)
	for axis := range x.Rank() {
		inner.addSource(graph.AxisOf{Node: x, Axis: axis}, axis)
	}
	for axis := range index.Rank() {
		inner.addSource(graph.AxisOf{Node: index, Axis: axis}, x.Rank()+axis)
	}
	for _, m := range t.result.Graph().Nodes() {
		if m.Op().Class != graph.Elementwise || !m.Judged() || m.Rank() != x.Rank() || !m.Shape().Equal(x.Shape()) {
			continue
		}
		if axis := inner.pickedAt(m, x.Rank()); axis >= 0 {
			return axis
		}
	}
	return -1
}

const severalAxes = -2

// leftOut returns the axis without which a shape equals another one; -1 if there is none, severalAxes if it is
// ambiguous.
func leftOut(from, to graph.Shape) (axis int) {
	axis = -1
	for at := range from {
		if !slices.Delete(slices.Clone(from), at, at+1).Equal(to) {
			continue
		}
		if axis >= 0 {
			return severalAxes
		}
		axis = at
	}
	return axis
}

// pickedAt returns the axis along which one of two operands of a node has an axis of the scores, and the other has no
// axis of the indices; -1 if there is none.
func (f *Flow) pickedAt(n *graph.Node, rank int) int {
	for _, scores := range n.Operands() {
		for _, indices := range n.Operands() {
			if scores == indices || scores.Graph() != n.Graph() || indices.Graph() != n.Graph() ||
				scores.Rank() != rank || indices.Rank() != rank {
				continue
			}
			if axis := onlyPicked(f.Value(scores), f.Value(indices), n.Shape(), rank); axis >= 0 {
				return axis
			}
		}
	}
	return -1
}

func onlyPicked(scores, indices Value, s graph.Shape, rank int) (picked int) {
	picked = -1
	for axis := range rank {
		d, is := scores.Of(axis)
		if s[axis] != 1 && (!is || !d.On(axis)) {
			return -1
		}
		has := false
		for _, d := range indices {
			if d.Source < rank {
				return -1 // depends on scores
			}
			has = has || d.On(axis)
		}
		if !has && s[axis] != 1 {
			if picked >= 0 {
				return -1
			}
			picked = axis
		}
	}
	return picked
}
