package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
	"github.com/broadloom/broadloom/shapeinfer/axislint"
)

// noteWholeBatch notes numbers that were made of a whole batch and then meet values of single
// examples: a sum without axes where the sum over all axes but the first was meant. What was
// reduced has a first axis of a named size, that of the examples, and others; and what the
// number meets has the same first axis and another shape. What is scaled by a number of its own, such as
// a gradient by its norm, is right, but for a softmax and a standardization, which examples have each by
// itself.
func noteWholeBatch(g *graph.Graph, r *Report) {
	if g.Policy().WholeBatch == graph.AllowSilently {
		return
	}
	var reduced map[*graph.Node]*graph.Node // of numbers, what they were made of
	for _, n := range g.Nodes() {
		if !n.Judged() || n.Origin() != nil || n.StandsFor() != nil {
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

// reducedTo returns the reduction of a whole batch to a number from which n, a number too, is computed; nil if there is
// none.
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
		if slices.Contains(whole[1:], whole[0]) {
			continue // of all pairs, as the width of a kernel is
		}
		for _, y := range n.Operands() {
			s := y.Shape()
			if len(s) == 0 || s[0] != whole[0] || s.Equal(whole) && !normalizes(n, x, y, from, reduced) {
				continue
			}
			to, keep := graph.Shape{whole[0]}, ""
			if s.Equal(whole) {
				to, keep = append(to, slices.Repeat(graph.Shape{1}, len(whole)-1)...), " with KeepDims()"
			}
			m := &graph.Mistake{Code: graph.CodeWholeBatch, Severity: graph.Note, Node: n, Apart: true,
				Summary: fmt.Sprintf("one number for all of %q meets values of single ones: %s reduces all axes of %s",
					whole[0].String(), graph.Describe(from), from.In(0).Called()),
				Operands: []graph.OperandNote{{Node: x}, {Node: y}},
				Help: []string{
					fmt.Sprintf("if you want one number for each of %q, reduce only the axes after it%s, to %s",
						whole[0].String(), keep, to),
					"to keep it: Silence(graph.CodeWholeBatch) on the result, or Policy.WholeBatch = graph.AllowSilently",
				}}
			if n.Graph().Policy().WholeBatch == graph.RefuseAlways && !n.IsSilenced(m.Code) {
				m.Severity = graph.Error
				r.addOnce(m)
				return
			}
			r.Notes = append(r.Notes, m)
			return
		}
	}
}

// normalizes reports whether n divides y by a number x that was made of y, or of what y was made of,
// as a softmax and a standardization do: y is an exponential, or the distance from another number of
// the same values, along axes of known size.
func normalizes(n, x, y, from *graph.Node, reduced map[*graph.Node]*graph.Node) bool {
	isQuotient := axisflow.Trace(n).Ends(graph.PrimDiv) && n.In(0) == y && n.In(1) == x
	isProduct := axisflow.Trace(n).Ends(graph.PrimMul)
	source := from.In(0)
	if !axislint.MayCountExamples(y.Shape()[0]) || y.Op().Class != graph.Elementwise || len(y.Operands()) == 0 ||
		!isQuotient && !isProduct {
		return false
	}
	switch e := axisflow.Trace(y); {
	case e.Ends(graph.PrimExp):
		return isQuotient && from.Op().Fold == graph.FoldSum && isAlike(source, y)
	case e.Ends(graph.PrimSub):
		centre := reduced[y.In(1)]
		hasFeatures := slices.ContainsFunc(y.Shape()[1:], func(d graph.Dim) bool { return d.IsConst() && d > 1 })
		return hasFeatures && centre != nil && centre.In(0) == y.In(0) &&
			(follows(source, y.In(0)) || follows(source, y) || isAlike(source, y))
	}
	return false
}

// follows reports whether x is y, or is computed from y alone element by element.
func follows(x, y *graph.Node) bool {
	for x != y && x.Op().Class == graph.Elementwise && len(x.Operands()) > 0 &&
		!slices.ContainsFunc(x.Operands(), func(in *graph.Node) bool { return in != x.In(0) && in.Rank() > 0 }) {
		x = x.In(0)
	}
	return x == y
}

// isAlike reports whether two nodes apply one operation to the same operands.
func isAlike(x, y *graph.Node) bool {
	return x == y || x.Op() == y.Op() && slices.Equal(x.Operands(), y.Operands()) &&
		graph.SameAttrs(x.Attrs(), y.Attrs())
}
