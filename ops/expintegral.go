package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/chebyshev"
)

var opExp1, opExpi, opSpence, opDawsn *graph.Op

// exp1 is the integral of exp(-t)/t from x to infinity; NaN below 0.
func (m arith) exp1(x graph.Value) graph.Value {
	b := m.least(x, 1)
	near := m.sub(m.chebyshev(chebyshev.Exp1Near, b, 0, 1), m.log(b))
	u := m.div(m.num(1), m.Prim(graph.PrimMax, x, m.num(1)))
	middle, far := m.steady(chebyshev.Exp1Middle, u, 0.25, 1), m.steady(chebyshev.Exp1Far, u, 0, 0.25)
	tail := m.mul(m.mul(m.pick(m.above(x, 4), far, middle), u), m.exp(m.neg(x)))
	return m.pick(m.above(x, 1), tail, near)
}

// expiAbove is the principal value of the integral of exp(t)/t up to x, for x of at least 0.
func (m arith) expiAbove(x graph.Value) graph.Value {
	b := m.least(x, 2)
	near := m.add(m.chebyshev(chebyshev.ExpiNear, b, 0, 2), m.log(b))
	u := m.div(m.num(1), m.Prim(graph.PrimMax, x, m.num(2)))
	y := m.steady(chebyshev.Expi2, u, 0.25, 0.5)
	for i, c := range [][]float64{chebyshev.Expi4, chebyshev.Expi8, chebyshev.Expi16} {
		from := float64(int(4) << i)
		y = m.pick(m.above(x, from), m.steady(c, u, 0.5/from, 1/from), y)
	}
	y = m.pick(m.above(x, 32), m.steady(chebyshev.Expi32, u, 0, 1.0/32), y)
	half := m.exp(m.mul(x, m.num(0.5)))
	tail := m.mul(m.mul(m.mul(y, u), half), half)
	tail = m.pick(m.equals(half, inf), half, tail)
	return m.pick(m.above(x, 2), tail, near)
}

func (m arith) expi(x graph.Value) graph.Value {
	return m.pick(m.less(x, 0), m.neg(m.exp1(m.abs(x))), m.expiAbove(m.abs(x)))
}

// spence is the dilogarithm of 1-z, by Abramowitz and Stegun, Handbook of Mathematical Functions, 27.7.3 and 27.7.5.
func (m arith) spence(z graph.Value) graph.Value {
	isLarge := m.above(z, 2)
	w := m.pick(isLarge, m.div(m.num(1), z), z)
	isSmall := m.less(w, 0.5)
	v := m.pick(isSmall, m.sub(m.num(1), w), w)
	y := m.mul(m.pick(isSmall, w, m.sub(m.num(1), w)), m.chebyshev(chebyshev.Spence, v, 0.5, 2))
	logs := m.pick(m.equals(w, 0), m.num(0), m.mul(m.log(w), m.log1p(m.neg(w))))
	y = m.pick(isSmall, m.sub(m.sub(m.num(math.Pi*math.Pi/6), logs), y), y)
	l := m.log(z)
	return m.pick(isLarge, m.sub(m.mul(m.num(-0.5), m.mul(l, l)), y), y)
}

func (m arith) dawsn(x graph.Value) graph.Value {
	return m.odd(x, func(a graph.Value) graph.Value {
		b := m.least(a, 2)
		near := m.mul(a, m.chebyshev(chebyshev.DawsonNear, m.mul(b, b), 0, 4))
		middle := m.steady(chebyshev.DawsonMiddle, m.Prim(graph.PrimMax, m.least(a, 5), m.num(2)), 2, 5)
		u := m.div(m.num(1), m.Prim(graph.PrimMax, a, m.num(5)))
		far := m.mul(u, m.steady(chebyshev.DawsonFar, m.mul(u, u), 0, 0.04))
		return m.pick(m.above(a, 5), far, m.pick(m.above(a, 2), middle, near))
	})
}

// logRatio is log(z)/(z-1), and its series by z-1 near 1, so that derivatives have their digits.
func logRatio(z node) node {
	d := Sub(z, num(1))
	isNear := Less(Abs(d), num(0.1))
	c := make([]float64, 18)
	for k := range c {
		c[k] = math.Pow(-1, float64(k)) / float64(k+1)
	}
	return Where(isNear, seriesOf(c, Where(isNear, d, num(0))), Div(Log(z), Where(isNear, num(1), d)))
}

func init() {
	opExp1 = special("exp1", "Exp1", "the integral of exp(-t)/t from x to infinity; NaN below 0.", arith.exp1,
		func(y, x, dy node) node { return Neg(Mul(dy, Div(Exp(Neg(x)), x))) })
	opExpi = special("expi", "Expi", "the integral of exp(t)/t from -Inf to x, its principal value above 0.",
		arith.expi,
		func(y, x, dy node) node { return Mul(dy, Div(Exp(x), x)) })
	opSpence = special("spence", "Spence",
		"the integral of log(t)/(1-t) from 1 to z, the dilogarithm of 1-z; NaN below 0.", arith.spence,
		func(y, z, dy node) node { return Neg(Mul(dy, logRatio(z))) })
	opDawsn = special("dawsn", "Dawsn", "Dawson's integral, exp(-x²) times that of exp(t²) from 0 to x.", arith.dawsn,
		func(y, x, dy node) node { return Mul(dy, Sub(num(1), Mul(Mul(num(2), x), y))) })
	opExp1.Ref = named("scipy.special.exp1", "", "jax.scipy.special.exp1", "", "")
	opExpi.Ref = named("scipy.special.expi", "", "jax.scipy.special.expi", "", "")
	opSpence.Ref = named("scipy.special.spence", "", "jax.scipy.special.spence", "", "")
	opDawsn.Ref = named("scipy.special.dawsn", "", "jax.scipy.special.dawsn", "", "")
}

// Exp1 returns the exponential integral E1, the integral of exp(-t)/t from x to infinity, with an error of at most 8
// ulp. It is Inf at 0, and NaN below.
func Exp1(x *graph.Node) *graph.Node { return Apply(opExp1, nil, x) }

// Expi returns the exponential integral Ei, the integral of exp(t)/t from -Inf to x. Above 0 it is the principal
// value. The error is at most 8 ulp, or 1e-15 near its zero at 0.37.
func Expi(x *graph.Node) *graph.Node { return Apply(opExpi, nil, x) }

// Spence returns the integral of log(t)/(1-t) from 1 to z, the dilogarithm of 1-z, with an error of at most 8 ulp. It
// is NaN below 0.
func Spence(z *graph.Node) *graph.Node { return Apply(opSpence, nil, z) }

// Dawsn returns Dawson's integral, exp(-x²) times the integral of exp(t²) from 0 to x, with an error of at most 8
// ulp.
func Dawsn(x *graph.Node) *graph.Node { return Apply(opDawsn, nil, x) }
