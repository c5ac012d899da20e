package viz

// fanOut is the number of edges past which a value is printed inside its other users.
const fanOut = 12

// decideChips chooses the links that are printed inside their users instead of being
// drawn as edges: those between columns, those that would run against the direction of
// the picture, long ones, and those of values with very many users.
func decideChips(units []*unit, o *options) {
	ordered := inOrder(units)
	for _, u := range ordered {
		for i := range u.in {
			l := &u.in[i]
			l.chip = l.from.pos > u.pos || column(l.from.part, o) != column(u.part, o)
		}
	}
	setRanks(ordered)
	edges := make(map[*unit]int, len(units))
	for _, u := range ordered {
		for i := range u.in {
			l := &u.in[i]
			if !l.chip && o.longEdges > 0 {
				l.chip = u.rank-l.from.rank > o.longEdges || edges[l.from] >= fanOut
			}
			if !l.chip {
				edges[l.from]++
			} else if !l.from.isCard() {
				l.via.from.shown = true
			}
		}
	}
}

// column returns the direction in which a part is drawn: 0 with the program, 1 against it.
func column(p part, o *options) int {
	if p == forward || o.gradient != Beside {
		return 0
	}
	return 1
}

// setRanks gives each unit the row in which it will be drawn, roughly: below all its operands, and what only feeds one
// place right above that place, also if it is computed of parameters that others read.
func setRanks(ordered []*unit) {
	outs := make(map[*unit]int, len(ordered))
	branch := make(map[*unit]bool, len(ordered))
	for _, u := range ordered {
		u.rank = 0
		branch[u] = true
		for _, l := range u.in {
			if !l.chip {
				u.rank = max(u.rank, l.from.rank+1)
				outs[l.from]++
			}
		}
	}
	for _, u := range ordered {
		for _, l := range u.in {
			branch[u] = branch[u] && (l.chip || branch[l.from] && (outs[l.from] == 1 || l.from.isParam()))
		}
	}
	const far = 1 << 30
	next := make(map[*unit]int, len(ordered))
	for i := len(ordered) - 1; i >= 0; i-- {
		u := ordered[i]
		if n, read := next[u]; read && branch[u] {
			u.rank = max(u.rank, n-1)
		}
		for _, l := range u.in {
			if !l.chip {
				if _, read := next[l.from]; !read {
					next[l.from] = far
				}
				next[l.from] = min(next[l.from], u.rank)
			}
		}
	}
}
