package symbolic

import "slices"

// A sum is factored as a polynomial over its atoms, with whole coefficients. The factors follow
// from the sum alone, so that they do not depend on how it was made, nor on what was computed
// before. Each of them has a term of a positive coefficient first.

// maxDivisors bounds the divisors of a coefficient that are tried, maxDivisor those among numbers.
const maxDivisors, maxDivisor = 64, 1 << 12

// factored writes p as a number times atoms, and sums that no number and no atom divides.
func (p polynomial) factored() (number term, sums []polynomial) {
	number = p.common(p)
	if p[0].coef < 0 {
		number.coef = -number.coef
	}
	if p = p.over(number); len(p) > 1 {
		sums = p.sumFactors()
	}
	return number, sums
}

// sumFactors factors a sum that no number and no atom divides. Each factor is irreducible, but for
// those of degree 4 and more in every atom, which have no factor that is linear in one.
func (p polynomial) sumFactors() []polynomial {
	atoms := p.distinctAtoms()
	if len(p) > maxTerms {
		return []polynomial{p}
	}
	for _, a := range atoms {
		if f, rest, ok := p.factorWithout(a); ok {
			return append(f.sumFactors(), rest.sumFactors()...)
		}
	}
	for _, a := range atoms { // no factor is free of a: of degree 1, p is irreducible
		if p.degree(a) == 1 {
			return []polynomial{p}
		}
	}
	for _, a := range atoms {
		if f, rest, ok := p.linearFactor(a); ok {
			return append(f.sumFactors(), rest.sumFactors()...)
		}
		if p.degree(a) < 4 {
			return []polynomial{p}
		}
	}
	return []polynomial{p}
}

// distinctAtoms lists the atoms of p's terms.
func (p polynomial) distinctAtoms() (atoms []atom) {
	for _, t := range p {
		for i, a := range t.atoms {
			if (i == 0 || a != t.atoms[i-1]) && !slices.Contains(atoms, a) {
				atoms = append(atoms, a)
			}
		}
	}
	return atoms
}

// degree returns the highest power of an atom in p.
func (p polynomial) degree(a atom) (most int) {
	for _, t := range p {
		most = max(most, t.power(a))
	}
	return most
}

func (t term) power(a atom) (n int) {
	for _, b := range t.atoms {
		if a == b {
			n++
		}
	}
	return n
}

// coefficients returns the polynomials that the powers of an atom are multiplied by in p, by power.
func (p polynomial) coefficients(a atom) []polynomial {
	list := make([]polynomial, p.degree(a)+1)
	for _, t := range p {
		n := t.power(a)
		if n > 0 {
			t.atoms = slices.DeleteFunc(slices.Clone(t.atoms), func(b atom) bool { return a == b })
		}
		list[n] = append(list[n], t)
	}
	return list
}

// factorWithout returns a factor of p in which an atom does not stand, and what it leaves of p:
// one that all coefficients of the atom's powers have.
func (p polynomial) factorWithout(a atom) (f, rest polynomial, ok bool) {
	var least polynomial
	for _, c := range p.coefficients(a) {
		if len(c) > 0 && (least == nil || len(c) < len(least)) {
			least = c
		}
	}
	if len(least) == 1 {
		return nil, nil, false
	}
	_, sums := least.factored()
	for _, f := range sums {
		if rest, exact := p.dividedBy(f); exact {
			return f, rest, true
		}
	}
	return nil, nil, false
}

// linearFactor returns a factor u·a + v of p, and what it leaves of p. u divides the coefficient
// of a's highest power, and v the one without a.
func (p polynomial) linearFactor(a atom) (f, rest polynomial, ok bool) {
	c := p.coefficients(a)
	for _, u := range c[len(c)-1].divisors() {
		first, fits := opProduct.terms(u, polynomial{{1, []atom{a}}})
		if !fits {
			continue
		}
		for _, v := range c[0].divisors() {
			for _, sign := range []int64{1, -1} {
				f, fits := normal(append(slices.Clone(first), v.scaled(sign)...))
				if !fits {
					continue
				}
				if f[0].coef < 0 {
					f = f.scaled(-1)
				}
				if rest, exact := p.dividedBy(f); exact {
					return f, rest, true
				}
			}
		}
	}
	return nil, nil, false
}

// scaled returns p times 1 or -1.
func (p polynomial) scaled(sign int64) polynomial {
	q := slices.Clone(p)
	for i := range q {
		q[i].coef *= sign
	}
	return q
}

// divisors lists what divides p, with a positive first coefficient: all of it, or none where
// there are too many.
func (p polynomial) divisors() []polynomial {
	number, sums := p.factored()
	n, list := max(number.coef, -number.coef), []polynomial{}
	if n/maxDivisor > maxDivisor {
		return nil
	}
	for k := int64(1); k <= n/k; k++ {
		if n%k != 0 {
			continue
		}
		if list = append(list, polynomial{{coef: k}}); k != n/k {
			list = append(list, polynomial{{coef: n / k}})
		}
	}
	for _, a := range number.atoms {
		sums = append(sums, polynomial{{1, []atom{a}}})
	}
	for _, f := range sums {
		for _, q := range list {
			terms, fits := opProduct.terms(q, f)
			product, fitsToo := normal(terms)
			if !fits || !fitsToo || len(list) > maxDivisors {
				return nil
			}
			if !slices.ContainsFunc(list, product.equal) {
				list = append(list, product)
			}
		}
	}
	return list
}
