package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A value for all pairs of points, such as the distances of their coordinates, [n, n, 3], has rows of few elements, and operands that are repeated
// along them: a kernel takes 5 ns for such a row, in which it computes less than a vector. With the last axis first, [3, n, n], rows are those of
// n points. The operands are small, and laid out anew once.

const (
	// mostPlanes is the most elements of a last axis that comes first.
	mostPlanes = mostShortRow
	// leastPlaneRow is how many elements rows must have then.
	leastPlaneRow = 8
	// leastRepeated is how many times as many elements there must be of a value as of each operand.
	leastRepeated = 4
)

// planes brings the last axis of values to the front: of those that are computed, element by element, of values that are repeated along some
// axes, and of which nothing is used but what reductions make of them and views that have the last axis elsewhere.
type planes struct {
	turns  []bool // by the numbers of values
	turned map[planesIn]*graph.Node
	body   *graph.Region // of a loop, that has the node at hand
}

// planesIn is a value that is read in the body of a loop.
type planesIn struct {
	x    *graph.Node
	body *graph.Region
}

func (u *Program) newPlanes() *planes {
	nodes := u.Graph.Nodes()
	p := &planes{turns: make([]bool, len(nodes)), turned: map[planesIn]*graph.Node{}}
	found := false
	for i, n := range nodes {
		p.turns[i] = p.isMadeOfRepeated(n)
		found = found || p.turns[i]
	}
	for found {
		found = false
		drop := func(n *graph.Node) {
			found = found || p.turns[n.ID()]
			p.turns[n.ID()] = false
		}
		for _, n := range u.Roots {
			drop(n)
		}
		for _, n := range slices.Backward(nodes) {
			if p.turns[n.ID()] && !p.isMadeOfRepeated(n) {
				drop(n)
			}
			for _, x := range n.Operands() {
				if p.turns[x.ID()] && !p.readsTurned(n, x) {
					drop(x)
				}
			}
		}
	}
	return p
}

// isMadeOfRepeated reports whether a value has a short last axis, before it one for rows, and operands that turn or are repeated.
func (p *planes) isMadeOfRepeated(n *graph.Node) bool {
	shape, last := n.Shape(), n.Rank()-1
	if n.Op().Class != graph.Elementwise || n.Op().Ordered || last < 1 {
		return false
	}
	if k, known := shape[last].Int(); !known || k < 2 || k > mostPlanes {
		return false
	}
	if row, known := shape[last-1].Int(); known && row < leastPlaneRow {
		return false
	}
	hasAxis := false
	for i, x := range n.Operands() {
		switch {
		case slices.Contains(n.Stretch(i), graph.Undecided):
			return false
		case x.Rank() == 0 || x.Shape()[x.Rank()-1] == 1:
		case p.turns[x.ID()] && x.Shape().Equal(shape), isRepeated(x.Shape(), shape):
			hasAxis = true
		default:
			return false
		}
	}
	return hasAxis
}

// isRepeated reports whether a shape has the last axis of another one, and a fraction of its elements.
func isRepeated(x, of graph.Shape) bool {
	times := int64(1)
	for i := range of {
		if at := len(x) - len(of) + i; at >= 0 && x[at] == of[i] {
			continue
		}
		size, known := of[i].Int()
		if !known {
			size = usualSize
		}
		times *= size
	}
	return x[len(x)-1] == of[len(of)-1] && times >= leastRepeated
}

// readsTurned reports whether a node can read a value with the last axis first.
func (p *planes) readsTurned(n, x *graph.Node) bool {
	if perm := permutation(n); perm != nil {
		return perm[len(perm)-1] != len(perm)-1
	}
	return folds(n) || p.turns[n.ID()] && x.Shape().Equal(n.Shape())
}

// folds reports whether a node is a reduction over axes that it names.
func folds(n *graph.Node) bool {
	return n.Op().Class == graph.Reduce && n.Op().Axes != nil && !FindsIndex(n)
}

// permutation returns which axis of its operand each axis of a node is; nil if it does not permute them.
func permutation(n *graph.Node) []int {
	perm := make([]int, n.Rank())
	for i := range perm {
		perm[i] = i
	}
	count := func(axis int) int { return (axis + n.Rank()) % n.Rank() }
	switch a := n.Attrs().(type) {
	case ops.PermuteAttrs:
		for i, axis := range a.Perm {
			perm[i] = count(axis)
		}
	case ops.TransposeAttrs:
		perm[count(a.A)], perm[count(a.B)] = count(a.B), count(a.A)
	default:
		return nil
	}
	return perm
}

// reads reports whether a node is one for which [planes.read] finds another way.
func (p *planes) reads(n *graph.Node) bool {
	return len(n.Operands()) == 1 && p.turns[n.In(0).ID()] && (folds(n) || permutation(n) != nil)
}

// read computes a reduction or a permutation of x, which stands for its operand that turns.
func (p *planes) read(n, x *graph.Node) *graph.Node {
	last, turned := x.Rank()-1, p.turn(n.In(0), x, x.Rank())
	behind := func(axis int) int { return (axis + 1) % x.Rank() }
	if perm := permutation(n); perm != nil {
		for i, axis := range perm {
			perm[i] = behind(axis)
		}
		return ops.Permute(turned, perm...)
	}
	var axes []int
	for _, axis := range n.Op().Axes(n) {
		axes = append(axes, behind(axis))
	}
	slices.Sort(axes)
	y := graph.Apply(n.Op(), ops.ReduceAttrs{Axes: axes}, turned)
	if !slices.Contains(n.Op().Axes(n), last) {
		y = ops.MoveAxis(y, 0, y.Rank()-1)
	}
	return ops.Reshape(y, n.Shape()...)
}

// turn returns x, which stands for the value old, with the last axis first: a value that turns, or an operand of one of some axes.
func (p *planes) turn(old, x *graph.Node, rank int) *graph.Node {
	if x.Rank() == 0 {
		return x
	}
	in := planesIn{x, p.body}
	if y := p.turned[in]; y != nil {
		return y
	}
	var y *graph.Node
	shape := append(graph.Shape(slices.Repeat([]graph.Dim{1}, rank-x.Rank())), x.Shape()...)
	switch k := shape[rank-1]; {
	case p.turns[old.ID()]:
		args := make([]*graph.Node, len(x.Operands()))
		for i, a := range x.Operands() {
			args[i] = p.turn(old.In(i), a, rank)
		}
		y = graph.Apply(x.Op(), x.Attrs(), args...)
	case k == 1:
		y = ops.Reshape(x, append(graph.Shape{1}, shape[:rank-1]...)...)
	default:
		own := slices.DeleteFunc(slices.Clone(shape), func(d graph.Dim) bool { return d == 1 }) // the same of all places where a value stands
		y = ops.Reshape(ops.Copy(ops.MoveAxis(ops.Reshape(x, own...), len(own)-1, 0)), append(graph.Shape{k}, shape[:rank-1]...)...)
	}
	p.turned[in] = y
	return y
}

// plane returns the elements of x at place k of the last axis of some.
func (p *planes) plane(old, x *graph.Node, rank int, k graph.Dim) *graph.Node {
	if x.Rank() > 0 && x.Shape()[x.Rank()-1] == 1 {
		return ops.Select(x, x.Rank()-1, 0)
	}
	if x = p.turn(old, x, rank); x.Rank() == 0 {
		return x
	}
	return ops.Select(x, 0, k)
}
