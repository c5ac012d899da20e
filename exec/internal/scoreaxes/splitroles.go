package scoreaxes

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// rolesOfSplit follows axes through a reshape that merges some and splits others.
func (s *axisRoles) rolesOfSplit(n *graph.Node) []int {
	x := n.In(0)
	if s.roles[x] == nil || x.Region() != n.Region() || !analysis.IsReshape(n) || n.Op().Waits {
		return nil
	}
	roles := slices.Repeat([]int{-1}, n.Rank())
	var of, own []int
	for axis, r := range s.roles[x] {
		if r >= 0 {
			of = append(of, r)
		} else if x.Shape()[axis] != 1 {
			return nil
		}
	}
	for axis, d := range n.Shape() {
		if d != 1 {
			roles[axis] = s.newRole(d)
			own = append(own, roles[axis])
		}
	}
	if len(of) == 0 || !s.match(of, own) {
		return nil
	}
	return roles
}

// match equates two lists of roles, whose axes have the same elements in row-major order. It reports whether that is
// possible.
func (s *axisRoles) match(a, b []int) bool {
	ends := [2][]int{a, b}
	var parts [2][]int // of the roles at the ends, last one first
	var left [2]graph.Dim
	take := func(side, part int) { // the rest of a role is used up
		end := len(ends[side]) - 1
		if r := ends[side][end]; len(parts[side]) > 0 {
			all := append(parts[side], part)
			slices.Reverse(all)
			s.setParts(r, all)
		} else {
			s.unite(r, part)
		}
		ends[side], parts[side] = ends[side][:end], nil
	}
	whole := func(side int) int { return ends[side][len(ends[side])-1] }
	for len(ends[0]) > 0 && len(ends[1]) > 0 {
		for side := range ends {
			if len(parts[side]) == 0 {
				left[side] = s.size[whole(side)]
			}
		}
		short := 0
		rest := graph.Dim(1)
		if left[0] != left[1] {
			var ok bool
			if rest, ok = left[1].ExactDiv(left[0]); !ok {
				short = 1
				if rest, ok = left[0].ExactDiv(left[1]); !ok {
					return false
				}
			}
		}
		part := whole(short)
		if len(parts[short]) > 0 {
			if part = whole(1 - short); rest != 1 || len(parts[1-short]) > 0 {
				part = s.newRole(left[short])
			}
		}
		take(short, part)
		if rest == 1 {
			take(1-short, part)
		} else {
			parts[1-short], left[1-short] = append(parts[1-short], part), rest
		}
	}
	return len(ends[0]) == 0 && len(ends[1]) == 0
}

// setParts records the roles of which a role is a product.
func (s *axisRoles) setParts(r int, parts []int) {
	for _, p := range parts {
		s.join(s.groups, r, p)
	}
	switch r = find(s.same, r); {
	case s.parts[r] == nil:
		s.parts[r] = parts
	case !s.match(s.parts[r], parts):
		s.failed = append(s.failed, r)
	}
}

// unite makes two roles one.
func (s *axisRoles) unite(i, k int) {
	if i < 0 || k < 0 {
		return
	}
	i, k = find(s.same, i), find(s.same, k)
	first, other := s.parts[i], s.parts[k]
	s.join(s.groups, i, k)
	if i == k {
		return
	}
	s.join(s.same, i, k)
	delete(s.parts, i)
	delete(s.parts, k)
	for _, parts := range [][]int{first, other} {
		if parts != nil {
			s.setParts(i, parts)
		}
	}
}

// atoms lists the roles of which a role is finally a product; one that is not split is its own.
func (s *axisRoles) atoms(r int) (list []int) {
	if r < 0 {
		return []int{r}
	}
	r = find(s.same, r)
	if s.parts[r] == nil {
		return []int{r}
	}
	for _, p := range s.parts[r] {
		list = append(list, s.atoms(p)...)
	}
	return list
}

// groupNumber returns the same number for all roles of scores that meet; -1 for none.
func (s *axisRoles) groupNumber(r int) int {
	if r < 0 {
		return -1
	}
	return find(s.groups, r)
}
