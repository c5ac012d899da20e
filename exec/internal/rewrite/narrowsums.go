package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

const (
	// maxNarrow is the most columns of a matrix whose rows are too short to be summed one at a time. A kernel takes
	// about 8 ns for a row, because it waits for its own store of the row before.
	maxNarrow = 32
	// joinedColumns is the most columns of a row that is made by joining rows, and minJoined the least number of such
	// rows.
	joinedColumns, minJoined = 512, 16
)

// foldsOf are the reductions that can fold joined rows.
var foldsOf = map[graph.Fold]func(x *graph.Node, axes ...ops.Axis) *graph.Node{
	graph.FoldSum: ops.Sum, graph.FoldProd: ops.Prod, graph.FoldMax: ops.Max, graph.FoldMin: ops.Min,
}

// joined returns how many rows of x, a matrix of few columns, form one row while n folds them; 0 if they stay as they
// are. They do in values computed only for the reduction, which would have to be stored, in views, which would have to
// be copied, and in products and their factors, which are folded while they are in registers.
func (r shortRows) joined(n, x *graph.Node) int64 {
	if n.Op().Class != graph.Reduce || n.Op().Axes == nil || foldsOf[n.Op().Fold] == nil ||
		viewOf(x).Op().View != nil || x.DType() != n.DType() || x.DType() == graph.Bool {
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
			if slices.ContainsFunc(r.users()[n.In(0).ID()], func(user *graph.Node) bool {
				return user.Op().Class == graph.Contract
			}) {
				return 0
			}
			return k
		}
	}
	return 0
}

// foldJoined folds joined rows, and then the rows in the result.
func foldJoined(n, x *graph.Node, joined int64) *graph.Node {
	columns, fold := x.Shape()[len(n.Op().Axes(n)):].NumElements(), foldsOf[n.Op().Fold]
	y := fold(ops.Reshape(x, -1, columns.Times(graph.Dim(joined))), 0)
	return ops.Reshape(fold(ops.Reshape(y, graph.Dim(joined), columns), 0), n.Shape()...)
}
