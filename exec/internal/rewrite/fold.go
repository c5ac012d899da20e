package rewrite

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// maxFolded is the most elements of a value that is computed at compile time. Larger ones cost more memory in the
// program than time in a run.
const maxFolded = 4096

// Fold computes what depends only on constants, with the kernels that a run would use, so folding never changes a bit.
func Fold(u *Program) error {
	foldable := make([]bool, len(u.Graph.Nodes()))
	written := analysis.WrittenMemory(u.Graph)
	for _, n := range u.Graph.Nodes() {
		foldable[n.ID()] = isFoldable(n, foldable) && (len(written) == 0 || !written[alias.Storage(n)])
	}
	var wanted []*graph.Node
	seen := map[*graph.Node]bool{}
	want := func(n *graph.Node) {
		if foldable[n.ID()] && !n.IsConst() && !analysis.IsExpansion(n) && !seen[n] {
			seen[n] = true
			wanted = append(wanted, n)
		}
	}
	for _, n := range u.Graph.Nodes() {
		if !foldable[n.ID()] || analysis.IsExpansion(n) {
			for _, x := range n.Operands() {
				want(x)
			}
		}
	}
	for _, n := range u.Roots {
		want(n)
	}
	if len(wanted) == 0 {
		return nil
	}
	values := u.Evaluate(u.Graph, wanted)
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		v, ok := values[n]
		if !ok {
			return nil
		}
		return graph.ConstantOf(next, v, n.Shape()...)
	})
	return nil
}

// isFoldable reports whether a node is a constant, or small and computed from constants.
func isFoldable(n *graph.Node, foldable []bool) bool {
	if n.IsConst() {
		return true
	}
	for _, x := range n.Operands() {
		if !foldable[x.ID()] {
			return false
		}
	}
	count, whole := n.Shape().NumElements().Int()
	if n.Op().Class == graph.Source || n.Op().Class == graph.Update || n.Op().Class == graph.Version ||
		n.Op().Class == graph.Loop || n.Op().Ordered || n.Op().AsStored || !whole || count > maxFolded ||
		!n.Shape().IsStatic() || analysis.DependsOnSizes(n) {
		return false
	}
	return len(n.Operands()) > 0 || count == 1 // a larger generated value is cheaper to compute than to load
}
