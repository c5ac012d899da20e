package shapeinfer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Verdict is what can be said of a requirement before sizes are known.
type Verdict uint8

// The verdicts.
const (
	Deferred Verdict = iota // holds for some sizes, or nobody knows
	Proved                  // holds for all sizes
	Refused                 // holds for no size
)

// Prover judges statements about sizes for all values that the names may take.
type Prover struct{ bounds graph.BoundsOf }

// NewProver makes a prover that knows what was declared of each name.
func NewProver(b graph.BoundsOf) *Prover { return &Prover{b} }

// Equal judges a == b.
func (p *Prover) Equal(a, b graph.Dim) Verdict {
	if a == b {
		return Proved
	}
	if a.IsConst() && b.IsConst() {
		return Refused
	}
	d, ok := p.declared(a.Minus(b))
	switch {
	case !ok:
		return Deferred
	case d == 0:
		return Proved
	case p.nonZero(d):
		return Refused
	}
	return Deferred
}

// NotEqual reports whether a differs from b for all sizes.
func (p *Prover) NotEqual(a, b graph.Dim) bool { return p.Equal(a, b) == Refused }

// AtLeast judges d >= k.
func (p *Prover) AtLeast(d graph.Dim, k int64) Verdict {
	lo, hi, ok := p.span(d.Minus(graph.Dim(k)))
	switch {
	case !ok:
		return Deferred
	case lo >= 0:
		return Proved
	case hi < 0:
		return Refused
	}
	return Deferred
}

// Divisible judges whether d is a multiple of k.
func (p *Prover) Divisible(d graph.Dim, k int64) Verdict {
	d, ok := p.declared(d)
	if !ok || k < 1 {
		return Deferred
	}
	rest := d.Mod(k)
	switch {
	case rest == 0:
		return Proved
	case p.nonZero(rest):
		return Refused
	}
	return Deferred
}

// declared writes what was said of the names into the size: a name that is a multiple
// of k is k times another name, and one that can only be one number is that number.
func (p *Prover) declared(d graph.Dim) (graph.Dim, bool) {
	if d.IsUnknown() || !d.Valid() {
		return d, false
	}
	for _, name := range d.Symbols() {
		b := p.bounds(name)
		switch {
		case b.Max > 0 && b.Max == b.Min:
			d = d.Subst(name, graph.Dim(b.Max))
		case b.Multiple > 1:
			d = d.Subst(name, graph.SymbolicDim(quotientName(name, b.Multiple)).Times(graph.Dim(b.Multiple)))
		}
	}
	return d, d.Valid()
}

// quotientName names a size divided by what it is a multiple of. No user's name has
// the letter in front.
func quotientName(name string, k int64) string { return fmt.Sprintf("ʠ%d_%s", k, name) }

// limits gives the least and the greatest value of a name, those of quotients included.
func (p *Prover) limits(name string) (lo, hi int64) {
	k := int64(1)
	if rest, isQuotient := strings.CutPrefix(name, "ʠ"); isQuotient {
		digits, of, _ := strings.Cut(rest, "_")
		k, _ = strconv.ParseInt(digits, 10, 64)
		name = of
	}
	b := p.bounds(name)
	lo, hi = -floorDiv(-b.Min, k), math.MaxInt64
	if b.Max > 0 {
		hi = floorDiv(b.Max, k)
	}
	return lo, hi
}

func floorDiv(a, k int64) int64 {
	q := a / k
	if a%k < 0 {
		q--
	}
	return q
}

