package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

const (
	// maxCells bounds the cells in which elements are computed that read assembled values.
	maxCells = 9
	// manyElements is the size from which on storing a value costs more than starting some kernels.
	manyElements = 1 << 13
	// minCellRow is how long the rows of most elements must be: those of shorter ones are worked on one by one.
	minCellRow = 8
)

// AssembleLater computes elements of values that are put together, as Roll, Concat and Pad do, from the parts, and puts the results together:
// neighbours on a ring, or rows of which halves are exchanged, are then read where they lie, and results are stored in their places. What is computed
// is cut into cells, where any of the assembled values that are read begins another part.
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
	fixed  []bool       // by the numbers of values: results, and what is written
	cells  []answer     // by the numbers of values: whether cells can be computed of those of operands
	groups []*cellGroup // by the numbers of values: those that are computed, or read, in cells
	scores map[*graph.Node]bool
}

func newLaterAssembler(u *Program) *laterAssembler {
	nodes := u.Graph.Nodes()
	l := &laterAssembler{users: u.users(), fixed: make([]bool, len(nodes)), cells: make([]answer, len(nodes)), groups: make([]*cellGroup, len(nodes))}
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
				g := &cellGroup{assemblies: []*graph.Node{n}, cells: map[*graph.Node][]*graph.Node{}, shown: map[*graph.Node][]shownCell{}}
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
			continue // joined with another one
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

// set says to which group the values of one belong.
func (l *laterAssembler) set(g, to *cellGroup) {
	for _, n := range slices.Concat(g.assemblies, g.members) {
		l.groups[n.ID()] = to
	}
}

// join takes a value into a group, and with it the group that it belongs to already.
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

// isOpen reports whether only elements in the same region read a value, so that nobody needs all of it.
func (l *laterAssembler) isOpen(n *graph.Node) bool {
	users := l.users[n.ID()]
	return !l.fixed[n.ID()] && len(users) > 0 && !slices.ContainsFunc(users, func(user *graph.Node) bool { return user.Region() != n.Region() || !l.isCellwise(user) })
}

// answer is one to a question that many ask.
type answer uint8

const (
	notAsked answer = iota
	yes
	no
)

// isCellwise reports whether each cell of a value can be computed from those of its operands.
func (l *laterAssembler) isCellwise(n *graph.Node) bool {
	a := &l.cells[n.ID()]
	if *a == notAsked {
		*a = yes
		if n.Op().Class != graph.Elementwise || n.Op().Waits || len(n.Operands()) == 0 || analysis.CanFail(n) || analysis.DependsOnPosition(n) || hasUndecided(n) {
			*a = no
		}
	}
	return *a == yes
}

// hasUndecided reports whether only the sizes of a run decide how an operand is broadcast.
func hasUndecided(n *graph.Node) bool {
	for i := range n.Operands() {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return true
		}
	}
	return false
}

// takeOperands adds values that only elements of the group read, so that they are computed together with these.
func (l *laterAssembler) takeOperands(g *cellGroup) {
	for i := 0; i < len(g.members); i++ {
		for _, x := range g.members[i].Operands() {
			if l.groups[x.ID()] == nil && l.isCellwise(x) && l.isOpen(x) && !slices.ContainsFunc(l.users[x.ID()], func(user *graph.Node) bool { return l.groups[user.ID()] != g }) {
				l.join(g, x)
			}
		}
	}
}

// pays reports whether it costs less to compute cells than to store assembled values: of the elements that are stored and read again, more are saved than
// there are of values that had been used while they were computed, by reductions or by what writes them in place.
func (l *laterAssembler) pays(g *cellGroup) bool {
	copies, saved, largest := 1, int64(0), int64(0)
	for _, n := range g.assemblies {
		copies += len(n.Operands())
		saved += l.savedBy(n)
		largest = max(largest, usualElements(n.Shape()))
	}
	isInstant := func(user *graph.Node) bool { return user.Op().Class == graph.Reduce || user.Op().Class == graph.Update }
	isStored := func(user *graph.Node) bool { return !isInstant(user) && !l.isCellwise(user) }
	for _, n := range g.members {
		if l.scores[n] {
			return false // rows of them are computed one after the other, and never stored
		}
		if users := l.users[n.ID()]; !l.fixed[n.ID()] && slices.ContainsFunc(users, isInstant) && !slices.ContainsFunc(users, isStored) {
			saved -= 2 * usualElements(n.Shape())
		}
	}
	return saved > 0 && (g.numCells() <= copies || largest >= manyElements) && g.hasLongRows()
}

// savedBy counts the elements that are not stored, or not copied, if an assembled value need not be put together.
func (l *laterAssembler) savedBy(n *graph.Node) int64 {
	saved := usualElements(n.Shape())
	for _, x := range n.Operands() {
		switch size := usualElements(x.Shape()); {
		case !l.isCellwise(x) || len(l.users[x.ID()]) > 1:
			saved += size // a copy of what is stored elsewhere
		case len(x.Operands()) == 1 && alias.IsView(x.In(0)):
			saved -= size // a copy in another order, which is stored here or there
		}
	}
	return saved
}

// usualElements is the number of elements of a shape, with usual sizes.
func usualElements(shape graph.Shape) int64 {
	elements := int64(1)
	for _, d := range shape {
		elements *= usual(d)
	}
	return elements
}

// replace computes the cells of a value, and puts them together for those who read all of it.
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
		return nil // nobody reads it
	}
	return insertSlices(n, 0, false, list)
}
