package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// opPutRows replaces the write of a value in which some slices are replaced.
var opPutRows = &graph.Op{Name: "put_rows_", Func: "PutRows", Class: graph.Update, Indexed: true, MinIn: 3, MaxIn: 3,
	Doc:   "slices of operand 2 written into x at the indices of operand 1; the last of several for one place stays.",
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	Axes:  func(n *graph.Node) []int { return []int{n.Attrs().(AddRowsAttrs).Axis} },
}

// putAxisOf returns the axis along which a node replaces slices at the indices in its second operand. ok is false for
// any other node.
func putAxisOf(n *graph.Node) (axis int, ok bool) {
	a, ok := n.Attrs().(interface{ PutAxis() int })
	if !ok || n.Op().Class != graph.Function || len(n.Operands()) != 3 {
		return 0, false
	}
	return a.PutAxis(), true
}

// PutsSlices reports whether a node replaces slices of its first operand, and so may write them in place.
func PutsSlices(n *graph.Node) bool {
	_, ok := putAxisOf(n)
	return ok
}

// putOf returns the value that a write stores, if it is the old value with replaced slices and has no other user; nil
// otherwise.
func putOf(n *graph.Node, uses []int) *graph.Node {
	if n.Op().Class != graph.Update || !n.Op().Fill || n.Op().Indexed || len(n.Operands()) != 2 ||
		!alias.LayoutOf(n.In(0)).IsDense() {
		return nil
	}
	x, put := n.In(0), n.In(1)
	if !PutsSlices(put) || uses[put.ID()] != 1 || put.In(0) != x || put.DType() != n.DType() ||
		!put.Shape().Equal(n.Shape()) ||
		slices.ContainsFunc(put.Operands()[1:], func(of *graph.Node) bool {
			return alias.Storage(of) == alias.Storage(x)
		}) {
		return nil
	}
	return put
}
