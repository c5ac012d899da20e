package graph

import "slices"

// What is known of named sizes while a graph is built are the declarations, and the multiples
// that nodes built so far require: whoever binds sizes checks those, so that the sizes of later
// nodes can rest on them. It brings sizes into a plainer form: 8·floor(d/8) is d, where d is a
// multiple of 8.

// fraction is a division in lowest terms of which it is required that it leaves no remainder.
type fraction struct{ n, m Dim }

type settling struct {
	multiples    []fraction
	settledSizes map[Dim]Dim // by the size as it was computed
}

// requireMultiple notes that n is a multiple of m.
func (g *Graph) requireMultiple(n, m Dim) {
	f := fraction{}
	f.n, f.m = n.Divisibility(m)
	if f.m == 1 || g.isMultiple(f.n, f.m) {
		return
	}
	g.multiples = append(slices.Clip(g.multiples), f)
	g.forgetSettled()
}

// requireEqual notes the multiple that a == b means: of h == 2·floor(h/2), that h is one of 2.
func (g *Graph) requireEqual(a, b Dim) {
	difference := a.Minus(b)
	p, _ := difference.poly()
	is, divisions := difference.Unrounded()
	if is != 0 || len(divisions) != 1 {
		return
	}
	for _, t := range p {
		if len(t.atoms) == 1 && t.atoms[0].rounds() {
			g.requireMultiple(divisions[0].Of, divisions[0].By)
		}
	}
}

// IsMultiple reports whether a is a multiple of b, which is not 0, given the declarations of names and the
// requirements of nodes built so far.
func (g *Graph) IsMultiple(a, b Dim) bool { return g.isMultiple(a, b) }

// isMultiple reports whether n is a multiple of m, which is not 0, by what is known.
func (g *Graph) isMultiple(n, m Dim) bool {
	n, m = lowestTerms(oneFraction(n, g.asNumber(m)))
	if m == 1 || g.isRequired(n, m) {
		return true
	}
	n, m = n.Divisibility(m)
	if k, whole := m.Int(); whole && k > 1 {
		p, _ := n.poly()
		if rest, always := p.residueOf(k, g.known); always && rest == 0 {
			return true
		}
	}
	return m == 1 || g.isRequired(n, m)
}

// isRequired reports whether n is a multiple of m by what is required: of multiples that are required,
// their product has n as a multiple, and m as a divisor.
func (g *Graph) isRequired(n, m Dim) bool {
	return slices.ContainsFunc(g.multiples, func(f fraction) bool {
		rest, more := n.ExactDiv(f.n)
		if _, divides := f.m.ExactDiv(m); !more || divides {
			return more
		}
		left, divides := m.ExactDiv(f.m)
		return divides && g.isRequired(rest, left)
	})
}

// asNumber replaces names that were declared to be numbers.
func (g *Graph) asNumber(d Dim) Dim {
	for _, name := range d.Symbols() {
		if b := g.Bounds(name); b.Max > 0 && b.Min == b.Max {
			d = d.Subst(name, Dim(b.Max))
		}
	}
	return d
}

// forgetSettled begins anew, since more is known of sizes.
func (g *Graph) forgetSettled() { g.settledSizes = nil }

// known returns what was declared of a named size, and its multiple as it was required.
func (g *Graph) known(name string) Bounds {
	b := g.Bounds(name)
	for _, f := range g.multiples {
		if k, whole := f.m.Int(); whole && f.n == SymbolicDim(name) {
			if most, fits := mulInt(max(b.Multiple, 1), k/gcd(max(b.Multiple, 1), k)); fits {
				b.Multiple = most
			}
		}
	}
	return b
}

// Settled returns the simplest form of a size given the declarations of names and the requirements of nodes built so
// far: if d is a multiple of 8, 8*floor(d/8) becomes d.
func (g *Graph) Settled(d Dim) Dim { return g.settled(d) }

// settled is Settled: a division that leaves no remainder does not round.
func (g *Graph) settled(d Dim) Dim {
	e := d.entry()
	if e == nil || !e.rounds {
		return d
	}
	if known, ok := g.settledSizes[d]; ok {
		return known
	}
	result := e.poly.eachAtom(g.settledAtom)
	if g.settledSizes == nil {
		g.settledSizes = map[Dim]Dim{}
	}
	g.settledSizes[d] = result
	return result
}

func (g *Graph) settledAtom(a atom) Dim {
	if a.name != "" || !a.rounds() {
		return a.dim()
	}
	p, q := g.settled(a.p), g.settled(a.q)
	switch {
	case a.k > 0:
		terms, _ := p.poly()
		if rest, always := terms.residueOf(a.k, g.known); always {
			return p.Minus(Dim(rest)).DividedBy(Dim(a.k))
		}
		if g.isMultiple(p, Dim(a.k)) {
			return p.DividedBy(Dim(a.k))
		}
	case a.k == byDim && g.isMultiple(p, q):
		return p.DividedBy(q)
	}
	a.p, a.q = p, q
	return a.dim()
}

// settle brings the sizes of a value into the plainest form.
func (g *Graph) settle(s Shape) Shape {
	isShared := true
	for axis, d := range s {
		plain := g.settled(d)
		if plain == d {
			continue
		}
		if isShared {
			s, isShared = slices.Clone(s), false
		}
		s[axis] = plain
	}
	return s
}
