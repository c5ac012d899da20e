package alias

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// ExpandView returns the layout of an operand repeated to the node's shape: repeated axes have stride 0. There is
// none if it is known only when sizes are bound which axes are repeated.
func ExpandView(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
	return BroadcastView(in, n.Shape(), n.Stretch(0)), !slices.Contains(n.Stretch(0), graph.Undecided)
}

// BroadcastView returns the layout in which an operand is read in the shape of a broadcast result, given how it meets
// each axis.
func BroadcastView(in graph.Layout, to graph.Shape, kinds []graph.AxisKind) graph.Layout {
	if kinds == nil {
		return in
	}
	out := graph.Layout{Shape: to, Strides: make([]graph.Dim, len(to)), Offset: in.Offset}
	lead := len(to) - len(in.Shape)
	for axis, k := range kinds {
		if k == graph.Same || k == graph.Undecided {
			out.Strides[axis] = in.Strides[axis-lead]
		}
	}
	return out
}

// ReshapeView returns the layout of the same elements in the node's shape. It exists if all axes of the operand that
// are merged or split together are evenly spaced in memory; otherwise the elements must be copied.
func ReshapeView(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
	if in.IsDense() {
		dense := graph.RowMajor(n.Shape())
		dense.Offset = in.Offset
		return dense, true
	}
	out := graph.Layout{Shape: n.Shape(), Strides: make([]graph.Dim, n.Rank()), Offset: in.Offset}
	for _, d := range in.Shape {
		if d == 0 {
			return graph.RowMajor(n.Shape()), true // nothing is ever read
		}
	}
	dense := withoutOnes(in)
	r := reshaping{n, dense, len(dense.Shape) - 1}
	for to := n.Rank() - 1; to >= 0; to-- {
		if out.Shape[to] == 1 {
			continue
		}
		step, first, ok := r.merge(to)
		if !ok {
			return graph.Layout{}, false
		}
		for t := to; t >= first; t-- {
			out.Strides[t] = step
			step = step.Times(out.Shape[t])
		}
		to = first
	}
	return out, true
}

// reshaping finds the axes of an operand that are merged or split together, from the last axis on.
type reshaping struct {
	n    *graph.Node
	in   graph.Layout // of the operand, without axes of size 1
	from int          // the last axis of the operand that is left
}

// merge takes as many axes of the operand, and of the result from axis to backwards, as have the same number of
// elements. It returns the distance of these elements in memory, and the first of the result's axes.
func (r *reshaping) merge(to int) (step graph.Dim, first int, ok bool) {
	if r.from < 0 {
		return 0, 0, false
	}
	have, want, step := r.in.Shape[r.from], r.n.Shape()[to], r.in.Strides[r.from]
	for have != want {
		switch {
		case grows(have, want) && r.from > 0:
			if step, ok = r.join(have, step); !ok {
				return 0, 0, false
			}
			r.from--
			have = have.Times(r.in.Shape[r.from])
		case to > 0:
			to--
			want = want.Times(r.n.Shape()[to])
		default:
			return 0, 0, false
		}
	}
	r.from--
	return step, to, true
}

// join requires that the operand's next axis continues with even spacing the axes that were taken, which have a number
// of elements. It returns the distance of all these elements: an axis of at most one element has any.
func (r *reshaping) join(have, step graph.Dim) (joined graph.Dim, ok bool) {
	even := r.in.Strides[r.from].Times(r.in.Shape[r.from])
	switch {
	case r.in.Strides[r.from-1] == even:
	case isThin(r.n, have):
		return r.in.Strides[r.from-1], true
	case isThin(r.n, r.in.Shape[r.from-1]):
		r.in.Strides[r.from-1] = even
	default:
		return 0, false
	}
	return step, true
}

// isThin reports whether a size is at most 1: the stride of such an axis does not matter.
func isThin(n *graph.Node, size graph.Dim) bool {
	return prove.NewProver(n.Graph().Bounds).AtLeast(graph.Dim(1).Minus(size), 0) == prove.Proved
}

// grows reports whether to extend the operand's product: it is smaller or, for symbolic sizes, divides the result's.
func grows(have, want graph.Dim) bool {
	h, hk := have.Int()
	w, wk := want.Int()
	if hk && wk {
		return h < w
	}
	_, more := want.ExactDiv(have)
	return more
}

// withoutOnes returns the layout without its axes of size 1, whose strides do not matter.
func withoutOnes(l graph.Layout) graph.Layout {
	out := graph.Layout{Offset: l.Offset}
	for i, d := range l.Shape {
		if d != 1 {
			out.Shape = append(out.Shape, d)
			out.Strides = append(out.Strides, l.Strides[i])
		}
	}
	return out
}
