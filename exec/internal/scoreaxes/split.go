package scoreaxes

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// splitAxes splits the batch of scores everywhere if it is one axis in some places and several in others. Such are
// batches and heads: layers for torch.bmm have them as one axis, except when they add a mask. Reshapes of scores then
// become identities and no longer keep kernels apart. Products that read scores get the same batch.
func splitAxes(u *rewrite.Program) {
	s := &splitter{axisRoles: newAxisRoles(), moved: map[*graph.Node]*graph.Node{}}
	s.parts = map[int][]int{}
	s.products = s.findRoles(u)
	if s.isAnyUsed(u) {
		u.Rewrite(s.replace)
	}
}

// splitter knows into which axes the axes of scores are split.
type splitter struct {
	axisRoles
	isBad    map[int]bool  // groups that stay as they are
	isUsed   map[int]bool  // groups with a batch axis to split
	products []*graph.Node // that compute scores
	moved    map[*graph.Node]*graph.Node
}

// isAnyUsed finds the groups to split, and reports whether there are any.
func (s *splitter) isAnyUsed(u *rewrite.Program) bool {
	s.isBad, s.isUsed = map[int]bool{}, map[int]bool{}
	note := func(list map[int]bool, roles []int) {
		for _, r := range roles {
			list[s.groupNumber(r)] = true
		}
	}
	for _, n := range u.Graph.Nodes() {
		if n.Op().Class != graph.Contract {
			continue
		}
		for i, x := range append(slices.Clone(n.Operands()), n) {
			roles := s.roles[x]
			if len(roles) < 2 {
				continue
			}
			for at, r := range roles {
				atoms, isColumn := s.atoms(r), at == len(roles)-1 && i > 0
				switch isInner := at >= len(roles)-2; {
				case len(atoms) == 1:
				case isInner && (isColumn || !s.canBeOfBatch(n, atoms)):
					note(s.isBad, roles)
				default:
					note(s.isUsed, roles)
				}
			}
		}
	}
	for _, x := range u.Roots {
		if n := alias.Storage(x); s.roles[n] != nil && s.isWhole(n) {
			note(s.isBad, s.roles[n]) // outputs keep the program's shape
		}
	}
	for _, r := range s.failed {
		s.isBad[s.groupNumber(r)] = true
	}
	delete(s.isUsed, -1)
	for g := range s.isUsed {
		if s.isBad[g] {
			delete(s.isUsed, g)
		}
	}
	return len(s.isUsed) > 0
}

// minBatchRows is the number of rows from which a product is about as fast as one of several times as many rows.
const minBatchRows = 64

// canBeOfBatch reports whether rows or terms of a product can become axes of the batch, except the last one of those
// into which they are split. Those of a layer with a single matrix of weights cannot.
func (s *splitter) canBeOfBatch(n *graph.Node, atoms []int) bool {
	b := n.In(1)
	rows, known := s.size[atoms[len(atoms)-1]].Int()
	return len(n.Operands()) == 2 && (!known || rows >= minBatchRows) && b.Rank() > 2 &&
		slices.ContainsFunc(b.Shape()[:b.Rank()-2], func(d graph.Dim) bool { return d != 1 })
}

// isWhole reports whether a value has all axes of scores.
func (s *splitter) isWhole(n *graph.Node) bool {
	group, most := -1, 0
	for _, r := range s.roles[n] {
		group = max(group, s.groupNumber(r))
	}
	for _, p := range s.products {
		if s.groupNumber(s.roles[p][p.Rank()-1]) == group {
			most = max(most, s.count(p))
		}
	}
	return s.count(n) >= most
}

// count returns the number of axes larger than 1, after the split.
func (s *splitter) count(n *graph.Node) (count int) {
	for _, r := range s.roles[n] {
		if r >= 0 {
			count += len(s.atoms(r))
		}
	}
	return count
}

// isSplitHere reports whether a value belongs to a group to split.
func (s *splitter) isSplitHere(n *graph.Node) bool {
	return slices.ContainsFunc(s.roles[n], func(r int) bool { return s.isUsed[s.groupNumber(r)] })
}

// atomsOf returns for each axis of a value the axes into which it is split; an axis of size 1 stays itself.
func (s *splitter) atomsOf(n *graph.Node) [][]int {
	list := make([][]int, n.Rank())
	for axis, r := range s.roles[n] {
		list[axis] = s.atoms(r)
	}
	return list
}

// sizesOf returns the sizes of axes.
func (s *splitter) sizesOf(atoms []int) graph.Shape {
	sizes := make(graph.Shape, len(atoms))
	for i, r := range atoms {
		if sizes[i] = 1; r >= 0 {
			sizes[i] = s.size[r]
		}
	}
	return sizes
}

// splitShape splits a shape like the axes of a value with which it is broadcast.
func (s *splitter) splitShape(shape graph.Shape, atoms [][]int) (split graph.Shape) {
	for axis, d := range shape {
		switch of := atoms[len(atoms)-len(shape)+axis]; {
		case len(of) == 1:
			split = append(split, d)
		case d == 1:
			split = append(split, slices.Repeat(graph.Shape{1}, len(of))...)
		default:
			split = append(split, s.sizesOf(of)...)
		}
	}
	return split
}

// reshaped reshapes a value. If the value is itself a reshape, it skips that.
func reshaped(x *graph.Node, shape graph.Shape) *graph.Node {
	if analysis.IsReshape(x) && !x.Op().Waits {
		x = x.In(0)
	}
	return analysis.SkipIdentityViews(ops.Reshape(x, shape...))
}

