package axislint

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// otherClasses finds a loss that picks one of several classes by index from the result of a softmax along another axis:
// the probabilities of the classes do not add up to 1.
func otherClasses(l *lint, n *graph.Node) *graph.Mistake {
	if len(n.Operands()) < 2 || n.In(0).Rank() < 2 || n.In(0).Graph() != l.g || n.In(1).Graph() != l.g ||
		!n.In(1).DType().IsInt() {
		return nil
	}
	s := n.In(0)
	for len(l.forms.Normalized(s)) == 0 {
		if !isMoved(s) || s.In(0).Graph() != l.g {
			return nil
		}
		s = s.In(0)
	}
	classes := l.forms.Picked(n)
	if classes < 0 {
		return nil
	}
	for _, axis := range l.forms.Normalized(s) {
		d, is := l.forms.From(graph.AxisOf{Node: s, Axis: axis}).Value(n.In(0)).Of(0)
		if !is || d.Mixed || len(d.Terms) != 1 || d.On(classes) ||
			l.isNormalizedToo(s, func(other int) bool { return other != axis }) {
			continue
		}
		m := &graph.Mistake{Code: graph.CodeGivenProbabilities, Node: n, Apart: true,
			Summary: fmt.Sprintf(
				"%s picks a class along axis %d of %s, and %s adds up to 1 along axis %d of %s: the probabilities of the classes do not",
				n.Op().Func, classes, n.In(0).Called(), s.Op().Func, axis, s.Called()),
			Operands: []graph.OperandNote{{Node: s, Bad: []int{axis}}}}
		if s != n.In(0) {
			m.Operands = append(m.Operands, graph.OperandNote{Node: n.In(0), Bad: []int{classes}})
		}
		m.Help = []string{fmt.Sprintf("apply %s along the axis of classes", s.Op().Func),
			silence("CodeGivenProbabilities", "GivenProbabilities")}
		return m
	}
	return nil
}

// isMoved reports whether a value has its one operand's elements in other positions, or is computed from it
// elementwise.
func isMoved(n *graph.Node) bool {
	return n.Judged() && n.Err() == nil && len(n.Operands()) == 1 &&
		(n.Op().Class == graph.Movement || n.Op().Class == graph.Elementwise)
}
