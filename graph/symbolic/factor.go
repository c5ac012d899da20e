package symbolic

import "slices"

// A product of k sums has up to 2^k terms. One of more than maxTerms is not written out: it
// is a term of its factors, each an atom that stands for a sum as a whole. Equal products
// have equal factors, in whatever order they were multiplied, since those of a written-out one
// are found again.
const maxTerms = 64

// whole marks a sum that is a factor as it is.
const whole = -2

// isFactored reports whether some factor of p is a sum that was not written out.
func (p polynomial) isFactored() bool {
	return slices.ContainsFunc(p, func(t term) bool {
		return slices.ContainsFunc(t.atoms, func(a atom) bool { return a.k == whole })
	})
}

// staysFactored reports whether a·b is not written out: because it would be long, or because
// one of them is not. Numbers go into each term.
func staysFactored(a, b polynomial) bool {
	switch {
	case len(a) > 1 && len(b) > 1:
		return len(a)*len(b) > maxTerms || a.isFactored() || b.isFactored()
	case len(a) > 1:
		return b.isFactored()
	}
	return len(b) > 1 && a.isFactored()
}

// factors lists sizes whose product d is: d alone where it has no others.
func (d Dim) factors() []Dim {
	p, _ := d.poly()
	if len(p) == 1 {
		return p[0].factors()
	}
	e := d.entry()
	if e == nil {
		return []Dim{d}
	}
	known := e.factors.Load()
	if known == nil {
		list := p.factors()
		known = &list
		e.factors.Store(known)
	}
	if len(*known) == 0 {
		return []Dim{d}
	}
	return *known
}

// factors lists the sizes whose product a sum is; none where it is irreducible, or where a factor
// would not be in normal form, since quotients in it cancel.
func (p polynomial) factors() (list []Dim) {
	number, sums := p.factored()
	if len(sums) == 1 && number.coef == 1 && len(number.atoms) == 0 {
		return nil
	}
	for _, f := range sums {
		d := f.intern()
		if f.hasQuotient() && f.cancelled() != d {
			return nil
		}
		list = append(list, d)
	}
	return append(number.factors(), list...)
}

// Factors lists sizes whose product is d, in the same order for the same size: only d if it has no factors. The slice
// must not be changed.
func (d Dim) Factors() []Dim { return d.factors() }

func (t term) factors() (list []Dim) {
	if t.coef != 1 {
		list = append(list, Dim(t.coef))
	}
	for _, a := range t.atoms {
		if a.k == whole {
			list = append(list, a.p)
		} else {
			list = append(list, atomDim(a))
		}
	}
	return list
}

// asFactors returns the term whose atoms are the factors of d; ok is false on overflow.
func (d Dim) asFactors() (product term, ok bool) {
	product.coef = 1
	for _, f := range d.factors() {
		t := term{1, []atom{{p: f, k: whole}}}
		if p, _ := f.poly(); len(p) == 1 {
			t = p[0]
		}
		if product.coef, ok = mulInt(product.coef, t.coef); !ok {
			return product, false
		}
		product.atoms = append(product.atoms, t.atoms...)
	}
	return product, true
}

// divideFactors divides a product by another one, factor by factor.
func divideFactors(d, e Dim) (q Dim, ok bool) {
	left := slices.Clone(d.factors())
	for _, by := range e.factors() {
		if i := slices.Index(left, by); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		at := slices.IndexFunc(left, func(f Dim) bool {
			q, ok = f.ExactDiv(by)
			return ok
		})
		if at < 0 {
			return Invalid, false
		}
		left[at] = q
	}
	product := Dim(1)
	for _, f := range left {
		product = product.Times(f)
	}
	return product, true
}
