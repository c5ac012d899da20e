package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// noteWholeBatch notes numbers that were made of a whole batch and then meet values of single
// examples: a sum without axes where the sum over all axes but the first was meant. What was
// reduced has a first axis of a named size, that of the examples, and others; and what the
// number meets has the same first axis and another shape, so that it is not scaled by itself.
func noteWholeBatch(g *graph.Graph, r *Report) {
	var reduced map[*graph.Node]*graph.Node // of numbers, what they were made of
	for _, n := range g.Nodes() {
		if !n.Judged() || n.Origin() != nil {
			continue
		}
		if n.Rank() == 0 {
			if from := reducedTo(n, reduced); from != nil {
				if reduced == nil {
					reduced = map[*graph.Node]*graph.Node{}
				}
				reduced[n] = from
			}
			continue
		}
		if reduced != nil && n.Op().Class == graph.Elementwise {
			noteMeeting(n, reduced, r)
		}
	}
}

// reducedTo returns the reduction of a whole batch to a number from which n, a number too,
// follows; nil where there is none.
func reducedTo(n *graph.Node, reduced map[*graph.Node]*graph.Node) *graph.Node {
	switch n.Op().Class {
	case graph.Reduce, graph.Composite:
		if len(n.Operands()) > 0 && n.In(0).Rank() > 1 && n.In(0).Shape()[0].IsSymbolic() {
			return n
		}
	case graph.Elementwise:
		for _, x := range n.Operands() {
			if from := reduced[x]; from != nil {
				return from
			}
		}
	}
	return nil
}

// noteMeeting notes that an operation on single elements has such a number as operand.
func noteMeeting(n *graph.Node, reduced map[*graph.Node]*graph.Node, r *Report) {
	for _, x := range n.Operands() {
		from := reduced[x]
		if from == nil {
			continue
		}
		whole := from.In(0).Shape()
		for _, y := range n.Operands() {
			s := y.Shape()
			if len(s) == 0 || s[0] != whole[0] || s.Equal(whole) {
				continue
			}
			m := &graph.Mistake{Code: graph.CodeWholeBatch, Severity: graph.Note, Node: n, Apart: true,
				Summary:  fmt.Sprintf("one number for all of %q meets single ones: %s reduces all axes of %s", whole[0].String(), graph.Describe(from), from.In(0).Called()),
				Operands: []graph.OperandNote{{Node: x}, {Node: y}},
				Help: []string{
					fmt.Sprintf("where one number for each of %q is meant, reduce the axes behind it only, to [%s]", whole[0].String(), whole[0]),
					"to keep it: Silence(graph.CodeWholeBatch) on the result",
				}}
			r.Notes = append(r.Notes, m)
			return
		}
	}
}