// nonZero reports whether d is 0 for no size: its values all have one sign, or the
// greatest common divisor of its coefficients does not divide its constant.
func (p *Prover) nonZero(d graph.Dim) bool {
	if lo, hi, ok := p.span(d); ok && (lo > 0 || hi < 0) {
		return true
	}
	var common, constant int64
	ok := d.Terms(func(coef int64, factors []graph.Factor) {
		if len(factors) == 0 {
			constant = coef
		} else {
			common = gcd(common, coef)
		}
	})
	return ok && common != 0 && constant%common != 0
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// span gives bounds on the values of d: the least over all terms after each name is
// counted from its least value, so that n·m - n is seen to be at least 0.
func (p *Prover) span(d graph.Dim) (lo, hi int64, ok bool) {
	d, ok = p.declared(d)
	if !ok {
		return 0, 0, false
	}
	q := newShifted(p, d)
	if !q.ok {
		return math.MinInt64, math.MaxInt64, true
	}
	return q.span()
}

// shifted is a size times some positive number, written with names that start at 0 and with
// each floor(p/k) replaced by (p-r)/k, where r lies in 0..k-1.
type shifted struct {
	d     graph.Dim
	top   map[string]int64 // the greatest value of a name; none: unbounded
	ok    bool
	fresh int
}

// maxFloors bounds the divisions that are replaced, and with them the scale.
const maxFloors = 12

func newShifted(p *Prover, d graph.Dim) *shifted {
	s := &shifted{d: d, top: map[string]int64{}, ok: true}
	for s.ok && s.fresh <= maxFloors && s.replaceFloor() {
	}
	if !s.ok {
		return s
	}
	for _, name := range s.d.Symbols() {
		if _, done := s.top[name]; done {
			continue
		}
		lo, hi := p.limits(name)
		if hi < lo {
			s.ok = false // no value at all: say nothing
			return s
		}
		s.fresh++
		shift := s.name("t", s.fresh)
		if hi != math.MaxInt64 {
			s.top[shift] = hi - lo
		}
		s.d = s.d.Subst(name, graph.SymbolicDim(shift).Plus(graph.Dim(lo)))
	}
	s.ok = s.d.Valid()
	return s
}

func (s *shifted) name(kind string, i int) string { return fmt.Sprintf("ʠ%s%d", kind, i) }

// replaceFloor takes one floor that stands alone in its term away.
func (s *shifted) replaceFloor() bool {
	found := false
	var next graph.Dim
	s.d.Terms(func(coef int64, factors []graph.Factor) {
		if found || len(factors) != 1 || factors[0].K == 0 {
			return
		}
		f := factors[0]
		s.fresh++
		slack := s.name("r", s.fresh)
		s.top[slack] = f.K - 1
		k := graph.Dim(f.K)
		atom := f.P.FloorDiv(f.K)
		rest := s.d.Minus(atom.Times(graph.Dim(coef)))
		next = rest.Times(k).Plus(f.P.Minus(graph.SymbolicDim(slack)).Times(graph.Dim(coef)))
		found = true
	})
	if !found {
		return false
	}
	s.d, s.ok = next, next.Valid()
	return s.ok
}

// span adds up the bounds of the terms. Only the sign and whether it is 0 are exact
// when the scale is not 1.
func (s *shifted) span() (lo, hi int64, ok bool) {
	ok = s.d.Terms(func(coef int64, factors []graph.Factor) {
		t := interval{coef, coef}
		for _, f := range factors {
			t = t.times(s.factor(f))
		}
		lo, hi = addSat(lo, t.lo), addSat(hi, t.hi)
	})
	return lo, hi, ok
}

// interval is a range of values; the extremes of int64 stand for infinities.
type interval struct{ lo, hi int64 }

func (a interval) times(b interval) interval {
	x, y, z, w := mulSat(a.lo, b.lo), mulSat(a.lo, b.hi), mulSat(a.hi, b.lo), mulSat(a.hi, b.hi)
	return interval{min(x, y, z, w), max(x, y, z, w)}
}

// factor gives the least and greatest value of a factor.
func (s *shifted) factor(f graph.Factor) interval {
	if f.Name != "" {
		if top, bounded := s.top[f.Name]; bounded {
			return interval{0, top}
		}
		return interval{0, math.MaxInt64}
	}
	p := s.of(f.P)
	if f.K > 0 {
		if p.lo != math.MinInt64 {
			p.lo = floorDiv(p.lo, f.K)
		}
		if p.hi != math.MaxInt64 {
			p.hi = floorDiv(p.hi, f.K)
		}
		return p
	}
	q := s.of(f.Q)
	return interval{min(p.lo, q.lo), max(p.hi, q.hi)}
}

// of gives the range of a part of the expression, whose names start at 0 already.
func (s *shifted) of(d graph.Dim) interval {
	part := shifted{d: d, top: s.top}
	lo, hi, ok := part.span()
	if !ok {
		return interval{math.MinInt64, math.MaxInt64}
	}
	return interval{lo, hi}
}

func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if p := a * b; p/b == a && !(a == -1 && b == math.MinInt64) && a != math.MaxInt64 && b != math.MaxInt64 {
		return p
	}
	if (a < 0) != (b < 0) {
		return math.MinInt64
	}
	return math.MaxInt64
}

func addSat(a, b int64) int64 {
	switch {
	case a == math.MinInt64 || b == math.MinInt64:
		return math.MinInt64
	case a == math.MaxInt64 || b == math.MaxInt64:
		return math.MaxInt64
	}
	if s := a + b; (s > a) == (b > 0) {
		return s
	}
	if a < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}
