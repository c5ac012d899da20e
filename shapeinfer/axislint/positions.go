package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// examplePositions finds values that come from no input and have one element for each example: positions, or rows of a
// parameter, along the axis of examples. Noise is exempt: it is drawn for each example.
func examplePositions(l *lint, n *graph.Node) *graph.Mistake {
	if !n.DType().IsFloat() || len(n.Operands()) != 2 {
		return nil
	}
	for i, y := range n.Operands() {
		x := n.In(1 - i)
		if y.Graph() != l.g || x.Graph() != l.g || l.isFromInput(y) || l.drawn[y.ID()] || !l.isFromInput(x) ||
			!y.DType().IsFloat() ||
			!slices.ContainsFunc(y.Shape(), graph.Dim.IsSymbolic) {
			continue
		}
		for axis := range y.Shape() {
			if m := l.positioned(n, x, y, axis); m != nil {
				return m
			}
		}
	}
	return nil
}

func (l *lint) positioned(n, x, y *graph.Node, axis int) *graph.Mistake {
	at := meets(n, y, axis) - (n.Rank() - x.Rank())
	if at < 0 || y.Shape()[axis] != x.Shape()[at] || l.nameOf(x.Shape()[at]) == unlikely || arePairs(x, at) {
		return nil
	}
	from, _ := l.origins(x, at)
	is := l.areExamples(from)
	places := l.others(x, at)
	if len(l.positions(y, axis)) == 0 || is == unlikely || len(places) == 0 {
		return nil
	}
	if own, _ := l.origins(x, places[0]); is == likely &&
		(l.areExamples(own) == sure || !x.Shape()[places[0]].IsSymbolic()) {
		return nil
	}
	return &graph.Mistake{Code: graph.CodeExamplePositions, Node: n,
		Summary: fmt.Sprintf(
			"%s, which does not depend on inputs, differs from example to example: its axis %d is aligned with axis %d of %s, which is %s",
			y.Called(), axis, at, x.Called(), l.called(from)),
		Operands: []graph.OperandNote{{Node: x, Bad: []int{at}}, {Node: y, Bad: []int{axis}}},
		Help: []string{
			fmt.Sprintf(
				"positions are along another axis, such as axis %d, of size %s: count or slice them by that size",
				places[0], x.Shape()[places[0]]),
			silence("CodeExamplePositions", "ExamplePositions")}}
}

// arePairs reports whether another axis has the same size. Values that distinguish pairs of examples, such as an
// identity added to a kernel matrix or an adjacency matrix, give no example anything of its own.
func arePairs(x *graph.Node, axis int) bool {
	for i, size := range x.Shape() {
		if i != axis && size == x.Shape()[axis] {
			return true
		}
	}
	return false
}

// positions lists the sources of an axis that are not inputs, except parameters declared with that size: those have an
// element for each example of a data set, such as latent codes and factors of a matrix.
func (l *lint) positions(y *graph.Node, axis int) (sources []int) {
	isOfData := func(s graph.AxisOf) bool { return s.Node.IsParam() && s.Node.Shape()[s.Axis] == y.Shape()[axis] }
	for _, d := range l.flow().Value(y) {
		if d.On(axis) && !l.flow().IsInput(d.Source) && !isOfData(l.flow().Source(d.Source)) {
			sources = append(sources, d.Source)
		}
	}
	return sources
}
