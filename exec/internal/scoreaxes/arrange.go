package scoreaxes

import (
	"cmp"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Arrange permutes the axes of scores into the order that chains of kernels need: batch, queries, keys. Programs also
// have the keys before the queries, or the heads last. Elementwise operations on scores and their reductions are then
// computed with permuted axes. Products that compute scores get factors with permuted axes. Products that read scores
// see the original order through a view. So no element is copied.
//
// Axes have roles: axes of two values that meet elementwise have the same one. The role of keys is the one over which
// scores are reduced first. Sums over keys are then added up in the order of the last axis.
func Arrange(u *rewrite.Program) error {
	if !u.HasScores() {
		return nil
	}
	scoresFirst(u)
	splitAxes(u)
	if s := newArranger(u); s != nil {
		u.Rewrite(s.replace)
	}
	layOutBiases(u)
	return nil
}

// arranger knows the roles of axes.
type arranger struct {
	axisRoles
	groupOf map[int]*group
	slots   []int // by role: the new axis
	moved   map[*graph.Node]*graph.Node
}

// group is scores that meet, with the values computed from them.
type group struct {
	rank, axes    int // of products, and the most axes larger than 1
	products      []*graph.Node
	members       []*graph.Node
	key           int // the role of keys, -1 while unknown
	isBad, isUsed bool
}

// newArranger finds scores with axes to permute; nil if there are none.
func newArranger(u *rewrite.Program) *arranger {
	s := &arranger{axisRoles: newAxisRoles(), groupOf: map[int]*group{}, moved: map[*graph.Node]*graph.Node{}}
	isRoot := map[*graph.Node]bool{}
	for _, n := range u.Roots {
		isRoot[alias.Storage(n)] = true
	}
	products := s.findRoles(u)
	if len(s.roles) == len(products) {
		return nil // no value is computed from scores
	}
	s.findGroups(u, products)
	for n := range s.roles {
		if g := s.of(n); isRoot[n] && s.isWhole(n) {
			g.isBad = true // outputs keep the program's order
		}
	}
	any := false
	for _, g := range s.groupOf {
		s.order(g)
		any = any || g.isUsed
	}
	if !any {
		return nil
	}
	return s
}

// order decides which axis each role becomes, and whether anything moves.
func (s *arranger) order(g *group) {
	if s.slots == nil {
		s.slots = slices.Repeat([]int{-1}, len(s.same))
	}
	if g.isBad || len(g.members) == len(g.products) {
		return
	}
	put := func(role, slot int) {
		if role = find(s.same, role); s.slots[role] < 0 {
			s.slots[role] = slot
		} else {
			g.isBad = g.isBad || s.slots[role] != slot
		}
	}
	for _, n := range g.products {
		rows, cols := s.roles[n][g.rank-2], s.roles[n][g.rank-1]
		if find(s.same, rows) == g.key {
			rows, cols = cols, rows
		}
		put(rows, g.rank-2)
		put(cols, g.rank-1)
	}
	// The batch keeps its order in elementwise operations.
	first := slices.IndexFunc(g.members, func(n *graph.Node) bool {
		return n.Op().Class == graph.Elementwise && n.Rank() == g.rank && s.isWhole(n)
	})
	if first < 0 {
		return
	}
	next := 0
	for _, role := range s.roles[g.members[first]] {
		if isPlaced := role >= 0 && s.slots[find(s.same, role)] >= 0; isPlaced {
			continue
		}
		if role >= 0 {
			put(role, next)
		}
		next++ // the batch has axes of size 1
	}
	g.isUsed = !g.isBad && s.isMoved(g)
}

// minKeys is the number of keys that makes it worth making keys the last axis, if the only obstacle is that they come
// before the queries. With fewer keys, reducing many columns at once is faster than reducing short rows one by one.
const minKeys = 128

// isMoved reports whether some member has axes in the wrong order, and all can be permuted.
func (s *arranger) isMoved(g *group) bool {
	isMixed, isExchanged := false, false
	for _, n := range g.members {
		slots := slices.DeleteFunc(s.slotsOf(n), func(slot int) bool { return slot < 0 })
		for i, slot := range slots {
			switch {
			case slices.Contains(slots[:i], slot):
				return false
			case i == 0 || slot > slots[i-1] || n.Op().Class == graph.Movement: // for products that sum over queries
			case slots[i-1] == g.rank-1 && slot == g.rank-2:
				isExchanged = true
			default:
				isMixed = true
			}
		}
		if len(slots) < countOf(s.roles[n]) {
			return false // the new axis of some role is unknown
		}
	}
	return isMixed || isExchanged && !slices.ContainsFunc(g.products, func(n *graph.Node) bool {
		keys, known := n.Shape()[slices.IndexFunc(s.slotsOf(n), func(slot int) bool { return slot == g.rank-1 })].Int()
		return !rewrite.IsLargeMatrix(n) || known && keys < minKeys
	})
}

// slotsOf returns the new axis of each axis of a value, -1 for those of size 1.
func (s *arranger) slotsOf(n *graph.Node) []int {
	slots := slices.Clone(s.roles[n])
	for axis, role := range slots {
		if role >= 0 {
			slots[axis] = s.slots[find(s.same, role)]
		}
	}
	return slots
}

// replace makes a node's replacement.
func (s *arranger) replace(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if s.roles[n] == nil {
		if n.Op().Class == graph.Contract && len(in) == 2 {
			return s.reader(n, in)
		}
		return nil
	}
	g := s.of(n)
	if !g.isUsed {
		return nil
	}
	slots := s.slotsOf(n)
	var m *graph.Node
	switch n.Op().Class {
	case graph.Contract:
		m = movedProduct(n, in, slots)
	case graph.Elementwise:
		args := make([]*graph.Node, len(in))
		for i, x := range n.Operands() {
			if args[i] = s.moved[x]; args[i] == nil || x.Region() != n.Region() {
				args[i] = movedAxes(in[i], slots[n.Rank()-x.Rank():], g.rank)
			}
		}
		m = graph.Apply(n.Op(), n.Attrs(), args...)
	case graph.Reduce:
		if m = s.moved[n.In(0)]; m != nil {
			var axes []int
			of := s.slotsOf(n.In(0))
			for _, axis := range n.Op().Axes(n) {
				if of[axis] >= 0 {
					axes = append(axes, of[axis])
				}
			}
			if axes == nil {
				return nil // it folds axes of size 1
			}
			m = rewrite.FoldedOver(n, m, axes, true)
		}
	case graph.Movement:
		m = s.moved[n.In(0)]
	}
	if m == nil || m.Err() != nil || !m.Judged() || m.Rank() != g.rank {
		return nil
	}
	s.moved[n] = m
	return seenAs(m, n.Shape(), slots)
}

// movedProduct makes a product with permuted axes.
func movedProduct(n *graph.Node, in []*graph.Node, slots []int) *graph.Node {
	rank := n.Rank()
	batch := batchOrder(slots[:rank-2])
	if batch == nil {
		return nil
	}
	isExchanged := slots[rank-2] == rank-1
	moved := func(x *graph.Node) *graph.Node {
		x = ops.Reshape(x, append(slices.Repeat(graph.Shape{1}, rank-x.Rank()), x.Shape()...)...)
		perm := make([]int, rank)
		for axis, slot := range batch {
			perm[slot] = axis
		}
		perm[rank-2], perm[rank-1] = rank-2, rank-1
		if isExchanged {
			perm[rank-2], perm[rank-1] = rank-1, rank-2
		}
		return permuted(x, perm)
	}
	a, b := moved(in[0]), moved(in[1])
	if isExchanged {
		a, b = b, a
	}
	return graph.Apply(n.Op(), n.Attrs(), a, b)
}

// batchOrder gives axes of the batch without a slot, because their size is 1, the slots that are left. It returns nil
// if the slots are no permutation.
func batchOrder(slots []int) []int {
	batch, free := slices.Clone(slots), 0
	for i := range batch {
		if batch[i] < 0 {
			for slices.Contains(batch, free) {
				free++
			}
			batch[i] = free
		}
	}
	for i := range batch {
		if !slices.Contains(batch, i) {
			return nil
		}
	}
	return batch
}

// permuted is [ops.Permute] without identity views.
func permuted(x *graph.Node, perm []int) *graph.Node {
	if slices.IsSorted(perm) {
		return x
	}
	return analysis.SkipIdentityViews(ops.Permute(x, perm...))
}

// movedAxes shows a value with its axes in the given slots, among as many axes as scores have.
func movedAxes(x *graph.Node, slots []int, rank int) *graph.Node {
	if x.Rank() == 0 {
		return x
	}
	var order []int
	kept, whole := graph.Shape{}, slices.Repeat(graph.Shape{1}, rank)
	for axis, d := range x.Shape() {
		if d != 1 {
			order, kept = append(order, slots[axis]), append(kept, d)
			whole[slots[axis]] = d
		}
	}
	perm := make([]int, len(order))
	for i := range perm {
		perm[i] = i
	}
	slices.SortFunc(perm, func(i, k int) int { return cmp.Compare(order[i], order[k]) })
	y := x
	if !slices.IsSorted(perm) {
		y = ops.Permute(ops.Reshape(y, kept...), perm...)
	}
	return analysis.SkipIdentityViews(ops.Reshape(y, whole...))
}

// seenAs undoes movedAxes: it shows a value with moved axes in its original shape. slots are the slots of its axes.
func seenAs(m *graph.Node, shape graph.Shape, slots []int) *graph.Node {
	perm := make([]int, 0, m.Rank())
	for _, slot := range slots {
		if slot >= 0 {
			perm = append(perm, slot)
		}
	}
	for slot := range m.Rank() {
		if !slices.Contains(perm, slot) {
			perm = append(perm, slot)
		}
	}
	y := m
	if !slices.IsSorted(perm) {
		y = ops.Permute(y, perm...)
	}
	return analysis.SkipIdentityViews(ops.Reshape(y, shape...))
}

// reader makes a product that reads scores take the matrices of the batch in the order of the scores. It returns nil if
// the product already does.
func (s *arranger) reader(n *graph.Node, in []*graph.Node) *graph.Node {
	rank := n.Rank()
	for _, x := range n.Operands() {
		if s.roles[x] == nil || x.Rank() != rank || rank < 4 || !s.of(x).isUsed || x.Region() != n.Region() {
			continue
		}
		batch := batchOrder(s.slotsOf(x)[:rank-2])
		if batch == nil || slices.IsSorted(batch) {
			continue
		}
		perm := make([]int, rank)
		for i := range perm {
			perm[i] = i
		}
		for axis, slot := range batch {
			perm[slot] = axis
		}
		factors := make([]*graph.Node, 2)
		for i, y := range in {
			if y.Rank() < 2 {
				return nil
			}
			factors[i] = permuted(ops.Reshape(y, append(slices.Repeat(graph.Shape{1}, rank-y.Rank()), y.Shape()...)...),
				perm)
		}
		back := make([]int, rank)
		for i, axis := range perm {
			back[axis] = i
		}
		return ops.Permute(graph.Apply(n.Op(), n.Attrs(), factors...), back...)
	}
	return nil
}
