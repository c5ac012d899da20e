package analysis

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Combiner returns the operation on two elements that a reduction repeats, or nil.
func Combiner(f graph.Fold) func(x, y *graph.Node) *graph.Node { return combiners[f] }

var combiners = map[graph.Fold]func(x, y *graph.Node) *graph.Node{
	graph.FoldSum: ops.Add, graph.FoldProd: ops.Mul, graph.FoldMax: ops.Maximum, graph.FoldMaxNumber: ops.Maximum,
	graph.FoldMin: ops.Minimum,
}

// IsSum reports whether a node sums floating-point numbers over known axes.
func IsSum(n *graph.Node) bool {
	return n.Op().Class == graph.Reduce && n.Op().Fold == graph.FoldSum && n.Op().Axes != nil && n.DType().IsFloat() &&
		n.DType() == n.In(0).DType()
}

// FindsIndex reports whether a reduction returns a position. Its rows run along the reduced axis, whichever axis that
// is.
func FindsIndex(n *graph.Node) bool {
	return n.Op().Fold == graph.FoldArgMax || n.Op().Fold == graph.FoldArgMin
}

// IsSumTo reports whether a reduction's axes depend on sizes that are bound later.
func IsSumTo(n *graph.Node) bool {
	return n.Op().Class == graph.Reduce && n.Op().Axes == nil
}
