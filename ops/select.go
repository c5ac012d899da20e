package ops

import (
	"fmt"
	"slices"
	"strings"

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
}

// selected returns the normalised axis and index of a Select.
func selected(n node) (axis int, start graph.Dim) {
	a := n.Attrs().(SelectAttrs)
	axis = countedFromZero([]int{a.Axis}, n.In(0).Rank())[0]
	return axis, rules.SelectStart(n.In(0).Shape()[axis], a.Index)
}

// Select returns the elements at one index of an axis, without that axis. A negative
// index counts from the end.
func Select(x *graph.Node, axis int, index graph.Dim) *graph.Node {
	return Apply(opSelect, SelectAttrs{axis, index}, x)
}

// Flip returns the elements of the given axes in reverse order. It is a view of x, and a copy in
// PyTorch: what is written into it in place is written into x, in the reverse order. [Copy]
// gives it memory of its own.
func Flip(x *graph.Node, axes ...int) *graph.Node {
	return Apply(opFlip, FlipAttrs{append([]int{}, axes...)}, x)
}

// Unbind returns the elements at each index of an axis, without that axis. The axis's size
// must be a whole number.
func Unbind(x *graph.Node, axis int) []*graph.Node {
	defer building("Unbind", x, axis)()
	n, bad := listed(refused("Unbind", x).with(axis), x, axis, "")
	if bad != nil {
		return []*graph.Node{bad}
	}
	if bad = tooMany(refused("Unbind", x).with(axis), n); bad != nil {
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
	defer building("Split", x, axis, size)()
	call, problem := refused("Split", x).with(axis, size), ""
	if size < 0 {
		problem = fmt.Sprintf("split expects split_size be non-negative, but got split_size=%d", size)
	}
	n, bad := listed(call, x, axis, problem)
	switch {
	case bad != nil:
		return []*graph.Node{bad}
	case size == 0 && n == 0:
		return []*graph.Node{Slice(x, axis, 0, 0, 1)}
	case size == 0:
		return []*graph.Node{refusal(call, &graph.Mistake{Code: graph.CodeSlice,
			Summary: fmt.Sprintf("split_size can only be 0 if dimension size is 0, but got dimension size of %d", n)})}
	}
	if bad = tooMany(call, (n-1)/size+1); bad != nil {
		return []*graph.Node{bad}
	}
	var parts []*graph.Node
	for at := 0; at < n || at == 0; at += size {
		parts = append(parts, Slice(x, axis, graph.Dim(at), graph.Dim(min(at+size, n)), 1))
	}
	return parts
}

// scalarAxis is the mistake of an axis of a scalar where there must be one.
func scalarAxis(axis int) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeAxis, Summary: fmt.Sprintf("Dimension specified as %d but tensor has no dimensions", axis)}
}

// maxParts bounds the nodes that one call makes of an axis.
const maxParts = 1 << 20

// tooMany refuses to take an axis apart into more nodes than any program has; nil where
// there are fewer.
func tooMany(call refusedCall, parts int) node {
	if parts <= maxParts {
		return nil
	}
	return refusal(call, &graph.Mistake{Code: graph.CodeSlice, Summary: fmt.Sprintf("%d parts would each be a node of the graph: at most %d are made", parts, maxParts),
		Help: []string{"work on the whole value, or use Slice and Select"}})
}

// listed returns the size of an axis that a function is to take apart, or the node that stands
// for the mistake. A problem with the function's other arguments comes before one with the axis.
func listed(call refusedCall, x node, axis int, problem string) (n int, bad node) {
	if x == nil || !x.Judged() {
		return 0, Slice(x, axis, 0, End, 1) // its own mistake
	}
	switch word := strings.ToLower(call.fn); {
	case x.Rank() == 0 && call.fn != "Unbind":
		return 0, refusal(call, &graph.Mistake{Code: graph.CodeRank, Summary: word + " expects at least a 1-dimensional tensor"})
	case problem != "":
		return 0, refusal(call, &graph.Mistake{Code: graph.CodeSlice, Summary: problem})
	case x.Rank() == 0 && (axis == 0 || axis == -1):
		return 0, refusal(call, scalarAxis(axis))
	case !hasAxis(x, axis):
		return 0, Squeeze(x, axis) // its own mistake
	}
	size, static := x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]].Int()
	switch {
	case x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]].IsUnknown():
		return 0, refusal(call, nil) // x's own mistake has been reported
	case !static:
		return 0, refusal(call, &graph.Mistake{Code: graph.CodeSlice,
			Summary: fmt.Sprintf("%s needs to know how many parts there are, and the size of axis %d is known only at run time", call.fn, axis),
			Help:    []string{"work on the whole value, or use Slice and Select"}})
	}
	return int(size), nil
}
