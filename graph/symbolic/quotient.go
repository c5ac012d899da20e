package symbolic

import "slices"

// exactly marks the quotient p/q of a division that leaves no remainder.
const exactly = -4

// DividedBy returns the size d/e of a division without remainder: times e it is d again, and common factors cancel.
// For values of the names for which e does not divide d, the size has no value, and binding fails; an operation that
// divides must first require that e divides d. [Dim.FloorDivBy] rounds down instead.
func (d Dim) DividedBy(e Dim) Dim {
	switch {
	case d == Unknown || e == Unknown:
		return Unknown
	case e == 0 || !d.Valid() || !e.Valid():
		return Invalid
	}
	if known, ok := memoized.get(opQuotient, d, e); ok {
		return known
	}
	result := d.dividedBy(e)
	memoized.put(opQuotient, d, e, result)
	return result
}

func (d Dim) dividedBy(e Dim) Dim {
	if q, exact := d.ExactDiv(e); exact {
		return q
	}
	n, m := oneFraction(d, e)
	n, m = lowestTerms(n, m)
	if k, whole := m.Int(); whole && k < 0 {
		n, m = n.Times(-1), m.Times(-1)
	}
	if m == 1 || !n.Valid() || !m.Valid() {
		return n
	}
	if n.IsConst() && m.IsConst() {
		return Invalid
	}
	p, _ := n.poly()
	q, _ := m.poly()
	if len(q) == 1 {
		if whole, rest := p.wholePart(q[0]); len(whole) > 0 {
			return whole.intern().Plus(rest.intern().DividedBy(m))
		}
	}
	if c := p.content(); c > 1 && m.IsConst() { // which has no factor in common with m
		return Dim(c).Times(n.FloorDiv(c).DividedBy(m))
	}
	return atomDim(atom{p: n, q: m, k: exactly})
}

// wholePart splits p into the terms that a term divides, divided by it, and what is left. The
// coefficients of a rest lie in 0..k-1, if the divisor is the number k.
func (p polynomial) wholePart(by term) (whole, rest polynomial) {
	for _, t := range p {
		if q, divides := divideTerm(t, by); divides {
			whole = append(whole, q)
			continue
		}
		if len(by.atoms) == 0 {
			if q := floorDiv(t.coef, by.coef); q != 0 {
				whole = append(whole, term{q, t.atoms})
				t.coef -= q * by.coef
			}
		}
		rest = append(rest, t)
	}
	return whole, rest
}

// asOneQuotient returns n and k with p = n/k, for a p of one quotient by a number and other terms.
func (p polynomial) asOneQuotient() (n, k Dim, ok bool) {
	for _, t := range p {
		if len(t.atoms) != 1 || t.coef != 1 || !t.atoms[0].isQuotient() || !t.atoms[0].q.IsConst() || len(p) < 2 {
			continue
		}
		a := t.atoms[0]
		with, rest := p.splitBy(a)
		if len(with) == 1 && !rest.hasQuotient() {
			return rest.intern().Times(a.q).Plus(a.p), a.q, true
		}
	}
	return 0, 0, false
}

// content returns the greatest common divisor of the coefficients.
func (p polynomial) content() (c int64) {
	for _, t := range p {
		c = gcd(c, t.coef)
	}
	return c
}

// oneFraction returns n and m with n/m = d/e, of which neither has a quotient as a factor of a term.
func oneFraction(d, e Dim) (n, m Dim) {
	n, by := d.fraction()
	m, of := e.fraction()
	return n.Times(of), m.Times(by)
}

// fraction returns n and m with d = n/m, without quotients: m is 1 where d has none.
func (d Dim) fraction() (n, m Dim) {
	p, _ := d.poly()
	if !p.hasQuotient() {
		return d, 1
	}
	n, m = 0, 1
	for _, t := range p {
		of, by := t.fraction()
		own, others := lowestTerms(m, by) // of what both are divided by
		n, m = n.Times(others).Plus(of.Times(own)), m.Times(others)
	}
	return n, m
}

func (t term) fraction() (n, m Dim) {
	n, m = Dim(t.coef), 1
	for _, a := range t.atoms {
		if a.isQuotient() {
			of, by := oneFraction(a.p, a.q)
			n, m = n.Times(of), m.Times(by)
		} else {
			n = n.Times(a.dim())
		}
	}
	return n, m
}

// takeQuotient takes a quotient out of a product.
func (d Dim) takeQuotient() (rest Dim, quotient atom) {
	if p, _ := d.poly(); len(p) == 1 {
		if at := slices.IndexFunc(p[0].atoms, atom.isQuotient); at >= 0 {
			left := term{p[0].coef, slices.Delete(slices.Clone(p[0].atoms), at, at+1)}
			return polynomial{left}.intern(), p[0].atoms[at]
		}
	}
	return d, atom{}
}

func (a atom) isQuotient() bool { return a.k == exactly }

// hasQuotient reports whether some factor of p is a quotient.
func (p polynomial) hasQuotient() bool {
	return slices.ContainsFunc(p, func(t term) bool { return slices.ContainsFunc(t.atoms, atom.isQuotient) })
}

// lowestTerms cancels factors that numerator and denominator have in common.
func lowestTerms(n, m Dim) (Dim, Dim) {
	for _, f := range m.factors() {
		n, m = cancelFactor(n, m, f)
	}
	n, m = cancelFactor(n, m, n)
	p, _ := n.poly()
	q, _ := m.poly()
	if common := p.common(q); common.coef > 1 || len(common.atoms) > 0 {
		n, m = p.over(common).intern(), q.over(common).intern()
	}
	return n, m
}

