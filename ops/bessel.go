package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/chebyshev"
)

var opI0, opI0e, opI1, opI1e *graph.Op

// besselNear is where the two series of a Bessel function meet.
const besselNear = 8

// besselScaled is exp(-a) times a modified Bessel function of a of at least 0; by near, times a
// where byA is set, up to [besselNear], and by far, over the root of a, beyond.
func (m arith) besselScaled(a graph.Value, near, far []float64, byA bool) graph.Value {
	low := m.steady(near, m.least(a, besselNear), 0, besselNear)
	if byA {
		low = m.mul(low, a)
	}
	u := m.div(m.num(1), m.Prim(graph.PrimMax, a, m.num(besselNear)))
	high := m.div(m.steady(far, u, 0, 1.0/besselNear), m.sqrt(a))
	return m.pick(m.above(a, besselNear), high, low)
}

func (m arith) i0e(x graph.Value) graph.Value {
	return m.besselScaled(m.abs(x), chebyshev.BesselI0Near, chebyshev.BesselI0Far, false)
}

func (m arith) i1e(x graph.Value) graph.Value {
	return m.odd(x, func(a graph.Value) graph.Value {
		return m.besselScaled(a, chebyshev.BesselI1Near, chebyshev.BesselI1Far, true)
	})
}

// grown is exp(|x|) times y, where that is finite.
func (m arith) grown(x, y graph.Value) graph.Value {
	half := m.exp(m.mul(m.abs(x), m.num(0.5)))
	product := m.mul(m.mul(y, half), half)
	return m.pick(m.Prim(graph.PrimEq, half, m.num(inf)), m.div(x, m.num(0)), product)
}

// quotientNear is where a Bessel function of order 1 over x is taken by a series, whose own derivatives are right at 0
// too.
const quotientNear = 0.25

// overX is y/x for a Bessel function y of order 1, and near 0 what is given for there.
func overX(y, x, near node) node {
	isNear := Less(Abs(x), num(quotientNear))
	return Where(isNear, near, Div(y, Where(isNear, num(1), x)))
}

// bySeries is i1(x)/x near 0, or with a sign of -1 j1(x)/x: the sum of (±x²/4)ᵏ / (2 k! (k+1)!).
func bySeries(x node, sign float64) node {
	factors := []float64{0.5, sign / 16, 1. / 384, sign / 18432, 1. / 1474560, sign / 176947200}
	return seriesOf(factors, Square(Where(Less(Abs(x), num(quotientNear)), x, num(0))))
}

func init() {
	opI0 = special("i0", "I0", "the modified Bessel function of the first kind of order 0.",
		func(m arith, x graph.Value) graph.Value { return m.abs(m.grown(x, m.i0e(x))) },
		func(y, x, dy node) node { return Mul(dy, I1(x)) })
	opI0e = special("i0e", "I0e", "exp(-|x|) * i0(x).", arith.i0e,
		func(y, x, dy node) node { return Mul(dy, Sub(I1e(x), Mul(Sign(x), y))) })
	opI1 = special("i1", "I1", "the modified Bessel function of the first kind of order 1.",
		func(m arith, x graph.Value) graph.Value { return m.grown(x, m.i1e(x)) },
		func(y, x, dy node) node { return Mul(dy, Sub(I0(x), overX(y, x, bySeries(x, 1)))) })
	opI1e = special("i1e", "I1e", "exp(-|x|) * i1(x).", arith.i1e,
		func(y, x, dy node) node {
			return Mul(dy, Sub(Sub(I0e(x), overX(y, x, Mul(Exp(Neg(Abs(x))), bySeries(x, 1)))), Mul(Sign(x), y)))
		})
	opI0.Ref = named("numpy.i0", "torch.special.i0, torch.i0, torch.special.modified_bessel_i0",
		"jax.scipy.special.i0, jax.numpy.i0", "", "")
	opI0e.Ref = named("scipy.special.i0e", "torch.special.i0e", "jax.scipy.special.i0e, jax.lax.bessel_i0e", "", "")
	opI1.Ref = named("scipy.special.i1", "torch.special.i1, torch.special.modified_bessel_i1", "jax.scipy.special.i1",
		"", "")
	opI1e.Ref = named("scipy.special.i1e", "torch.special.i1e", "jax.scipy.special.i1e, jax.lax.bessel_i1e", "", "")
}

// I0 returns the modified Bessel function of the first kind of order 0, with an error of at most 6 ulp.
func I0(x *graph.Node) *graph.Node { return Apply(opI0, nil, x) }

// I0e returns exp(-|x|) * I0(x), which does not overflow.
func I0e(x *graph.Node) *graph.Node { return Apply(opI0e, nil, x) }

// I1 returns the modified Bessel function of the first kind of order 1, with an error of at most 6 ulp.
func I1(x *graph.Node) *graph.Node { return Apply(opI1, nil, x) }

// I1e returns exp(-|x|) * I1(x), which does not overflow.
func I1e(x *graph.Node) *graph.Node { return Apply(opI1e, nil, x) }
