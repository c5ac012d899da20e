package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/chebyshev"
)

var opErfc, opErfcx, opErfinv, opNdtr, opLogNdtr, opNdtri *graph.Op

// special is the entry of a function whose element is computed in Float64, whatever its operand's
// dtype, so that a Float32 result is rounded once.
func special(name, fn, doc string, emit func(m arith, x graph.Value) graph.Value,
	grad func(y, x, dy node) node) *graph.Op {
	return formula(name, fn, doc, func(m arith, x graph.Value) graph.Value { return m.wide(x, emit) }, grad)
}

// wide computes f in Float64.
func (m arith) wide(x graph.Value, f func(m arith, x graph.Value) graph.Value) graph.Value {
	if m.t == graph.Float64 {
		return f(m, x)
	}
	return m.Convert(f(arith{m.Emitter, graph.Float64, true}, m.Convert(x, graph.Float64)), m.t)
}

func (m arith) neg(x graph.Value) graph.Value              { return m.Prim(graph.PrimNeg, x) }
func (m arith) least(x graph.Value, v float64) graph.Value { return m.Prim(graph.PrimMin, x, m.num(v)) }
func (m arith) floor(x graph.Value) graph.Value            { return m.Prim(graph.PrimFloor, x) }
func (m arith) less(x graph.Value, v float64) graph.Value  { return m.Prim(graph.PrimLt, x, m.num(v)) }

// expSquare is exp(factor * a²) for a from 0 to 64. a is cut to a whole number of sixteenths, whose
// square is exact, since an error of a² counts a² times in the result. That of the operand is exact if it has 32 bits.
func (m arith) expSquare(a graph.Value, factor float64) graph.Value {
	if m.rounds {
		return m.exp(m.mul(m.num(factor), m.mul(a, a)))
	}
	z := m.mul(m.floor(m.mul(a, m.num(16))), m.num(1.0/16))
	rest := m.mul(m.sub(a, z), m.add(a, z))
	return m.mul(m.exp(m.mul(m.num(factor), m.mul(z, z))), m.exp(m.mul(m.num(factor), rest)))
}

// erfcScaled is exp(a²) erfc(a) for a of at least 0.
func (m arith) erfcScaled(a graph.Value) graph.Value {
	if m.rounds { // (a-4)/(a+4) may be a difference, in which digits get lost that are of no use
		r := m.div(m.num(1), m.add(a, m.num(4)))
		return m.mul(m.steady(chebyshev.Erfcx, m.sub(m.num(1), m.mul(m.num(8), r)), -1, 1), r)
	}
	c := m.least(a, 1e300)
	s := m.div(m.sub(c, m.num(4)), m.add(c, m.num(4)))
	return m.div(m.steady(chebyshev.Erfcx, s, -1, 1), m.add(a, m.num(4)))
}

// Where erfc(x) and ndtr(-x) have become 0, and 1/erfc(x) infinite.
const (
	erfcNothing = 28
	ndtrNothing = 40
)

// ndtr is not made of erfc, in which an error of x/sqrt(2) would count x² times.
func (m arith) ndtr(x graph.Value) graph.Value {
	a := m.abs(x)
	y := m.mul(m.expSquare(m.least(a, ndtrNothing), -0.5), m.erfcScaled(m.mul(a, m.num(math.Sqrt2/2))))
	y = m.mul(y, m.num(0.5))
	return m.pick(m.above(x, 0), m.sub(m.num(1), y), y)
}

func (m arith) erfc(x graph.Value) graph.Value {
	a := m.abs(x)
	y := m.mul(m.expSquare(m.least(a, erfcNothing), -1), m.erfcScaled(a))
	return m.pick(m.less(x, 0), m.sub(m.num(2), y), y)
}

