package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSelect, opFlip *graph.Op

// SelectAttrs are the fixed arguments of Select.
type SelectAttrs struct {
	Axis  int
	Index graph.Dim
}

// FlipAttrs are the fixed arguments of Flip.
type FlipAttrs struct{ Axes []int }

func init() {
	opSelect = movement("select", "Select", "the elements at one index of an axis.",
		func(c *graph.Call) graph.Shape {
			a := c.Attrs().(SelectAttrs)
			return rules.Select(c, a.Axis, a.Index)
		},
		func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			axis, start := selected(n)
			out := graph.Layout{Shape: n.Shape(), Strides: slices.Delete(slices.Clone(in.Strides), axis, axis+1)}
			out.Offset = in.Offset.Plus(start.Times(in.Strides[axis]))
			return out, true
		},
		func(n, dy node) node {
			axis, start := selected(n)
			after := n.In(0).Shape()[axis].Minus(start).Minus(1)
			return Pad(Unsqueeze(dy, axis), axis, start, after, 0)
		})
	opFlip = movement("flip", "Flip", "the elements of axes in reverse order.",
		func(c *graph.Call) graph.Shape {
			rules.Axes(c, slices.Clone(c.Attrs().(FlipAttrs).Axes), len(c.Shape(0)))
			return c.Shape(0)
		},
		func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides), Offset: in.Offset}
			for _, axis := range countedFromZero(n.Attrs().(FlipAttrs).Axes, n.Rank()) {
				if axis < n.Rank() {
					out.Offset = out.Offset.Plus(n.Shape()[axis].Minus(1).Times(in.Strides[axis]))
					out.Strides[axis] = graph.Dim(0).Minus(in.Strides[axis])
				}
			}
			return out, true
		},
		func(n, dy node) node { return Flip(dy, n.Attrs().(FlipAttrs).Axes...) })
	opFlip.Ref = named("numpy.flip, numpy.fliplr, numpy.flipud", "torch.flip, torch.fliplr, torch.flipud",
		"jax.numpy.flip, jax.numpy.fliplr, jax.numpy.flipud, jax.lax.rev", "", "",
		func(e *graph.Example) node { return Flip(e.Of("x", "n", "k"), 1) })
	opSelect.Ref = named("", "torch.select", "", "", "",
		func(e *graph.Example) node { return Select(e.Of("x", "n", "k"), 1, 0) })
}

// selected returns the normalised axis and index of a Select.
func selected(n node) (axis int, start graph.Dim) {
	a := n.Attrs().(SelectAttrs)
	axis = countedFromZero([]int{a.Axis}, n.In(0).Rank())[0]
	return axis, rules.SelectStart(n.In(0).Shape()[axis], a.Index)
}

// Select returns the slice of x at one index of an axis, without that axis. A negative index counts from the end.
func Select(x *graph.Node, axis int, index graph.Dim) *graph.Node {
	return Apply(opSelect, SelectAttrs{axis, index}, x)
}

// Flip returns x with the elements of the given axes in reverse order. It is a view of x, unlike PyTorch's: writing
// into it in place writes into x. [Copy] gives it its own memory.
func Flip(x *graph.Node, axes ...int) *graph.Node {
	return Apply(opFlip, FlipAttrs{append([]int{}, axes...)}, x)
}
