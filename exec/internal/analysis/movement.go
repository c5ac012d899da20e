package analysis

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// This file tells what a movement does from the arrangement that it makes of a layout.

// WholeView returns the arrangement that a movement of one operand makes of one that lies in
// row-major order.
func WholeView(n *graph.Node) (graph.Layout, bool) {
	if n.Op().Class != graph.Movement || n.Op().View == nil || len(n.Operands()) != 1 {
		return graph.Layout{}, false
	}
	return n.Op().View(n, graph.RowMajor(n.In(0).Shape()))
}

// ShownAxes returns which axis of a value in row-major order, of some shape, each axis of a view of it shows: -1 for one of size 1, and for one along
// which elements are repeated. ok is false where it shows something else, such as every second element.
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

// ExchangedAxes is [ShownAxes] of a movement that repeats nothing and shows all of its operand: whose axes come in another order, and of which some of size 1
// may be new or gone.
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

// IsReshape reports whether a movement gives its operand's elements in row-major order under
// another shape.
func IsReshape(n *graph.Node) bool {
	shown, ok := WholeView(n)
	return ok && shown.IsRowMajor() && n.Shape().NumElements() == n.In(0).Shape().NumElements()
}

// IsExpansion reports whether a movement repeats its operand as broadcasting does.
func IsExpansion(n *graph.Node) bool {
	if n.Op().Class != graph.Movement || n.Stretch(0) == nil {
		return false
	}
	if slices.Contains(n.Stretch(0), graph.Undecided) {
		return true // which no layout can say: see graph.Op
	}
	shown, ok := WholeView(n)
	return ok && SameLayouts(shown, alias.BroadcastView(graph.RowMajor(n.In(0).Shape()), n.Shape(), n.Stretch(0)))
}

// IsPadding reports whether a movement puts one value among equal numbers.
func IsPadding(n *graph.Node) bool { return n.Op().Assemble != nil && len(n.Operands()) == 1 }

// SameLayouts reports whether elements lie in the same places. Strides of axes of size 1 do
// not matter.
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

// SkipIdentityViews returns what a view, be it of views, shows as it is, or the view.
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
	return slices.ContainsFunc([]int{n.Rank() - 2, n.Rank() - 1}, func(axis int) bool { return l.Strides[axis] == 0 && n.Shape()[axis] != 1 })
}
