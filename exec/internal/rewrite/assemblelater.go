package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

const (
	// maxCells is the most cells into which elementwise operations on assembled values are split.
	maxCells = 9
	// manyElements is the size from which storing a value costs more than starting a few kernels.
	manyElements = 1 << 13
	// minCellRow is the length that the rows of most elements must have. Elements of shorter rows are computed one at a
	// time.
	minCellRow = 8
)

// AssembleLater moves elementwise operations before assembly by Roll, Concat or Pad: it computes the parts and
// assembles the results. So neighbours on a ring, or the exchanged halves of rows, are read in place, and results are
// stored in place. The iteration space is split into cells, at each position where a part of any of the assembled
// operands begins.
func AssembleLater(u *Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), isAssembly) {
		return nil
	}
	l := newLaterAssembler(u)
	if !l.finds() {
		return nil
	}
	u.Rewrite(l.replace)
	if err := DCE(u); err != nil {
		return err
	}
	return JoinAssemblies(u)
}

// laterAssembler knows which values are computed in cells.
type laterAssembler struct {
	users  [][]*graph.Node
	fixed  []bool       // by node ID: results, and written values
	cells  []answer     // by node ID: whether cells can be computed from cells of operands
	groups []*cellGroup // by node ID: those that are computed, or read, in cells
	scores map[*graph.Node]bool
}

func newLaterAssembler(u *Program) *laterAssembler {
	nodes := u.Graph.Nodes()
	l := &laterAssembler{users: u.users(), fixed: make([]bool, len(nodes)), cells: make([]answer, len(nodes)),
		groups: make([]*cellGroup, len(nodes))}
	for _, n := range u.Roots {
		l.fixed[n.ID()] = true
	}
	for n := range analysis.WrittenMemory(u.Graph) {
		l.fixed[n.ID()] = true
	}
	var found []*cellGroup
	for _, n := range nodes {
		if isAssembly(n) {
			if l.isOpen(n) {
				g := &cellGroup{assemblies: []*graph.Node{n}, cells: map[*graph.Node][]*graph.Node{},
					shown: map[*graph.Node][]shownCell{}}
				l.groups[n.ID()], found = g, append(found, g)
			}
			continue
		}
		for _, x := range n.Operands() {
			if g := l.groups[x.ID()]; g != nil && l.isOpen(x) && l.isCellwise(n) {
				l.join(g, n)
			}
		}
	}
	if len(found) > 0 && u.HasScores() {
		l.scores = ScoresOf(u)
	}
	for _, g := range found {
		if l.groups[g.assemblies[0].ID()] != g {
			continue // merged into another one
		}
		if l.takeOperands(g); !g.cut() || !l.pays(g) {
			l.set(g, nil)
		}
	}
	return l
}

// finds reports whether anything is computed in cells.
func (l *laterAssembler) finds() bool {
	return slices.ContainsFunc(l.groups, func(g *cellGroup) bool { return g != nil })
}

// set moves the values of one group to another.
func (l *laterAssembler) set(g, to *cellGroup) {
	for _, n := range slices.Concat(g.assemblies, g.members) {
		l.groups[n.ID()] = to
	}
}

// join adds a value to a group. If the value belongs to another group, the two are merged.
func (l *laterAssembler) join(g *cellGroup, n *graph.Node) {
	switch other := l.groups[n.ID()]; other {
	case g:
	case nil:
		l.groups[n.ID()], g.members = g, append(g.members, n)
	default:
		l.set(g, other)
		other.assemblies, other.members = append(other.assemblies, g.assemblies...), append(other.members, g.members...)
	}
}

// isOpen reports whether only elementwise operations in the same region read a value, so that nothing needs it whole.
func (l *laterAssembler) isOpen(n *graph.Node) bool {
	users := l.users[n.ID()]
	return !l.fixed[n.ID()] && len(users) > 0 &&
		!slices.ContainsFunc(users, func(user *graph.Node) bool {
			return user.Region() != n.Region() || !l.isCellwise(user)
		})
}

// answer is a cached answer.
type answer uint8

const (
	notAsked answer = iota
	yes
	no
)

