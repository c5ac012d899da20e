package graph

import "slices"

// A product of k sums has up to 2^k terms. One of more than maxTerms is not written out: it
// is a term of its factors, each an atom that stands for a sum as a whole. Equal products
// have equal factors, in whatever order they were multiplied, since a written-out product
// remembers its own.
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

// factors lists sizes whose product d is: d itself where no others are known.
func (d Dim) factors() []Dim {
	p, _ := d.poly()
	if len(p) == 1 {
		return p[0].factors()
	}
	if e := d.entry(); e != nil {
		if list := e.factors.Load(); list != nil {
			return *list
		}
	}
	return []Dim{d}
}

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

// rememberFactors notes of what a written-out product was made.
func rememberFactors(product, d, e Dim) {
	made := product.entry()
	if made == nil || len(made.poly) < 2 {
		return
	}
	list := slices.Concat(d.factors(), e.factors())
	if product.isWithin(list) {
		return // as in k·(product/k)
	}
	if made.poly[0].coef > 0 && areNegation(list) {
		return // of a negative sum, whose factors are -1 and this one
	}
	made.factors.CompareAndSwap(nil, &list)
}

// isWithin reports whether one of some sizes is d, or has it within.
func (d Dim) isWithin(list []Dim) bool {
	seen := map[Dim]bool{}
	var visit func(Dim) bool
	visit = func(part Dim) bool {
		if part == d {
			return true
		}
		e := part.find()
		if e == nil || seen[part] {
			return false
		}
		seen[part] = true
		for within := range e.parts {
			if visit(within) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(list, visit)
}

// areNegation reports whether factors are one sum, and numbers of which the product is 1 or -1.
func areNegation(list []Dim) bool {
	sums := 0
	for _, d := range list {
		n, whole := d.Int()
		if whole && absInt(n) != 1 {
			return false
		}
		if !whole {
			sums++
		}
	}
	return sums == 1
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
			return InvalidDim, false
		}
		left[at] = q
	}
	return Shape(left).NumElements(), true
}
