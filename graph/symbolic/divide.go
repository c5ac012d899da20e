package symbolic

import "slices"

// FloorDiv returns floor(d/k) for a whole number k of at least 1. What is a multiple of k
// is divided exactly: floor((k·q+r)/k) = q + floor(r/k).
func (d Dim) FloorDiv(k int64) Dim {
	if n, whole := d.Int(); whole && k > 0 {
		return Dim(floorDiv(n, k))
	}
	if known, ok := memoized.get(opFloor, d, Dim(k)); ok {
		return known
	}
	result := d.floorDiv(k)
	memoized.put(opFloor, d, Dim(k), result)
	return result
}

func (d Dim) floorDiv(k int64) Dim {
	p, ok := d.poly()
	switch {
	case d == Unknown:
		return Unknown
	case !ok || k < 1:
		return Invalid
	case k == 1:
		return d
	}
	var quotient, rest []term
	for _, t := range p {
		q := floorDiv(t.coef, k)
		if q != 0 {
			quotient = append(quotient, term{q, t.atoms})
		}
		if r := t.coef - q*k; r != 0 {
			rest = append(rest, term{r, t.atoms})
		}
	}
	whole, _ := normal(quotient)
	return whole.intern().Plus(floorAtom(rest, k))
}

// floorAtom returns floor(p/k) where the coefficients of p lie in 0..k-1.
func floorAtom(p polynomial, k int64) Dim {
	if len(p) == 0 || len(p) == 1 && len(p[0].atoms) == 0 {
		return 0
	}
	// A common factor of k and of all coefficients but the constant's goes.
	factor := k
	for _, t := range p {
		if len(t.atoms) > 0 {
			factor = gcd(factor, t.coef)
		}
	}
	if factor > 1 {
		reduced := make(polynomial, 0, len(p))
		for _, t := range p {
			if c := floorDiv(t.coef, factor); c != 0 {
				reduced = append(reduced, term{c, t.atoms})
			}
		}
		return reduced.intern().FloorDiv(k / factor)
	}
	// floor((floor(q/a) + c)/k) = floor((q + a·c)/(a·k)), and so for q/a without remainder.
	if t := p[0]; t.coef == 1 && len(t.atoms) == 1 && t.atoms[0].divisor() > 0 &&
		(len(p) == 1 || len(p) == 2 && len(p[1].atoms) == 0) {
		a, by, c := t.atoms[0], t.atoms[0].divisor(), int64(0)
		if len(p) == 2 {
			c = p[1].coef
		}
		if ak, ok := mulInt(by, k); ok {
			return a.p.Plus(Dim(by).Times(Dim(c))).FloorDiv(ak)
		}
	}
	if !p.isLinear() {
		if rest, always := p.residueOf(k, nil); always {
			return p.intern().Minus(Dim(rest)).DividedBy(Dim(k))
		}
	}
	return atomDim(atom{p: p.intern(), k: k})
}

// rounds reports whether p holds a division that rounds down.
func (p polynomial) rounds() bool {
	return slices.ContainsFunc(p, func(t term) bool { return slices.ContainsFunc(t.atoms, atom.rounds) })
}

func (a atom) rounds() bool {
	within := func(d Dim) bool {
		e := d.find()
		return e != nil && e.rounds
	}
	return a.name == "" && (a.k > 0 || a.k == byDim || within(a.p) || within(a.q))
}

// divisor returns the number by which an atom divides, or 0.
func (a atom) divisor() int64 {
	if k, whole := a.q.Int(); whole && a.isQuotient() {
		return k
	}
	return max(a.k, 0)
}

// FloorDivBy returns floor(d/e), for e of at least 1. For smaller ones it has no value. Names
// that are factors of both cancel.
func (d Dim) FloorDivBy(e Dim) Dim {
	if q, exact := d.ExactDiv(e); exact {
		return q
	}
	switch {
	case d == Unknown || e == Unknown:
		return Unknown
	case !d.Valid() || !e.Valid():
		return Invalid
	}
	if !e.IsConst() {
		d, e = withoutCommonNames(d, e)
	}
	if k, whole := e.Int(); whole {
		return d.FloorDiv(k)
	}
	return atomDim(atom{p: d, q: e, k: byDim})
}

