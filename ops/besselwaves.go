package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/chebyshev"
)

var opJ0, opJ1, opY0, opY1, opK0, opK0e, opK1, opK1e, opSphericalJ0 *graph.Op

// The forms are those of Abramowitz and Stegun, Handbook of Mathematical Functions, 9.1.13, 9.2.5 and 9.2.6 (J and Y),
// 9.6.13 and 9.7.2 (K).

// besselKNear is where the two series of K meet.
const besselKNear = 2

// besselSeries is a series by a² of a Bessel function at a of at least 0, up to [besselNear].
func (m arith) besselSeries(c []float64, a graph.Value) graph.Value {
	b := m.least(a, besselNear)
	return m.chebyshev(c, m.mul(b, b), 0, besselNear*besselNear)
}

// besselWave is J, or Y where second is set, at a of at least [besselNear], by its amplitudes.
func (m arith) besselWave(a graph.Value, order int, second bool) graph.Value {
	p, q := chebyshev.BesselP0, chebyshev.BesselQ0
	if order == 1 {
		p, q = chebyshev.BesselP1, chebyshev.BesselQ1
	}
	u := m.div(m.num(1), m.Prim(graph.PrimMax, a, m.num(besselNear)))
	t := m.mul(u, u)
	along := m.chebyshev(p, t, 0, 1.0/(besselNear*besselNear))
	across := m.mul(u, m.chebyshev(q, t, 0, 1.0/(besselNear*besselNear)))
	// sqrt(2) times cosine and sine of a - π/4, turned once more by π/2 for order 1.
	s, c := m.Prim(graph.PrimSin, a), m.Prim(graph.PrimCos, a)
	cosine, sine := m.add(s, c), m.sub(s, c)
	if order == 1 {
		cosine, sine = sine, m.neg(cosine)
	}
	y := m.sub(m.mul(along, cosine), m.mul(across, sine))
	if second {
		y = m.add(m.mul(along, sine), m.mul(across, cosine))
	}
	y = m.mul(y, m.sqrt(m.mul(m.num(1/math.Pi), u)))
	return m.pick(m.equals(a, inf), m.num(0), y)
}

func (m arith) j0(x graph.Value) graph.Value {
	a := m.abs(x)
	return m.pick(m.above(a, besselNear), m.besselWave(a, 0, false), m.besselSeries(chebyshev.BesselJ0Near, a))
}

func (m arith) j1(x graph.Value) graph.Value {
	return m.odd(x, func(a graph.Value) graph.Value {
		return m.pick(m.above(a, besselNear), m.besselWave(a, 1, false),
			m.mul(a, m.besselSeries(chebyshev.BesselJ1Near, a)))
	})
}

func (m arith) y0(x graph.Value) graph.Value {
	logs := m.mul(m.mul(m.num(2/math.Pi), m.log(x)), m.besselSeries(chebyshev.BesselJ0Near, x))
	return m.pick(m.above(x, besselNear), m.besselWave(x, 0, true),
		m.add(logs, m.besselSeries(chebyshev.BesselY0Near, x)))
}

func (m arith) y1(x graph.Value) graph.Value {
	inner := m.mul(x, m.besselSeries(chebyshev.BesselJ1Near, x))
	logs := m.mul(m.num(2/math.Pi), m.sub(m.mul(m.log(x), inner), m.div(m.num(1), x)))
	near := m.add(logs, m.mul(x, m.besselSeries(chebyshev.BesselY1Near, x)))
	near = m.pick(m.equals(x, 0), m.num(-inf), near)
	return m.pick(m.above(x, besselNear), m.besselWave(x, 1, true), near)
}

// besselK is K of order 0 or 1, times exp(x) where scaled is set.
func (m arith) besselK(x graph.Value, order int, scaled bool) graph.Value {
	b := m.least(x, besselKNear)
	t := m.mul(b, b)
	logs := m.log(m.mul(b, m.num(0.5)))
	far := chebyshev.BesselK0Far
	near := m.sub(m.chebyshev(chebyshev.BesselK0Near, t, 0, 4),
		m.mul(logs, m.chebyshev(chebyshev.BesselI0Low, t, 0, 4)))
	if order == 1 {
		far = chebyshev.BesselK1Far
		near = m.add(m.div(m.chebyshev(chebyshev.BesselK1Near, t, 0, 4), b),
			m.mul(m.mul(logs, b), m.chebyshev(chebyshev.BesselI1Low, t, 0, 4)))
		near = m.pick(m.equals(x, 0), m.num(inf), near)
	}
	u := m.div(m.num(1), m.Prim(graph.PrimMax, x, m.num(besselKNear)))
	tail := m.mul(m.steady(far, u, 0, 1.0/besselKNear), m.sqrt(u))
	if scaled {
		near = m.mul(near, m.exp(b))
	} else {
		tail = m.mul(tail, m.exp(m.neg(x)))
	}
	return m.pick(m.above(x, besselKNear), tail, near)
}

// Where the slope of sin(x)/x is taken by a series, of which it has the coefficients by x² over x.
const sphericalNear = 0.5

var sphericalSlope = []float64{-1.0 / 3, 1.0 / 30, -1.0 / 840, 1.0 / 45360, -1.0 / 3991680, 1.0 / 518918400,
	-1.0 / 93405312000}

// seriesOf is c[0] + c[1]*x + … of nodes, by Horner's rule.
func seriesOf(c []float64, x node) node {
	y := num(c[len(c)-1])
	for k := len(c) - 2; k >= 0; k-- {
		y = Add(Mul(y, x), num(c[k]))
	}
	return y
}

