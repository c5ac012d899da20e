package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Operand is memory that a kernel reads or writes.
type Operand struct {
	Base   *graph.Node  // the value in memory; nil for a size of the program
	Layout graph.Layout // over the kernel's iteration space, in the memory of Base
	// Undecided marks axes for which the size in From decides when sizes are bound: 1 is broadcast.
	Undecided []bool
	From      graph.Shape
	Size      graph.Dim // the size itself, if Base is nil
	Write     bool
}

// Reader is an operand of a node, and the group that computes the node with it, or nil.
type Reader struct {
	Node    *graph.Node
	Operand int
	By      *Group
}

// SameLayout reports whether two operands have the same addresses in a memory, for all sizes.
func SameLayout(a, b Operand) bool {
	return a.Layout.Offset == b.Layout.Offset && slices.Equal(a.Layout.Strides, b.Layout.Strides) &&
		slices.Equal(a.Undecided, b.Undecided) && slices.Equal(a.From, b.From)
}

// ReducedLayout returns the layout of a reduction's result over its operand's axes: a folded axis has stride 0.
func ReducedLayout(n *graph.Node) graph.Layout {
	result, x := graph.RowMajor(n.Shape()), n.In(0).Shape()
	out := graph.Layout{Shape: x, Strides: make([]graph.Dim, len(x))}
	axes, keep := n.Op().Axes(n), n.Rank() == len(x)
	at := 0
	for axis := range x {
		reduced := slices.Contains(axes, axis)
		if !reduced {
			out.Strides[axis] = result.Strides[at]
		}
		if !reduced || keep {
			at++
		}
	}
	return out
}
