package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// This file proposes operands in another order, which other libraries have for some functions: a table before its
// indices, a factor behind the right-hand sides.

// exchange exchanges two operands. Numbers and operands that are written in place are not exchanged; of elementwise
// operations only a Bool operand with another one.
func (t *trier) exchange() {
	if t.n.Op().Class == graph.Update {
		return
	}
	for i := range t.n.Operands() {
		for j := range i {
			a, b := t.user(i), t.user(j)
			if a == nil || b == nil || a == b || isNumber(a) || isNumber(b) ||
				t.shape(i).Equal(t.shape(j)) && a.DType() == b.DType() {
				continue
			}
			if t.n.Op().Class == graph.Elementwise && (a.DType() == graph.Bool) == (b.DType() == graph.Bool) {
				continue
			}
			changes := t.exchanged(i, j)
			if changes == nil {
				continue
			}
			parts := t.n.Parts()
			gives := t.n.Graph().Try(changes...).Shape(parts[len(parts)-1])
			call := t.n.Calls(map[*graph.Node]string{a: b.Called(), b: a.Called()})
			if t.try(graph.Fix{Kind: graph.FixExchange,
				Text: fmt.Sprintf("with the operands exchanged, %s gives %s", call, gives)}, changes...) {
				return
			}
		}
	}
}

func isNumber(x *graph.Node) bool {
	_, is := x.Literal()
	return is || x.IsConst() && x.Rank() == 0
}

// exchanged is the change of a call in which two values change places, wherever it reads them; nil where their dtypes
// do not promote so.
func (t *trier) exchanged(i, j int) (changes []graph.Change) {
	a, b := t.n.In(i).Written(), t.n.In(j).Written()
	for _, n := range t.n.Parts() {
		types := make([]graph.DType, len(n.Operands()))
		shapes := make([]graph.Shape, len(types))
		isChanged := false
		for k, x := range n.Operands() {
			other := x.Written()
			switch other {
			case a:
				other, isChanged = b, true
			case b:
				other, isChanged = a, true
			}
			types[k], shapes[k] = other.DType(), other.Shape()
		}
		if !isChanged {
			continue
		}
		c := graph.Change{Node: n, Operands: map[int]graph.Type{}}
		if types = promotedTypes(n, n.Op(), shapes, types); types == nil {
			return nil
		}
		for k, x := range n.Operands() {
			if types[k] != x.DType() || !shapes[k].Equal(x.Shape()) {
				c.Operands[k] = graph.Type{DType: types[k], Shape: shapes[k]}
			}
		}
		changes = append(changes, c)
	}
	return changes
}
