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
	in = withoutOnes(in)
	from, to := len(in.Shape)-1, n.Rank()-1
	for ; to >= 0; to-- {
		if out.Shape[to] == 1 {
			continue
		}
		if from < 0 {
			return graph.Layout{}, false
		}
		// Add axes on both sides until their products are equal.
		have, want := in.Shape[from], out.Shape[to]
		step, last := in.Strides[from], to
		for have != want {
			switch {
			case grows(have, want) && from > 0:
				if even := in.Strides[from].Times(in.Shape[from]); in.Strides[from-1] != even {
					switch {
					case isThin(n, have):
						step = in.Strides[from-1]
					case isThin(n, in.Shape[from-1]):
						in.Strides[from-1] = even
					default:
						return graph.Layout{}, false
					}
				}
				from--
				have = have.Times(in.Shape[from])
			case to > 0:
				to--
				want = want.Times(out.Shape[to])
			default:
				return graph.Layout{}, false
			}
		}
		for t := last; t >= to; t-- {
			out.Strides[t] = step
			step = step.Times(out.Shape[t])
		}
		from--
	}
	return out, true
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
