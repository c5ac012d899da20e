package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// maxRecomputeCost is the most that recomputing a value for each user may cost: see [analysis.Cost].
const maxRecomputeCost = 16

// maxSpreadCost is the most that recomputing a matrix for each matrix of a batch may cost.
const maxSpreadCost = 8

// maxSpreadElements is the most elements over which a matrix is recomputed. Positions take 8 bytes each, so a larger
// value might not be possible.
const maxSpreadElements = 1 << 40

// Rematerialize recomputes values that depend only on positions for each user. That is cheaper than a buffer, and
// leaves users free to join other kernels. A cheap matrix, such as a mask, is recomputed for each matrix of a batch, in
// its user's kernel. Matrices added to scores may also depend on more than positions: see [spread].
func Rematerialize(u *Program) error {
	costs := make([]int, len(u.Graph.Nodes())) // of values computed from positions; 0 for others
	written := analysis.WrittenMemory(u.Graph)
	for _, n := range u.Graph.Nodes() {
		if !written[n] {
			costs[n.ID()] = positional(n, costs)
		}
	}
	scores := ScoresOf(u)
	if len(scores) == 0 && !slices.ContainsFunc(costs, func(c int) bool { return c > 0 }) {
		return nil
	}
	writtenNow := map[*graph.Node]bool{} // in the new graph
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		for i, x := range n.Operands() {
			if written[x] {
				writtenNow[in[i]] = true
			}
		}
		if costs[n.ID()] > 0 {
			return nil
		}
		own, spreads := map[*graph.Node]*graph.Node{}, false
		for i, x := range n.Operands() {
			c, most := costs[x.ID()], 0
			switch {
			case n.Op().Class == graph.Elementwise && scores[n] && !scores[x] &&
				(hasSameShape(n, i) || repeatsMatrix(n, i)):
				most = MaxCostBesideScores
			case 0 < c && c <= maxSpreadCost && repeatsMatrix(n, i):
				most = maxSpreadCost
			}
			if most > 0 {
				if spread := spreadOver(next, in[i], n.Shape(), writtenNow, most); spread != nil {
					in[i], spreads = spread, true
					continue
				}
			}
			if 0 < c && c <= maxRecomputeCost {
				in[i] = rematerialized(next, x, in[i], own)
			}
		}
		if spreads { // Copy would keep the old broadcasting
			return graph.Apply(n.Op(), n.Attrs(), in...)
		}
		return next.Copy(n, in)
	})
	return nil
}

// positional returns the cost of computing a node from positions and numbers only; 0 if it needs more.
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
	return min(cost+max(analysis.Cost(n), 1), maxRecomputeCost+1)
}

// rematerialized copies a value and what computes it. old is its node before the pass, and made its node in the new
// graph.
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

// repeatsMatrix reports whether operand i of an elementwise node is a matrix that is repeated along leading axes only.
func repeatsMatrix(n *graph.Node, i int) bool {
	x := n.In(i)
	if n.Op().Class != graph.Elementwise || x.Rank() < 2 {
		return false
	}
	leading := n.Rank() - x.Rank()
	for axis, d := range x.Shape() {
		if d != n.Shape()[leading+axis] && (d != 1 || axis >= x.Rank()-2) {
			return false
		}
	}
	if count, known := n.Shape().NumElements().Int(); known && count > maxSpreadElements {
		return false
	}
	return !x.Shape().Equal(n.Shape()) && !slices.Contains(n.Stretch(i), graph.Undecided)
}
