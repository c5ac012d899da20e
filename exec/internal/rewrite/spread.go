package rewrite

import (
	"cmp"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A matrix that is added to scores, such as a mask, is often computed elementwise from positions, from values that are
// broadcast along rows or columns, and from scalars: a mask of lengths, distances times the slopes of heads, a dropout
// mask. If each kernel that reads it recomputes it, it is never stored.

// spread recomputes a value over a larger shape.
type spread struct {
	next    *graph.Graph
	shape   graph.Shape
	written map[*graph.Node]bool // values that are written in place
	made    map[spreadPart]*graph.Node
}

// spreadPart is a value, with the axis of the shape for each of its axes.
type spreadPart struct {
	x    *graph.Node
	axes string // a byte for each axis
}

// spreadOver returns x, a value of the graph next, over a larger shape, whose last axes are x's. It returns nil if x
// needs a stored matrix, or costs more than most.
func spreadOver(next *graph.Graph, x *graph.Node, shape graph.Shape, written map[*graph.Node]bool,
	most int) *graph.Node {
	s := spread{next: next, shape: shape, written: written, made: map[spreadPart]*graph.Node{}}
	axes := make([]byte, x.Rank())
	for i := range axes {
		axes[i] = byte(len(shape) - x.Rank() + i)
	}
	part := spreadPart{x, string(axes)}
	if s.isNarrow(part) || s.cost(part, most) > most {
		return nil
	}
	return s.value(part)
}

// isNarrow reports whether a value is broadcast along one of the last two axes of the shape.
func (s *spread) isNarrow(p spreadPart) bool {
	covered := 0
	for axis, d := range p.x.Shape() {
		if d != 1 && int(p.axes[axis]) >= len(s.shape)-2 {
			covered++
		}
	}
	return covered < min(len(s.shape), 2)
}

// isRead reports whether a value is read from memory: it is narrow, and not cheaply computed from positions.
func (s *spread) isRead(p spreadPart) bool {
	return s.isNarrow(p) && !s.isPositional(p.x, maxSpreadCost)
}

// isPositional reports whether a value is computed from positions and numbers only, at a cost of at most most.
func (s *spread) isPositional(x *graph.Node, most int) bool {
	cost := 0
	var add func(x *graph.Node) bool
	add = func(x *graph.Node) bool {
		if _, number := x.ScalarValue(); number {
			return true
		}
		if cost += max(analysis.Cost(x), 1); cost > most || x.Op().Class != graph.Elementwise || analysis.CanFail(x) ||
			s.written[x] {
			return false
		}
		return !slices.ContainsFunc(x.Operands(), func(y *graph.Node) bool { return !add(y) })
	}
	return add(x)
}

// parts returns the operands of an elementwise value.
func (p spreadPart) parts() (list []spreadPart) {
	for _, y := range p.x.Operands() {
		list = append(list, spreadPart{y, p.axes[len(p.axes)-y.Rank():]})
	}
	return list
}

// cost returns the cost of recomputing a value from what is read. It exceeds most if the value cannot be recomputed.
func (s *spread) cost(p spreadPart, most int) int {
	x := p.x
	_, isIndex := analysis.IndexOf(x)
	_, isUniform := analysis.Uniform(x)
	_, isNumber := x.ScalarValue()
	switch {
	case !s.fits(p):
	case isNumber || isUniform || s.isRead(p):
		return 0
	case isIndex:
		return 1
	case x.Op().Class == graph.Movement:
		if own, ok := s.shown(p); ok {
			return s.cost(own, most)
		}
	case x.Op().Class == graph.Elementwise && !analysis.CanFail(x) && !s.written[x] &&
		(len(x.Operands()) > 0 || x.Rank() == 0):
		cost := max(analysis.Cost(x), 1)
		for i, part := range p.parts() {
			if cost > most || slices.Contains(x.Stretch(i), graph.Undecided) {
				return most + 1
			}
			cost += s.cost(part, most-cost)
		}
		return cost
	}
	return most + 1
}

// fits reports whether each size of a value is that of the shape, or 1.
func (s *spread) fits(p spreadPart) bool {
	for axis, d := range p.x.Shape() {
		if d != 1 && d != s.shape[p.axes[axis]] {
			return false
		}
	}
	return true
}

// shown returns the operand of a movement that only permutes and repeats axes, and inserts or drops axes of size 1.
func (s *spread) shown(p spreadPart) (operand spreadPart, ok bool) {
	view, ok := analysis.WholeView(p.x)
	if !ok {
		return operand, false
	}
	y := p.x.In(0)
	axes, ok := analysis.ShownAxes(view, y.Shape())
	if !ok {
		return operand, false
	}
	own := make([]byte, y.Rank())
	for axis, d := range y.Shape() {
		if d == 1 {
			continue // it matches any axis
		}
		at := slices.Index(axes, axis)
		if at < 0 {
			return operand, false
		}
		own[axis] = p.axes[at]
	}
	return spreadPart{y, string(own)}, true
}

// value computes a value over the shape.
func (s *spread) value(p spreadPart) *graph.Node {
	if s.made[p] == nil {
		s.made[p] = s.compute(p)
	}
	return s.made[p]
}

func (s *spread) compute(p spreadPart) *graph.Node {
	x := p.x
	axis, isIndex := analysis.IndexOf(x)
	v, isUniform := analysis.Uniform(x)
	_, isNumber := x.ScalarValue()
	switch {
	case isNumber:
		return x
	case isUniform:
		return s.next.Scalar(x.DType(), v)
	case isIndex && x.Shape()[axis] == 1:
		return s.next.Scalar(x.DType(), 0)
	case isIndex:
		return ops.Iota(s.next, int(p.axes[axis]), s.shape...)
	case s.isRead(p):
		return s.read(p)
	case x.Op().Class == graph.Movement:
		own, _ := s.shown(p)
		return s.value(own)
	case len(x.Operands()) == 0:
		return s.next.Copy(x, nil)
	}
	in := make([]*graph.Node, len(x.Operands()))
	for i, part := range p.parts() {
		in[i] = s.value(part)
	}
	return graph.Apply(x.Op(), x.Attrs(), in...)
}

// read broadcasts a stored value to the shape.
func (s *spread) read(p spreadPart) *graph.Node {
	var order []int // its axes, in the shape's order
	whole := slices.Repeat(graph.Shape{1}, len(s.shape))
	for axis, d := range p.x.Shape() {
		if d != 1 {
			order = append(order, axis)
			whole[p.axes[axis]] = d
		}
	}
	x, kept := p.x, graph.Shape{}
	for _, axis := range order {
		kept = append(kept, x.Shape()[axis])
	}
	if len(order) == 0 {
		return ops.Reshape(x)
	}
	x = ops.Reshape(x, kept...)
	perm := make([]int, len(order))
	for i := range perm {
		perm[i] = i
	}
	slices.SortFunc(perm, func(a, b int) int { return cmp.Compare(p.axes[order[a]], p.axes[order[b]]) })
	if !slices.IsSorted(perm) {
		x = ops.Permute(x, perm...)
	}
	return ops.Expand(ops.Reshape(x, whole...), s.shape...)
}

// MaxCostBesideScores is the most that recomputing a value in each kernel of scores may cost. Dropout and a mask cost
// less.
const MaxCostBesideScores = 128

// ScoresOf finds large products with row reductions, or that are factors of other products, or that are recomputed, and
// what is computed from them elementwise. These are scores, attention weights and their gradients.
func ScoresOf(u *Program) map[*graph.Node]bool {
	return elementsOf(u, func(*graph.Node) bool { return true })
}

// elementsOf is [ScoresOf] for some products.
func elementsOf(u *Program, accepts func(product *graph.Node) bool) map[*graph.Node]bool {
	r, scores := recomputer{u: u}, map[*graph.Node]bool{}
	var add func(n *graph.Node)
	add = func(n *graph.Node) {
		scores[n] = true
		for _, user := range r.users[n.ID()] {
			if !scores[user] && user.Op().Class == graph.Elementwise && user.Shape().Equal(n.Shape()) {
				add(user)
			}
		}
	}
	for _, n := range u.Graph.Nodes() {
		if n.Op().Class == graph.Contract && accepts(n) && (n.Op() == opAgain || IsLargeMatrix(n) && r.areScores(n)) {
			r.areScores(n)
			add(n)
		}
	}
	return scores
}

// IsLargeMatrix reports whether the last two axes of a value have many elements, or an unknown number.
func IsLargeMatrix(n *graph.Node) bool { return isMatrixOf(n, minLargeMatrix) }

// isMatrixOf reports whether the last two axes of a value have at least so many elements, or an unknown number.
func isMatrixOf(n *graph.Node, least int64) bool {
	if n.Rank() < 2 {
		return false
	}
	rows, rowsKnown := n.Shape()[n.Rank()-2].Int()
	cols, colsKnown := n.Shape()[n.Rank()-1].Int()
	return !rowsKnown || !colsKnown || rows*cols >= least
}

// hasSameShape reports whether operand i of an elementwise node has the node's shape.
func hasSameShape(n *graph.Node, i int) bool {
	return n.In(i).Shape().Equal(n.Shape()) && !slices.Contains(n.Stretch(i), graph.Undecided)
}
