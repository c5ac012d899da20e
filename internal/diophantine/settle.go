package diophantine

import "slices"

// maxRounds bounds how often bounds are propagated, since they may creep forever.
const maxRounds = 12

// settle draws conclusions until there are no new ones. It returns false on a contradiction.
func settle(st *state) bool {
	for range maxRounds {
		changed := false
		for _, step := range []func(*state, *bool) bool{solve, tighten, pairUp, decide} {
			if !st.spend(1) {
				return true
			}
			if !step(st, &changed) {
				return false
			}
		}
		if !changed {
			break
		}
	}
	return true
}

// solve solves equations for unknowns and substitutes them.
func solve(st *state, changed *bool) bool {
	for i := 0; i < len(st.eq); {
		if !st.spend(1) {
			return true
		}
		p := st.eq[i]
		g := p.content()
		switch {
		case p.lost:
			st.eq = slices.Delete(st.eq, i, i+1)
			continue
		case g == 0 && p.constant() != 0, g != 0 && p.constant()%g != 0:
			return false
		case g == 0:
			st.eq = slices.Delete(st.eq, i, i+1)
			continue
		}
		p = st.withoutFactor(p.divide(g))
		if s := st.spanOf(p); s.lo > 0 || s.hi < 0 {
			return false
		}
		if st.eq[i] = p; slices.ContainsFunc(st.eq[:i], p.isUpToSign) {
			st.eq = slices.Delete(st.eq, i, i+1)
			continue
		}
		if x, by, ok := st.solveFor(p); ok {
			st.eq = slices.Delete(st.eq, i, i+1)
			st.substitute(x, by)
			*changed, i = true, 0
			continue
		}
		if x, by, ok := st.euclid(p); ok {
			st.substitute(x, by)
			*changed, i = true, 0
			continue
		}
		i++
	}
	return true
}

// withoutFactor divides an equation by unknowns that occur in every term and are not 0.
func (st *state) withoutFactor(p Poly) Poly {
	for _, x := range p.unknowns() {
		if st.lo[x] <= 0 && st.hi[x] >= 0 {
			continue
		}
		for p.hasFactor(x) {
			p, _ = p.split(x)
		}
	}
	return p
}

// withoutSign divides p of p >= 0 by factors that are positive, or must be because a product of two factors is: x·r >=
// 1 and x >= 0 imply x >= 1 and r >= 1.
func (st *state) withoutSign(p Poly, changed *bool) Poly {
	least := -p.constant()
	if p.isLinear() || least < 0 || least > 1 {
		return p
	}
	of := Poly{terms: p.withoutConstant()}
	for _, x := range of.unknowns() {
		if st.lo[x] < 1-least || !of.hasFactor(x) {
			continue
		}
		if st.lo[x] < 1 {
			st.lo[x], *changed = 1, true
		}
		for !of.isLinear() && of.hasFactor(x) {
			of, _ = of.split(x)
		}
	}
	return of.Minus(Const(least))
}

// solveFor finds an unknown that occurs once in p, alone and with the coefficient 1 or -1.
func (st *state) solveFor(p Poly) (x Unknown, by Poly, ok bool) {
	for _, t := range p.terms {
		if len(t.of) != 1 || t.coef != 1 && t.coef != -1 {
			continue
		}
		x = t.of[0]
		if _, rest := p.split(x); len(rest.terms) == len(p.terms)-1 {
			return x, rest.Scale(-t.coef), true
		}
	}
	return 0, Poly{}, false
}

// euclid replaces an unknown so that the coefficients of a linear equation become smaller. With a the least of them and
// p = a·x + Σ b·y + c, the new unknown is x + Σ round(b/a)·y + round(c/a).
func (st *state) euclid(p Poly) (x Unknown, by Poly, ok bool) {
	if !p.isLinear() || len(p.withoutConstant()) < 2 {
		return 0, Poly{}, false
	}
	least := slices.MinFunc(p.withoutConstant(), func(a, b term) int {
		return int(min(max(int64(magnitude(a.coef))-int64(magnitude(b.coef)), -1), 1))
	})
	a, x := least.coef, least.of[0]
	by = Of(st.unknown(-infinite))
	for _, t := range p.terms {
		if len(t.of) == 1 && t.of[0] == x {
			continue
		}
		q := nearest(t.coef, a)
		by = by.Minus(Poly{terms: []term{{1, t.of}}}.Scale(q))
	}
	return x, by, !by.lost
}

// nearest returns the integer nearest to b/a.
func nearest(b, a int64) int64 {
	if a < 0 {
		a, b = -a, -b
	}
	return floorDiv(2*b+a, 2*a)
}

