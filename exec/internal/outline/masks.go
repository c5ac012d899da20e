package outline

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
)

// A mask that a loop adds to scores is the same in each step, and so lies outside the body. The body recomputes it,
// from positions and from values that do not change along rows or columns. So the mask is never stored.

// matricesBesideScores finds values from outside that bodies recompute.
func matricesBesideScores(u *rewrite.Program) map[*graph.Node]bool {
	f := outsideMatrices{anew: map[*graph.Node]bool{}, written: analysis.WrittenMemory(u.Graph)}
	for n := range rewrite.ScoresOf(u) {
		if n.Op().Class != graph.Elementwise {
			continue
		}
		for i, x := range n.Operands() {
			if n.Region() != x.Region() && !f.isRead(n, i) &&
				f.cost(x, rewrite.MaxCostBesideScores) <= rewrite.MaxCostBesideScores {
				f.take(x)
			}
		}
	}
	return f.anew
}

type outsideMatrices struct {
	anew, written map[*graph.Node]bool
}

// isRead reports whether operand i of a matrix is read from memory: it is small, or repeated along rows or columns.
func (f *outsideMatrices) isRead(n *graph.Node, i int) bool {
	_, isNumber := n.In(i).ScalarValue()
	return isNumber || !rewrite.IsLargeMatrix(n.In(i)) || analysis.RepeatsInMatrix(n, i)
}

// cost returns the cost of recomputing a matrix. It exceeds most if the matrix cannot be recomputed.
func (f *outsideMatrices) cost(x *graph.Node, most int) int {
	if x.Op().Class != graph.Elementwise || analysis.CanFail(x) || f.written[x] {
		return most + 1
	}
	cost := max(analysis.Cost(x), 1)
	for i, y := range x.Operands() {
		if cost > most {
			break
		}
		if !f.isRead(x, i) {
			cost += f.cost(y, most-cost)
		}
	}
	return cost
}

// take records a matrix, and those from which it is computed.
func (f *outsideMatrices) take(x *graph.Node) {
	f.anew[x] = true
	for i, y := range x.Operands() {
		if !f.isRead(x, i) {
			f.take(y)
		}
	}
}

// computed recomputes a value from outside in the body.
func (b *bodyBuilder) computed(x *graph.Node) *graph.Node {
	in := make([]*graph.Node, len(x.Operands()))
	for i, y := range x.Operands() {
		in[i] = b.inBody(y)
	}
	b.copied[x] = b.g.Copy(x, in)
	return b.copied[x]
}
