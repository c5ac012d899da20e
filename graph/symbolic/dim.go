package symbolic

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Dim is a size: a whole number, represented by itself, or an expression over named sizes. A whole number can be
// written where a Dim is expected; an expression is the handle of an entry in a table of normal forms, so that ==
// compares normal forms. Handles must not be computed with Go's operators: batch + 1 is detected and is not
// [Dim.Valid]; write batch.Plus(1). The table keeps the expressions of graphs that exist, and recent ones for a
// while. An expression for later graphs must be made again for each, or be a package variable, made before the first
// graph.
type Dim int64

const (
	// Unknown is the size of an axis that could not be inferred. It matches anything.
	Unknown Dim = math.MinInt64 + 1
	// Invalid is the result of an overflow or of misuse.
	Invalid Dim = math.MinInt64
)

// atom is a factor of a normal form: a name, floor(p/k), floor(p/q), p/q without remainder,
// broadcast(p, q), min(p, q) or a sum p.
type atom struct {
	name string
	p, q Dim
	k    int64 // of floor(p/k); byDim of floor(p/q); exactly of p/q; whole of p; lesser of min(p, q); 0 otherwise
}

// byDim marks a division by a size that is no whole number, lesser the lesser of two sizes.
const (
	byDim  = -1
	lesser = -3
)

// term is a product of atoms, in order and with repetition for powers, times a number.
type term struct {
	coef  int64
	atoms []atom
}

// polynomial is a normal form: terms with different atoms, none of them 0, in order.
type polynomial []term

// poly returns d's normal form.
func (d Dim) poly() (p polynomial, ok bool) {
	switch {
	case d == Unknown || d == Invalid:
		return nil, false
	case !d.isHandle():
		if d == 0 {
			return nil, true
		}
		return polynomial{{coef: int64(d)}}, true
	}
	e := d.entry()
	if e == nil {
		return nil, false
	}
	return e.poly, true
}

// compareAtoms orders names before other atoms, and those by their handles.
func compareAtoms(a, b atom) int {
	switch {
	case a.name != b.name:
		if a.name == "" || b.name == "" {
			return -strings.Compare(a.name, b.name)
		}
		return strings.Compare(a.name, b.name)
	case a.k != b.k:
		return int(min(max(a.k-b.k, -1), 1))
	case a.p != b.p:
		return strings.Compare(a.p.String(), b.p.String())
	}
	return strings.Compare(a.q.String(), b.q.String())
}

// compareTerms orders by degree, the highest first, then by atoms: an order that
// multiplication keeps, as division needs it.
func compareTerms(a, b term) int {
	if len(a.atoms) != len(b.atoms) {
		return len(b.atoms) - len(a.atoms)
	}
	return slices.CompareFunc(a.atoms, b.atoms, compareAtoms)
}

// normal brings terms into normal form; ok is false on overflow.
func normal(terms []term) (p polynomial, ok bool) {
	slices.SortStableFunc(terms, compareTerms)
	for _, t := range terms {
		if n := len(p); n > 0 && compareTerms(p[n-1], t) == 0 {
			if p[n-1].coef, ok = addInt(p[n-1].coef, t.coef); !ok {
				return nil, false
			}
			if p[n-1].coef == 0 {
				p = p[:n-1]
			}
			continue
		}
		if t.coef != 0 {
			p = append(p, t)
		}
	}
	return p, true
}

func addInt(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(absInt(a), absInt(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absInt(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// combine returns the sum or the product of two sizes.
func combine(op operation, d, e Dim) Dim {
	if d == Unknown || e == Unknown {
		return Unknown
	}
	if m, whole := d.Int(); whole {
		if n, whole := e.Int(); whole {
			return op.numbers(m, n)
		}
	}
	if known, ok := memoized.get(op, d, e); ok {
		return known
	}
	a, okA := d.poly()
	b, okB := e.poly()
	if !okA || !okB {
		return Invalid
	}
	if op == opProduct && staysFactored(a, b) {
		x, fitsX := d.asFactors()
		y, fitsY := e.asFactors()
		if !fitsX || !fitsY {
			return Invalid
		}
		a, b = polynomial{x}, polynomial{y}
	}
	terms, ok := op.terms(a, b)
	if !ok {
		return Invalid
	}
	p, ok := normal(terms)
	if !ok {
		return Invalid
	}
	result := Invalid
	if p.hasQuotient() {
		result = p.cancelled()
	} else {
		result = p.intern()
	}
	memoized.put(op, d, e, result)
	return result
}

// Plus returns d + e.
func (d Dim) Plus(e Dim) Dim {
	switch {
	case e == 0:
		return d
	case d == 0:
		return e
	}
	return combine(opSum, d, e)
}

// Minus returns d - e.
func (d Dim) Minus(e Dim) Dim {
	if d == e && d != Unknown && d.Valid() {
		return 0
	}
	return d.Plus(e.Times(-1))
}

// Times returns d * e.
func (d Dim) Times(e Dim) Dim {
	switch {
	case e == 1:
		return d
	case d == 1:
		return e
	}
	return combine(opProduct, d, e)
}

// Named returns the named size itself: a letter or _, then letters, digits and _.
func Named(name string) Dim {
	if !isName(name) {
		return Invalid
	}
	return named(name)
}

func atomDim(a atom) Dim { return polynomial{{1, []atom{a}}}.intern() }

// Int returns the whole number that d is.
func (d Dim) Int() (int64, bool) { return int64(d), !d.isHandle() }

// IsConst reports whether d is a whole number.
func (d Dim) IsConst() bool { return !d.isHandle() }

// IsSymbolic reports whether d is an expression over named sizes.
func (d Dim) IsSymbolic() bool { return d.isHandle() && d.Valid() && d != Unknown }

// IsUnknown reports whether d is Unknown.
func (d Dim) IsUnknown() bool { return d == Unknown }

// Valid reports whether d means something: false after an overflow, and for a value made
// with Go's operators from an expression.
func (d Dim) Valid() bool {
	if !d.isHandle() || d == Unknown {
		return true
	}
	_, ok := d.poly()
	return ok
}
