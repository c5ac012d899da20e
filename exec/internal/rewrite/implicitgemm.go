package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// ImplicitGEMM lets matrix products read windows, and other views whose axes they group, in place. So a convolution
// never stores its windows as a matrix.
func ImplicitGEMM(u *Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return n.Op().Class == graph.Contract }) {
		return nil
	}
	updated := map[*graph.Node]bool{}
	for _, n := range u.Graph.Nodes() {
		if n.Op().Class == graph.Update {
			updated[alias.Storage(n)] = true
		}
	}
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if n.Op().Class != graph.Contract || len(n.Operands()) != 2 ||
			!n.DType().IsFloat() && n.DType() != graph.Int32 || updated[alias.Storage(n)] {
			return nil
		}
		grouped := analysis.GroupingOf(n)
		if grouped == nil || updated[alias.Storage(n.In(1))] || updated[alias.Storage(grouped.Of)] {
			return nil
		}
		of := in[1]
		if half := analysis.HalfOf(of); half != nil {
			of = half
		}
		for range grouped.Reshapes {
			copied, _ := analysis.ReshapeOf(of)
			of = copied.In(0)
		}
		return graph.Apply(groupedProduct(n), grouped.Axes, in[0], ops.Cast(of, n.In(1).DType()))
	})
	return nil
}

// groupedProduct returns the operation of a product like n whose second operand has ungrouped axes.
func groupedProduct(n *graph.Node) *graph.Op {
	op := *n.Op()
	op.Infer = func(*graph.Call) (graph.DType, graph.Shape) { return n.DType(), n.Shape() }
	op.Promote, op.Grad = nil, nil
	return &op
}