// isCellwise reports whether each cell of a value can be computed from the same cell of its operands.
func (l *laterAssembler) isCellwise(n *graph.Node) bool {
	a := &l.cells[n.ID()]
	if *a == notAsked {
		*a = yes
		if n.Op().Class != graph.Elementwise || n.Op().Waits || len(n.Operands()) == 0 || analysis.CanFail(n) ||
			analysis.DependsOnPosition(n) || hasUndecided(n) {
			*a = no
		}
	}
	return *a == yes
}

// hasUndecided reports whether it depends on sizes at run time how an operand is broadcast.
func hasUndecided(n *graph.Node) bool {
	for i := range n.Operands() {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return true
		}
	}
	return false
}

// takeOperands adds values that only members of the group read, so that they are computed together.
func (l *laterAssembler) takeOperands(g *cellGroup) {
	for i := 0; i < len(g.members); i++ {
		for _, x := range g.members[i].Operands() {
			if l.groups[x.ID()] == nil && l.isCellwise(x) && l.isOpen(x) &&
				!slices.ContainsFunc(l.users[x.ID()], func(user *graph.Node) bool { return l.groups[user.ID()] != g }) {
				l.join(g, x)
			}
		}
	}
}

// pays reports whether computing cells costs less than storing assembled values. Elements that are no longer stored and
// read again must outnumber those that can no longer be consumed as they are computed, by a reduction or an in-place
// write.
func (l *laterAssembler) pays(g *cellGroup) bool {
	copies, saved, largest := 1, int64(0), int64(0)
	for _, n := range g.assemblies {
		copies += len(n.Operands())
		saved += l.savedBy(n)
		largest = max(largest, usualElements(n.Shape()))
	}
	isInstant := func(user *graph.Node) bool {
		return user.Op().Class == graph.Reduce || user.Op().Class == graph.Update
	}
	isStored := func(user *graph.Node) bool { return !isInstant(user) && !l.isCellwise(user) }
	for _, n := range g.members {
		if l.scores[n] {
			return false // scores are computed row by row, and never stored
		}
		if users := l.users[n.ID()]; !l.fixed[n.ID()] && slices.ContainsFunc(users, isInstant) &&
			!slices.ContainsFunc(users, isStored) {
			saved -= 2 * usualElements(n.Shape())
		}
	}
	return saved > 0 && (g.numCells() <= copies || largest >= manyElements) && g.hasLongRows()
}

// savedBy counts the elements that need not be stored or copied if a value is not assembled.
func (l *laterAssembler) savedBy(n *graph.Node) int64 {
	saved := usualElements(n.Shape())
	for _, x := range n.Operands() {
		switch size := usualElements(x.Shape()); {
		case !l.isCellwise(x) || len(l.users[x.ID()]) > 1:
			saved += size // a copy of a value that is stored anyway
		case len(x.Operands()) == 1 && alias.IsView(x.In(0)):
			saved -= size // a copy in another order, which is stored in any case
		}
	}
	return saved
}

// usualElements returns the number of elements of a shape, assuming usual sizes for unknown ones.
func usualElements(shape graph.Shape) int64 {
	elements := int64(1)
	for _, d := range shape {
		elements *= usual(d)
	}
	return elements
}

// replace computes the cells of a value. It assembles them if a user needs the whole value.
func (l *laterAssembler) replace(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	g := l.groups[n.ID()]
	if g == nil || isAssembly(n) {
		return nil
	}
	var list []slice
	for _, c := range g.grid(n) {
		args := make([]*graph.Node, len(in))
		for i, x := range n.Operands() {
			args[i] = l.operand(g, x, in[i])[g.number(x, c, n.Rank())]
		}
		m := graph.Apply(n.Op(), n.Attrs(), args...)
		if !isPartOf(m, n, c.shape) {
			return nil
		}
		list = append(list, slice{x: m, start: c.start, step: c.step})
	}
	for _, s := range list {
		g.cells[n] = append(g.cells[n], s.x)
	}
	switch {
	case len(list) == 1:
		return list[0].x
	case l.isOpen(n):
		return nil // no user needs the whole value
	}
	return insertSlices(n, 0, false, list)
}
