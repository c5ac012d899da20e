package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

const (
	// maxNarrow is the most columns of a matrix whose rows are too short to be added up one after the other: a kernel takes some 8 ns for a row, as it
	// waits for what it has written of the row before.
	maxNarrow = 32
	// joinedColumns is how many columns, at most, rows side by side make up that are added up together, and minJoined how many such rows there are.
	joinedColumns, minJoined = 512, 16
)

// foldsOf are the reductions of rows.
var foldsOf = map[graph.Fold]func(x *graph.Node, axes ...ops.Axis) *graph.Node{
	graph.FoldSum: ops.Sum, graph.FoldProd: ops.Prod, graph.FoldMax: ops.Max, graph.FoldMin: ops.Min,
}

// joined is how many rows of x, a matrix of a few columns, are one row while they are folded by n: 0 if they are folded as they are. What is computed
// for the fold alone is not stored for it, nor is a view laid out; and a product and its factors are folded where it has them in registers.
func (r shortRows) joined(n, x *graph.Node) int64 {
	if n.Op().Class != graph.Reduce || n.Op().Axes == nil || foldsOf[n.Op().Fold] == nil || viewOf(x).Op().View != nil || x.DType() != n.DType() || x.DType() == graph.Bool {
		return 0
	}
	if of := n.In(0); of.Op().Class == graph.Contract || of.Op().Class == graph.Elementwise && r.uses[of.ID()] == 1 {
		return 0
	}
	axes := n.Op().Axes(n)
	for i, axis := range axes {
		if axis != i {
			return 0
		}
	}
	rows, known := x.Shape()[:len(axes)].NumElements().Int()
	columns, fixed := x.Shape()[len(axes):].NumElements().Int()
	if !known || !fixed || columns < 2 || columns > maxNarrow {
		return 0
	}
	for k := min(joinedColumns/columns, rows/minJoined); k > 1; k-- {
		if rows%k == 0 {
			if slices.ContainsFunc(r.users()[n.In(0).ID()], func(user *graph.Node) bool { return user.Op().Class == graph.Contract }) {
				return 0
			}
			return k
		}
	}
	return 0
}

// foldJoined folds rows of which some are joined, and then these.
func foldJoined(n, x *graph.Node, joined int64) *graph.Node {
	columns, fold := x.Shape()[len(n.Op().Axes(n)):].NumElements(), foldsOf[n.Op().Fold]
	y := fold(ops.Reshape(x, -1, columns.Times(graph.Dim(joined))), 0)
	return ops.Reshape(fold(ops.Reshape(y, graph.Dim(joined), columns), 0), n.Shape()...)
}
