package prove

import (
	"maps"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/diophantine"
)

// The effort for questions, in terms of polynomials: some 50 ns each.
const (
	EffortAlone    = 10_000    // on one requirement
	EffortTogether = 200_000   // on requirements that share names
	EffortOfCheck  = 4_000_000 // on all requirements of a graph
)

// Effort returns a fresh amount of work.
func Effort(terms int) *int { return &terms }

// System is a system of constraints over named sizes.
type System struct {
	diophantine.System
	bounds graph.BoundsOf
	Known  map[string]int64 // names that have values
	factor map[graph.Factor]diophantine.Poly
}

// NewSystem returns a system whose only constraints are the bounds of names.
func NewSystem(bounds graph.BoundsOf) *System {
	return &System{bounds: bounds, factor: map[graph.Factor]diophantine.Poly{}}
}

// Clone copies the system, so that it can be extended in two ways.
func (s *System) Clone() *System {
	return &System{System: *s.System.Clone(), bounds: s.bounds, Known: s.Known, factor: maps.Clone(s.factor)}
}

// Of returns a size as a polynomial over unknowns.
func (s *System) Of(d graph.Dim) diophantine.Poly {
	var sum diophantine.Poly
	ok := !d.IsUnknown() && d.Terms(func(coef int64, factors []graph.Factor) {
		product := diophantine.Const(coef)
		for _, f := range factors {
			product = product.Times(s.ofFactor(f))
		}
		sum = sum.Plus(product)
	})
	if !ok {
		return diophantine.Lost()
	}
	return sum
}

func (s *System) ofFactor(f graph.Factor) diophantine.Poly {
	p, known := s.factor[f]
	if known {
		return p
	}
	switch {
	case f.Name != "":
		p = s.name(f.Name)
	case f.IsSum():
		p = s.Of(f.P)
	case f.K > 0:
		p = s.Floor(s.Of(f.P), f.K)
	case f.IsQuotient():
		p = s.exactQuotient(s.Of(f.P), f.Q)
	case f.IsMin():
		p = s.lesser(s.Of(f.P), s.Of(f.Q))
	case f.K < 0:
		p = s.quotient(s.Of(f.P), s.Of(f.Q))
	default:
		p = s.broadcast(s.Of(f.P), s.Of(f.Q))
	}
	s.factor[f] = p
	return p
}

// name returns a named size: its value, the size that it was declared equal to, or an unknown. For a multiple of a
// number, the unknown is the quotient.
func (s *System) name(name string) diophantine.Poly {
	if v, known := s.Known[name]; known {
		return diophantine.Const(v)
	}
	b := s.bounds(name)
	k := max(b.Multiple, 1)
	p := diophantine.Of(s.Unknown(-floorDiv(-b.Min, k))).Scale(k)
	if b.Max > 0 {
		s.Assert(diophantine.NotNegative(diophantine.Const(b.Max).Minus(p)))
	}
	if b.Is != 0 {
		s.Assert(equal(p, s.Of(b.Is)))
	}
	return p
}

// quotient makes the unknown floor(a/b). That b is at least 1 is a separate requirement.
func (s *System) quotient(a, b diophantine.Poly) diophantine.Poly {
	q := s.quotientOf(a)
	rest := a.Minus(q.Times(b))
	s.Assert(diophantine.NotNegative(rest), diophantine.NotNegative(b.Minus(rest).Minus(diophantine.Const(1))))
	return q
}

// quotientOf makes the unknown of a division by a positive number: it is not negative if a certainly is not.
func (s *System) quotientOf(a diophantine.Poly) diophantine.Poly {
	if lo, _, none := s.Range(a, Effort(EffortAlone/10)); lo >= 0 && !none {
		return diophantine.Of(s.Unknown(0))
	}
	return diophantine.Of(s.Free())
}

// isPositive reports whether a divisor that is not 0 is positive: a sum of names and of products of names is not
// negative.
func isPositive(d graph.Dim) bool {
	positive := true
	d.Terms(func(coef int64, factors []graph.Factor) {
		positive = positive && coef > 0
		for _, f := range factors {
			positive = positive && f.Name != ""
		}
	})
	return positive
}

// exactQuotient makes the unknown a/q; q is known to divide a.
func (s *System) exactQuotient(a diophantine.Poly, q graph.Dim) diophantine.Poly {
	p, b := diophantine.Of(s.Free()), s.Of(q)
	if k, whole := q.Int(); whole && k > 0 || isPositive(q) {
		p = s.quotientOf(a)
	}
	s.Assert(equal(a, p.Times(b)))
	if !q.IsConst() {
		s.Differ(b, diophantine.Const(0))
	}
	return p
}

