// Package ancestors finds the nodes from which others are computed.
package ancestors

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Of returns nodes of a graph and all nodes from which they are computed, in the graph's order. A root that is nil, or
// of another graph, is left out.
func Of(g *graph.Graph, roots ...*graph.Node) []*graph.Node { return Closure(g, roots, operands) }

// Closure is [Of] along other edges: next calls visit with the nodes to which n leads. They must all come before n in
// the graph.
func Closure(g *graph.Graph, roots []*graph.Node,
	next func(n *graph.Node, visit func(...*graph.Node))) (list []*graph.Node) {
	for id, found := range mark(g, roots, next) {
		if found {
			list = append(list, g.Nodes()[id])
		}
	}
	return list
}

// Marks reports, by the IDs of a graph's nodes, which of them [Of] returns.
func Marks(g *graph.Graph, roots []*graph.Node) []bool { return mark(g, roots, operands) }

func operands(n *graph.Node, visit func(...*graph.Node)) { visit(n.Operands()...) }

func mark(g *graph.Graph, roots []*graph.Node, next func(n *graph.Node, visit func(...*graph.Node))) []bool {
	if g == nil {
		return nil
	}
	found := make([]bool, len(g.Nodes()))
	visit := func(nodes ...*graph.Node) {
		for _, n := range nodes {
			if n != nil && n.Graph() == g {
				found[n.ID()] = true
			}
		}
	}
	visit(roots...)
	for _, n := range slices.Backward(g.Nodes()) {
		if found[n.ID()] {
			next(n, visit)
		}
	}
	return found
}
