package rules

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// expandsMutually reports whether the graph wants a word about a result that is larger than
// every operand, and not meant to be so.
func expandsMutually(c *graph.Call, shapes []graph.Shape, result graph.Shape) bool {
	return c.Policy().MutualExpand != graph.AllowSilently && growsBeyondAll(shapes, result) &&
		isUnplanned(c, shapes, len(result))
}

// growsBeyondAll reports whether every operand is repeated along an axis on which
// another is not: the result has more elements than any operand.
func growsBeyondAll(shapes []graph.Shape, result graph.Shape) bool {
	for _, s := range shapes {
		if !isRepeated(s, result) {
			return false
		}
	}
	return true
}

func isRepeated(s, result graph.Shape) bool {
	lead := len(result) - len(s)
	for axis, d := range result {
		if d != 1 && (axis < lead || s[axis-lead] == 1) {
			return true
		}
	}
	return false
}

// isUnplanned reports whether two operands repeat each other as in [n, 1] against [n]: along
// axes of one size, of which one is there only because broadcasting put it in front. A table
// that is meant has two different sizes, or both of its axes are written in the program. A
// value that meets itself, and a table of positions, are meant too.
func isUnplanned(c *graph.Call, shapes []graph.Shape, rank int) bool {
	p := prove.NewProver(c.Bounds)
	for i := range shapes {
		for k := range i {
			if growFromOneSize(p, shapes[i], shapes[k], rank) && original(c.In(i)) != original(c.In(k)) &&
				(isData(c.In(i)) || isData(c.In(k))) {
				return true
			}
		}
	}
	return false
}

// growFromOneSize reports whether a has a size on an axis on which b is repeated, and b an
// equal one where a is, and one of the two lacks the axis.
func growFromOneSize(p *prove.Prover, a, b graph.Shape, rank int) bool {
	for i := range rank {
		mine, lacks := given(a, b, i, rank)
		for k := 0; mine != 1 && k < rank; k++ {
			theirs, lack := given(b, a, k, rank)
			if theirs != 1 && !theirs.IsUnknown() && (lacks || lack) && p.Equal(mine, theirs) == prove.Proved {
				return true
			}
		}
	}
	return false
}

// given returns the size that a brings to an axis of the result along which b is repeated,
// or 1; lacks reports whether b has no such axis.
func given(a, b graph.Shape, axis, rank int) (size graph.Dim, lacks bool) {
	ofA, ofB := axis-(rank-len(a)), axis-(rank-len(b))
	if ofA < 0 || ofB >= 0 && b[ofB] != 1 {
		return 1, false
	}
	return a[ofA], ofB < 0
}

// original returns the value that a view shows whole, in another shape.
func original(n *graph.Node) *graph.Node {
	for n.Op().Class == graph.Movement && n.Op().View != nil && n.Judged() &&
		n.Shape().NumElements() == n.In(0).Shape().NumElements() {
		n = n.In(0)
	}
	return n
}

// isData reports whether a value depends on what is fed or learned, and not on positions
// and constants alone.
func isData(n *graph.Node) bool {
	seen := map[*graph.Node]bool{}
	var visit func(n *graph.Node) bool
	visit = func(n *graph.Node) bool {
		if n.IsInput() || n.IsParam() {
			return true
		}
		if seen[n] {
			return false
		}
		seen[n] = true
		for _, x := range n.Operands() {
			if visit(x) {
				return true
			}
		}
		return false
	}
	return visit(n)
}