func (m arith) erfcx(x graph.Value) graph.Value {
	a := m.abs(x)
	y := m.erfcScaled(a)
	grown := m.expSquare(m.least(a, erfcNothing), 1)
	return m.pick(m.less(x, 0), m.sub(m.add(grown, grown), y), y)
}

// quantile is the x that a normal number exceeds with probability q, 0 < q ≤ 0.5; centre is 0.5 - q.
// The division into three follows Wichura's algorithm AS 241, 1988.
func (m arith) quantile(q, centre graph.Value) graph.Value {
	r := m.sqrt(m.neg(m.log(q)))
	u := m.div(m.num(1), r)
	near := m.mul(centre, m.steady(chebyshev.QuantileCentre, m.mul(centre, centre), 0, 0.180625))
	far := m.pick(m.above(r, 5), m.steady(chebyshev.QuantileTail, u, 1/27.5, 0.2),
		m.steady(chebyshev.QuantileMiddle, u, 0.2, 0.625))
	tail := m.pick(m.Prim(graph.PrimEq, q, m.num(0)), m.num(inf), m.mul(r, far))
	return m.pick(m.Prim(graph.PrimLe, centre, m.num(0.425)), near, tail)
}

func (m arith) erfinv(x graph.Value) graph.Value {
	return m.odd(x, func(a graph.Value) graph.Value {
		half := m.mul(a, m.num(0.5))
		return m.mul(m.quantile(m.sub(m.num(0.5), half), half), m.num(math.Sqrt2/2))
	})
}

func (m arith) ndtri(p graph.Value) graph.Value {
	centre := m.sub(m.num(0.5), p)
	q := m.Prim(graph.PrimMin, p, m.sub(m.num(1), p))
	y := m.quantile(q, m.abs(centre))
	return m.pick(m.Prim(graph.PrimGt, centre, m.num(0)), m.neg(y), y)
}

func (m arith) logNdtr(x graph.Value) graph.Value {
	a := m.abs(x)
	scaled := m.mul(m.erfcScaled(m.mul(a, m.num(math.Sqrt2/2))), m.num(0.5))
	rest := m.mul(m.expSquare(m.least(a, ndtrNothing), -0.5), scaled) // ndtr(-a)
	low := m.sub(m.log(scaled), m.mul(m.mul(x, x), m.num(0.5)))
	return m.pick(m.less(x, 0), low, m.log1p(m.neg(rest)))
}

// twoOverRootPi is the slope of erf at 0.
const twoOverRootPi = 2 / (math.SqrtPi)

func init() {
	opErfc = special("erfc", "Erfc", "1 - erf(x), exact where it is small.", arith.erfc,
		func(y, x, dy node) node { return Mul(dy, Mul(num(-twoOverRootPi), Exp(Neg(Square(x))))) })
	opErfcx = special("erfcx", "Erfcx", "exp(x²) * erfc(x).", arith.erfcx,
		func(y, x, dy node) node { return Mul(dy, erfcxSlope(x, y)) })
	opErfinv = special("erfinv", "Erfinv", "the number whose erf is x; infinite at -1 and 1, NaN beyond.", arith.erfinv,
		func(y, x, dy node) node { return Mul(dy, Mul(num(1/twoOverRootPi), Exp(Square(y)))) })
	opNdtr = special("ndtr", "Ndtr", "the share of the normal distribution below x, erfc(-x/sqrt(2))/2.", arith.ndtr,
		func(y, x, dy node) node {
			return Mul(dy, Mul(num(1/math.Sqrt(2*math.Pi)), Exp(Mul(num(-0.5), Square(x)))))
		})
	opLogNdtr = special("log_ndtr", "LogNdtr", "log(ndtr(x)), exact where that is small.", arith.logNdtr,
		func(y, x, dy node) node { return Mul(dy, logNdtrSlope(x)) })
	opNdtri = special("ndtri", "Ndtri", "the x below which a fraction p of the normal distribution lies.", arith.ndtri,
		func(y, x, dy node) node {
			return Mul(dy, Mul(num(math.Sqrt(2*math.Pi)), Exp(Mul(num(0.5), Square(y)))))
		})
	opErfc.Ref = named("scipy.special.erfc", "torch.special.erfc, torch.erfc", "jax.scipy.special.erfc, jax.lax.erfc",
		"", "")
	opErfcx.Ref = named("scipy.special.erfcx", "torch.special.erfcx", "jax.scipy.special.erfcx", "", "")
	opErfinv.Ref = named("scipy.special.erfinv", "torch.special.erfinv, torch.erfinv",
		"jax.scipy.special.erfinv, jax.lax.erf_inv", "", "")
	opNdtr.Ref = named("scipy.special.ndtr", "torch.special.ndtr", "jax.scipy.special.ndtr", "", "")
	opLogNdtr.Ref = named("scipy.special.log_ndtr", "torch.special.log_ndtr", "jax.scipy.special.log_ndtr", "", "")
	opNdtri.Ref = named("scipy.special.ndtri", "torch.special.ndtri", "jax.scipy.special.ndtri", "", "")
}