// replace makes a node's replacement.
func (s *splitter) replace(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	var m *graph.Node
	switch {
	case !s.isSplitHere(n):
		if n.Op().Class == graph.Contract && len(in) == 2 {
			return s.reader(n, in)
		}
		return nil
	case n.Op().Class == graph.Contract:
		m = s.product(n, in, s.atomsOf(n), []int{-1})
	case n.Op().Class == graph.Elementwise:
		args := make([]*graph.Node, len(in))
		for i, x := range n.Operands() {
			shape := s.splitShape(in[i].Shape(), s.atomsOf(n))
			if args[i] = s.moved[x]; args[i] == nil || x.Region() != n.Region() || !args[i].Shape().Equal(shape) {
				args[i] = reshaped(in[i], shape)
			}
		}
		m = graph.Apply(n.Op(), n.Attrs(), args...)
	case s.moved[n.In(0)] == nil:
		return nil
	case n.Op().Class == graph.Reduce:
		m = s.reduction(n)
	default:
		m = s.view(n)
	}
	if m == nil || m.Err() != nil || !m.Judged() {
		return nil
	}
	s.moved[n] = m
	return analysis.SkipIdentityViews(ops.Reshape(m, n.Shape()...))
}

// product multiplies batches of matrices. Its rows are split as those of the result, and its terms as given. The last
// axis of each stays; the others join the batch, and the product is then summed over those of terms.
func (s *splitter) product(n *graph.Node, in []*graph.Node, atoms [][]int, terms []int) *graph.Node {
	rank := n.Rank()
	if in[0].Rank() < 2 || in[1].Rank() < 2 {
		return nil
	}
	batch, one := atoms[:rank-2], []int{-1}
	rows, sums := len(atoms[rank-2])-1, len(terms)-1 // those that join the batch
	shape := s.splitShape(in[0].Shape(), append(slices.Clone(batch), atoms[rank-2], terms))
	a := reshaped(in[0], shape)
	if first := len(shape) - rows - sums - 2; sums > 0 {
		perm := make([]int, 0, len(shape))
		add := func(from, to int) {
			for axis := from; axis < to; axis++ {
				perm = append(perm, axis)
			}
		}
		add(0, first)
		add(first+rows+1, first+rows+1+sums)
		add(first, first+rows+1)
		add(len(shape)-1, len(shape))
		a = permuted(a, perm)
	}
	shape = s.splitShape(in[1].Shape(), append(slices.Clone(batch), terms, one))
	b := reshaped(in[1], slices.Insert(shape, len(shape)-2, slices.Repeat(graph.Shape{1}, rows)...))
	m := graph.Apply(n.Op(), n.Attrs(), a, b)
	if sums > 0 && m.Err() == nil && m.Judged() {
		var axes []ops.Axis
		for i := range sums {
			axes = append(axes, ops.Axis(m.Rank()-2-rows-sums+i))
		}
		m = ops.Sum(m, axes...)
	}
	return m
}

// reduction folds all axes into which folded axes are split. A folded axis that stays, of size 1, is one again.
func (s *splitter) reduction(n *graph.Node) *graph.Node {
	axes, at := []int{}, 0
	for axis, atoms := range s.atomsOf(n.In(0)) {
		for range atoms {
			if slices.Contains(n.Op().Axes(n), axis) {
				axes = append(axes, at)
			}
			at++
		}
	}
	m := rewrite.FoldedOver(n, s.moved[n.In(0)], axes, n.Rank() == n.In(0).Rank())
	if m == nil || m.Err() != nil || !m.Judged() {
		return nil
	}
	return analysis.SkipIdentityViews(ops.Reshape(m, s.sizesOf(slices.Concat(s.atomsOf(n)...))...))
}

// view permutes axes, and inserts or drops axes of size 1.
func (s *splitter) view(n *graph.Node) *graph.Node {
	x, y := slices.Concat(s.atomsOf(n.In(0))...), slices.Concat(s.atomsOf(n)...)
	moved := s.moved[n.In(0)]
	perm := make([]int, 0, len(x))
	for _, r := range y {
		if r < 0 {
			continue
		}
		at := slices.IndexFunc(x, func(of int) bool { return of == r })
		if at < 0 || slices.Contains(perm, at) {
			return nil
		}
		perm = append(perm, at)
	}
	for at, r := range x {
		switch {
		case r < 0:
			perm = append(perm, at)
		case !slices.Contains(perm, at):
			return nil
		}
	}
	return analysis.SkipIdentityViews(ops.Reshape(permuted(moved, perm), s.sizesOf(y)...))
}

// reader gives a product that reads scores their batch; nil if it already has it.
func (s *splitter) reader(n *graph.Node, in []*graph.Node) *graph.Node {
	rank := n.Rank()
	atoms, terms := slices.Repeat([][]int{{-1}}, rank), []int{-1}
	isSplit := false
	for i, x := range n.Operands() {
		if !s.isSplitHere(x) || x.Region() != n.Region() || x.Rank() < 2 {
			continue
		}
		for at, of := range s.atomsOf(x) {
			isSplit = isSplit || len(of) > 1
			switch axis := at - x.Rank(); {
			case len(of) == 1:
			case axis == -1 && i == 0 || axis == -2 && i == 1:
				terms = of
			default:
				atoms[rank+axis] = of
			}
		}
	}
	if !isSplit {
		return nil
	}
	m := s.product(n, in, atoms, terms)
	if m == nil || m.Err() != nil || !m.Judged() {
		return nil
	}
	return analysis.SkipIdentityViews(ops.Reshape(m, n.Shape()...))
}
