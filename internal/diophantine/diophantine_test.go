package diophantine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// effort is the work that one question may take.
func effort() *int {
	left := 20000
	return &left
}

func TestRefutes(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(s *System)
	}{
		{"two numbers", func(s *System) {
			a, b := Of(s.Unknown(0)), Of(s.Unknown(0))
			s.Assert(Zero(a.Minus(b)), Zero(a.Minus(Const(5))), Zero(b.Minus(Const(3))))
		}},
		{"parity", func(s *System) {
			a, b := Of(s.Unknown(0)), Of(s.Unknown(0))
			s.Assert(Zero(a.Scale(2).Minus(b)), Zero(b.Minus(Const(7))))
		}},
		{"greatest common divisor", func(s *System) {
			a, b := Of(s.Free()), Of(s.Free())
			s.Assert(Zero(a.Scale(6).Plus(b.Scale(9)).Minus(Const(5))))
		}},
		{"remainders of two equations", func(s *System) { // x = 2a+1 = 2b
			a, b, x := Of(s.Free()), Of(s.Free()), Of(s.Free())
			s.Assert(Zero(x.Minus(a.Scale(2)).Minus(Const(1))), Zero(x.Minus(b.Scale(2))))
		}},
		{"Chinese remainders", func(s *System) { // x = 1 mod 4 and x = 2 mod 6
			a, b, x := Of(s.Free()), Of(s.Free()), Of(s.Free())
			s.Assert(Zero(x.Minus(a.Scale(4)).Minus(Const(1))), Zero(x.Minus(b.Scale(6)).Minus(Const(2))))
		}},
		{"a circle of inequalities", func(s *System) {
			a, b, c := Of(s.Free()), Of(s.Free()), Of(s.Free())
			s.Assert(NotNegative(a.Minus(b)), NotNegative(b.Minus(c)), NotNegative(c.Minus(a).Minus(Const(1))))
		}},
		{"floor is less", func(s *System) {
			n := Of(s.Unknown(1))
			s.Assert(Zero(s.Floor(n, 2).Minus(n)))
		}},
		{"twice the floor of an odd number", func(s *System) {
			n := Of(s.Unknown(0)).Scale(2).Plus(Const(1))
			s.Assert(Zero(s.Floor(n, 2).Scale(2).Minus(n)))
		}},
		{"floors of neighbours", func(s *System) { // floor(n/3) > floor((n+1)/3)
			n := Of(s.Unknown(0))
			s.Assert(NotNegative(s.Floor(n, 3).Minus(s.Floor(n.Plus(Const(1)), 3)).Minus(Const(1))))
		}},
		{"a product of at least 1", func(s *System) { // n·m < n
			n, m := Of(s.Unknown(0)), Of(s.Unknown(1))
			s.Assert(NotNegative(n.Minus(n.Times(m)).Minus(Const(1))))
		}},
		{"no square", func(s *System) {
			n := Of(s.Unknown(0))
			s.Assert(Zero(n.Times(n).Minus(Const(7))))
		}},
		{"no product", func(s *System) { // n·m = 7 with n, m >= 2
			n, m := Of(s.Unknown(2)), Of(s.Unknown(2))
			s.Assert(Zero(n.Times(m).Minus(Const(7))))
		}},
		{"alternatives", func(s *System) {
			n := Of(s.Unknown(0))
			is := func(v int64) []Constraint { return []Constraint{Zero(n.Minus(Const(v)))} }
			s.AssertAny(is(1), is(2))
			s.AssertAny(is(3), is(4))
		}},
		{"the same alternatives twice, of a square", func(s *System) { // m² = 1 and m = m·n, n >= 2
			m, n := Of(s.Unknown(0)), Of(s.Unknown(2))
			square := []Constraint{Zero(m.Times(m).Minus(Const(1)))}
			s.AssertAny(square, square)
			s.AssertAny([]Constraint{Zero(m.Minus(m.Times(n)))}, []Constraint{Zero(m.Times(n).Minus(Const(1)))})
		}},
		{"a factor that is not 0", func(s *System) { // m·(3q·(k-1) - 1) = 0
			m, q, k := Of(s.Unknown(2)), Of(s.Unknown(1)), Of(s.Unknown(1))
			s.Assert(Zero(k.Minus(Const(1)).Times(q).Scale(3).Times(m).Minus(m)))
		}},
		{"the other factor of a positive product", func(s *System) { // k·(m-n) >= 1 and m <= n
			k, m, n := Of(s.Unknown(0)), Of(s.Unknown(0)), Of(s.Unknown(0))
			s.Assert(NotNegative(k.Times(m.Minus(n)).Minus(Const(1))), NotNegative(n.Minus(m)))
		}},
		{"the other factor of a product that is not negative", func(s *System) { // k·(m-n) >= 0 and m < n
			k, m, n := Of(s.Unknown(1)), Of(s.Unknown(0)), Of(s.Unknown(0))
			s.Assert(NotNegative(k.Times(m.Minus(n))), NotNegative(n.Minus(m).Minus(Const(1))))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s System
			c.make(&s)
			assert.True(t, s.Refuted(effort()))
		})
	}
}

func TestRangeIsThatOfTheSolutions(t *testing.T) {
	var s System
	n, m := Of(s.Unknown(1)), Of(s.Unknown(1))
	s.Assert(Zero(n.Scale(2).Plus(Const(1)).Minus(m)), NotNegative(Const(9).Minus(m)))
	lo, hi, none := s.Range(n.Plus(m), effort())
	assert.Equal(t, []any{int64(4), int64(13), false}, []any{lo, hi, none})
}

