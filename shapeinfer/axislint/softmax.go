package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// overExamples finds a softmax along the axis of examples.
func overExamples(l *lint, n *graph.Node) *graph.Mistake {
	if !l.isFromInput(n) {
		return nil
	}
	for _, axis := range l.forms.Normalized(n) {
		if l.nameOf(n.Shape()[axis]) == unlikely {
			continue
		}
		from, weights := l.origins(n.In(0), axis)
		is := l.areExamples(from)
		if is == unlikely || weights {
			continue
		}
		if twin := l.twin(n.In(0), axis, from); twin >= 0 {
			if !l.isSummed(n, axis) {
				continue // examples are compared, as in a contrastive loss
			}
			if m := l.attention(n, axis, twin, from, is); m != nil {
				return m
			}
			continue
		}
		if m := l.softmax(n, axis, from, is); m != nil {
			return m
		}
	}
	return nil
}

// twin returns another axis of a value with the same source, or -1; in attention, that of queries.
func (l *lint) twin(x *graph.Node, axis int, from []int) int {
	for i := range x.Rank() {
		if own, _ := l.origins(x, i); i != axis && share(own, from) {
			return i
		}
	}
	return -1
}

// attention is the mistake of scores of examples against each other, although the inputs have another axis.
func (l *lint) attention(n *graph.Node, axis, twin int, from []int, is int) *graph.Mistake {
	for _, other := range l.others(n.In(0), axis) {
		own, _ := l.origins(n.In(0), other)
		if other == twin || is == likely && (l.areExamples(own) == sure || !n.Shape()[other].IsSymbolic()) {
			continue
		}
		return &graph.Mistake{Code: graph.CodeAttentionOverExamples, Node: n,
			Summary: fmt.Sprintf(
				"attention along the axis of examples: axes %d and %d of %s are both %s, so that each example attends to the others, and axis %d, of size %s, is treated as independent",
				min(axis, twin), max(axis, twin), n.In(0).Called(), l.called(from), other, n.In(0).Shape()[other]),
			Operands: []graph.OperandNote{{Node: n.In(0), Bad: []int{twin, axis}}},
			Help: []string{
				fmt.Sprintf(
					"examples should be along the first axis: leave out the Transpose or Permute that moves axis %q after %q, or add one before the products",
					n.In(0).Shape()[axis], n.In(0).Shape()[other]),
				silence("CodeAttentionOverExamples", "AttentionOverExamples")}}
	}
	return nil
}

// isSummed reports whether products sum a value along an axis, as with attention weights, or nothing uses it yet.
func (l *lint) isSummed(n *graph.Node, axis int) bool {
	products, _ := l.productsOf(n, axis)
	return len(products) > 0 || len(l.usersOf(n)) == 0
}

// isNormalizedToo reports whether a softmax's operand or result, through elementwise operations, is also normalised
// along another axis. This alternates between rows and columns of a table to give equal shares.
func (l *lint) isNormalizedToo(n *graph.Node, isOther func(axis int) bool) bool {
	isElementwise := func(x *graph.Node) bool {
		return (x.Op().Class == graph.Elementwise || x.Op().Class == graph.Composite) && x.Shape().Equal(n.Shape())
	}
	before, behind := []*graph.Node{n}, []*graph.Node{n}
	isFound := func(x *graph.Node) bool { return x != n && slices.ContainsFunc(l.forms.Normalized(x), isOther) }
	for i := 0; i < len(before) && i < maxFollowed; i++ {
		for _, x := range before[i].Operands() {
			if x.Graph() == l.g && isElementwise(x) && !slices.Contains(before, x) {
				before = append(before, x)
			}
		}
	}
	for i := 0; i < len(behind) && i < maxFollowed; i++ {
		for _, user := range l.usersOf(behind[i]) {
			if user.Judged() && user.Err() == nil && user.Origin() == nil && isElementwise(user) &&
				!slices.Contains(behind, user) {
				behind = append(behind, user)
			}
		}
	}
	return slices.ContainsFunc(before, isFound) || slices.ContainsFunc(behind, isFound)
}

// softmax is the mistake of a softmax in which an example's elements depend on all other examples.
func (l *lint) softmax(n *graph.Node, axis int, from []int, is int) *graph.Mistake {
	x := n.In(0)
	classes := -1
	for i, size := range x.Shape() {
		own, weights := l.origins(x, i)
		switch {
		case i == axis || size == 1:
		case l.areExamples(own) != unlikely && !weights:
			return nil // examples against examples
		case is == sure || weights:
			classes = i
		}
	}
	if classes < 0 || l.isPooled(n, from) || l.isNormalizedToo(n, func(other int) bool { return other != axis }) {
		return nil
	}
	return &graph.Mistake{Code: graph.CodeOverExamples, Node: n,
		Summary: fmt.Sprintf(
			"axis %d is %s, along which examples are fed: the result of one example depends on all others", axis,
			l.called(from)),
		Operands: []graph.OperandNote{{Node: x, Bad: []int{axis}}},
		Help: []string{fmt.Sprintf("classes or scores of one example are along another axis, such as axis %d", classes),
			silence("CodeOverExamples", "OverExamples")}}
}

// isPooled reports whether a value weights a sum along the axis of a source: then comparing along that axis is
// intended.
func (l *lint) isPooled(n *graph.Node, from []int) bool {
	return l.follow(n, func(x, user *graph.Node) step {
		switch {
		case !l.isFolded(x, user, from):
			return goOn
		case user.Rank() > 0:
			return end
		}
		return passOver
	})
}

// isFolded reports whether a value has an axis of a source and its user has not.
func (l *lint) isFolded(x, user *graph.Node, from []int) bool {
	f := l.flow()
	for _, s := range from {
		before, _ := f.Value(x).Of(s)
		after, _ := f.Value(user).Of(s)
		if len(before.Terms) > len(after.Terms) {
			return true
		}
	}
	return false
}

// called names the inputs' axis from which an axis comes.
func (l *lint) called(from []int) string { return sourceText(l.flow(), from[0]) }

func sourceText(f *axisflow.Flow, source int) string {
	a := f.Source(source)
	return fmt.Sprintf("%q of %s", a.Node.Shape()[a.Axis], a.Node.Called())
}
