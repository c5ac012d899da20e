package analysis

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// This file finds what a movement does from the way it changes a layout.

// WholeView returns the layout that a movement of one operand makes of a row-major one.
func WholeView(n *graph.Node) (graph.Layout, bool) {
	if n.Op().Class != graph.Movement || n.Op().View == nil || len(n.Operands()) != 1 {
		return graph.Layout{}, false
	}
	return n.Op().View(n, graph.RowMajor(n.In(0).Shape()))
}

// ShownAxes returns, for each axis of a view, which axis of a row-major value of some shape it shows. It is -1 for an
// axis of size 1 and for one along which elements are repeated. ok is false if the view is not of this kind, such as
// every second element.
func ShownAxes(view graph.Layout, of graph.Shape) (axes []int, ok bool) {
	if view.Offset != 0 {
		return nil, false
	}
	whole := graph.RowMajor(of)
	for axis, size := range view.Shape {
		at := -1
		if size != 1 && view.Strides[axis] != 0 {
			for i, d := range of {
				if d == size && whole.Strides[i] == view.Strides[axis] && !slices.Contains(axes, i) {
					at = i
					break
				}
			}
			if at < 0 {
				return nil, false
			}
		}
		axes = append(axes, at)
	}
	return axes, true
}

// ExchangedAxes is [ShownAxes] of a movement that shows all of its operand and repeats nothing. It permutes the axes,
// and inserts or drops axes of size 1.
func ExchangedAxes(n *graph.Node) (axes []int, ok bool) {
	view, ok := WholeView(n)
	if !ok {
		return nil, false
	}
	of := n.In(0).Shape()
	if axes, ok = ShownAxes(view, of); !ok {
		return nil, false
	}
	for axis, at := range axes {
		if at < 0 && view.Shape[axis] != 1 {
			return nil, false
		}
	}
	for at, size := range of {
		if size != 1 && !slices.Contains(axes, at) {
			return nil, false
		}
	}
	return axes, true
}

// IsReshape reports whether a movement returns its operand's elements in row-major order in another shape.
func IsReshape(n *graph.Node) bool {
	shown, ok := WholeView(n)
	return ok && shown.IsRowMajor() && n.Shape().NumElements() == n.In(0).Shape().NumElements()
}

// IsExpansion reports whether a movement broadcasts its operand.
func IsExpansion(n *graph.Node) bool {
	if n.Op().Class != graph.Movement || n.Stretch(0) == nil {
		return false
	}
	if slices.Contains(n.Stretch(0), graph.Undecided) {
		return true // no layout expresses it: see graph.Op
	}
	shown, ok := WholeView(n)
	return ok && SameLayouts(shown, alias.BroadcastView(graph.RowMajor(n.In(0).Shape()), n.Shape(), n.Stretch(0)))
}

// IsPadding reports whether a movement surrounds one value with equal numbers.
func IsPadding(n *graph.Node) bool { return n.Op().Assemble != nil && len(n.Operands()) == 1 }

// SameLayouts reports whether elements have the same addresses. Strides of axes of size 1 do not matter.
func SameLayouts(a, b graph.Layout) bool {
	if a.Offset != b.Offset || !a.Shape.Equal(b.Shape) {
		return false
	}
	for axis, size := range a.Shape {
		if size != 1 && a.Strides[axis] != b.Strides[axis] {
			return false
		}
	}
	return true
}

// SkipIdentityViews returns the value that a view shows unchanged, if necessary through several views, or the view
// itself.
func SkipIdentityViews(view *graph.Node) *graph.Node {
	for x := view; alias.IsView(x); {
		if x = x.In(0); SameLayouts(alias.LayoutOf(view), alias.LayoutOf(x)) {
			view = x
		}
	}
	return view
}

// RepeatsInMatrix reports whether operand i of a matrix is repeated along one of its last two axes.
func RepeatsInMatrix(n *graph.Node, i int) bool {
	if slices.Contains(n.Stretch(i), graph.Undecided) {
		return false
	}
	l := alias.BroadcastView(alias.LayoutOf(n.In(i)), n.Shape(), n.Stretch(i))
	return slices.ContainsFunc([]int{n.Rank() - 2, n.Rank() - 1}, func(axis int) bool {
		return l.Strides[axis] == 0 && n.Shape()[axis] != 1
	})
}