// TestNeverRefutesWhatHasASolution compares with all assignments of small numbers: what
// one of them satisfies must not be refuted; and most systems without a solution on a
// bounded domain must be.
func TestNeverRefutesWhatHasASolution(t *testing.T) {
	const names, least, most = 3, -2, 6
	rng := rand.New(rand.NewPCG(1, 2))
	unsolvable, refuted := 0, 0
	for range 3000 {
		r := newRandomSystem(rng, names)
		var s System
		var xs []Poly
		for range names {
			x := Of(s.Free())
			s.Assert(NotNegative(x.Minus(Const(least))), NotNegative(Const(most).Minus(x)))
			xs = append(xs, x)
		}
		r.assert(&s, xs)
		solution := r.solution(least, most)
		got := s.Refuted(effort())
		if solution != nil && got {
			t.Fatalf("refuted, but %v is a solution of\n%s", solution, r)
		}
		if solution == nil {
			unsolvable++
			if got {
				refuted++
			}
		}
	}
	t.Logf("%d of %d systems without a solution refuted", refuted, unsolvable)
	assert.Greater(t, float64(refuted), 0.95*float64(unsolvable))
}

// randomSystem is a system in a form that can be evaluated: each row of alternatives
// holds expressions, which must be 0 or at least 0.
type randomSystem [][]randomRow

type randomRow struct {
	e    expr
	zero bool
}

// expr is a tree: a number, a name, a sum, a product or a floor.
type expr struct {
	op   byte // 'n' number, 'x' name, '+', '*', '/'
	n    int64
	a, b *expr
}

func newRandomSystem(rng *rand.Rand, names int) randomSystem {
	var s randomSystem
	for range 1 + rng.IntN(4) {
		var alternatives []randomRow
		for range 1 + rng.IntN(2) {
			alternatives = append(alternatives, randomRow{newExpr(rng, names, 3), rng.IntN(3) > 0})
		}
		s = append(s, alternatives)
	}
	return s
}

func newExpr(rng *rand.Rand, names, depth int) expr {
	if depth == 0 || rng.IntN(5) == 0 {
		if rng.IntN(3) == 0 {
			return expr{op: 'n', n: rng.Int64N(9) - 4}
		}
		return expr{op: 'x', n: rng.Int64N(int64(names))}
	}
	a, b := newExpr(rng, names, depth-1), newExpr(rng, names, depth-1)
	switch rng.IntN(7) {
	case 0:
		return expr{op: '*', a: &a, b: &b}
	case 1:
		return expr{op: '/', a: &a, n: 2 + rng.Int64N(3)}
	case 2, 3:
		return expr{op: '*', a: &a, b: &expr{op: 'n', n: rng.Int64N(7) - 3}}
	}
	return expr{op: '+', a: &a, b: &b}
}

func (e expr) value(at []int64) int64 {
	switch e.op {
	case 'n':
		return e.n
	case 'x':
		return at[e.n]
	case '+':
		return e.a.value(at) + e.b.value(at)
	case '*':
		return e.a.value(at) * e.b.value(at)
	}
	return floorDiv(e.a.value(at), e.n)
}

func (e expr) poly(s *System, xs []Poly) Poly {
	switch e.op {
	case 'n':
		return Const(e.n)
	case 'x':
		return xs[e.n]
	case '+':
		return e.a.poly(s, xs).Plus(e.b.poly(s, xs))
	case '*':
		return e.a.poly(s, xs).Times(e.b.poly(s, xs))
	}
	return s.Floor(e.a.poly(s, xs), e.n)
}

func (e expr) String() string {
	switch e.op {
	case 'n':
		return fmt.Sprint(e.n)
	case 'x':
		return fmt.Sprintf("x%d", e.n)
	case '/':
		return fmt.Sprintf("floor(%s/%d)", e.a, e.n)
	}
	return fmt.Sprintf("(%s%c%s)", e.a, e.op, e.b)
}

func (r randomSystem) assert(s *System, xs []Poly) {
	for _, alternatives := range r {
		var all [][]Constraint
		for _, row := range alternatives {
			if p := row.e.poly(s, xs); row.zero {
				all = append(all, []Constraint{Zero(p)})
			} else {
				all = append(all, []Constraint{NotNegative(p)})
			}
		}
		s.AssertAny(all...)
	}
}

func (r randomSystem) solution(least, most int64) []int64 {
	for x := least; x <= most; x++ {
		for y := least; y <= most; y++ {
			for z := least; z <= most; z++ {
				if at := []int64{x, y, z}; r.holds(at) {
					return at
				}
			}
		}
	}
	return nil
}

func (r randomSystem) holds(at []int64) bool {
	for _, alternatives := range r {
		one := false
		for _, row := range alternatives {
			v := row.e.value(at)
			one = one || v == 0 || !row.zero && v > 0
		}
		if !one {
			return false
		}
	}
	return true
}

func (r randomSystem) String() string {
	text := ""
	for _, alternatives := range r {
		for i, row := range alternatives {
			if i > 0 {
				text += " or "
			}
			text += row.e.String()
			if row.zero {
				text += " == 0"
			} else {
				text += " >= 0"
			}
		}
		text += "\n"
	}
	return text
}
