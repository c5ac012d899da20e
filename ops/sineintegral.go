package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/chebyshev"
)

var opSineIntegral, opCosineIntegral, opFresnelS, opFresnelC *graph.Op

// The forms are those of Abramowitz and Stegun, Handbook of Mathematical Functions, 5.2.8 and 5.2.9 (Si and Ci), 7.3.9
// and 7.3.10 (S and C).

// sineWave is the functions f and g of the sine and cosine integrals at a of at least 4.
func (m arith) sineWave(a graph.Value) (f, g graph.Value) {
	u := m.div(m.num(1), m.Prim(graph.PrimMax, a, m.num(4)))
	t, isFar := m.mul(u, u), m.above(a, 8)
	series := func(near, far []float64) graph.Value {
		return m.pick(isFar, m.chebyshev(far, t, 0, 1.0/64), m.chebyshev(near, t, 1.0/64, 1.0/16))
	}
	return m.mul(u, series(chebyshev.SineF4, chebyshev.SineF8)), m.mul(t, series(chebyshev.SineG4, chebyshev.SineG8))
}

func (m arith) sineIntegral(x graph.Value) graph.Value {
	return m.odd(x, func(a graph.Value) graph.Value {
		b := m.least(a, 4)
		near := m.mul(a, m.chebyshev(chebyshev.SineNear, m.mul(b, b), 0, 16))
		f, g := m.sineWave(a)
		wave := m.add(m.mul(f, m.Prim(graph.PrimCos, a)), m.mul(g, m.Prim(graph.PrimSin, a)))
		wave = m.pick(m.equals(a, inf), m.num(0), wave)
		return m.pick(m.above(a, 4), m.sub(m.num(math.Pi/2), wave), near)
	})
}

func (m arith) cosineIntegral(x graph.Value) graph.Value {
	x = m.abs(x)
	b := m.least(x, 4)
	near := m.add(m.chebyshev(chebyshev.CosineNear, m.mul(b, b), 0, 16), m.log(b))
	f, g := m.sineWave(x)
	wave := m.sub(m.mul(f, m.Prim(graph.PrimSin, x)), m.mul(g, m.Prim(graph.PrimCos, x)))
	wave = m.pick(m.equals(x, inf), m.num(0), wave)
	return m.pick(m.above(x, 4), wave, near)
}

// halfTurns is x²/2, without whole turns of 2: x is split in halves, whose products are exact, as an error of x² counts
// as many times as it has turns.
func (m arith) halfTurns(a graph.Value) graph.Value {
	b := m.least(a, 0x1p53) // from where on a square is a multiple of 4
	c := m.mul(b, m.num(0x1p27+1))
	high := m.sub(c, m.sub(c, b))
	low := m.sub(b, high)
	rest := func(x graph.Value) graph.Value { return m.sub(x, m.mul(m.num(4), m.floor(m.mul(x, m.num(0.25))))) }
	sum := m.add(m.add(rest(m.mul(high, high)), rest(m.mul(m.add(high, high), low))), rest(m.mul(low, low)))
	return m.mul(rest(sum), m.num(0.5))
}

// fresnel is Fresnel's integral of the sine, or of the cosine.
func (m arith) fresnel(x graph.Value, cosine bool) graph.Value {
	return m.odd(x, func(a graph.Value) graph.Value {
		b := m.least(a, 2)
		square := m.mul(b, b)
		t := m.mul(square, square)
		near := m.mul(m.mul(square, a), m.chebyshev(chebyshev.FresnelS, t, 0, 16))
		u := m.div(m.num(1), m.Prim(graph.PrimMax, a, m.num(2)))
		v := m.mul(u, u)
		f := m.mul(m.mul(u, m.num(1/math.Pi)), m.chebyshev(chebyshev.FresnelF, m.mul(v, v), 0, 1.0/16))
		g := m.mul(m.mul(m.mul(u, v), m.num(1/math.Pi/math.Pi)),
			m.chebyshev(chebyshev.FresnelG, m.mul(v, v), 0, 1.0/16))
		angle := m.mul(m.halfTurns(a), m.num(math.Pi))
		sine, cos := m.Prim(graph.PrimSin, angle), m.Prim(graph.PrimCos, angle)
		far := m.sub(m.num(0.5), m.add(m.mul(f, cos), m.mul(g, sine)))
		if cosine {
			near = m.mul(a, m.chebyshev(chebyshev.FresnelC, t, 0, 16))
			far = m.add(m.num(0.5), m.sub(m.mul(f, sine), m.mul(g, cos)))
		}
		return m.pick(m.above(a, 2), far, near)
	})
}

// squareAngle is πx²/2.
func squareAngle(x node) node { return Mul(num(math.Pi/2), Square(x)) }

func init() {
	opSineIntegral = special("sine_integral", "SineIntegral", "the integral of sin(t)/t from 0 to x.",
		arith.sineIntegral,
		func(y, x, dy node) node { return Mul(dy, SphericalJ0(x)) })
	opCosineIntegral = special("cosine_integral", "CosineIntegral",
		"minus the integral of cos(t)/t from |x| to infinity.", arith.cosineIntegral,
		func(y, x, dy node) node { return Mul(dy, Div(Cos(x), x)) })
	opFresnelS = special("fresnel_s", "FresnelS", "the integral of sin(πt²/2) from 0 to x.",
		func(m arith, x graph.Value) graph.Value { return m.fresnel(x, false) },
		func(y, x, dy node) node { return Mul(dy, Sin(squareAngle(x))) })
	opFresnelC = special("fresnel_c", "FresnelC", "the integral of cos(πt²/2) from 0 to x.",
		func(m arith, x graph.Value) graph.Value { return m.fresnel(x, true) },
		func(y, x, dy node) node { return Mul(dy, Cos(squareAngle(x))) })
	opSineIntegral.Ref = named("scipy.special.sici", "", "jax.scipy.special.sici", "", "")
	opCosineIntegral.Ref = named("scipy.special.sici", "", "jax.scipy.special.sici", "", "")
	opFresnelS.Ref = named("scipy.special.fresnel", "", "jax.scipy.special.fresnel", "", "")
	opFresnelC.Ref = named("scipy.special.fresnel", "", "jax.scipy.special.fresnel", "", "")
}

// SineIntegral returns Si, the integral of sin(t)/t from 0 to x, with an error of at most 4 ulp.
func SineIntegral(x *graph.Node) *graph.Node { return Apply(opSineIntegral, nil, x) }

// CosineIntegral returns Ci, minus the integral of cos(t)/t from |x| to infinity. The error is at most 4 ulp of the
// value or of 1, whichever is greater. It is -Inf at 0. Below 0 it is the real part of Ci, as in SciPy.
func CosineIntegral(x *graph.Node) *graph.Node { return Apply(opCosineIntegral, nil, x) }

// FresnelS returns the Fresnel sine integral, the integral of sin(πt²/2) from 0 to x, with an error of at most 4 ulp.
func FresnelS(x *graph.Node) *graph.Node { return Apply(opFresnelS, nil, x) }

// FresnelC returns the Fresnel cosine integral, the integral of cos(πt²/2) from 0 to x, with an error of at most 4
// ulp.
func FresnelC(x *graph.Node) *graph.Node { return Apply(opFresnelC, nil, x) }