// tighten derives bounds of unknowns from each constraint.
func tighten(st *state, changed *bool) bool {
	kept := st.ge[:0]
	for _, p := range st.ge {
		if p.lost {
			continue
		}
		if g := p.content(); g > 1 {
			p = p.divide(g)
		}
		p = st.withoutSign(p, changed)
		s := st.spanOf(p)
		if s.hi < 0 {
			return false
		}
		if s.lo < 0 {
			kept = append(kept, p)
		}
	}
	st.ge = kept
	for _, p := range st.ge {
		if !bound(st, p, changed) {
			return false
		}
	}
	for _, p := range st.eq {
		if !bound(st, p, changed) || !bound(st, p.Scale(-1), changed) {
			return false
		}
	}
	for x := range st.lo {
		if st.lo[x] > st.hi[x] {
			return false
		}
		if st.lo[x] == st.hi[x] && !st.isGone[x] {
			st.substitute(Unknown(x), Const(st.lo[x]))
			*changed = true
		}
	}
	return true
}

// bound derives bounds of each unknown from p >= 0: p = a·x + b implies a·x >= -b.
func bound(st *state, p Poly, changed *bool) bool {
	nonlinear := !p.isLinear()
	if nonlinear {
		p = st.fromLeast(p)
	}
	if p.lost {
		return true
	}
	unknowns := p.unknowns()
	found := make([]span, len(unknowns))
	for i, x := range unknowns {
		if !st.spend(1 + len(p.terms)/4) {
			return true
		}
		a, b := p.split(x)
		found[i] = quotient(st.sum(a, nonlinear), st.sum(b, nonlinear))
	}
	for i, x := range unknowns {
		if lo := st.lo[x]; nonlinear && lo > -infinite {
			found[i] = found[i].plus(span{lo, lo})
		}
		if nonlinear {
			found[i] = found[i].near()
		}
		lo, hi := max(st.lo[x], found[i].lo), min(st.hi[x], found[i].hi)
		if lo != st.lo[x] || hi != st.hi[x] {
			st.lo[x], st.hi[x] = lo, hi
			*changed = true
		}
		if lo > hi {
			return false
		}
	}
	return true
}

// quotient bounds the x with a·x >= -b.
func quotient(a, b span) span {
	x := span{-infinite, infinite}
	switch {
	case b.hi >= infinite:
	case a.lo > 0 && b.hi < 0: // x >= -b/a >= -hi(b)/hi(a)
		x.lo = 1
		if a.hi < infinite {
			x.lo = ceilDiv(-b.hi, a.hi)
		}
	case a.lo > 0: // x >= -b/a >= -hi(b)/lo(a)
		x.lo = ceilDiv(-b.hi, a.lo)
	case a.hi < 0 && b.hi >= 0: // x <= b/|a| <= hi(b)/lo(|a|)
		x.hi = floorDiv(b.hi, -a.hi)
	case a.hi < 0: // x <= b/|a| < 0
		x.hi = -1
		if a.lo > -infinite {
			x.hi = floorDiv(b.hi, -a.lo)
		}
	}
	return x
}

// pairUp compares inequalities that are opposite, or differ only by their constants. Of the latter the strongest stays;
// opposite ones may form an equation.
func pairUp(st *state, changed *bool) bool {
	for i := 0; i < len(st.ge); i++ {
		for j := i + 1; j < len(st.ge); j++ {
			p, q := st.ge[i], st.ge[j]
			a, b := p.withoutConstant(), q.withoutConstant()
			switch {
			case len(a) != len(b):
			case equalTerms(a, b, 1):
				if q.constant() < p.constant() {
					st.ge[i] = q
				}
				st.ge = slices.Delete(st.ge, j, j+1)
				j--
			case equalTerms(a, b, -1):
				if sum := p.constant() + q.constant(); sum < 0 {
					return false
				} else if sum == 0 {
					st.eq = append(st.eq, p)
					st.ge = slices.Delete(slices.Delete(st.ge, j, j+1), i, i+1)
					*changed = true
					i--
					j = len(st.ge)
				}
			}
		}
	}
	st.spend(len(st.ge) * len(st.ge) / 16)
	return true
}

// decide drops alternatives that cannot hold, and lists one of whose alternatives certainly holds.
func decide(st *state, changed *bool) bool {
	kept := make([][][]Constraint, 0, len(st.cases))
	for _, alternatives := range st.cases {
		var possible [][]Constraint
		holds := false
		for _, all := range alternatives {
			if !st.spend(len(all)) {
				return true
			}
			switch st.judge(all) {
			case yes:
				holds = true
			case perhaps:
				possible = append(possible, all)
			}
		}
		switch {
		case holds:
			*changed = true
		case len(possible) == 0:
			return false
		case len(possible) == 1:
			st.assert(possible[0])
			*changed = true
		default:
			kept = append(kept, possible)
		}
	}
	st.cases = kept
	return true
}

type answer int

const (
	perhaps answer = iota
	yes
	no
)

// judge says whether constraints hold together, judging each one separately.
func (st *state) judge(all []Constraint) answer {
	result := yes
	for _, c := range all {
		if c.zero && slices.ContainsFunc(st.eq, c.poly.isUpToSign) {
			continue
		}
		s := st.spanOf(c.poly)
		if g := c.poly.content(); c.zero && (s.lo > 0 || s.hi < 0 || g > 1 && c.poly.constant()%g != 0) || s.hi < 0 {
			return no
		}
		if c.poly.lost || c.zero && !(s.lo == 0 && s.hi == 0) || s.lo < 0 {
			result = perhaps
		}
	}
	return result
}
