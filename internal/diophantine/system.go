package diophantine

import "slices"

// Constraint says that a polynomial is 0, or at least 0.
type Constraint struct {
	poly Poly
	zero bool
}

// Zero says that p is 0.
func Zero(p Poly) Constraint { return Constraint{p, true} }

// NotNegative says that p is at least 0.
func NotNegative(p Poly) Constraint { return Constraint{p, false} }

// System is a set of constraints over unknowns.
type System struct{ root state }

// state is a system, or one case of it.
type state struct {
	lo, hi []int64 // by unknown
	solved []definition
	isGone []bool // by unknown: it has been solved for
	eq, ge []Poly // each 0; each at least 0
	// cases are alternatives, one of which must hold. remainders hold for any integer, and are tried when nothing else
	// helps.
	cases, remainders [][][]Constraint
	endless           int  // how often an unknown without a greatest value was split
	left              *int // the work that may still be done
}

// definition is the solution of an equation for an unknown.
type definition struct {
	x  Unknown
	is Poly
}

// Unknown makes an integer that is at least lo.
func (s *System) Unknown(lo int64) Unknown { return s.root.unknown(max(lo, -infinite)) }

// Free makes an integer of any sign.
func (s *System) Free() Unknown { return s.root.unknown(-infinite) }

func (st *state) unknown(lo int64) Unknown {
	st.lo, st.hi = append(st.lo, lo), append(st.hi, infinite)
	st.isGone = append(st.isGone, false)
	return Unknown(len(st.lo) - 1)
}

// Assert adds constraints that must hold.
func (s *System) Assert(all ...Constraint) { s.root.assert(all) }

func (st *state) assert(all []Constraint) {
	for _, c := range all {
		switch {
		case c.poly.lost:
		case c.zero:
			st.eq = append(st.eq, c.poly)
		default:
			st.ge = append(st.ge, c.poly)
		}
	}
}

// AssertAny adds alternatives, each a list of constraints that hold together. One of them must hold.
func (s *System) AssertAny(alternatives ...[]Constraint) {
	s.root.cases = append(s.root.cases, alternatives)
}

// Floor returns floor(p/k), a new unknown.
func (s *System) Floor(p Poly, k int64) Poly {
	q := Of(s.Free())
	rest := p.Minus(q.Scale(k))
	s.Assert(NotNegative(rest), NotNegative(Const(k-1).Minus(rest)))
	if k <= maxRemainders {
		var cases [][]Constraint
		for r := range k {
			cases = append(cases, []Constraint{Zero(rest.Minus(Const(r)))})
		}
		s.root.remainders = append(s.root.remainders, cases)
	}
	return q
}

// maxRemainders bounds the divisors whose remainders are tried one by one.
const maxRemainders = 8

// Clone copies the system, so that it can be extended in two ways.
func (s *System) Clone() *System { return &System{s.root.clone()} }

func (st *state) clone() state {
	return state{
		lo: slices.Clone(st.lo), hi: slices.Clone(st.hi), isGone: slices.Clone(st.isGone),
		solved: slices.Clone(st.solved),
		eq:     slices.Clone(st.eq), ge: slices.Clone(st.ge), cases: slices.Clone(st.cases),
		remainders: slices.Clone(st.remainders), endless: st.endless, left: st.left,
	}
}

// Refuted reports whether it is certain that no integers satisfy the system and the further constraints. The work done,
// in terms of polynomials, is subtracted from left; when nothing is left the answer is false.
func (s *System) Refuted(left *int, more ...Constraint) bool {
	st := s.start(left)
	st.assert(more)
	return refute(&st, 0)
}

func (s *System) start(left *int) state {
	st := s.root.clone()
	st.left = left
	return st
}

// spend subtracts work from what is left and reports whether some remains.
func (st *state) spend(terms int) bool {
	if st.left == nil {
		return true
	}
	*st.left -= terms
	return *st.left > 0
}

// Range returns bounds on the values of p in solutions, as far as they follow without trying cases. none says that
// there are no solutions. Without a bound, lo and hi are -2^62 and 2^62. The work done is subtracted from left.
func (s *System) Range(p Poly, left *int) (lo, hi int64, none bool) {
	st := s.start(left)
	x := st.unknown(-infinite)
	st.eq = append(st.eq, p.Minus(Of(x)))
	if !settle(&st) {
		return 0, 0, true
	}
	span := st.value(Of(x))
	return span.lo, span.hi, false
}

// value bounds a polynomial; some of its unknowns may have been solved for.
func (st *state) value(p Poly) span {
	for _, d := range st.solved {
		p = p.substitute(d.x, d.is)
	}
	return st.spanOf(p)
}

// substitute replaces an unknown everywhere. Its bounds become constraints on its replacement.
func (st *state) substitute(x Unknown, by Poly) {
	if lo := st.lo[x]; lo > -infinite {
		st.ge = append(st.ge, by.Minus(Const(lo)))
	}
	if hi := st.hi[x]; hi < infinite {
		st.ge = append(st.ge, Const(hi).Minus(by))
	}
	st.isGone[x] = true
	st.solved = append(st.solved, definition{x, by})
	for _, list := range [][]Poly{st.eq, st.ge} {
		for i, p := range list {
			list[i] = st.replace(p, x, by)
		}
	}
	st.spend(len(st.cases) + len(st.remainders))
	st.cases = st.substituteCases(st.cases, x, by)
	st.remainders = st.substituteCases(st.remainders, x, by)
}

// substituteCases does not change lists without x: the cases of a search share them.
func (st *state) substituteCases(cases [][][]Constraint, x Unknown, by Poly) [][][]Constraint {
	for i, alternatives := range cases {
		copied := false
		for j, all := range alternatives {
			if !slices.ContainsFunc(all, func(c Constraint) bool { return c.poly.mentions(x) }) {
				continue
			}
			if !copied {
				alternatives = slices.Clone(alternatives)
				cases[i], copied = alternatives, true
			}
			alternatives[j] = slices.Clone(all)
			for k := range all {
				alternatives[j][k].poly = st.replace(all[k].poly, x, by)
			}
		}
	}
	return cases
}
