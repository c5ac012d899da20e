package symbolic

import "slices"

// Facts are what is known of named sizes while a program is built: their bounds, and the multiples that its parts
// require. Whoever binds sizes checks the requirements, so that sizes of later parts can rest on them: if d is a
// multiple of 8, 8·floor(d/8) is d.
type Facts struct {
	bounds    BoundsOf
	multiples []fraction
	settled   map[Dim]Dim // by the size as it was computed
}

// fraction is a division in lowest terms of which it is required that it leaves no remainder.
type fraction struct{ n, m Dim }

// NewFacts returns facts without requirements. Without bounds, all names have those of [DefaultBounds].
func NewFacts(bounds BoundsOf) Facts { return Facts{bounds: bounds} }

// With returns the same requirements with other bounds.
func (f *Facts) With(bounds BoundsOf) Facts { return Facts{bounds: bounds, multiples: f.multiples} }

func (f *Facts) declared(name string) Bounds {
	if f.bounds == nil {
		return DefaultBounds()
	}
	return f.bounds(name)
}

// Forget drops conclusions. It must be called when bounds change.
func (f *Facts) Forget() { f.settled = nil }

// RequireMultiple notes that n is a multiple of m, which is not 0.
func (f *Facts) RequireMultiple(n, m Dim) {
	n, m = n.Divisibility(m)
	if m == 1 || f.IsMultiple(n, m) {
		return
	}
	f.multiples = append(slices.Clip(f.multiples), fraction{n, m})
	f.Forget()
}

// RequireEqual notes the multiple that a == b means: of h == 2·floor(h/2), that h is one of 2.
func (f *Facts) RequireEqual(a, b Dim) {
	difference := a.Minus(b)
	p, _ := difference.poly()
	is, divisions := difference.Unrounded()
	if is != 0 || len(divisions) != 1 {
		return
	}
	for _, t := range p {
		if len(t.atoms) == 1 && t.atoms[0].rounds() {
			f.RequireMultiple(divisions[0].Of, divisions[0].By)
		}
	}
}

// IsMultiple reports whether n is known to be a multiple of m, which is not 0.
func (f *Facts) IsMultiple(n, m Dim) bool {
	n, m = lowestTerms(oneFraction(n, f.asNumber(m)))
	if m == 1 || f.isRequired(n, m) {
		return true
	}
	n, m = n.Divisibility(m)
	if k, whole := m.Int(); whole && k > 1 {
		p, _ := n.poly()
		if rest, always := p.residueOf(k, f.Bounds); always && rest == 0 {
			return true
		}
	}
	return m == 1 || f.isRequired(n, m)
}

// isRequired reports whether n is a multiple of m by what is required: of multiples that are required,
// their product has n as a multiple, and m as a divisor.
func (f *Facts) isRequired(n, m Dim) bool {
	return slices.ContainsFunc(f.multiples, func(required fraction) bool {
		rest, more := n.ExactDiv(required.n)
		if _, divides := required.m.ExactDiv(m); !more || divides {
			return more
		}
		left, divides := m.ExactDiv(required.m)
		return divides && f.isRequired(rest, left)
	})
}

// asNumber replaces names that were declared to be numbers.
func (f *Facts) asNumber(d Dim) Dim {
	for _, name := range d.Symbols() {
		if b := f.declared(name); b.Max > 0 && b.Min == b.Max {
			d = d.Subst(name, Dim(b.Max))
		}
	}
	return d
}

// Bounds returns the bounds of a named size, and its multiple as it was required.
func (f *Facts) Bounds(name string) Bounds {
	b := f.declared(name)
	for _, required := range f.multiples {
		if k, whole := required.m.Int(); whole && required.n == Named(name) {
			if most, fits := mulInt(max(b.Multiple, 1), k/gcd(max(b.Multiple, 1), k)); fits {
				b.Multiple = most
			}
		}
	}
	return b
}

// Settled returns the simplest form of a size: in it, a division that leaves no remainder does not round.
func (f *Facts) Settled(d Dim) Dim {
	e := d.entry()
	if e == nil || !e.rounds {
		return d
	}
	if known, ok := f.settled[d]; ok {
		return known
	}
	result := e.poly.eachAtom(f.settledAtom)
	if f.settled == nil {
		f.settled = map[Dim]Dim{}
	}
	f.settled[d] = result
	return result
}

func (f *Facts) settledAtom(a atom) Dim {
	if a.name != "" || !a.rounds() {
		return a.dim()
	}
	p, q := f.Settled(a.p), f.Settled(a.q)
	switch {
	case a.k > 0:
		terms, _ := p.poly()
		if rest, always := terms.residueOf(a.k, f.Bounds); always {
			return p.Minus(Dim(rest)).DividedBy(Dim(a.k))
		}
		if f.IsMultiple(p, Dim(a.k)) {
			return p.DividedBy(Dim(a.k))
		}
	case a.k == byDim && f.IsMultiple(p, q):
		return p.DividedBy(q)
	}
	a.p, a.q = p, q
	return a.dim()
}
