package diophantine

import "slices"

// The limits of a search.
const (
	maxDepth   = 14
	maxEndless = 4  // splits of an unknown without a greatest value, one within another
	maxRange   = 24 // numbers of a range that are tried one by one
)

// refute reports whether a case has no solution.
func refute(st *state, depth int) bool {
	if !settle(st) {
		return true
	}
	if !st.spend(0) {
		return false
	}
	if combine(st) {
		return true
	}
	cases, endless := st.split()
	if len(cases) == 0 || depth >= maxDepth {
		return false
	}
	for _, all := range cases {
		if !st.spend(len(st.lo) + len(st.eq) + len(st.ge)) {
			return false
		}
		one := st.clone()
		one.assert(all)
		if endless {
			one.endless++
		}
		if !refute(&one, depth+1) {
			return false
		}
	}
	return true
}

// split chooses what to try one by one: the shortest list of alternatives; else the numbers of a small range; else the
// remainders of a division; else an unknown that occurs in a product, as its least value or more.
func (st *state) split() (cases [][]Constraint, endless bool) {
	if len(st.cases) > 0 {
		fewest := 0
		for i, c := range st.cases {
			if len(c) < len(st.cases[fewest]) {
				fewest = i
			}
		}
		cases = st.cases[fewest]
		st.cases = slices.Delete(slices.Clone(st.cases), fewest, fewest+1)
		return cases, false
	}
	if cases = st.smallRange(); len(cases) > 0 {
		return cases, false
	}
	if cases = st.remainder(); len(cases) > 0 {
		return cases, false
	}
	if st.endless < maxEndless {
		return st.leastOrMore(), true
	}
	return nil, false
}

// smallRange returns the values of the unknown that has the fewest.
func (st *state) smallRange() (cases [][]Constraint) {
	least, at := int64(maxRange), Unknown(-1)
	for _, p := range slices.Concat(st.eq, st.ge) {
		for _, x := range p.unknowns() {
			if st.lo[x] > -infinite && st.hi[x] < infinite && st.hi[x]-st.lo[x] < least {
				least, at = st.hi[x]-st.lo[x], x
			}
		}
	}
	if at < 0 {
		return nil
	}
	for v := st.lo[at]; v <= st.hi[at]; v++ {
		cases = append(cases, []Constraint{Zero(Of(at).Minus(Const(v)))})
	}
	return cases
}

// remainder returns the remainders of the first division that has more than one possible.
func (st *state) remainder() [][]Constraint {
	for i, alternatives := range st.remainders {
		var possible [][]Constraint
		for _, all := range alternatives {
			if st.judge(all) != no {
				possible = append(possible, all)
			}
		}
		if len(possible) != 1 || st.judge(possible[0]) != yes {
			st.remainders = slices.Clone(st.remainders[i+1:])
			return possible
		}
	}
	return nil
}

// leastOrMore returns two cases: a factor of a product has its least value, or a greater one.
func (st *state) leastOrMore() [][]Constraint {
	x, found := st.boundedFactor()
	if !found {
		return nil
	}
	above := Of(x).Minus(Const(st.lo[x]))
	return [][]Constraint{{Zero(above)}, {NotNegative(above.Minus(Const(1)))}}
}

// boundedFactor returns the first unknown of a product of unknowns that has a least value.
func (st *state) boundedFactor() (x Unknown, found bool) {
	for _, p := range slices.Concat(st.eq, st.ge) {
		for _, t := range p.terms {
			if len(t.of) < 2 {
				continue
			}
			for _, x := range t.of {
				if st.lo[x] > -infinite {
					return x, true
				}
			}
		}
	}
	return 0, false
}