// erfcxFar is where the terms of the slope of Erfcx begin to cancel, and its expansion is good for all digits.
const erfcxFar = 25

// erfcxSlope is the slope of Erfcx at x, where it is y: 2x·y - 2/√π, and far out its asymptotic expansion
// -1/(√π·x²)·(1 - 3/(2x²) + 15/(2x²)² - …).
func erfcxSlope(x, y node) node {
	far := Greater(x, num(erfcxFar))
	near := Sub(Mul(Mul(num(2), x), y), num(twoOverRootPi))
	u := Square(Reciprocal(Where(far, x, num(erfcxFar))))
	sum := num(1)
	for odd := 13; odd >= 3; odd -= 2 {
		sum = Sub(num(1), Mul(Mul(u, num(float64(odd)/2)), sum))
	}
	return Where(far, Mul(Mul(num(-twoOverRootPi/2), u), sum), near)
}

// logNdtrSlope is the density at x divided by Ndtr(x). Below 0, where both vanish, it is made of Erfcx, which overflows
// above. Each form gets only the numbers that it is for, so that neither disturbs the derivatives of the other.
func logNdtrSlope(x node) node {
	low := Less(x, num(0))
	below, above := Where(low, x, num(0)), Where(low, num(0), x)
	density := Mul(num(1/math.Sqrt(2*math.Pi)), Exp(Mul(num(-0.5), Square(above))))
	return Where(low, Div(num(math.Sqrt(2/math.Pi)), Erfcx(Mul(below, num(-math.Sqrt2/2)))), Div(density, Ndtr(above)))
}

// Erfc returns 1 - Erf(x), with an error of at most 3 ulp.
func Erfc(x *graph.Node) *graph.Node { return Apply(opErfc, nil, x) }

// Erfcx returns exp(x²) * Erfc(x), with an error of at most 3 ulp above 0.
func Erfcx(x *graph.Node) *graph.Node { return Apply(opErfcx, nil, x) }

// Erfinv returns the number whose Erf is x, with an error of at most 4 ulp. It is infinite at -1 and 1, and NaN
// beyond.
func Erfinv(x *graph.Node) *graph.Node { return Apply(opErfinv, nil, x) }

// Ndtr returns the cumulative distribution function of the standard normal distribution.
func Ndtr(x *graph.Node) *graph.Node { return Apply(opNdtr, nil, x) }

// LogNdtr returns log(Ndtr(x)). It is exact even where Ndtr is small or underflows to 0.
func LogNdtr(x *graph.Node) *graph.Node { return Apply(opLogNdtr, nil, x) }

// Ndtri returns the p-quantile of the standard normal distribution. It is infinite at 0 and 1, and NaN beyond.
func Ndtri(p *graph.Node) *graph.Node { return Apply(opNdtri, nil, p) }
