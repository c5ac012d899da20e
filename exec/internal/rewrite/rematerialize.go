package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxRecomputed bounds the cost of a value that is computed again for each user: see Cost.
const maxRecomputed = 16

// Rematerialize computes values that depend on nothing but positions anew for each user: that
// is cheaper than a buffer, and leaves their users free to share kernels with others.
func Rematerialize(u *Program) error {
	costs := make([]int, len(u.Graph.Nodes())) // of what is computed from positions; 0 for others
	written := writtenMemory(u.Graph)
	for _, n := range u.Graph.Nodes() {
		if !written[n] {
			costs[n.ID()] = positional(n, costs)
		}
	}
	if !slices.ContainsFunc(costs, func(c int) bool { return c > 0 }) {
		return nil
	}
	u.rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if costs[n.ID()] > 0 {
			return nil
		}
		own := map[*graph.Node]*graph.Node{}
		for i, x := range n.Operands() {
			if c := costs[x.ID()]; 0 < c && c <= maxRecomputed {
				in[i] = rematerialized(next, x, in[i], own)
			}
		}
		return next.Copy(n, in)
	})
	return nil
}

// positional returns the cost of computing a node from positions and numbers alone; it is 0
// where the node needs more.
func positional(n *graph.Node, costs []int) int {
	if n.Op().Class != graph.Elementwise {
		return 0
	}
	cost := 0
	for _, x := range n.Operands() {
		if _, number := x.ScalarValue(); number {
			continue
		}
		if costs[x.ID()] == 0 {
			return 0
		}
		cost += costs[x.ID()]
	}
	return min(cost+max(Cost(n), 1), maxRecomputed+1)
}

// rematerialized copies what computes a value; old is its node of the graph before the pass, made
// that of the new one.
func rematerialized(next *graph.Graph, old, made *graph.Node, own map[*graph.Node]*graph.Node) *graph.Node {
	if c := own[old]; c != nil {
		return c
	}
	in := make([]*graph.Node, len(made.Operands()))
	for i, x := range made.Operands() {
		in[i] = x
		if x.Op().Class == graph.Elementwise {
			in[i] = rematerialized(next, old.In(i), x, own)
		}
	}
	c := next.Copy(made, in)
	own[old] = c
	return c
}
