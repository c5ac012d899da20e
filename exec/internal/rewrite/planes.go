package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A value for all pairs of points, such as the differences of their coordinates, [n, n, 3], has rows of few elements,
// and operands that are repeated along other axes. A kernel takes 5 ns for such a row, in which it computes less than a
// vector. With the last axis first, [3, n, n], rows have n elements. The operands are small, and are transposed once.

const (
	// maxPlanes is the largest last axis that is moved to the front.
	maxPlanes = 8
	// minPlaneRow is the least number of elements of the new rows.
	minPlaneRow = 8
	// minRepeated is how many times larger than each operand a value must be.
	minRepeated = 4
)

// planes moves the last axis of values to the front. The values are computed elementwise from repeated values, and used
// only by reductions and by views that do not keep the last axis last.
type planes struct {
	turns  []bool // by node ID
	turned map[planesIn]*graph.Node
	body   *graph.Region // the region of the current node
	users  func() [][]*graph.Node
}

// planesIn is a value that is read in a region, as an operand of some rank.
type planesIn struct {
	x    *graph.Node
	rank int
	body *graph.Region
}

func (u *Program) newPlanes(users func() [][]*graph.Node) *planes {
	nodes := u.Graph.Nodes()
	p := &planes{turns: make([]bool, len(nodes)), turned: map[planesIn]*graph.Node{}, users: users}
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

// isMadeOfRepeated reports whether a value has a short last axis, a long enough axis before it, and operands that turn
// or are repeated.
func (p *planes) isMadeOfRepeated(n *graph.Node) bool {
	shape, last := n.Shape(), n.Rank()-1
	if n.Op().Class != graph.Elementwise && !putsPlanes(n) || n.Op().Ordered || last < 1 {
		return false
	}
	if k, known := shape[last].Int(); !known || k < 2 || k > maxPlanes {
		return false
	}
	if row, known := shape[last-1].Int(); known && row < minPlaneRow {
		return false
	}
	hasAxis := putsPlanes(n)
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

// isRepeated reports whether a shape has the last axis of another one, and only a fraction of its elements.
func isRepeated(x, of graph.Shape) bool {
	times := int64(1)
	for i := range of {
		if at := len(x) - len(of) + i; at >= 0 && x[at] == of[i] {
			continue
		}
		times *= usual(of[i])
	}
	return x[len(x)-1] == of[len(of)-1] && times >= minRepeated
}

// readsTurned reports whether a node can read a value with the last axis first.
func (p *planes) readsTurned(n, x *graph.Node) bool {
	if perm := permutation(n); perm != nil {
		return perm[len(perm)-1] != len(perm)-1
	}
	_, selects := planeOf(n)
	return selects || folds(n) || p.turns[n.ID()] && x.Shape().Equal(n.Shape())
}

// folds reports whether a node is a reduction over known axes.
func folds(n *graph.Node) bool {
	return n.Op().Class == graph.Reduce && n.Op().Axes != nil && !analysis.FindsIndex(n)
}

// permutation returns which axis of its operand each axis of a node shows; nil if the node is not a permutation of
// axes.
func permutation(n *graph.Node) []int {
	perm, ok := analysis.ExchangedAxes(n)
	if !ok || n.Rank() != n.In(0).Rank() {
		return nil
	}
	for axis, at := range perm {
		if at < 0 { // of size 1: any one that is left
			perm[axis] = slices.IndexFunc(n.In(0).Shape(), func(d graph.Dim) bool { return d == 1 })
			for slices.Contains(perm[:axis], perm[axis]) || n.In(0).Shape()[perm[axis]] != 1 {
				perm[axis]++
			}
		}
	}
	return perm
}

// planeOf returns the position on the last axis at which all elements lie that a node shows of its operand.
func planeOf(n *graph.Node) (k graph.Dim, ok bool) {
	shown, ok := analysis.WholeView(n)
	if !ok || n.Rank() != n.In(0).Rank()-1 {
		return 0, false
	}
	plane := graph.RowMajor(n.In(0).Shape())
	size, known := plane.Shape[n.Rank()].Int()
	at, fixed := shown.Offset.Int()
	if !known || !fixed || at < 0 || at >= size {
		return 0, false
	}
	plane.Shape, plane.Strides, plane.Offset = plane.Shape[:n.Rank()], plane.Strides[:n.Rank()], shown.Offset
	return shown.Offset, analysis.SameLayouts(shown, plane)
}

// putsPlanes reports whether a node puts its operands at positions of the last axis, as a stack does, or the gradient
// of a view that [planeOf] finds.
func putsPlanes(n *graph.Node) bool {
	if n.Op().Assemble == nil || n.Rank() == 0 ||
		!analysis.IsPadding(n) && graph.Dim(len(n.Operands())) != n.Shape()[n.Rank()-1] {
		return false
	}
	last, starts := n.Rank()-1, n.Op().Assemble(n).Start
	for i, x := range n.Operands() {
		if at := starts[i]; at == nil || x.Shape()[last] != 1 || !analysis.IsPadding(n) && at[last] != graph.Dim(i) ||
			!x.Shape()[:last].Equal(n.Shape()[:last]) {
			return false
		}
	}
	return true
}

// reads reports whether [planes.read] replaces a node.
func (p *planes) reads(n *graph.Node) bool {
	return len(n.Operands()) == 1 && p.turns[n.In(0).ID()] && !p.turns[n.ID()]
}

// read applies a reduction or a view to x, which replaces its operand, with the last axis first.
func (p *planes) read(n, x *graph.Node) *graph.Node {
	if k, ok := planeOf(n); ok {
		if p.isTakenApart(n.In(0)) {
			return p.computed(n.In(0), x, x.Rank(), k)
		}
		return ops.Select(p.turn(n.In(0), x, x.Rank()), 0, k)
	}
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

// isTakenApart reports whether an elementwise value that turns is only used by views of one distinct plane each. Then
// each plane is computed where it is used.
func (p *planes) isTakenApart(x *graph.Node) bool {
	if x.Op().Class != graph.Elementwise {
		return false
	}
	taken := map[graph.Dim]bool{}
	for _, user := range p.users()[x.ID()] {
		k, is := planeOf(user)
		if !is || taken[k] {
			return false
		}
		taken[k] = true
	}
	return true
}

// computed computes plane k of x, which replaces old. It continues through operands that have no other user.
func (p *planes) computed(old, x *graph.Node, rank int, k graph.Dim) *graph.Node {
	args := make([]*graph.Node, len(x.Operands()))
	for i, a := range x.Operands() {
		if of := old.In(i); p.turns[of.ID()] && of.Op().Class == graph.Elementwise && len(p.users()[of.ID()]) == 1 {
			args[i] = p.computed(of, a, rank, k)
		} else {
			args[i] = p.plane(of, a, rank, k)
		}
	}
	return graph.Apply(x.Op(), x.Attrs(), args...)
}

// turn returns x, which replaces old, with the last axis first. x is a value that turns, or an operand of a value of
// some rank.
func (p *planes) turn(old, x *graph.Node, rank int) *graph.Node {
	if x.Rank() == 0 {
		return x
	}
	in := planesIn{x, rank, p.body}
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
		switch {
		case !putsPlanes(x):
			y = graph.Apply(x.Op(), x.Attrs(), args...)
		case analysis.IsPadding(x):
			to := x.Op().Assemble(x)
			before := to.Start[0][rank-1]
			y = ops.Pad(args[0], 0, before, k.Minus(before).Minus(1), to.Value)
		default:
			y = ops.Concat(0, args...)
		}
	case k == 1:
		y = ops.Reshape(x, append(graph.Shape{1}, shape[:rank-1]...)...)
	default:
		// Without axes of size 1, so that equal copies are merged.
		own := slices.DeleteFunc(slices.Clone(shape), func(d graph.Dim) bool { return d == 1 })
		y = ops.Reshape(ops.Copy(ops.MoveAxis(ops.Reshape(x, own...), len(own)-1, 0)),
			append(graph.Shape{k}, shape[:rank-1]...)...)
	}
	p.turned[in] = y
	return y
}

// plane returns plane k of x, which replaces old.
func (p *planes) plane(old, x *graph.Node, rank int, k graph.Dim) *graph.Node {
	if x.Rank() > 0 && x.Shape()[x.Rank()-1] == 1 {
		return ops.Select(x, x.Rank()-1, 0)
	}
	if x = p.turn(old, x, rank); x.Rank() == 0 {
		return x
	}
	return ops.Select(x, 0, k)
}