// withoutCommonNames cancels numbers and names, which are not negative, of a fraction.
func withoutCommonNames(d, e Dim) (Dim, Dim) {
	p, _ := d.poly()
	q, _ := e.poly()
	common := p.common(q)
	common.atoms = slices.DeleteFunc(common.atoms, func(a atom) bool { return a.name == "" })
	return p.over(common).intern(), q.over(common).intern()
}

// CeilDiv returns the least whole number not below d/k.
func (d Dim) CeilDiv(k int64) Dim { return d.Plus(Dim(k - 1)).FloorDiv(k) }

// Mod returns d - k·floor(d/k), which is from 0 to k-1.
func (d Dim) Mod(k int64) Dim { return d.Minus(d.FloorDiv(k).Times(Dim(k))) }

func floorDiv(a, k int64) int64 {
	q := a / k
	if a%k < 0 {
		q--
	}
	return q
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

// ExactDiv returns the size q with d = q·e, if there is one for all values of the names.
func (d Dim) ExactDiv(e Dim) (q Dim, ok bool) {
	rest, okD := d.poly()
	divisor, okE := e.poly()
	if !okD || !okE || len(divisor) == 0 {
		return Invalid, false
	}
	if e == 1 {
		return d, true
	}
	if len(rest) == 1 && rest.isFactored() {
		return divideFactors(d, e)
	}
	quotient, ok := rest.dividedBy(divisor)
	if !ok {
		return Invalid, false
	}
	return quotient.intern(), true
}

// dividedBy returns the polynomial q with p = q·divisor, if there is one.
func (p polynomial) dividedBy(divisor polynomial) (q polynomial, ok bool) {
	for rest := p; len(rest) > 0; { // the terms of q come in order
		t, divides := divideTerm(rest[0], divisor[0])
		if !divides {
			return nil, false
		}
		q = append(q, t)
		t.coef = -t.coef
		part, fits := opProduct.terms(polynomial{t}, divisor)
		if !fits {
			return nil, false
		}
		if rest, fits = rest.plus(part); !fits {
			return nil, false
		}
	}
	return q, true
}

// plus adds two normal forms; ok is false on overflow.
func (p polynomial) plus(q polynomial) (sum polynomial, ok bool) {
	sum = make(polynomial, 0, len(p)+len(q))
	for len(p) > 0 && len(q) > 0 {
		switch c := compareTerms(p[0], q[0]); {
		case c < 0:
			sum, p = append(sum, p[0]), p[1:]
		case c > 0:
			sum, q = append(sum, q[0]), q[1:]
		default:
			coef, fits := addInt(p[0].coef, q[0].coef)
			if !fits {
				return nil, false
			}
			if coef != 0 {
				sum = append(sum, term{coef, p[0].atoms})
			}
			p, q = p[1:], q[1:]
		}
	}
	return append(append(sum, p...), q...), true
}

// divideTerm divides a term by another where atoms and coefficients allow it.
func divideTerm(t, by term) (term, bool) {
	if t.coef%by.coef != 0 {
		return term{}, false
	}
	left := slices.Clone(t.atoms)
	for _, a := range by.atoms {
		i := slices.Index(left, a)
		if i < 0 {
			return term{}, false
		}
		left = slices.Delete(left, i, i+1)
	}
	return term{t.coef / by.coef, left}, true
}

// Min returns the lesser of two sizes.
func Min(a, b Dim) Dim {
	switch {
	case a == Unknown || b == Unknown:
		return Unknown
	case !a.Valid() || !b.Valid():
		return Invalid
	}
	if by, known := a.Minus(b).Int(); known {
		if by <= 0 {
			return a
		}
		return b
	}
	if a.String() > b.String() {
		a, b = b, a
	}
	return atomDim(atom{p: a, q: b, k: lesser})
}

// Broadcast returns the size of an axis along which a and b are broadcast, if it is not known which of them is 1:
// the other one, or both if they are equal.
func Broadcast(a, b Dim) Dim {
	switch {
	case a == Unknown || b == Unknown:
		return Unknown
	case !a.Valid() || !b.Valid():
		return Invalid
	case a == b || b == 1:
		return a
	case a == 1:
		return b
	case a.IsConst():
		return a
	case b.IsConst():
		return b
	}
	if a.String() > b.String() {
		a, b = b, a
	}
	return atomDim(atom{p: a, q: b})
}
