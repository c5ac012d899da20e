package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
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
			return shapeinfer.Select(c, a.Axis, a.Index)
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
			shapeinfer.Axes(c, slices.Clone(c.Attrs().(FlipAttrs).Axes), len(c.Shape(0)))
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
}

// selected gives the normalised axis and index of a Select.
func selected(n node) (axis int, start graph.Dim) {
	a := n.Attrs().(SelectAttrs)
	axis = countedFromZero([]int{a.Axis}, n.In(0).Rank())[0]
	return axis, shapeinfer.SelectStart(n.In(0).Shape()[axis], a.Index)
}

// Select gives the elements at one index of an axis, without that axis. A negative
// index counts from the end.
func Select(x *graph.Node, axis int, index graph.Dim) *graph.Node {
	return Apply(opSelect, SelectAttrs{axis, index}, x)
}

// Flip gives the elements of the given axes in reverse order.
func Flip(x *graph.Node, axes ...int) *graph.Node {
	return Apply(opFlip, FlipAttrs{append([]int{}, axes...)}, x)
}

// Unbind gives the elements at each index of an axis, without that axis. The axis's size
// must be a whole number.
func Unbind(x *graph.Node, axis int) []*graph.Node {
	n, bad := listed(x, axis, "unbind")
	if bad != nil {
		return []*graph.Node{bad}
	}
	parts := make([]*graph.Node, n)
	for i := range parts {
		parts[i] = Select(x, axis, graph.Dim(i))
	}
	return parts
}

// Split cuts an axis into parts of the given size; the last one may be smaller. The
// axis's size must be a whole number.
func Split(x *graph.Node, axis, size int) []*graph.Node {
	n, bad := listed(x, axis, "split")
	if bad == nil && size < 1 {
		bad = refusal(x, &graph.Mistake{Code: shapeinfer.CodeSlice, Summary: fmt.Sprintf("split expects split_size be positive, but got split_size=%d", size)})
	}
	if bad != nil {
		return []*graph.Node{bad}
	}
	var parts []*graph.Node
	for at := 0; at < n || at == 0; at += size {
		parts = append(parts, Slice(x, axis, graph.Dim(at), graph.Dim(min(at+size, n)), 1))
	}
	return parts
}

// listed gives the size of an axis that is to be taken apart, or the node that stands
// for the mistake.
func listed(x node, axis int, word string) (n int, bad node) {
	if x == nil || !x.Judged() {
		return 0, Slice(x, axis, 0, End, 1) // its own mistake
	}
	if rank := x.Rank(); axis < -rank || axis >= rank {
		return 0, Select(x, axis, 0)
	}
	size, static := x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]].Int()
	if !static {
		return 0, refusal(x, &graph.Mistake{Code: shapeinfer.CodeSlice,
			Summary: fmt.Sprintf("%s needs to know how many parts there are, and the size of axis %d is known only at run time", word, axis),
			Help:    []string{"work on the whole value, or use Slice and Select"}})
	}
	return int(size), nil
}

// refusal is a node that stands for a mistake of a function that builds several.
func refusal(x node, m *graph.Mistake) node {
	op := &graph.Op{Name: "refused", Func: "Refused", Doc: "a value that could not be built", MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			c.Fail(m)
			return graph.InvalidDType, nil
		}}
	return graph.Apply(op, nil, x)
}
