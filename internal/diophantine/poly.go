package diophantine

import (
	"cmp"
	"math/bits"
	"slices"
)

// Unknown is an integer unknown of a system.
type Unknown int32

// term is a number times a product of unknowns, sorted and with repetition for powers.
type term struct {
	coef int64
	of   []Unknown
}

// Poly is a polynomial with integer coefficients. Terms are sorted, the constant first; no coefficient is 0.
type Poly struct {
	terms []term
	// lost says that the polynomial outgrew an int64 or the limits below. Nothing can be concluded from it.
	lost bool
}

// The limits of a polynomial.
const (
	maxDegree = 6
	maxTerms  = 48
)

// Const is a number.
func Const(c int64) Poly {
	if c == 0 {
		return Poly{}
	}
	return Poly{terms: []term{{coef: c}}}
}

// Of is an unknown.
func Of(x Unknown) Poly { return Poly{terms: []term{{1, []Unknown{x}}}} }

// Lost is a polynomial about which nothing is known.
func Lost() Poly { return Poly{lost: true} }

func compareTerms(a, b term) int {
	return cmp.Or(cmp.Compare(len(a.of), len(b.of)), slices.Compare(a.of, b.of))
}

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly {
	if p.lost || q.lost || len(p.terms)+len(q.terms) > 2*maxTerms {
		return Lost()
	}
	sum := make([]term, 0, len(p.terms)+len(q.terms))
	a, b := p.terms, q.terms
	for len(a) > 0 && len(b) > 0 {
		switch c := compareTerms(a[0], b[0]); {
		case c < 0:
			sum, a = append(sum, a[0]), a[1:]
		case c > 0:
			sum, b = append(sum, b[0]), b[1:]
		default:
			coef, ok := addInt(a[0].coef, b[0].coef)
			if !ok {
				return Lost()
			}
			if coef != 0 {
				sum = append(sum, term{coef, a[0].of})
			}
			a, b = a[1:], b[1:]
		}
	}
	return Poly{terms: append(append(sum, a...), b...)}
}

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Plus(q.Scale(-1)) }

// Scale returns k·p.
func (p Poly) Scale(k int64) Poly {
	if p.lost || k == 1 {
		return p
	}
	if k == 0 {
		return Poly{}
	}
	out := make([]term, len(p.terms))
	for i, t := range p.terms {
		c, ok := mulInt(t.coef, k)
		if !ok {
			return Lost()
		}
		out[i] = term{c, t.of}
	}
	return Poly{terms: out}
}

// Times returns p·q.
func (p Poly) Times(q Poly) Poly {
	if p.lost || q.lost {
		return Lost()
	}
	var sum Poly
	for _, t := range q.terms {
		part := p.timesTerm(t)
		slices.SortFunc(part.terms, compareTerms)
		if sum = sum.Plus(part); sum.lost || len(sum.terms) > maxTerms {
			return Lost()
		}
	}
	return sum
}

func (p Poly) timesTerm(t term) Poly {
	out := make([]term, len(p.terms))
	for i, u := range p.terms {
		c, ok := mulInt(u.coef, t.coef)
		if !ok || len(u.of)+len(t.of) > maxDegree {
			return Lost()
		}
		of := slices.Concat(u.of, t.of)
		slices.Sort(of)
		out[i] = term{c, of}
	}
	return Poly{terms: out}
}

// mentions reports whether x occurs in p.
func (p Poly) mentions(x Unknown) bool {
	return slices.ContainsFunc(p.terms, func(t term) bool { return slices.Contains(t.of, x) })
}

// substitute replaces an unknown by a polynomial.
func (p Poly) substitute(x Unknown, by Poly) Poly {
	if p.lost || !p.mentions(x) {
		return p
	}
	kept, sum := Poly{}, Poly{}
	for _, t := range p.terms {
		if !slices.Contains(t.of, x) {
			kept.terms = append(kept.terms, t)
			continue
		}
		part := Poly{terms: []term{{coef: t.coef}}}
		var rest []Unknown
		for _, y := range t.of {
			if y == x {
				part = part.Times(by)
			} else {
				rest = append(rest, y)
			}
		}
		if len(rest) > 0 {
			part = part.Times(Poly{terms: []term{{1, rest}}})
		}
		sum = sum.Plus(part)
	}
	return kept.Plus(sum)
}

// split writes p as a·x + b.
func (p Poly) split(x Unknown) (a, b Poly) {
	for _, t := range p.terms {
		at := slices.Index(t.of, x)
		if at < 0 {
			b.terms = append(b.terms, t)
			continue
		}
		a.terms = append(a.terms, term{t.coef, slices.Delete(slices.Clone(t.of), at, at+1)})
	}
	slices.SortFunc(a.terms, compareTerms)
	return a, b
}

// hasFactor reports whether x occurs in every term.
func (p Poly) hasFactor(x Unknown) bool {
	return len(p.terms) > 0 && !slices.ContainsFunc(p.terms, func(t term) bool { return !slices.Contains(t.of, x) })
}

// isUpToSign reports whether p is q or -q.
func (p Poly) isUpToSign(q Poly) bool {
	return !p.lost && !q.lost && (equalTerms(p.terms, q.terms, 1) || equalTerms(p.terms, q.terms, -1))
}

// constant returns the term without unknowns.
func (p Poly) constant() int64 {
	if len(p.terms) > 0 && len(p.terms[0].of) == 0 {
		return p.terms[0].coef
	}
	return 0
}

func (p Poly) isConst() bool {
	return len(p.terms) == 0 || len(p.terms) == 1 && len(p.terms[0].of) == 0
}

// isLinear reports whether no unknowns are multiplied.
func (p Poly) isLinear() bool { return len(p.terms) == 0 || len(p.terms[len(p.terms)-1].of) <= 1 }

// withoutConstant returns the terms that hold unknowns.
func (p Poly) withoutConstant() []term {
	if len(p.terms) > 0 && len(p.terms[0].of) == 0 {
		return p.terms[1:]
	}
	return p.terms
}

// content is the greatest common divisor of the coefficients of unknowns; 0 without any.
func (p Poly) content() int64 {
	g := int64(0)
	for _, t := range p.withoutConstant() {
		g = gcd(g, t.coef)
	}
	return g
}

// divide divides the coefficients by k, the constant rounded down.
func (p Poly) divide(k int64) Poly {
	if k == 1 {
		return p
	}
	var out []term
	for _, t := range p.terms {
		if c := floorDiv(t.coef, k); c != 0 {
			out = append(out, term{c, t.of})
		}
	}
	return Poly{terms: out}
}

// unknowns lists the unknowns of p, each once.
func (p Poly) unknowns() []Unknown {
	var list []Unknown
	for _, t := range p.terms {
		for _, x := range t.of {
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	return list
}

// equalTerms compares terms, those of b times sign.
func equalTerms(a, b []term, sign int64) bool {
	return slices.EqualFunc(a, b, func(x, y term) bool { return x.coef == sign*y.coef && slices.Equal(x.of, y.of) })
}

func addInt(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) && s > -infinite && s < infinite
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo >= uint64(infinite) {
		return 0, false
	}
	return a * b, true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// floorDiv divides by a positive number and rounds down.
func floorDiv(a, k int64) int64 {
	q := a / k
	if a%k < 0 {
		q--
	}
	return q
}

// ceilDiv divides by a positive number and rounds up.
func ceilDiv(a, k int64) int64 { return -floorDiv(-a, k) }
