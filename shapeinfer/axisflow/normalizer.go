package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Normalized returns the axes along which an operation such as a softmax compares the elements of its first operand,
// and which it keeps. Each result is computed from all elements along these axes, and first from their maximum. It
// returns nil for other operations.
func (f *Flow) Normalized(n *graph.Node) (axes []int) {
	if n.Op().Class != graph.Composite || len(n.Operands()) == 0 || n.Rank() == 0 || n.Rank() != n.In(0).Rank() {
		return nil
	}
	t := f.templates.of(n)
	if t.result == nil {
		return nil
	}
	if !t.isJudged {
		t.isJudged, t.normalized = true, f.normalizedBy(t)
	}
	return t.normalized
}

func (f *Flow) normalizedBy(t *template) (axes []int) {
	inner := f.inside(t)
	x := t.operands[0]
	for axis := range x.Rank() {
		inner.addSource(graph.AxisOf{Node: x, Axis: axis}, axis)
	}
	v := inner.Value(t.result)
	for _, d := range v {
		kept := d.Mixed && slices.ContainsFunc(d.Terms, func(t Term) bool { return t.Axis == d.Source })
		if !kept {
			continue
		}
		one := f.inside(t)
		one.addSource(graph.AxisOf{Node: x, Axis: d.Source}, 0)
		switch one.foldOfAll(one.leak(t.result).At) {
		case graph.FoldMax, graph.FoldMaxNumber:
			axes = append(axes, d.Source)
		}
	}
	return axes
}
