package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// keeper is what the attributes of a reduction implement.
type keeper interface{ WithKeepDims() any }

// keepDims keeps the axes that a reduction took away from an operand.
func (t *trier) keepDims() {
	for i := range t.n.Operands() {
		r, attrs := reductionBehind(t.n.In(i))
		if r == nil || r.IsPart() {
			continue
		}
		change := graph.Change{Node: r, Attrs: attrs}
		kept := t.n.Graph().Try(change).Shape(r)
		call := graph.CallText(r, attrs, r.In(0).Called())
		text := fmt.Sprintf("keep the axis: %s gives %s", call, kept)
		if t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: kept, At: r}, change) {
			t.detail = append(t.detail, t.lostAxis(i, r, kept))
			return
		}
	}
}

// reductionBehind finds the reduction that gave the value its shape; attrs are those that
// keep its axes.
func reductionBehind(x *graph.Node) (r *graph.Node, attrs any) {
	r = shapedBy(x)
	if k, is := r.Attrs().(keeper); is && len(r.Operands()) == 1 && r.In(0).Rank() > r.Rank() {
		return r, k.WithKeepDims()
	}
	return nil, nil
}

// shapedBy follows operations on single elements, which keep the shape, to the value from
// which x has its shape.
func shapedBy(x *graph.Node) *graph.Node {
	for x = x.Written(); x.Op().Class == graph.Elementwise; {
		at := slices.IndexFunc(x.Operands(), func(in *graph.Node) bool {
			return in != nil && in.Shape().Equal(x.Shape())
		})
		if at < 0 {
			break
		}
		x = x.In(at).Written()
	}
	return x
}

// padded is what the attributes of an operation on windows implement.
type padded interface{ WithPadding(int) any }

const maxPadding = 3

// padding pads a convolution or a pooling so that it keeps the size of its operand.
func (t *trier) padding() {
	for i := range t.n.Operands() {
		conv := shapedBy(t.n.In(i))
		attrs, is := conv.Attrs().(padded)
		is = is && !conv.IsPart()
		for p := 1; is && p <= maxPadding; p++ {
			changed := attrs.WithPadding(p)
			change := graph.Change{Node: conv, Attrs: changed}
			kept := t.n.Graph().Try(change).Shape(conv)
			words := make([]string, len(conv.Operands()))
			for k, x := range conv.Operands() {
				words[k] = x.Called()
			}
			text := fmt.Sprintf("padding of %d keeps the size: %s gives %s", p, graph.CallText(conv, changed, words...),
				kept)
			if t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: kept, At: conv}, change) {
				return
			}
		}
	}
}

// lostAxis says which axes an operand lost in a reduction.
func (t *trier) lostAxis(i int, r *graph.Node, kept graph.Shape) string {
	var axes []string
	for a, d := range kept {
		if d == 1 && r.In(0).Shape()[a] != 1 {
			axes = append(axes, fmt.Sprint(a))
		}
	}
	word := "axis "
	if len(axes) > 1 {
		word = "axes "
	}
	text := fmt.Sprintf("%s lost %s%s of %s in %s",
		t.word(i), word, strings.Join(axes, ", "), r.In(0).Called(), r.Op().Func)
	if i >= len(t.m.Operands) || len(t.m.Operands[i].Bad) == 0 {
		return text
	}
	mine := t.shape(i)[t.m.Operands[i].Bad[0]]
	for k, o := range t.m.Operands {
		if k != i && len(o.Bad) > 0 && t.n.Stands(o.Node) != nil {
			theirs := o.Node.Shape()[o.Bad[0]]
			return text + fmt.Sprintf("; its %s is now aligned with %s's %s", rules.QuoteName(mine),
				t.n.Stands(o.Node).Called(), rules.QuoteName(theirs))
		}
	}
	return text
}

// align puts axes of size 1 into an operand where its sizes then line up with another
// operand's, if that can be done in one way only.
func (t *trier) align() {
	t.pairs(func(i, other int) {
		s, full := t.shape(i), t.shape(other)
		place, ok := bestPlacement(placements(s, full))
		if !ok {
			return
		}
		wide, axes := place.shape, place.axes
		fix := graph.Fix{Kind: graph.FixUnsqueeze, Gives: wide}
		word := t.word(i)
		if len(wide) == len(s)+1 {
			at := 0
			for at < len(s) && wide[at] == s[at] && wide[at] != 1 {
				at++
			}
			if at == len(wide)-1 {
				at = -1
			}
			fix.Text = fmt.Sprintf("Unsqueeze(%s, %d) gives %s", word, at, wide)
		} else {
			list := strings.Trim(wide.String(), "[]")
			lined := "lines it up with axis"
			if len(axes) > 1 {
				lined = "lines it up with axes"
			}
			fix.Text = fmt.Sprintf("Reshape(%s, %s) %s %s of %s",
				word, list, lined, strings.Trim(fmt.Sprint(axes), "[]"), t.whole(other))
		}
		t.try(fix, t.operand(i, wide)...)
	})
}

// whole is how the user knows operand i: by its own word, or by its shape where it is a part of the call, such as the
// scores of an attention.
func (t *trier) whole(i int) string {
	if t.user(i) == nil {
		return t.shape(i).String()
	}
	return t.word(i)
}

// placement is a way of lining up a shape with a longer one: the shape with axes of size 1
// put in, and the axes, counted from the end, that its own axes meet.
type placement struct {
	shape graph.Shape
	axes  []int
}

// maxAlignRank bounds the ways of lining up that are looked at.
const maxAlignRank = 8

