package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// opPutRows is what the write of a value with other slices at some places becomes.
var opPutRows = &graph.Op{Name: "put_rows_", Func: "PutRows", Class: graph.Update, Indexed: true, MinIn: 3, MaxIn: 3,
	Doc:   "slices of operand 2 written into x at the indices of operand 1; the last of several for one place stays.",
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	Axes:  func(n *graph.Node) []int { return []int{n.Attrs().(AddRowsAttrs).Axis} },
}

// putAxisOf returns the axis along which a node has other slices at the places of its second operand; ok is false of any other node.
func putAxisOf(n *graph.Node) (axis int, ok bool) {
	a, ok := n.Attrs().(interface{ PutAxis() int })
	if !ok || n.Op().Class != graph.Function || len(n.Operands()) != 3 {
		return 0, false
	}
	return a.PutAxis(), true
}

// PutsSlices reports whether a node has other slices at some places of its first operand, and may write them there.
func PutsSlices(n *graph.Node) bool {
	_, ok := putAxisOf(n)
	return ok
}

// putOf returns what a write stores, where that is its value before with other slices, which nothing else uses; else nil.
func putOf(n *graph.Node, uses []int) *graph.Node {
	if n.Op().Class != graph.Update || !n.Op().Fill || n.Op().Indexed || len(n.Operands()) != 2 || !alias.LayoutOf(n.In(0)).IsDense() {
		return nil
	}
	x, put := n.In(0), n.In(1)
	if !PutsSlices(put) || uses[put.ID()] != 1 || put.In(0) != x || put.DType() != n.DType() || !put.Shape().Equal(n.Shape()) ||
		slices.ContainsFunc(put.Operands()[1:], func(of *graph.Node) bool { return alias.Storage(of) == alias.Storage(x) }) {
		return nil
	}
	return put
}
