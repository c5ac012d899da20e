package axislint

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// isOfBoth reports whether the program shows that a vector, which has one element for each position of the axis own of a square
// value, is meant to stand under the other axis too: positions of both are things of one kind, as the nodes of a graph are in its
// adjacency matrix and states in a matrix of transitions.
func (l *lint) isOfBoth(v vector, own int) bool {
	return l.isGiven(v, own) || v.isPaired() || v.isRepeated() || l.standsUnder(v, own)
}

// isGiven reports whether the vector has to do with the axis only by earlier steps of a loop, as values of states have that are
// computed from those of the step before: what it begins with stands under the same axis, and is no value of the other.
func (l *lint) isGiven(v vector, own int) bool {
	from, _ := originsIn(l.stepFlow(), v.y, v.axis)
	of, _ := originsIn(l.stepFlow(), v.x, own)
	return !share(from, of)
}

// isPaired reports whether the value has an axis of size 1 for another axis of the vector: all pairs are wanted.
func (v vector) isPaired() bool {
	for axis, size := range v.y.Shape() {
		if size != 1 && v.x.Shape()[meets(v.user, v.y, axis)] == 1 {
			return true
		}
	}
	return false
}

// isRepeated reports whether the vector comes from a node that does the same to the same value with another vector, as a matrix is
// multiplied by a vector again and again; or from a product of the value with what comes from such a product.
func (v vector) isRepeated() bool {
	return reaches(v.y, func(n *graph.Node) bool {
		z := v.beside(n)
		return z != nil && (n.Op() == v.user.Op() || reaches(z, func(n *graph.Node) bool { return n.Op().Class == graph.Contract && v.beside(n) != nil }))
	})
}

// beside is the vector of this one's shape that a node computes with the same value by the same operation, or in a product; nil where it does not.
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

// standsUnder reports whether the same vector stands under its own axis too, in what the value is computed from or in what is
// computed next, or beside it from the same value: degrees stand under both axes where an adjacency matrix is normalized.
func (l *lint) standsUnder(v vector, own int) bool {
	rank, y := v.user.Rank(), unmoved(v.y)
	isThere := func(n *graph.Node) bool {
		return n.Op().Class == graph.Elementwise && slices.ContainsFunc(n.Operands(), func(z *graph.Node) bool {
			return z.Rank() == rank && z.Shape()[own] == v.y.Shape()[v.axis] && z.Shape()[v.at] == 1 && unmoved(z) == y
		})
	}
	return reaches(v.x, isThere) || slices.ContainsFunc(l.usersOf(v.user), isThere) || slices.ContainsFunc(l.usersOf(v.x), isThere)
}

// unmoved is the value of which a node has the elements, in another shape.
func unmoved(n *graph.Node) *graph.Node {
	for n.Op().Class == graph.Movement && len(n.Operands()) == 1 && n.In(0) != nil && n.In(0).Shape().NumElements() == n.Shape().NumElements() {
		n = n.In(0)
	}
	return n
}

// maxPast bounds the nodes that are looked at for what a value is computed from.
const maxPast = 100

// reaches reports whether a node or one of those from which it is computed, by operations on elements and reductions, is one that is looked for.
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