// placements lists the ways in which the axes of s can meet equal sizes of full in order,
// other than from the right as they stand.
func placements(s, full graph.Shape) (found []placement) {
	if len(s) == 0 || len(s) > len(full) || len(full) > maxAlignRank {
		return nil
	}
	for set := range 1 << len(full) {
		var p placement
		next := 0
		for axis, d := range full {
			if set&(1<<axis) == 0 {
				p.shape = append(p.shape, 1)
				continue
			}
			if next == len(s) || s[next] != d && s[next] != 1 || d == 1 {
				next = -1
				break
			}
			p.shape = append(p.shape, s[next])
			if s[next] != 1 {
				p.axes = append(p.axes, axis-len(full))
			}
			next++
		}
		if next == len(s) {
			p.shape = trimLeading(p.shape)
			isNew := !slices.ContainsFunc(found, func(q placement) bool { return q.shape.Equal(p.shape) })
			if len(p.shape) > len(s) && len(p.axes) > 0 && isNew {
				found = append(found, p)
			}
		}
	}
	return found
}

// bestPlacement returns the only way of lining up, or the one in which trailing axes stay where
// they are and axes are missing in one place in front of them, as a mask over keys is meant.
func bestPlacement(all []placement) (best placement, ok bool) {
	if len(all) == 1 {
		return all[0], true
	}
	for _, p := range all {
		if last := len(p.axes) - 1; last > 0 && p.axes[last] == -1 {
			if ok && trailing(p.axes) == trailing(best.axes) {
				return best, false
			}
			if !ok || trailing(p.axes) > trailing(best.axes) {
				best, ok = p, true
			}
		}
	}
	return best, ok
}

// trailing counts the last axes that stand side by side.
func trailing(axes []int) int {
	n := 0
	for n < len(axes) && axes[len(axes)-1-n] == -1-n {
		n++
	}
	return n
}

// trimLeading takes away leading axes of size 1, which broadcasting adds by itself.
func trimLeading(s graph.Shape) graph.Shape {
	for len(s) > 0 && s[0] == 1 {
		s = s[1:]
	}
	return s
}

// squeeze takes an axis of size 1 away from an operand.
func (t *trier) squeeze() {
	t.pairs(func(i, _ int) {
		s := t.shape(i)
		for axis := len(s) - 1; axis >= 0; axis-- {
			if s[axis] != 1 {
				continue
			}
			less := slices.Delete(slices.Clone(s), axis, axis+1)
			at := axis
			if axis == len(s)-1 {
				at = -1
			}
			text := fmt.Sprintf("Squeeze(%s, %d) gives %s", t.word(i), at, less)
			t.try(graph.Fix{Kind: graph.FixSqueeze, Text: text, Gives: less}, t.operand(i, less)...)
		}
	})
}

// transpose exchanges two axes of an operand.
func (t *trier) transpose() {
	for i := len(t.n.Operands()) - 1; i >= 0; i-- {
		s := t.shape(i)
		if t.user(i) == nil || t.isLarger(i) {
			continue
		}
		for b := len(s) - 1; b > 0; b-- {
			for a := b - 1; a >= 0; a-- {
				turned := slices.Clone(s)
				turned[a], turned[b] = turned[b], turned[a]
				change := t.operand(i, turned)
				gives := t.n.Graph().Try(change...).Shape(t.n.Parts()[len(t.n.Parts())-1])
				word := fmt.Sprintf("Transpose(%s, %d, %d)", t.word(i), a, b)
				if x := t.user(i); exchanges(x, a, b) {
					word = x.In(0).Called() // it was turned once too often
				}
				call := t.with(i, word)
				if repeats(gives) {
					continue
				}
				if t.try(graph.Fix{Kind: graph.FixTranspose, Text: fmt.Sprintf("%s gives %s", call, gives),
					Gives: turned}, change...) {
					return
				}
			}
		}
	}
}

// isLarger reports whether operand i has more axes than another one that broadcasts with it: it is
// the smaller one then that was meant to fit.
func (t *trier) isLarger(i int) bool {
	if t.n.Op().Class != graph.Elementwise && t.n.Op().Class != graph.Update {
		return false
	}
	for k := range t.n.Operands() {
		if r := len(t.shape(k)); r > 0 && r < len(t.shape(i)) {
			return true
		}
	}
	return false
}

// repeats reports whether a name is the size of two axes: of pairs of examples, most often.
func repeats(s graph.Shape) bool {
	for axis, d := range s {
		if d.IsSymbolic() && slices.Contains(s[:axis], d) {
			return true
		}
	}
	return false
}

// exchanges reports whether a view does nothing but exchange two axes of its operand.
func exchanges(n *graph.Node, a, b int) bool {
	if !n.IsView() || len(n.Operands()) != 1 || n.In(0).Rank() != n.Rank() {
		return false
	}
	whole := graph.RowMajor(n.In(0).Shape())
	shown, ok := n.Op().View(n, whole)
	if !ok {
		return false
	}
	shape, strides := slices.Clone(shown.Shape), slices.Clone(shown.Strides)
	shape[a], shape[b] = shape[b], shape[a]
	strides[a], strides[b] = strides[b], strides[a]
	return shown.Offset == 0 && shape.Equal(whole.Shape) && slices.Equal(strides, whole.Strides)
}

// reshape returns an operand the shape of another one with as many elements.
func (t *trier) reshape() {
	t.pairs(func(i, other int) {
		s, full := t.shape(i), t.shape(other)
		if s.NumElements() != full.NumElements() || s.Equal(full) {
			return
		}
		text := fmt.Sprintf("Reshape(%s, %s)", t.word(i), strings.Trim(full.String(), "[]"))
		t.try(graph.Fix{Kind: graph.FixReshape, Text: text, Gives: full}, t.operand(i, full)...)
	})
}
