package diophantine

// infinite is the absence of a bound. No number of a polynomial reaches it.
const infinite = int64(1) << 62

// span is a range of values; -infinite and infinite mean no bound.
type span struct{ lo, hi int64 }

// far is a bound from which products of unknowns that count from it would soon overflow.
const far = int64(1) << 20

// near returns a without bounds that are far. Bounds of a product may creep away, squared each round.
func (a span) near() span {
	if a.lo > far {
		a.lo = -infinite
	}
	if a.hi < -far {
		a.hi = infinite
	}
	return a
}

// plus adds bounds. A finite sum that is too large becomes the largest finite bound, which holds as well.
func (a span) plus(b span) span {
	s := span{-infinite, infinite}
	if a.lo > -infinite && b.lo > -infinite {
		s.lo = min(a.lo+b.lo, infinite-1) // each less than 2^62: the sum does not overflow
		s.lo = max(s.lo, -infinite)
	}
	if a.hi < infinite && b.hi < infinite {
		s.hi = max(a.hi+b.hi, -infinite+1)
		s.hi = min(s.hi, infinite)
	}
	return s
}

// times multiplies bounds.
func (a span) times(b span) span {
	p, q, r, s := boundProduct(a.lo, b.lo), boundProduct(a.lo, b.hi), boundProduct(a.hi, b.lo), boundProduct(a.hi, b.hi)
	lo, hi := min(p, q, r, s), max(p, q, r, s)
	return span{min(lo, infinite-1), max(hi, -infinite+1)}
}

// boundProduct multiplies, with 0 times infinite as 0, which is right for bounds.
func boundProduct(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if c, ok := mulInt(a, b); ok {
		return c
	}
	if (a < 0) != (b < 0) {
		return -infinite
	}
	return infinite
}

// spanOf returns bounds on the values of p. Unknowns count from their least values before products are bounded, so that
// x·y - x is found to be at least 0 if x ≥ 0 and y ≥ 1.
func (st *state) spanOf(p Poly) span {
	if p.lost {
		return span{-infinite, infinite}
	}
	st.spend(1 + len(p.terms)/4)
	a := st.sum(p, false)
	if p.isLinear() {
		return a
	}
	shifted := st.fromLeast(p)
	if shifted.lost {
		return a
	}
	b := st.sum(shifted, true)
	return span{max(a.lo, b.lo), min(a.hi, b.hi)}
}

// fromLeast writes p with unknowns that count from their least values.
func (st *state) fromLeast(p Poly) Poly {
	for _, x := range p.unknowns() {
		if lo := st.lo[x]; lo != 0 && lo > -infinite {
			p = st.replace(p, x, Of(x).Plus(Const(lo)))
		}
	}
	return p
}

// replace substitutes in one polynomial.
func (st *state) replace(p Poly, x Unknown, by Poly) Poly {
	cost := 1
	for _, t := range p.terms {
		products := 1
		for _, y := range t.of {
			if y == x {
				products *= max(len(by.terms), 1)
			}
		}
		cost += 4 * (products - 1)
	}
	if !st.spend(cost + len(p.terms)) {
		return Lost() // nothing is concluded any more
	}
	return p.substitute(x, by)
}

// sum adds the bounds of the terms; fromLeast says that unknowns count from their least values.
func (st *state) sum(p Poly, fromLeast bool) span {
	var total span
	for _, t := range p.terms {
		s := span{t.coef, t.coef}
		for i := 0; i < len(t.of); {
			x, power := t.of[i], 0
			for ; i < len(t.of) && t.of[i] == x; i++ {
				power++
			}
			s = s.times(st.power(x, power, fromLeast))
		}
		total = total.plus(s)
	}
	return total
}

// power bounds a power of an unknown; an even one is not negative.
func (st *state) power(x Unknown, power int, fromLeast bool) span {
	base := span{st.lo[x], st.hi[x]}
	if fromLeast && base.lo > -infinite {
		if base.hi < infinite {
			base.hi -= base.lo
			base.hi = min(base.hi, infinite)
		}
		base.lo = 0
	}
	s := base
	for range power - 1 {
		s = s.times(base)
	}
	if power%2 == 0 {
		s.lo = max(s.lo, 0)
	}
	return s
}