// cancelFactor divides n and m by a sum that divides both.
func cancelFactor(n, m, f Dim) (Dim, Dim) {
	if p, _ := f.poly(); len(p) < 2 {
		return n, m
	}
	a, divides := n.ExactDiv(f)
	b, too := m.ExactDiv(f)
	if !divides || !too {
		return n, m
	}
	return a, b
}

// common returns the greatest term that divides all terms of p and q.
func (p polynomial) common(q polynomial) (c term) {
	if len(p) == 0 || len(q) == 0 {
		return term{coef: 1}
	}
	c.atoms = q[0].atoms
	for _, t := range slices.Concat(p, q) {
		c.coef = gcd(c.coef, t.coef)
		left := slices.Clone(t.atoms)
		c.atoms = slices.DeleteFunc(slices.Clone(c.atoms), func(a atom) bool {
			at := slices.Index(left, a)
			if at >= 0 {
				left = slices.Delete(left, at, at+1)
			}
			return at < 0
		})
	}
	return c
}

// over divides p by a term that divides all of its terms.
func (p polynomial) over(by term) (q polynomial) {
	for _, t := range p {
		t, _ = divideTerm(t, by)
		q = append(q, t)
	}
	return q
}

// cancelled returns the size of a normal form in which quotients are multiplied by what they
// may be divided by: k·(n/(k·m)) is n/m. Of c·(n/k), with a number k, c lies in 0..k-1.
func (p polynomial) cancelled() Dim {
	for i, t := range p {
		for at, a := range t.atoms {
			if !a.isQuotient() || at > 0 && a == t.atoms[at-1] {
				continue
			}
			left := term{t.coef, slices.Delete(slices.Clone(t.atoms), at, at+1)}
			if is, less := a.times(polynomial{left}); less {
				return slices.Delete(slices.Clone(p), i, i+1).intern().Plus(is)
			}
		}
	}
	for _, t := range p {
		for _, a := range t.atoms {
			if with, without := p.splitBy(a); a.isQuotient() && len(with) > 1 {
				if is, less := a.times(with); less {
					return without.intern().Plus(is)
				}
			}
		}
	}
	return p.intern()
}

// splitBy writes p as with·a + without.
func (p polynomial) splitBy(a atom) (with, without polynomial) {
	for _, t := range p {
		if at := slices.Index(t.atoms, a); at >= 0 {
			with = append(with, term{t.coef, slices.Delete(slices.Clone(t.atoms), at, at+1)})
		} else {
			without = append(without, t)
		}
	}
	return with, without
}

// times multiplies a quotient by p; less reports whether something cancels.
func (a atom) times(p polynomial) (product Dim, less bool) {
	n, m := lowestTerms(p.intern(), a.q)
	if m != a.q {
		return n.Times(a.p.DividedBy(m)), true
	}
	if rest, b := n.takeQuotient(); b.isQuotient() { // (p/q)·(q·r/s) is p·r/s
		if x, y := lowestTerms(b.p, a.q); y != a.q {
			return rest.Times(a.p.Times(x).DividedBy(y.Times(b.q))), true
		}
	}
	k, whole := m.Int()
	if !whole || len(p) > 1 || p[0].coef > 0 && p[0].coef < k {
		return Invalid, false
	}
	over := floorDiv(p[0].coef, k)
	once, rest := polynomial{{over, p[0].atoms}}, polynomial{{p[0].coef - over*k, p[0].atoms}}
	return once.intern().Times(a.p).Plus(rest.intern().Times(atomDim(a))), true
}

// LowestTerms returns n and m with n/m = d/e: factors that are found in both are cancelled.
func (d Dim) LowestTerms(e Dim) (n, m Dim) {
	if !d.Valid() || !e.Valid() || d == Unknown || e == Unknown {
		return d, e
	}
	return lowestTerms(oneFraction(d, e))
}

// Divisibility returns the simplest n and m such that e divides d if and only if m divides n; m is 1 if e always
// divides d. e must not be 0.
func (d Dim) Divisibility(e Dim) (n, m Dim) {
	n, m = lowestTerms(oneFraction(d, e))
	p, okN := n.poly()
	q, okM := m.poly()
	switch {
	case !okN || !okM || len(q) != 1:
		return n, m
	case len(q[0].atoms) == 0 && q[0].coef < 0:
		m = m.Times(-1)
		q, _ = m.poly()
	}
	whole, rest := p.wholePart(q[0])
	if n = rest.intern(); len(whole) > 0 && n != 0 {
		return n.Divisibility(m)
	}
	if c := rest.content(); c > 1 && m.IsConst() && len(rest) > 0 && len(rest[0].atoms) > 0 {
		return n.FloorDiv(c), m
	}
	if n == 0 {
		return 0, 1
	}
	return n, m
}

// Unrounded returns d under the assumption that no division in it leaves a remainder, and lists these divisions.
func (d Dim) Unrounded() (is Dim, divisions []Division) {
	p, _ := d.poly()
	is = p.eachAtom(func(a atom) Dim {
		by := a.q
		switch {
		case a.name != "" || a.k <= 0 && a.k != byDim:
			return a.dim()
		case a.k > 0:
			by = Dim(a.k)
		}
		divisions = append(divisions, Division{a.p, by})
		return a.p.DividedBy(by)
	})
	return is, divisions
}

// Division is that of one size by another one.
type Division struct{ Of, By Dim }

// IsProduct reports whether d is a product of names, numbers and other factors: no sum.
func (d Dim) IsProduct() bool {
	p, ok := d.poly()
	return ok && len(p) == 1
}
