package axislint

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// takeTables returns the nodes that are meant to be tables, and removes them from those that grew. Computing with a
// table may show that another one is intended.
func (l *lint) takeTables() (tables []*graph.Node) {
	for more := true; more; {
		more = false
		for n := range l.grown {
			if l.isTable(n) {
				delete(l.grown, n)
				tables, more = append(tables, n), true
			}
		}
	}
	return tables
}

// isTable reports whether the users of a value, whose operands repeat each other along two axes of one size, show that
// a table is intended. They combine it with another table of that shape, such as products of all pairs, apply a softmax
// to it, or multiply it as a matrix. If the program itself gave an operand its axis of size 1, a sum along one of the
// two axes shows it too.
func (l *lint) isTable(n *graph.Node) bool {
	first, second, ok := grownAxes(n)
	if !ok {
		return false
	}
	flow := l.forms.From(graph.AxisOf{Node: n, Axis: first}, graph.AxisOf{Node: n, Axis: second})
	has := func(x *graph.Node, source int) bool {
		d, is := flow.Value(x).Of(source)
		return is && len(d.Terms) > 0
	}
	isGrown := func(x *graph.Node) bool { return has(x, 0) && has(x, 1) }
	return l.follow(n, func(x, user *graph.Node) step {
		switch {
		case l.usesTable(user, x, isGrown), user.Op().Class == graph.Reduce && (has(user, 0) || has(user, 1)) &&
			isWritten(n):
			return end
		case isGrown(user):
			return goOn
		}
		return passOver
	})
}

// usesTable reports whether a user of x combines it with a table of other origin, or does what only makes sense for
// tables.
func (l *lint) usesTable(user, x *graph.Node, isGrown func(*graph.Node) bool) bool {
	switch user.Op().Class {
	case graph.Contract:
		return true
	case graph.Composite:
		return user.In(0) == x && len(l.forms.Normalized(user)) > 0
	case graph.Elementwise:
		return slices.ContainsFunc(user.Operands(), func(y *graph.Node) bool {
			return y != x && y.Graph() == l.g && y.Shape().Equal(x.Shape()) && !isGrown(y) && !l.isMadeOfGrown(y)
		})
	}
	return false
}

// isMadeOfGrown reports whether a value is computed, elementwise and by reductions, from values whose operands repeat
// each other.
func (l *lint) isMadeOfGrown(n *graph.Node) bool {
	return reaches(n, func(x *graph.Node) bool { return l.grown[x] })
}

// grownAxes returns two axes of a node along which its operands repeat each other.
func grownAxes(n *graph.Node) (first, second int, ok bool) {
	if n.Op().Class != graph.Elementwise {
		return 0, 0, false // a loss
	}
	for _, x := range n.Operands() {
		for _, y := range n.Operands() {
			for a := range n.Rank() {
				for b := range a {
					if repeatEachOther(n, x, y, a, b) {
						return b, a, true
					}
				}
			}
		}
	}
	return 0, 0, false
}

// repeatEachOther reports whether operand x of n is repeated along axis a, and operand y along axis b.
func repeatEachOther(n, x, y *graph.Node, a, b int) bool {
	isRepeated := func(x *graph.Node, axis int) bool {
		own := axis - (n.Rank() - x.Rank())
		return own < 0 || x.Shape()[own] == 1
	}
	return n.Shape()[a] != 1 && n.Shape()[b] != 1 && isRepeated(x, a) && !isRepeated(y, a) && isRepeated(y, b) &&
		!isRepeated(x, b)
}

// isWritten reports whether the program gave an operand of a node an axis of size 1 in the call itself.
func isWritten(n *graph.Node) bool {
	return slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
		return x.Op().Class == graph.Movement && len(x.Operands()) == 1 && x.Rank() == x.In(0).Rank()+1 &&
			x.Shape().NumElements() == x.In(0).Shape().NumElements() &&
			!slices.Contains(x.In(0).Shape(), 1)
	})
}
