package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// relations is a union-find forest of nodes that are connected elementwise or by sums: those of one parameter's update
// are, those of two parameters' updates are not.
type relations map[*graph.Node]*graph.Node

// areRelated reports whether two nodes are connected, through what is computed from them or through what they are
// computed from.
func (f *fuser) areRelated(x, y *graph.Node) bool {
	if f.related == nil {
		f.related = relations{}
		for _, n := range f.u.Sequence {
			if !f.relates(n) {
				continue
			}
			for _, operand := range n.Operands() {
				if f.relates(operand) && operand.Rank() > 0 {
					f.related[f.related.root(n)] = f.related.root(operand)
				}
			}
		}
	}
	return f.related.root(x) == f.related.root(y)
}

// relates reports whether a node reads its operands elementwise, reduces them, or is a view.
func (f *fuser) relates(n *graph.Node) bool {
	return alias.IsView(n) ||
		slices.Contains([]graph.Class{graph.Elementwise, graph.Update, graph.Version, graph.Reduce}, n.Op().Class) ||
		f.picks(n)
}

// root returns the root of a node's tree.
func (r relations) root(n *graph.Node) *graph.Node {
	for {
		above, ok := r[n]
		if !ok || above == n {
			return n
		}
		if next, ok := r[above]; ok {
			r[n] = next // path compression
		}
		n = above
	}
}
