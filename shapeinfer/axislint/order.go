package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// otherOrder finds two values that meet along an axis into which several axes were flattened in different orders, so
// that elements of different examples meet: rows [seq*batch] and labels [batch*seq], for example, or repeated copies
// made by Tile in one and by RepeatInterleave in the other.
func otherOrder(l *lint, n *graph.Node) *graph.Mistake {
	if !haveFlattened(n) || !l.isFromInput(n) {
		return nil
	}
	c := l.clashIn(l.flow(), n, 0)
	if c == nil {
		return nil
	}
	if n.Op().Class == graph.Composite && !l.takeOutside(n, c) {
		return nil
	}
	x, y, a, b := c.x, c.y, c.a, c.b
	return &graph.Mistake{Code: graph.CodeOtherOrder, Node: n, Apart: true,
		Summary: fmt.Sprintf(
			"axis %d of %s and axis %d of %s have their elements in different orders, so that those of different %q meet: it changes %s of %s, but %s of %s",
			a, x.Called(), b, y.Called(), c.of, everyElement(c.inX), x.Called(), everyElement(c.inY), y.Called()),
		Operands: []graph.OperandNote{{Node: x, Bad: []int{a}}, {Node: y, Bad: []int{b}}},
		Help: []string{
			"reorder the axes of one with Transpose or Permute before they are flattened; to repeat, Tile copies the whole, and RepeatInterleave each element",
			silence("CodeOtherOrder", "OtherOrder")}}
}

func everyElement(inner graph.Dim) string {
	if inner == 1 {
		return "with every element"
	}
	return fmt.Sprintf("with every %s elements", inner)
}

// clash describes two axes that meet although their elements are in different orders.
type clash struct {
	x, y     *graph.Node
	a, b     int       // the axes of x and y
	of       graph.Dim // the named size whose elements are in different orders
	inX, inY graph.Dim // the number of elements after which it changes, in x and in y
}

// haveFlattened reports whether several operands have axes whose sizes are products of named sizes.
func haveFlattened(n *graph.Node) bool {
	count := 0
	for _, x := range n.Operands() {
		if slices.ContainsFunc(x.Shape(), isProduct) {
			count++
		}
	}
	return count > 1
}

func isProduct(d graph.Dim) bool {
	return d.IsSymbolic() && (len(d.Symbols()) > 1 || d != graph.SymbolicDim(d.Symbols()[0]))
}

// maxWithin limits how deeply nested composites are searched.
const maxWithin = 4

// clashIn finds a clash between operands of a node, or inside its expansion.
func (l *lint) clashIn(f *axisflow.Flow, n *graph.Node, depth int) *clash {
	switch {
	case !haveFlattened(n) || !n.Judged() || n.Err() != nil:
	case n.Op().Class == graph.Elementwise || n.Op().Class == graph.Update:
		return l.clashOf(f, n, n.Operands(), func(i, axis int) int { return axis - (n.Rank() - n.In(i).Rank()) })
	case n.Op().Class == graph.Movement && n.Op().Assemble != nil:
		return l.clashOf(f, n, n.Operands(), func(i, axis int) int {
			if n.In(i).Rank() != n.Rank() || n.In(i).Shape()[axis] != n.Shape()[axis] {
				return -1
			}
			return axis
		})
	case n.Op().Class == graph.Contract:
		return l.clashOfProduct(f, n)
	case n.Op().Class == graph.Composite && depth < maxWithin:
		inner, result := f.Within(n)
		if result == nil {
			return nil
		}
		for _, m := range result.Graph().Nodes() {
			if c := l.clashIn(inner, m, depth+1); c != nil {
				return c
			}
		}
	}
	return nil
}

// clashOfProduct compares the axes that a product sums over, and those that both factors have.
func (l *lint) clashOfProduct(f *axisflow.Flow, n *graph.Node) *clash {
	x, y := n.In(0), n.In(1)
	if c := l.compare(f, x, y, x.Rank()-1, max(y.Rank()-2, 0)); c != nil {
		return c
	}
	for behind := 3; behind <= min(x.Rank(), y.Rank()); behind++ {
		if c := l.compare(f, x, y, x.Rank()-behind, y.Rank()-behind); c != nil {
			return c
		}
	}
	return nil
}