// lesser makes the unknown min(a, b).
func (s *System) lesser(a, b diophantine.Poly) diophantine.Poly {
	p := diophantine.Of(s.Free())
	s.AssertAny([]diophantine.Constraint{equal(p, a), diophantine.NotNegative(b.Minus(a))},
		[]diophantine.Constraint{equal(p, b), diophantine.NotNegative(a.Minus(b))})
	return p
}

// broadcast makes the unknown of an axis to which a and b are broadcast. That they can be is a separate requirement.
func (s *System) broadcast(a, b diophantine.Poly) diophantine.Poly {
	p := diophantine.Of(s.Free())
	one := diophantine.Const(1)
	s.AssertAny(
		[]diophantine.Constraint{equal(a, b), equal(p, a)},
		[]diophantine.Constraint{equal(a, one), equal(p, b)},
		[]diophantine.Constraint{equal(b, one), equal(p, a)},
	)
	return p
}

func equal(a, b diophantine.Poly) diophantine.Constraint { return diophantine.Zero(a.Minus(b)) }

// NamesOf lists the names in sizes, and in the sizes that these were declared equal to.
func NamesOf(bounds graph.BoundsOf, list ...graph.Dim) (names []string) {
	for _, d := range list {
		for _, name := range d.Symbols() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for i := 0; i < len(names); i++ {
		for _, name := range bounds(names[i]).Is.Symbols() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Require adds a requirement.
func (s *System) Require(r graph.Requirement) {
	a, b, one := s.Of(r.A), s.Of(r.B), diophantine.Const(1)
	switch r.Kind {
	case graph.MustEqual:
		s.Assert(equal(a, b))
	case graph.MustBroadcast:
		s.AssertAny([]diophantine.Constraint{equal(a, b)}, []diophantine.Constraint{equal(a, one)},
			[]diophantine.Constraint{equal(b, one)})
	case graph.MustEqualOrOne:
		s.AssertAny([]diophantine.Constraint{equal(a, b)}, []diophantine.Constraint{equal(b, one)})
	case graph.MustBeAtLeast:
		s.Assert(diophantine.NotNegative(a.Minus(b)))
	case graph.MustBeMultipleOf:
		s.Assert(equal(a, b.Times(diophantine.Of(s.Free()))))
	case graph.MustDiffer:
		s.Differ(a, b)
	}
}

// Deny adds the opposite of a requirement; ok is false if it has none in this form.
func (s *System) Deny(r graph.Requirement) (ok bool) {
	a, b, one := s.Of(r.A), s.Of(r.B), diophantine.Const(1)
	switch r.Kind {
	case graph.MustEqual:
		s.Differ(a, b)
	case graph.MustBroadcast:
		s.Differ(a, b)
		s.Differ(a, one)
		s.Differ(b, one)
	case graph.MustEqualOrOne:
		s.Differ(a, b)
		s.Differ(b, one)
	case graph.MustBeAtLeast:
		s.Assert(diophantine.NotNegative(b.Minus(a).Minus(one)))
	case graph.MustBeMultipleOf:
		k, static := r.B.Int()
		switch {
		case static && k < 1:
			return false
		case static:
			rest := a.Minus(s.Floor(a, k).Scale(k))
			s.Assert(diophantine.NotNegative(rest.Minus(one)))
		default: // that b is at least 1 is a requirement of its own
			rest := a.Minus(s.quotient(a, b).Times(b))
			s.Assert(diophantine.NotNegative(rest.Minus(one)))
		}
	case graph.MustDiffer:
		s.Assert(equal(a, b))
	}
	return true
}

// Differ adds that two sizes differ.
func (s *System) Differ(a, b diophantine.Poly) {
	d, one := a.Minus(b), diophantine.Const(1)
	s.AssertAny([]diophantine.Constraint{diophantine.NotNegative(d.Minus(one))},
		[]diophantine.Constraint{diophantine.NotNegative(d.Scale(-1).Minus(one))})
}

// Judge says whether a requirement holds for all solutions of the system, or for none.
// canHold and canFail say that some solution is known to satisfy it, or not to.
func (s *System) Judge(r graph.Requirement, canHold, canFail bool) Verdict {
	if !canHold {
		with := s.Clone()
		with.Require(r)
		if with.Refuted(Effort(EffortAlone)) {
			if s.Refuted(Effort(EffortAlone)) {
				return Deferred // no sizes at all: the declarations are at fault
			}
			return Refused
		}
	}
	if !canFail {
		against := s.Clone()
		if against.Deny(r) && against.Refuted(Effort(EffortAlone)) {
			return Proved
		}
	}
	return Deferred
}

func floorDiv(a, k int64) int64 {
	q := a / k
	if a%k < 0 {
		q--
	}
	return q
}
