package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// A window that does not divide its operand leaves elements out: 179 are pooled to 89, and scaled up
// again they are 178. What meets them, such as the skip connection of a U-Net, has 179.

// roundedDown tells where a size was rounded down that now meets the whole one. It looks for sizes of
// an input that are divided, and cuts the whole value to the other one.
func (t *trier) roundedDown() {
	if t.n.Op().Class != graph.Elementwise && t.n.Op().Assemble == nil || t.n.IsPart() {
		return
	}
	for i := range t.n.Operands() {
		window, axis, other := t.roundedBehind(i)
		if window == nil {
			continue
		}
		t.most = 2
		t.dividedInput()
		t.crop(other, i)
		t.detail = append(t.detail, fmt.Sprintf("%s at %s drops elements: of %s along axis %d it keeps %s",
			graph.Describe(window), window.Pos(), window.In(0).Shape()[axis], axis, window.Shape()[axis]))
		return
	}
}

// maxBehind bounds the nodes that are looked at behind an operand.
const maxBehind = 256

// roundedBehind finds the last window behind operand i, where that is smaller than another operand on an
// axis of known size, which leaves elements out along this axis.
func (t *trier) roundedBehind(i int) (window *graph.Node, axis, other int) {
	for other = range t.n.Operands() {
		s, full := t.shape(i), t.shape(other)
		if len(s) != len(full) {
			continue
		}
		for axis = range s {
			if !s[axis].IsConst() || !full[axis].IsConst() || s[axis] >= full[axis] || s[axis] <= 1 {
				continue
			}
			if w := leavesOut(t.n.In(i), axis); w != nil {
				return w, axis, other
			}
		}
	}
	return nil, 0, 0
}

// leavesOut follows a value back, along its first operands, to the window that leaves elements of an
// axis out: of one element less it makes as many.
func leavesOut(x *graph.Node, axis int) *graph.Node {
	for range maxBehind {
		x = x.Written()
		if len(x.Operands()) == 0 || x.In(0) == nil || x.In(0).Rank() != x.Rank() || !x.In(0).Judged() {
			return nil
		}
		from := x.In(0).Shape()
		if _, isWindow := x.Attrs().(padded); isWindow && from[axis].IsConst() && x.Shape()[axis] < from[axis] {
			less := slices.Clone(from)
			less[axis]--
			trial := x.Graph().Try(
				graph.Change{Node: x, Operands: map[int]graph.Type{0: {DType: x.In(0).DType(), Shape: less}}})
			if trial.Shape(x)[axis] == x.Shape()[axis] {
				return x
			}
		}
		x = x.In(0)
	}
	return nil
}

// maxDivided is the largest number of which sizes are tried to be multiples.
const maxDivided = 64

// dividedInput looks for the next larger sizes of the last two axes of an input that windows divide.
func (t *trier) dividedInput() {
	for _, x := range t.n.Graph().Inputs() {
		if x.Rank() < 3 || !x.Judged() {
			continue
		}
		for k := graph.Dim(2); k <= maxDivided; k *= 2 {
			s := slices.Clone(x.Shape())
			for axis := max(len(s)-2, 2); axis < len(s); axis++ {
				if s[axis].IsConst() {
					s[axis] = (s[axis] + k - 1) / k * k
				}
			}
			text := fmt.Sprintf(
				"sizes that are multiples of %s leave no remainder: pad the fed values, and declare %s as %s", k,
				x.Called(), s)
			if !s.Equal(x.Shape()) && t.try(graph.Fix{Kind: graph.FixDeclare, Text: text, Gives: s, At: x},
				graph.Change{Node: x, Declared: &graph.Type{DType: x.DType(), Shape: s}}) {
				return
			}
		}
	}
}

// crop cuts operand i to the sizes of another one, but for the axis along which they are joined.
func (t *trier) crop(i, other int) {
	s, small := slices.Clone(t.shape(i)), t.shape(other)
	if t.user(i) == nil {
		return
	}
	word := t.word(i)
	for axis := 2; axis < len(s); axis++ {
		if s[axis].IsConst() && small[axis].IsConst() && small[axis] < s[axis] {
			s[axis] = small[axis]
			word = fmt.Sprintf("Slice(%s, %d, 0, %s, 1)", word, axis, small[axis])
		}
	}
	t.try(graph.Fix{Kind: graph.FixArguments, Text: fmt.Sprintf("or crop: %s gives %s", word, s), Gives: s},
		t.operand(i, s)...)
}
