package scoreaxes

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// axisRoles has the roles of the axes of scores and of values computed from them.
type axisRoles struct {
	roles  map[*graph.Node][]int // by axis of a value, -1 if its size is 1 or it has none; numbers may share a role
	same   []int                 // union-find: for each number another one of the same role; the least is its own
	groups []int                 // union-find: one number for all roles of scores that meet
	size   []graph.Dim           // of the axes that have a role

	parts  map[int][]int // of a role that is a product of others: these, in order; nil if axes are not split
	failed []int         // roles of axes that cannot be split as others require
}

func newAxisRoles() axisRoles { return axisRoles{roles: map[*graph.Node][]int{}} }

func (s *axisRoles) newRole(size graph.Dim) int {
	r := len(s.same)
	s.same, s.groups, s.size = append(s.same, r), append(s.groups, r), append(s.size, size)
	return r
}

// findRoles finds the roles of the axes of scores and of values computed from them, and returns the products.
func (s *axisRoles) findRoles(u *rewrite.Program) (products []*graph.Node) {
	written := analysis.WrittenMemory(u.Graph)
	for _, n := range u.Graph.Nodes() {
		if written[alias.Storage(n)] || slices.Contains(n.Shape(), 0) {
			continue
		}
		if roles := s.rolesOf(n); roles != nil {
			if s.roles[n] = roles; n.Op().Class == graph.Contract {
				products = append(products, n)
			}
		}
	}
	return products
}

// rolesOf returns the roles of a value's axes. It returns nil if the value is not computed from scores, or its axes
// have no roles.
func (s *axisRoles) rolesOf(n *graph.Node) []int {
	switch {
	case n.Op().Class == graph.Contract:
		if len(n.Operands()) != 2 || !scores.IsProduct(n) || slices.Contains(n.Shape()[n.Rank()-2:], 1) ||
			analysis.GroupingOf(n) != nil {
			return nil
		}
		roles := make([]int, n.Rank())
		for axis, d := range n.Shape() {
			if roles[axis] = -1; d != 1 {
				roles[axis] = s.newRole(d)
			}
		}
		for _, r := range roles {
			s.join(s.groups, roles[n.Rank()-1], r)
		}
		return roles
	case n.Op().Class == graph.Elementwise:
		return s.rolesOfElements(n)
	case n.Op().Class == graph.Reduce && len(n.Operands()) == 1:
		return s.rolesOfReduction(n)
	case n.Op().Class == graph.Movement && len(n.Operands()) == 1:
		if roles := s.rolesOfView(n); roles != nil || s.parts == nil {
			return roles
		}
		return s.rolesOfSplit(n)
	}
	return nil
}

// rolesOfElements unites the roles of operands' axes that meet.
func (s *axisRoles) rolesOfElements(n *graph.Node) []int {
	roles := slices.Repeat([]int{-1}, n.Rank())
	each := func(f func(axis, role int)) {
		for _, x := range n.Operands() {
			if x.Region() != n.Region() {
				continue
			}
			for axis, role := range s.roles[x] {
				if role >= 0 {
					f(n.Rank()-x.Rank()+axis, role)
				}
			}
		}
	}
	for i := range n.Operands() {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return nil
		}
	}
	each(func(axis, role int) { roles[axis] = role })
	for axis, d := range n.Shape() {
		if d != 1 && roles[axis] < 0 {
			return nil // it has an axis that scores lack
		}
	}
	if !slices.ContainsFunc(roles, func(r int) bool { return r >= 0 }) || analysis.DependsOnPosition(n) {
		return nil
	}
	each(func(axis, role int) { s.unite(roles[axis], role) })
	return roles
}

// rolesOfReduction leaves out the roles of folded axes.
func (s *axisRoles) rolesOfReduction(n *graph.Node) []int {
	x := n.In(0)
	if s.roles[x] == nil || n.Op().Axes == nil || analysis.Combiner(n.Op().Fold) == nil || x.DType() != n.DType() ||
		x.Region() != n.Region() {
		return nil
	}
	var roles []int
	for axis, role := range s.roles[x] {
		switch isFolded := slices.Contains(n.Op().Axes(n), axis); {
		case !isFolded:
			roles = append(roles, role)
		case n.Rank() == x.Rank():
			roles = append(roles, -1)
		}
	}
	if !slices.ContainsFunc(roles, func(r int) bool { return r >= 0 }) {
		return nil
	}
	return roles
}

// rolesOfView follows axes through a movement that only permutes axes, and inserts or drops axes of size 1.
func (s *axisRoles) rolesOfView(n *graph.Node) []int {
	x := n.In(0)
	if s.roles[x] == nil || x.Region() != n.Region() {
		return nil
	}
	view, ok := analysis.WholeView(n)
	if !ok {
		return nil
	}
	axes, ok := analysis.ShownAxes(view, x.Shape())
	if !ok {
		return nil
	}
	roles, found := slices.Repeat([]int{-1}, n.Rank()), 0
	for axis, at := range axes {
		switch {
		case at < 0 && view.Shape[axis] == 1:
		case at < 0 || slices.Contains(roles, s.roles[x][at]):
			return nil
		default:
			roles[axis] = s.roles[x][at]
			found++
		}
	}
	if found != countOf(s.roles[x]) {
		return nil
	}
	return roles
}

// find returns the representative of i.
func find(list []int, i int) int {
	for list[i] != i {
		i = list[i]
	}
	return i
}

// join unites two numbers; negative ones have no role.
func (s *axisRoles) join(list []int, i, k int) {
	if i >= 0 && k >= 0 {
		i, k = find(list, i), find(list, k)
		list[max(i, k)] = min(i, k)
	}
}

// of returns the group of a value that has roles.
func (s *arranger) of(n *graph.Node) *group {
	for _, role := range s.roles[n] {
		if role >= 0 {
			return s.groupOf[find(s.groups, role)]
		}
	}
	return nil
}

// isWhole reports whether a value has as many axes with roles as scores have.
func (s *arranger) isWhole(n *graph.Node) bool {
	return countOf(s.roles[n]) == s.of(n).axes
}

// countOf counts the axes that have a role.
func countOf(roles []int) (count int) {
	for _, role := range roles {
		if role >= 0 {
			count++
		}
	}
	return count
}

// findGroups lists the members of each group, and finds the keys: those rows or columns of products that are reduced
// first.
func (s *arranger) findGroups(u *rewrite.Program, products []*graph.Node) {
	isInner := make([]bool, len(s.same)) // roles of rows or columns
	for _, n := range products {
		last := s.roles[n][n.Rank()-1]
		g := s.groupOf[find(s.groups, last)]
		if g == nil {
			g = &group{rank: n.Rank(), key: -1}
			s.groupOf[find(s.groups, last)] = g
		}
		g.isBad = g.isBad || g.rank != n.Rank()
		g.axes = max(g.axes, countOf(s.roles[n]))
		g.products = append(g.products, n)
		for _, role := range s.roles[n][n.Rank()-2:] {
			isInner[find(s.same, role)] = true
		}
	}
	for _, n := range u.Graph.Nodes() {
		if s.roles[n] == nil {
			continue
		}
		g := s.of(n)
		g.members = append(g.members, n)
		if n.Op().Class != graph.Reduce || len(n.Op().Axes(n)) != 1 || g.key >= 0 {
			continue
		}
		if role := s.roles[n.In(0)][n.Op().Axes(n)[0]]; role >= 0 && isInner[find(s.same, role)] {
			g.key = find(s.same, role)
		}
	}
}
