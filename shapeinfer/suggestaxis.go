package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// onlyAxis takes the only axis of a vector where an axis was asked for that it does not have. Of a value
// that was flattened it is the reshape that has taken an axis too much.
func (t *trier) onlyAxis() {
	if len(t.n.Operands()) != 1 || len(t.shape(0)) != 1 || t.n.IsPart() {
		return
	}
	if x := t.user(0); isMovement(x) && x.In(0).Rank() > 1 && isReshape(x) {
		from := x.In(0)
		gives := graph.Shape{from.Shape()[0], from.Shape()[1:].NumElements()}
		t.try(graph.Fix{Kind: graph.FixArguments, Gives: gives, At: x,
			Text: fmt.Sprintf("keep the first axis: Reshape(%s, %s, -1) gives %s", x.Stands(from).Called(), gives[0], gives)}, t.operand(0, gives)...)
		return
	}
	attrs, is := t.n.Attrs().(joiner)
	if !is {
		return
	}
	change := graph.Change{Node: t.n, Attrs: attrs.WithAxis(-1)}
	gives := t.n.Graph().Try(change).Shape(t.n)
	t.try(graph.Fix{Kind: graph.FixArguments, Gives: gives,
		Text: fmt.Sprintf("%s gives %s", graph.CallText(t.n, change.Attrs, t.word(0)), gives)}, change)
}

// channelsFirst brings images, and the weights of windows, whose channels stand last into the order in
// which windows read them.
func (t *trier) channelsFirst() {
	for i := range min(2, len(t.n.Operands())) {
		s := t.shape(i)
		if len(s) < 3 || t.user(i) == nil {
			continue
		}
		perm := []int{0, len(s) - 1}
		if i == 1 {
			perm = []int{len(s) - 1, len(s) - 2}
		}
		for axis := range s {
			if axis != perm[0] && axis != perm[1] {
				perm = append(perm, axis)
			}
		}
		turned := make(graph.Shape, len(s))
		for k, axis := range perm {
			turned[k] = s[axis]
		}
		text := fmt.Sprintf("channels come before the axes of windows: %s gives %s", orderedText(t.word(i), perm), turned)
		if t.try(graph.Fix{Kind: graph.FixTranspose, Text: text, Gives: turned}, t.operand(i, turned)...) {
			return
		}
	}
}
