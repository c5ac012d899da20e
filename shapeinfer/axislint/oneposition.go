package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// onePosition finds an element that is picked by the size of an axis, and used for all positions of that axis. A slice
// of that many elements was probably meant.
func onePosition(l *lint, n *graph.Node) *graph.Mistake {
	x := n.In(0)
	if x.Graph() != l.g || l.isFromInput(x) || n.Rank() > x.Rank() ||
		n.Rank() == x.Rank() && !slices.Contains(n.Shape(), 1) {
		return nil
	}
	for axis, size := range x.Shape() {
		if size == 1 {
			continue
		}
		index, is := axisflow.Picks(n, axis)
		if !is || !index.IsSymbolic() || len(index.Symbols()) != 1 || index != graph.SymbolicDim(index.Symbols()[0]) {
			continue
		}
		if user, other := l.repeatedAlong(n, index); user != nil {
			return &graph.Mistake{Code: graph.CodeOnePosition, Node: n,
				Summary: fmt.Sprintf(
					"the element at %s of axis %d of %s is used for all %s positions of %s: an index is taken from the size of an axis",
					index, axis, x.Called(), index, other.Called()),
				Operands: []graph.OperandNote{{Node: x, Bad: []int{axis}}, {Node: n}, {Node: other}}, Apart: true,
				Help: []string{fmt.Sprintf("to use the first %s elements: Slice(%s, %d, 0, %s, 1)", index, x.Called(),
					axis, index),
					silence("CodeOnePosition", "OnePosition")}}
		}
	}
	return nil
}

// repeatedAlong returns an elementwise user of a value, and the other operand, which has an axis of the given size
// along which the value is repeated.
func (l *lint) repeatedAlong(n *graph.Node, size graph.Dim) (user, other *graph.Node) {
	list := []*graph.Node{n}
	for i := 0; i < len(list) && i < maxFollowed; i++ {
		for _, user := range l.usersOf(list[i]) {
			switch {
			case user.Op().Class == graph.Movement || user.Op().Class == graph.Elementwise && len(user.Operands()) == 1:
				list = append(list, user)
			case user.Op().Class == graph.Elementwise:
				if other := repeated(user, list[i], size); other != nil {
					return user, other
				}
			}
		}
	}
	return nil, nil
}

// repeated returns an operand with an axis of the given size along which y is repeated, or nil.
func repeated(n, y *graph.Node, size graph.Dim) *graph.Node {
	for _, x := range n.Operands() {
		for axis, d := range x.Shape() {
			own := meets(n, x, axis) - (n.Rank() - y.Rank())
			if x != y && d == size && (own < 0 || y.Shape()[own] == 1) {
				return x
			}
		}
	}
	return nil
}
