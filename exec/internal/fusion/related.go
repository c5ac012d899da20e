package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// relations tell which nodes come together, element by element or by sums: those of the update of one parameter do, those of two do not. They are
// a forest, of which each tree is nodes that do.
type relations map[*graph.Node]*graph.Node

// areRelated reports whether two nodes come together so, be it in what is computed from them or in what they are computed from.
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

// relates reports whether a node goes through its operands element by element, sums them, or shows one.
func (f *fuser) relates(n *graph.Node) bool {
	return alias.IsView(n) || slices.Contains([]graph.Class{graph.Elementwise, graph.Update, graph.Version, graph.Reduce}, n.Op().Class) || f.picks(n)
}

// root is the root of a node's tree.
func (r relations) root(n *graph.Node) *graph.Node {
	for {
		above, ok := r[n]
		if !ok || above == n {
			return n
		}
		if next, ok := r[above]; ok {
			r[n] = next // a shorter way
		}
		n = above
	}
}