// sphericalJ0Slope is the derivative of y = sin(x) / x, (cos(x) - y) / x, and near 0, where this cancels, its series,
// whose own derivatives are right at 0 too.
func sphericalJ0Slope(y, x node) node {
	isNear := Less(Abs(x), num(sphericalNear))
	near := Mul(x, seriesOf(sphericalSlope, Square(Where(isNear, x, num(0)))))
	return Where(isNear, near, Div(Sub(Cos(x), y), Where(isNear, num(1), x)))
}

func init() {
	opJ0 = special("j0", "J0", "the Bessel function of the first kind of order 0.", arith.j0,
		func(y, x, dy node) node { return Neg(Mul(dy, J1(x))) })
	opJ1 = special("j1", "J1", "the Bessel function of the first kind of order 1.", arith.j1,
		func(y, x, dy node) node { return Mul(dy, Sub(J0(x), overX(y, x, bySeries(x, -1)))) })
	opY0 = special("y0", "Y0", "the Bessel function of the second kind of order 0; NaN below 0.", arith.y0,
		func(y, x, dy node) node { return Neg(Mul(dy, Y1(x))) })
	opY1 = special("y1", "Y1", "the Bessel function of the second kind of order 1; NaN below 0.", arith.y1,
		func(y, x, dy node) node { return Mul(dy, Sub(Y0(x), Div(y, x))) })
	opK0 = special("k0", "K0", "the modified Bessel function of the second kind of order 0; NaN below 0.",
		func(m arith, x graph.Value) graph.Value { return m.besselK(x, 0, false) },
		func(y, x, dy node) node { return Neg(Mul(dy, K1(x))) })
	opK0e = special("k0e", "K0e", "exp(x) * k0(x).",
		func(m arith, x graph.Value) graph.Value { return m.besselK(x, 0, true) },
		func(y, x, dy node) node { return Mul(dy, Sub(y, K1e(x))) })
	opK1 = special("k1", "K1", "the modified Bessel function of the second kind of order 1; NaN below 0.",
		func(m arith, x graph.Value) graph.Value { return m.besselK(x, 1, false) },
		func(y, x, dy node) node { return Neg(Mul(dy, Add(K0(x), Div(y, x)))) })
	opK1e = special("k1e", "K1e", "exp(x) * k1(x).",
		func(m arith, x graph.Value) graph.Value { return m.besselK(x, 1, true) },
		func(y, x, dy node) node { return Mul(dy, Sub(Sub(y, K0e(x)), Div(y, x))) })
	opSphericalJ0 = special("spherical_j0", "SphericalJ0",
		"sin(x) / x, the spherical Bessel function of the first kind of order 0; 1 at 0.",
		func(m arith, x graph.Value) graph.Value {
			y := m.pick(m.equals(x, 0), m.num(1), m.div(m.Prim(graph.PrimSin, x), x))
			return m.pick(m.equals(m.abs(x), inf), m.num(0), y)
		},
		func(y, x, dy node) node { return Mul(dy, sphericalJ0Slope(y, x)) })
	opJ0.Ref = named("scipy.special.j0", "torch.special.bessel_j0", "", "", "")
	opJ1.Ref = named("scipy.special.j1", "torch.special.bessel_j1", "", "", "")
	opY0.Ref = named("scipy.special.y0", "torch.special.bessel_y0", "", "", "")
	opY1.Ref = named("scipy.special.y1", "torch.special.bessel_y1", "", "", "")
	opK0.Ref = named("scipy.special.k0", "torch.special.modified_bessel_k0", "", "", "")
	opK0e.Ref = named("scipy.special.k0e", "torch.special.scaled_modified_bessel_k0", "", "", "")
	opK1.Ref = named("scipy.special.k1", "torch.special.modified_bessel_k1", "", "", "")
	opK1e.Ref = named("scipy.special.k1e", "torch.special.scaled_modified_bessel_k1", "", "", "")
	opSphericalJ0.Ref = named("", "torch.special.spherical_bessel_j0", "", "", "")
}

// J0 returns the Bessel function of the first kind of order 0. The error is at most 1e-15, and smaller for large x,
// where the function itself is small.
func J0(x *graph.Node) *graph.Node { return Apply(opJ0, nil, x) }

// J1 returns the Bessel function of the first kind of order 1, with an error of at most 1e-15.
func J1(x *graph.Node) *graph.Node { return Apply(opJ1, nil, x) }

// Y0 returns the Bessel function of the second kind of order 0. The absolute or the relative error is at most 1e-15.
// It is -Inf at 0, and NaN below.
func Y0(x *graph.Node) *graph.Node { return Apply(opY0, nil, x) }

// Y1 returns the Bessel function of the second kind of order 1. The absolute or the relative error is at most 1e-15.
// It is -Inf at 0, and NaN below.
func Y1(x *graph.Node) *graph.Node { return Apply(opY1, nil, x) }

// K0 returns the modified Bessel function of the second kind of order 0, with an error of at most 8 ulp. It is Inf at
// 0, and NaN below.
func K0(x *graph.Node) *graph.Node { return Apply(opK0, nil, x) }

// K0e returns exp(x) * K0(x), which does not underflow for large x.
func K0e(x *graph.Node) *graph.Node { return Apply(opK0e, nil, x) }

// K1 returns the modified Bessel function of the second kind of order 1, with an error of at most 8 ulp. It is Inf at
// 0, and NaN below.
func K1(x *graph.Node) *graph.Node { return Apply(opK1, nil, x) }

// K1e returns exp(x) * K1(x), which does not underflow for large x.
func K1e(x *graph.Node) *graph.Node { return Apply(opK1e, nil, x) }

// SphericalJ0 returns sin(x) / x, and 1 at 0. [Sinc](x) is SphericalJ0(πx).
func SphericalJ0(x *graph.Node) *graph.Node { return Apply(opSphericalJ0, nil, x) }
