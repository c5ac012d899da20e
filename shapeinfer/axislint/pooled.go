package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// pooledExamples finds a mean, or another reduction, along the axis of examples whose result enters a layer: another
// axis was probably meant.
func pooledExamples(l *lint, n *graph.Node) *graph.Mistake {
	if n.Op().Axes == nil || n.Rank() == 0 || !l.isFromInput(n) || n.In(0).Graph() != l.g {
		return nil
	}
	x := n.In(0)
	for _, axis := range n.Op().Axes(n) {
		if axis >= x.Rank() || l.nameOf(x.Shape()[axis]) != sure {
			continue
		}
		from, weights := l.origins(x, axis)
		places := slices.DeleteFunc(l.others(x, axis), func(other int) bool {
			return slices.Contains(n.Op().Axes(n), other)
		})
		if weights || l.areExamples(from) != sure || len(places) == 0 || !l.entersLayer(n, from) {
			continue
		}
		return &graph.Mistake{Code: graph.CodeOverExamples, Node: n,
			Summary: fmt.Sprintf(
				"axis %d is %s, along which examples are fed: one value is computed from all of them and goes through a layer",
				axis, l.called(from)),
			Operands: []graph.OperandNote{{Node: x, Bad: []int{axis}}},
			Help: []string{fmt.Sprintf("the values of one example are along another axis, such as axis %d, of size %s",
				places[0], x.Shape()[places[0]]),
				silence("CodeOverExamples", "OverExamples")}}
	}
	return nil
}

// entersLayer reports whether a value is multiplied by weights before it meets examples again.
func (l *lint) entersLayer(n *graph.Node, from []int) bool {
	return l.follow(n, func(_, user *graph.Node) step {
		switch {
		case l.hasExamples(user, from):
			return passOver
		case user.Op().Class == graph.Contract &&
			slices.ContainsFunc(user.Operands(), func(x *graph.Node) bool { return !l.isFromInput(x) }):
			return end
		}
		return goOn
	})
}

// hasExamples reports whether some axis of a value depends on one of the sources.
func (l *lint) hasExamples(n *graph.Node, from []int) bool {
	for _, s := range from {
		if d, is := l.flow().Value(n).Of(s); is && len(d.Terms) > 0 {
			return true
		}
	}
	return false
}
