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

// Arrange brings the axes of scores into the order that chains of kernels want: those of the batch, queries, keys. Programs
// also write them with the keys before the queries, or with the heads last. What is computed of such scores element by
// element, with its reductions, is computed with the axes moved; products with scores are made so, of factors whose axes
// are moved, and those that read them see their own order through a view. So no element is copied.
//
// An axis has a role: axes of two values that meet element by element have the same one. The keys' is that over which
// scores are reduced first. Sums over keys are added up in the order of the last axis then.
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
	slots   []int // of each number of a role: the axis that it shall be
	moved   map[*graph.Node]*graph.Node
}

// group is scores that meet, with what is computed of them.
type group struct {
	rank, axes    int // of products, and the most that are larger than 1
	products      []*graph.Node
	members       []*graph.Node
	key           int // the role of keys, -1 while it is not known
	isBad, isUsed bool
}

// newArranger finds scores whose axes are to be moved; nil if there are none.
func newArranger(u *rewrite.Program) *arranger {
	s := &arranger{axisRoles: newAxisRoles(), groupOf: map[int]*group{}, moved: map[*graph.Node]*graph.Node{}}
	isRoot := map[*graph.Node]bool{}
	for _, n := range u.Roots {
		isRoot[alias.Storage(n)] = true
	}
	products := s.findRoles(u)
	if len(s.roles) == len(products) {
		return nil // nothing is computed of scores
	}
	s.findGroups(u, products)
	for n := range s.roles {
		if g := s.of(n); isRoot[n] && s.isWhole(n) {
			g.isBad = true // what is given back lies as the program has it
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

// order says which axis each role shall be, and whether something is to be moved at all.
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
	// The batch has the order that it has where elements are computed.
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
		next++ // axes of size 1 are of the batch
	}
	g.isUsed = !g.isBad && s.isMoved(g)
}

// minKeys is the number of keys from which on it pays to have them in the last axis where all that is in the way is that
// they come before the queries: of less, many columns are reduced at once faster than short rows are one by one.
const minKeys = 128

// isMoved reports whether the axes of some member do not stand where they shall, and all of them can.
func (s *arranger) isMoved(g *group) bool {
	isMixed, isExchanged := false, false
	for _, n := range g.members {
		slots := slices.DeleteFunc(s.slotsOf(n), func(slot int) bool { return slot < 0 })
		for i, slot := range slots {
			switch {
			case slices.Contains(slots[:i], slot):
				return false
			case i == 0 || slot > slots[i-1] || n.Op().Class == graph.Movement: // as products that sum over queries read scores
			case slots[i-1] == g.rank-1 && slot == g.rank-2:
				isExchanged = true
			default:
				isMixed = true
			}
		}
		if len(slots) < countOf(s.roles[n]) {
			return false // of some role it is not known where its axis shall stand
		}
	}
	return isMixed || isExchanged && !slices.ContainsFunc(g.products, func(n *graph.Node) bool {
		keys, known := n.Shape()[slices.IndexFunc(s.slotsOf(n), func(slot int) bool { return slot == g.rank-1 })].Int()
		return !rewrite.IsLargeMatrix(n) || known && keys < minKeys
	})
}

// slotsOf returns the axis that each axis of a value shall be, -1 for those of size 1.
func (s *arranger) slotsOf(n *graph.Node) []int {
	slots := slices.Clone(s.roles[n])
	for axis, role := range slots {
		if role >= 0 {
			slots[axis] = s.slots[find(s.same, role)]
		}
	}
	return slots
}

// replace makes what takes a node's place.
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
				return nil // over axes of size 1
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

// movedProduct makes a product whose axes are those that they shall be.
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

// batchOrder gives axes of the batch that have no place, because their size is 1, what places are left. It is nil where
// the places are no order.
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

// permuted is [ops.Permute], or what that shows as it is.
func permuted(x *graph.Node, perm []int) *graph.Node {
	if slices.IsSorted(perm) {
		return x
	}
	return analysis.SkipIdentityViews(ops.Permute(x, perm...))
}

// movedAxes shows a value with its axes at the given places among as many as scores have.
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

// seenAs shows a value with moved axes in another shape, whose axes are at the given places in the moved one.
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

// reader has a product that reads scores take the matrices of the batch in the order in which scores have them; nil
// where it does already.
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
			factors[i] = permuted(ops.Reshape(y, append(slices.Repeat(graph.Shape{1}, rank-y.Rank()), y.Shape()...)...), perm)
		}
		back := make([]int, rank)
		for i, axis := range perm {
			back[axis] = i
		}
		return ops.Permute(graph.Apply(n.Op(), n.Attrs(), factors...), back...)
	}
	return nil
}
