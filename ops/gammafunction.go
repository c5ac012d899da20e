package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opGamma, opExpRel, opLog1mExp, opRelEntr, opKLElements *graph.Op

// gammaAbove is the gamma function of x of at least 0, by the series of lgamma.
func (m arith) gammaAbove(x graph.Value) graph.Value {
	r := m.gammaReduced(m.least(x, lgammaFar))
	near := m.div(m.mul(m.exp(m.mul(r.e, m.polynomial(allGammaTerms.near, r.e))), r.times), r.over)
	far := m.Prim(graph.PrimMax, x, m.num(lgammaFar))
	// x^(x-1/2) is squared last, since it leaves float64 before the product does.
	root := m.Prim(graph.PrimPow, far, m.sub(m.mul(m.num(0.5), far), m.num(0.25)))
	stirling := m.mul(m.mul(m.mul(m.num(math.Sqrt(2*math.Pi)), root), m.exp(m.sub(m.stirlingRest(far), far))), root)
	stirling = m.pick(m.equals(x, inf), x, stirling)
	return m.pick(m.Prim(graph.PrimLt, x, m.num(lgammaFar)), near, stirling)
}

func (m arith) gamma(x graph.Value) graph.Value {
	isNegative := m.less(x, 0)
	y := m.gammaAbove(m.pick(isNegative, m.sub(m.num(1), x), x))
	sine, _ := m.circle(x)
	mirrored := m.div(m.num(math.Pi), m.mul(sine, y))
	pole := m.Prim(graph.PrimAnd, isNegative, m.Prim(graph.PrimEq, x, m.floor(x)))
	mirrored = m.pick(pole, m.num(math.NaN()), mirrored)
	y = m.pick(isNegative, mirrored, y)
	return m.pick(m.equals(x, 0), m.div(m.num(1), x), y)
}

// expRelSlope is the derivative of exprel, (exp(x) - y)/x, and its series near 0.
func expRelSlope(y, x node) node {
	isNear := Less(Abs(x), num(0.5))
	c := make([]float64, 14)
	for k := range c {
		c[k] = float64(k+1) / factorial(k+2)
	}
	return Where(isNear, seriesOf(c, Where(isNear, x, num(0))), Div(Sub(Exp(x), y), Where(isNear, num(1), x)))
}

func init() {
	opGamma = special("gamma", "Gamma", "the gamma function.", arith.gamma,
		func(y, x, dy node) node { return Mul(dy, Mul(y, Digamma(x))) })
	opExpRel = special("exprel", "ExpRel", "(exp(x) - 1) / x, and 1 at 0.",
		func(m arith, x graph.Value) graph.Value {
			y := m.pick(m.equals(x, 0), m.num(1), m.div(m.Prim(graph.PrimExpm1, x), x))
			return m.pick(m.equals(x, inf), x, y)
		},
		func(y, x, dy node) node { return Mul(dy, expRelSlope(y, x)) })
	opLog1mExp = special("log1mexp", "Log1mExp", "log(1 - exp(-x)), exact for small and for large x; NaN below 0.",
		func(m arith, x graph.Value) graph.Value {
			near := m.log(m.neg(m.Prim(graph.PrimExpm1, m.neg(x))))
			return m.pick(m.above(x, math.Ln2), m.log1p(m.neg(m.exp(m.neg(x)))), near)
		},
		func(y, x, dy node) node { return Div(dy, Expm1(x)) })
	opRelEntr = floatPair("rel_entr", "RelEntr",
		"x log(x/y); 0 where x is 0 and y at least 0, and Inf where one is below.", "rel_entr",
		func(m arith, x, y graph.Value) graph.Value { return m.relEntr(x, y) },
		each(
			func(n, dy node) node { return Mul(dy, Add(Log(Div(n.In(0), n.In(1))), num(1))) },
			func(n, dy node) node { return Neg(Mul(dy, Div(n.In(0), n.In(1)))) }))
	opRelEntr.Promote = ToCommonFloat
	opKLElements = floatPair("kl_elements", "KLElements",
		"x log(x/y) - x + y; y where x is 0 and y at least 0, and Inf where one is below.", "kl_elements",
		func(m arith, x, y graph.Value) graph.Value { return m.add(m.sub(m.relEntr(x, y), x), y) },
		each(
			func(n, dy node) node { return Mul(dy, Log(Div(n.In(0), n.In(1)))) },
			func(n, dy node) node { return Mul(dy, Sub(num(1), Div(n.In(0), n.In(1)))) }))
	opKLElements.Promote = ToCommonFloat
	opGamma.Ref = named("scipy.special.gamma", "", "jax.scipy.special.gamma", "", "")
	opExpRel.Ref = named("scipy.special.exprel", "", "", "", "")
	opLog1mExp.Ref = named("", "", "jax.nn.log1mexp", "", "")
	opRelEntr.Ref = named("scipy.special.rel_entr", "", "jax.scipy.special.rel_entr", "", "")
	opKLElements.Ref = named("scipy.special.kl_div", "", "jax.scipy.special.kl_div", "", "")
}

// relEntr is x log(x/y) with its limits.
func (m arith) relEntr(x, y graph.Value) graph.Value {
	inside := m.Prim(graph.PrimAnd, m.above(x, 0), m.above(y, 0))
	edge := m.Prim(graph.PrimAnd, m.equals(x, 0), m.Prim(graph.PrimGe, y, m.num(0)))
	numbers := m.Prim(graph.PrimAnd, m.Prim(graph.PrimEq, x, x), m.Prim(graph.PrimEq, y, y))
	outside := m.pick(numbers, m.num(inf), m.num(math.NaN()))
	return m.pick(inside, m.mul(x, m.log(m.div(x, y))), m.pick(edge, m.num(0), outside))
}

// Gamma returns the gamma function, with an error of at most 30 ulp above 0. It is Inf at 0, -Inf at -0, and NaN at
// negative whole numbers. [LGamma] does not overflow.
func Gamma(x *graph.Node) *graph.Node { return Apply(opGamma, nil, x) }

// ExpRel returns (exp(x) - 1) / x, and 1 at 0.
func ExpRel(x *graph.Node) *graph.Node { return Apply(opExpRel, nil, x) }

// Log1mExp returns log(1 - exp(-x)) for x of at least 0. It is exact for small and for large x. It is
// jax.nn.log1mexp.
func Log1mExp(x *graph.Node) *graph.Node { return Apply(opLog1mExp, nil, x) }

// RelEntr returns x log(x/y), the terms of the relative entropy. It is 0 where x is 0 and y is not negative, and Inf
// where x or y is negative.
func RelEntr(x, y *graph.Node) *graph.Node { return Apply(opRelEntr, nil, x, y) }

// KLElements returns x log(x/y) - x + y for each element, which is not negative. It is scipy.special.kl_div. [KLDiv]
// is the loss.
func KLElements(x, y *graph.Node) *graph.Node { return Apply(opKLElements, nil, x, y) }
