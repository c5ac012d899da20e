package viz

import "slices"

// hangLoose puts what no edge joins to the rest of its scope, such as a count of batches, below the box of the rest
// with the least rank. Graphviz would put it at the top of the picture, and its scope would reach up to it.
func (c *composer) hangLoose() {
	groups := joinedUnits(c.units)
	if len(groups) < 2 {
		return
	}
	main := slices.MaxFunc(groups, func(a, b []*unit) int { return len(a) - len(b) })
	for _, group := range groups {
		around := c.frames[group[0]]
		for _, u := range group {
			around = commonFrames(around, c.frames[u])
		}
		if group[0] == main[0] {
			continue
		}
		above := c.uppermost(main, group[0].part, around)
		if above == nil {
			continue
		}
		for _, u := range group {
			u.rank += above.rank + 1
			if !slices.ContainsFunc(u.in, func(l link) bool { return !l.chip }) {
				c.d.hung = append(c.d.hung, hung{c.ids[above], c.ids[u], column(u.part, c.o) == 1})
			}
		}
	}
}

// uppermost returns the unit of the least rank in the innermost of frames that has one, or in the part; nil if there is
// none.
func (c *composer) uppermost(units []*unit, in part, frames []*frame) (top *unit) {
	depth := 0
	for _, u := range units {
		if u.part != in || u.isOutside() {
			continue
		}
		common := len(commonFrames(c.frames[u], frames))
		if top == nil || common > depth || common == depth && u.rank < top.rank {
			top, depth = u, common
		}
	}
	return top
}

// joinedUnits divides units into groups that edges join.
func joinedUnits(units []*unit) (groups [][]*unit) {
	leader := make(map[*unit]*unit, len(units))
	var find func(u *unit) *unit
	find = func(u *unit) *unit {
		if l := leader[u]; l != nil {
			leader[u] = find(l)
			return leader[u]
		}
		return u
	}
	for _, u := range units {
		for _, l := range u.in {
			if a, b := find(u), find(l.from); !l.chip && a != b {
				leader[a] = b
			}
		}
	}
	number := map[*unit]int{}
	for _, u := range units {
		first := find(u)
		at, known := number[first]
		if !known {
			at, number[first] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], u)
	}
	return groups
}
