package axislint

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// isOfBoth reports whether the program shows that a vector, with one element for each position of axis own of a square
// value, is also meant for the other axis. Both axes then count things of one kind, such as the nodes of a graph in its
// adjacency matrix, or states in a transition matrix.
func (l *lint) isOfBoth(v vector, own int) bool {
	return l.isGiven(v, own) || v.isPaired() || v.isRepeated() || l.standsUnder(v, own)
}

// isGiven reports whether the vector comes from the axis only through earlier steps of a loop. Such are values of
// states that are computed from those of the step before: the initial value belongs to the other axis.
func (l *lint) isGiven(v vector, own int) bool {
	from, _ := originsIn(l.stepFlow(), v.y, v.axis)
	of, _ := originsIn(l.stepFlow(), v.x, own)
	return !share(from, of)
}

// isPaired reports whether the value has size 1 along another axis of the vector: all pairs are intended.
func (v vector) isPaired() bool {
	for axis, size := range v.y.Shape() {
		if size != 1 && v.x.Shape()[meets(v.user, v.y, axis)] == 1 {
			return true
		}
	}
	return false
}

// isRepeated reports whether the vector comes from a node that applies the same operation to the same value and another
// vector, as repeated multiplication with a matrix does; or from a product of the value with the result of such a
// product.
func (v vector) isRepeated() bool {
	return reaches(v.y, func(n *graph.Node) bool {
		z := v.beside(n)
		return z != nil && (n.Op() == v.user.Op() ||
			reaches(z, func(n *graph.Node) bool { return n.Op().Class == graph.Contract && v.beside(n) != nil }))
	})
}

// beside returns the vector of the same shape that a node combines with the same value, by the same operation or a
// product; nil if there is none.
func (v vector) beside(n *graph.Node) *graph.Node {
	if n.Op() != v.user.Op() && n.Op().Class != graph.Contract || !slices.Contains(n.Operands(), v.x) {
		return nil
	}
	for _, y := range n.Operands() {
		if y != v.x && y.Shape().Equal(v.y.Shape()) {
			return y
		}
	}
	return nil
}

// standsUnder reports whether the same vector is also aligned with its own axis: in what the value is computed from, in
// what is computed next, or in another user of the value. Degrees are aligned with both axes when an adjacency matrix
// is normalised.
func (l *lint) standsUnder(v vector, own int) bool {
	rank, y := v.user.Rank(), unmoved(v.y)
	isThere := func(n *graph.Node) bool {
		return n.Op().Class == graph.Elementwise && slices.ContainsFunc(n.Operands(), func(z *graph.Node) bool {
			return z.Rank() == rank && z.Shape()[own] == v.y.Shape()[v.axis] && z.Shape()[v.at] == 1 && unmoved(z) == y
		})
	}
	return reaches(v.x, isThere) || slices.ContainsFunc(l.usersOf(v.user), isThere) ||
		slices.ContainsFunc(l.usersOf(v.x), isThere)
}

// unmoved returns the value under reshapes and other movements with the same number of elements.
func unmoved(n *graph.Node) *graph.Node {
	for n.Op().Class == graph.Movement && len(n.Operands()) == 1 && n.In(0) != nil &&
		n.In(0).Shape().NumElements() == n.Shape().NumElements() {
		n = n.In(0)
	}
	return n
}

// maxPast is the most nodes that are searched among a value's dependencies.
const maxPast = 100

// reaches reports whether a node, or one from which it is computed elementwise and by reductions, satisfies is.
func reaches(n *graph.Node, is func(*graph.Node) bool) bool {
	seen := map[*graph.Node]bool{n: true}
	for list := []*graph.Node{n}; len(list) > 0 && len(seen) <= maxPast; list = list[1:] {
		n := list[0]
		if is(n) {
			return true
		}
		switch n.Op().Class {
		case graph.Elementwise, graph.Reduce, graph.Movement, graph.Composite:
			for _, x := range n.Operands() {
				if x != nil && !seen[x] {
					seen[x] = true
					list = append(list, x)
				}
			}
		}
	}
	return false
}