// clashOf compares the operands' axes that meet at each axis of a node.
func (l *lint) clashOf(f *axisflow.Flow, n *graph.Node, operands []*graph.Node, own func(i, axis int) int) *clash {
	for axis, size := range n.Shape() {
		if !isProduct(size) {
			continue
		}
		for i := range operands {
			if c := l.clashBefore(f, operands, i, size, func(k int) int { return own(k, axis) }); c != nil {
				return c
			}
		}
	}
	return nil
}

// clashBefore compares an axis of operand i with those of the operands before it. axisOf returns the axis of an
// operand, or -1.
func (l *lint) clashBefore(f *axisflow.Flow, operands []*graph.Node, i int, size graph.Dim,
	axisOf func(k int) int) *clash {
	a := axisOf(i)
	if a < 0 || operands[i].Shape()[a] != size {
		return nil
	}
	for k := range i {
		if b := axisOf(k); b >= 0 {
			if c := l.compare(f, operands[k], operands[i], b, a); c != nil {
				return c
			}
		}
	}
	return nil
}

// compare looks for a named size that changes after different numbers of elements in two axes of the same size.
func (l *lint) compare(f *axisflow.Flow, x, y *graph.Node, a, b int) *clash {
	size := x.Shape()[a]
	if size != y.Shape()[b] || !isProduct(size) || x.Graph() != y.Graph() {
		return nil
	}
	inX, inY := l.digits(f, x, a), l.digits(f, y, b)
	for _, name := range size.Symbols() {
		of := graph.SymbolicDim(name)
		if every, other := inX[of], inY[of]; every != other && every != 0 && other != 0 {
			return &clash{x, y, a, b, of, every, other}
		}
	}
	return nil
}

// digits lists the named sizes of input axes that were flattened into an axis, with the number of elements after
// which each changes. The number is 0 if several axes of that size were flattened.
func (l *lint) digits(f *axisflow.Flow, n *graph.Node, axis int) map[graph.Dim]graph.Dim {
	found := map[graph.Dim]graph.Dim{}
	for _, d := range f.Value(n) {
		if !l.flow().IsInput(d.Source) || len(d.Terms) == 0 {
			continue
		}
		s := l.flow().Source(d.Source)
		of := s.Node.Shape()[s.Axis]
		if !of.IsSymbolic() || isProduct(of) {
			continue
		}
		for _, t := range d.Terms {
			if t.Axis != axis {
				continue
			}
			before, is := found[of]
			if found[of] = t.Inner; t.Size != of || is && before != t.Inner {
				found[of] = 0
			}
		}
	}
	for of := range found {
		if rest, exact := n.Shape()[axis].ExactDiv(of); exact && slices.Contains(rest.Symbols(), of.Symbols()[0]) {
			found[of] = 0 // all pairs
		}
	}
	return found
}

// takeOutside translates a clash inside a composite operation to the operands, and their axes, that lead to it.
func (l *lint) takeOutside(n *graph.Node, c *clash) bool {
	size := c.x.Shape()[c.a]
	var found []clash // in the order of the operands, first those that lead to x of the clash
	for _, x := range n.Operands() {
		for axis, d := range x.Shape() {
			if x.Graph() != l.g || d != size || slices.ContainsFunc(found, func(f clash) bool { return f.x == x }) {
				continue
			}
			every := l.digits(l.flow(), x, axis)[c.of]
			isNew := !slices.ContainsFunc(found, func(f clash) bool { return f.inX == every })
			if isNew && (every == c.inX || every == c.inY) {
				found = append(found, clash{x: x, a: axis, inX: every})
			}
		}
	}
	if len(found) != 2 {
		return false
	}
	*c = clash{found[0].x, found[1].x, found[0].a, found[1].a, c.of, found[0].inX, found[1].inX}
	return true
}
