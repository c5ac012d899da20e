package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/ops"
)

// LateSums delays a sum of scores over their batch, if what follows is a sum of multiples of it: Σ(y·Σx) = Σ(y·x). The
// inner sum is over the batch, and the outer one over the matrix. Gradients for the slopes of a bias that grows with
// distance are such sums. So no matrix is stored to which all examples add.
func LateSums(u *Program) error {
	if !u.HasScores() {
		return nil
	}
	l := lateSums{elements: elementsOf(u, scores.IsProduct), users: u.users(), isRoot: map[*graph.Node]bool{},
		isLate: map[*graph.Node]bool{}, multiples: map[*graph.Node]*graph.Node{}}
	for _, n := range u.Roots {
		l.isRoot[n] = true
	}
	ways := map[*graph.Node][]int{}
	for _, n := range u.Graph.Nodes() {
		if !sumsMatrix(n) {
			continue
		}
		if way := l.wayTo(n.In(0)); way != nil {
			ways[n] = way
		}
	}
	if len(ways) == 0 {
		return nil
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		way := ways[n]
		if way == nil {
			return nil
		}
		end := in[0]
		for _, i := range way {
			end = end.In(i)
		}
		inner := innerSum(end)
		x, folded := l.multipleOf(in[0], inner, way), slices.Clone(inner.Op().Axes(inner))
		of := make([]int, 0, x.Rank()) // the axes of x that remain in its sum
		for axis := range x.Rank() {
			if end.Rank() == x.Rank() || !slices.Contains(folded, axis) {
				of = append(of, axis)
			}
		}
		for _, axis := range n.Op().Axes(n) {
			folded = append(folded, of[axis])
		}
		slices.Sort(folded)
		return ops.Reshape(FoldedOver(n, x, slices.Compact(folded), true), n.Shape()...)
	})
	return nil
}

// innerSum returns the sum that a value is, or of which it is a view without the folded axes; nil if it is neither.
func innerSum(n *graph.Node) *graph.Node {
	switch {
	case analysis.IsSum(n):
		return n
	case !analysis.IsReshape(n) || !analysis.IsSum(n.In(0)):
		return nil
	}
	sum := n.In(0)
	shape := slices.Clone(sum.In(0).Shape())
	for _, axis := range slices.Backward(slices.Sorted(slices.Values(sum.Op().Axes(sum)))) {
		shape = slices.Delete(shape, axis, axis+1)
	}
	if !n.Shape().Equal(shape) {
		return nil
	}
	return sum
}

// sumsMatrix reports whether a node sums over the last axis, and perhaps others, in the region in which its operand is
// computed.
func sumsMatrix(n *graph.Node) bool {
	return analysis.IsSum(n) && slices.Contains(n.Op().Axes(n), n.In(0).Rank()-1) && n.In(0).Region() == n.Region()
}

// lateSums knows which values are scores, or computed from them elementwise, and the users of each value.
type lateSums struct {
	elements  map[*graph.Node]bool
	users     [][]*graph.Node
	isRoot    map[*graph.Node]bool
	isLate    map[*graph.Node]bool // a cache
	multiples map[*graph.Node]*graph.Node
}

// onlySummed reports whether a value is only used in sums of multiples of it over their matrices.
func (l *lateSums) onlySummed(n *graph.Node) bool {
	if known, asked := l.isLate[n]; asked {
		return known
	}
	l.isLate[n] = !l.isRoot[n] && !slices.ContainsFunc(l.users[n.ID()], func(user *graph.Node) bool {
		i := slices.Index(user.Operands(), n)
		isMultiple := isMultipleOf(user, i) && user.Shape().Equal(n.Shape()) && user.Region() == n.Region()
		return !sumsMatrix(user) && !(isMultiple && l.onlySummed(user))
	})
	return l.isLate[n]
}

// wayTo returns which operands lead from a value, as a multiple, to a sum of scores over batch axes. The result is
// empty if the value is that sum, and nil if it is no multiple of one.
func (l *lateSums) wayTo(n *graph.Node) []int {
	if !l.onlySummed(n) {
		return nil
	}
	if sum := innerSum(n); sum != nil {
		x, axes := sum.In(0), sum.Op().Axes(sum)
		isRead := sum != n && len(l.users[sum.ID()]) > 1 || l.isRoot[sum]
		if !isRead && l.elements[x] && x.Region() == n.Region() && len(axes) > 0 && slices.Max(axes) < x.Rank()-2 {
			return []int{}
		}
		return nil
	}
	for i, x := range n.Operands() {
		if !isMultipleOf(n, i) || !x.Shape().Equal(n.Shape()) || x.Region() != n.Region() {
			continue
		}
		if way := l.wayTo(x); way != nil {
			return append([]int{i}, way...)
		}
	}
	return nil
}

// isMultipleOf reports whether an elementwise node is its operand i times something that does not depend on that
// operand.
func isMultipleOf(n *graph.Node, i int) bool {
	if n.Op().Class != graph.Elementwise || n.DType() != n.In(i).DType() || !n.DType().IsFloat() {
		return false
	}
	p := analysis.Examine(n)
	count := len(n.Operands())
	if len(p.Steps) != count+1 || int(p.Result) != count {
		return false
	}
	s := p.Steps[count]
	at := slices.Index(s.Args, graph.Value(i))
	if s.Kind != analysis.PrimStep || at < 0 || slices.Contains(s.Args[at+1:], graph.Value(i)) {
		return false
	}
	switch s.Prim {
	case graph.PrimMul, graph.PrimNeg:
		return true
	case graph.PrimDiv:
		return at == 0
	case graph.PrimSelect:
		return at > 0 && isNumber(n.In(int(s.Args[3-at])), 0)
	}
	return false
}

// multipleOf computes n, a multiple of an inner sum, as the same multiple of what the sum adds up. way leads from n to
// the sum.
func (l *lateSums) multipleOf(n, inner *graph.Node, way []int) *graph.Node {
	x := inner.In(0)
	if len(way) == 0 {
		return x
	}
	if known := l.multiples[n]; known != nil {
		return known
	}
	args := slices.Clone(n.Operands())
	for i, y := range args {
		switch {
		case i == way[0]:
			args[i] = l.multipleOf(y, inner, way[1:])
		case n.Rank() != x.Rank():
			args[i] = withFolded(y, n.Rank(), inner)
		}
	}
	l.multiples[n] = graph.Apply(n.Op(), n.Attrs(), args...)
	return l.multiples[n]
}

// withFolded inserts axes of size 1 into an operand that meets a sum of some rank, where the sum has folded axes.
func withFolded(y *graph.Node, rank int, sum *graph.Node) *graph.Node {
	axes := sum.Op().Axes(sum)
	if slices.Max(axes) < sum.In(0).Rank()-y.Rank() {
		return y // broadcasting inserts them
	}
	shape := append(slices.Repeat(graph.Shape{1}, rank-y.Rank()), y.Shape()...)
	for _, axis := range slices.Sorted(slices.Values(axes)) {
		shape = slices.Insert(shape, axis, 1)
	}
	return ops.Reshape(y, shape...)
}

// FoldedOver applies n's reduction to x, over the given axes.
func FoldedOver(n, x *graph.Node, axes []int, keepDims bool) *graph.Node {
	return graph.Apply(n.Op(), ops.ReduceAttrs{Axes: axes, KeepDims: keepDims}, x)
}
