package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// onlyAxis suggests the only axis of a vector if another axis was requested. For a value that was flattened, the
// reshape merged one axis too many.
func (t *trier) onlyAxis() {
	if len(t.n.Operands()) != 1 || len(t.shape(0)) != 1 || t.n.IsPart() {
		return
	}
	if x := t.user(0); isMovement(x) && x.In(0).Rank() > 1 && isReshape(x) {
		from := x.In(0)
		gives := graph.Shape{from.Shape()[0], from.Shape()[1:].NumElements()}
		t.try(graph.Fix{Kind: graph.FixArguments, Gives: gives, At: x,
			Text: fmt.Sprintf("keep the first axis: Reshape(%s, %s, -1) gives %s", x.Stands(from).Called(), gives[0],
				gives)}, t.operand(0, gives)...)
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
	if _, hasWindow := t.n.Attrs().(padded); !hasWindow {
		return
	}
	for i := range min(2, len(t.n.Operands())) {
		s := t.shape(i)
		if len(s) < 3 || t.user(i) == nil {
			continue
		}
		perm, square := []int{0, len(s) - 1}, s[1:len(s)-1]
		if i == 1 {
			square = s[:len(s)-2]
			perm = []int{len(s) - 1, len(s) - 2}
		}
		for axis := range s {
			if axis != perm[0] && axis != perm[1] {
				perm = append(perm, axis)
			}
		}
		if isSquare(s[2:]) && !isSquare(square) {
			continue // the axes of windows stand last
		}
		turned := permuted(s, perm)
		text := fmt.Sprintf("channels must come before the spatial axes: %s gives %s", orderedText(t.word(i), perm),
			turned)
		if t.try(graph.Fix{Kind: graph.FixTranspose, Text: text, Gives: turned}, t.operand(i, turned)...) {
			return
		}
	}
}

// isSquare reports whether axes are alike, as those of a square image, or of a square window.
func isSquare(axes graph.Shape) bool {
	return len(axes) > 1 && !slices.ContainsFunc(axes, func(d graph.Dim) bool { return d != axes[0] })
}

func permuted(s graph.Shape, perm []int) graph.Shape {
	turned := make(graph.Shape, len(s))
	for k, axis := range perm {
		turned[k] = s[axis]
	}
	return turned
}

// channelsSecond brings the channels of a value, which stand last, to axis 1, where a call that scales
// channels has them.
func (t *trier) channelsSecond() {
	if !t.n.IsPart() {
		return
	}
	for i := range t.n.Operands() {
		s := t.shape(i)
		at := slices.IndexFunc(t.n.InCall(), func(x *graph.Node) bool {
			return x.Written() != nil && x.Written().Shape().Equal(s)
		})
		if len(s) < 3 || at < 0 || isSquare(s[2:]) && !isSquare(s[1:len(s)-1]) {
			continue
		}
		perm := []int{0, len(s) - 1}
		for axis := 1; axis < len(s)-1; axis++ {
			perm = append(perm, axis)
		}
		turned := permuted(s, perm)
		text := fmt.Sprintf("channels must be along axis 1: %s gives %s", orderedText(t.n.InCall()[at].Called(), perm),
			turned)
		if t.try(graph.Fix{Kind: graph.FixTranspose, Text: text, Gives: turned}, t.operand(i, turned)...) {
			return
		}
	}
}
