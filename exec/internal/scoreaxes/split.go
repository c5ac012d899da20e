package scoreaxes

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// splitAxes has scores whose batch is one axis here and several there computed with several everywhere, as those of batches
// and heads, which layers for torch.bmm have in one axis but where a mask is added. What shows scores in another shape then
// shows them as they are, so that nothing keeps what is computed of them apart. Products that read them have matrices of
// the same batch.
func splitAxes(u *rewrite.Program) {
	s := &splitter{axisRoles: newAxisRoles(), moved: map[*graph.Node]*graph.Node{}}
	s.parts = map[int][]int{}
	s.products = s.findRoles(u)
	if s.isAnyUsed(u) {
		u.Rewrite(s.replace)
	}
}

// splitter knows of which axes those of scores are made.
type splitter struct {
	axisRoles
	isBad    map[int]bool  // groups that stay as they are
	isUsed   map[int]bool  // groups that have an axis of the batch that is split
	products []*graph.Node // of scores
	moved    map[*graph.Node]*graph.Node
}

// isAnyUsed finds the groups that are to be split.
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
			note(s.isBad, s.roles[n]) // what is given back lies as the program has it
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

// minBatchRows is the number of rows from which on their product is about as fast as that of several times as many.
const minBatchRows = 64

// canBeOfBatch reports whether rows or terms of a product can be of the batch, but for the last one of the axes of which they are
// made. Those of a layer cannot, which has one matrix of weights.
func (s *splitter) canBeOfBatch(n *graph.Node, atoms []int) bool {
	b := n.In(1)
	rows, known := s.size[atoms[len(atoms)-1]].Int()
	return len(n.Operands()) == 2 && (!known || rows >= minBatchRows) && b.Rank() > 2 && slices.ContainsFunc(b.Shape()[:b.Rank()-2], func(d graph.Dim) bool { return d != 1 })
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

// count is the number of axes that are larger than 1 when they are split.
func (s *splitter) count(n *graph.Node) (count int) {
	for _, r := range s.roles[n] {
		if r >= 0 {
			count += len(s.atoms(r))
		}
	}
	return count
}

// isSplitHere reports whether a value belongs to a group that is to be split.
func (s *splitter) isSplitHere(n *graph.Node) bool {
	return slices.ContainsFunc(s.roles[n], func(r int) bool { return s.isUsed[s.groupNumber(r)] })
}

// atomsOf lists the axes of which each axis of a value is made; one of size 1 is made of itself.
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

// splitShape is a shape whose axes are split as those of a value of these axes, with which it meets.
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

// reshaped shows a value, or what it shows, in another shape.
func reshaped(x *graph.Node, shape graph.Shape) *graph.Node {
	if analysis.IsReshape(x) && !x.Op().Waits {
		x = x.In(0)
	}
	return analysis.SkipIdentityViews(ops.Reshape(x, shape...))
}

// replace makes what takes a node's place.
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
			if args[i] = s.moved[x]; args[i] == nil || x.Region() != n.Region() {
				args[i] = reshaped(in[i], s.splitShape(in[i].Shape(), s.atomsOf(n)))
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

// product multiplies matrices of a batch, with rows that are split as the result's, and terms of which those of one row are split too.
// Of rows and terms the last axes stay what they are, and the others are of the batch; over those of terms is summed.
func (s *splitter) product(n *graph.Node, in []*graph.Node, atoms [][]int, terms []int) *graph.Node {
	rank := n.Rank()
	if in[0].Rank() < 2 || in[1].Rank() < 2 {
		return nil
	}
	batch, one := atoms[:rank-2], []int{-1}
	rows, sums := len(atoms[rank-2])-1, len(terms)-1 // that are of the batch
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

// reduction folds all axes of which those are made that are folded.
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
	return rewrite.FoldedOver(n, s.moved[n.In(0)], axes, n.Rank() == n.In(0).Rank())
}

// view exchanges axes, inserts and drops such of size 1.
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

// reader has a product that reads scores take its matrices in the batch of these; nil where it does already.
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
