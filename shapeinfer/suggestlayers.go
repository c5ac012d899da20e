package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// otherAxis takes an element, or reduces, along another axis: a call took the axis of examples away, and
// what it left meets examples.
func (t *trier) otherAxis() {
	for _, o := range t.m.Operands {
		for _, other := range t.m.Operands {
			if o.Node == nil || other.Node == nil || o.Node == other.Node || !slices.Equal(o.Bad, []int{0}) ||
				!slices.Equal(other.Bad, []int{0}) {
				continue
			}
			left, lost := o.Node.Shape()[0], other.Node.Shape()[0]
			n := removal(o.Node, left, lost)
			if n == nil || n.IsPart() || !isName(lost) || !isFed(other.Node, lost) {
				continue
			}
			change := graph.Change{Node: n, Attrs: n.Attrs().(joiner).WithAxis(slices.Index(n.In(0).Shape(), left))}
			gives := t.n.Graph().Try(change).Shape(n)
			text := fmt.Sprintf("keep the axis of %s: %s gives %s", lost,
				graph.CallText(n, change.Attrs, n.Stands(n.In(0)).Called()), gives)
			if t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: gives, At: n}, change) {
				return
			}
		}
	}
}

// isFed reports whether a size of a value comes from an input: it was not chosen for the value.
func isFed(x *graph.Node, size graph.Dim) bool {
	for !x.IsInput() {
		if x = operandOf(x, size); x == nil {
			return false
		}
	}
	return true
}

// operandOf returns the first operand that has a size, or nil.
func operandOf(x *graph.Node, size graph.Dim) *graph.Node {
	at := slices.IndexFunc(x.Operands(), func(in *graph.Node) bool {
		return in != nil && in.Judged() && slices.Contains(in.Shape(), size)
	})
	if at < 0 {
		return nil
	}
	return x.In(at)
}

// removal follows a size to the call that has taken one axis, of another size, from beside it, or returns nil
// where none has.
func removal(x *graph.Node, left, lost graph.Dim) *graph.Node {
	for in := operandOf(x, left); in != nil; x, in = in, operandOf(in, left) {
		_, is := x.Attrs().(joiner)
		if is && len(x.Operands()) == 1 && in.Rank() == x.Rank()+1 && slices.Contains(in.Shape(), lost) {
			return x
		}
	}
	return nil
}

// channelsLast brings the channels of a value, which stand along axis 1, to the last axis, where a layer
// normalisation has them.
func (t *trier) channelsLast() {
	if t.n.Op().Class == graph.Elementwise && !t.n.IsPart() {
		return
	}
	for i := range t.n.Operands() {
		s := t.shape(i)
		isVector := func(x *graph.Node) bool { return x != nil && x.IsParam() && x.Shape().Equal(s[1:2]) }
		if len(s) < 3 || t.user(i) == nil || !slices.ContainsFunc(t.n.InCall(), isVector) {
			continue
		}
		perm := []int{0}
		for axis := 2; axis < len(s); axis++ {
			perm = append(perm, axis)
		}
		perm = append(perm, 1)
		turned := permuted(s, perm)
		text := fmt.Sprintf("channels must be along the last axis: %s gives %s", orderedText(t.word(i), perm), turned)
		if t.try(graph.Fix{Kind: graph.FixTranspose, Text: text, Gives: turned}, t.operand(i, turned)...) {
			return
		}
	}
}

// repeatMatrices repeats the matrices of a batch that has fewer of them than the other one, as heads of keys
// serve several heads of queries.
func (t *trier) repeatMatrices() {
	if t.n.Op().Class != graph.Contract || len(t.m.Operands) != 2 {
		return
	}
	t.pairs(func(i, other int) {
		mine, theirs := t.m.Operands[i].Bad, t.m.Operands[other].Bad
		if len(mine) != 1 || len(theirs) != 1 || mine[0] >= len(t.shape(i))-2 || theirs[0] >= len(t.shape(other))-2 {
			return
		}
		axis, few := mine[0], t.shape(i)[mine[0]]
		times, whole := t.shape(other)[theirs[0]].ExactDiv(few)
		if _, known := times.Int(); !whole || !known || times == 1 || few == 1 {
			return
		}
		s := slices.Clone(t.shape(i))
		s[axis] = t.shape(other)[theirs[0]]
		text := fmt.Sprintf("RepeatInterleave(%s, %d, %s) gives %s", t.word(i), axis, times, s)
		t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: s}, t.operand(i, s)...)
	})
}

// firstRows takes as many rows of a table that is a parameter as there are positions.
func (t *trier) firstRows() {
	if t.n.Op().Class != graph.Elementwise || t.n.IsPart() || len(t.m.Operands) != len(t.n.Operands()) {
		return
	}
	t.pairs(func(i, other int) {
		mine, theirs := t.m.Operands[i].Bad, t.m.Operands[other].Bad
		s := slices.Clone(t.shape(i))
		if len(mine) != 1 || len(theirs) != 1 || mine[0] >= len(s)-1 || !t.user(i).IsParam() ||
			!isName(t.shape(other)[theirs[0]]) {
			return
		}
		s[mine[0]] = t.shape(other)[theirs[0]]
		text := fmt.Sprintf("Slice(%s, %d, 0, %s, 1) gives %s", t.word(i), mine[0], s[mine[0]], s)
		t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: s}, t.operand(i, s)...)
	})
}

// inRows flattens an operand that has as many elements as another one has rows.
func (t *trier) inRows() {
	t.pairs(func(i, other int) {
		if len(t.shape(i)) < 2 || len(t.shape(other)) == 0 || t.shape(i).NumElements() != t.shape(other)[0] {
			return
		}
		s := t.shape(other)[:1]
		t.try(graph.Fix{Kind: graph.FixReshape, Text: fmt.Sprintf("Reshape(%s, -1) gives %s", t.word(i), s), Gives: s},
			t.operand(i, s)...)
	})
}
