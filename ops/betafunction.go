package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opBetaLn *graph.Op

// betaLn is the logarithm of the beta function of two numbers above 0; where one is large, by the series of Stirling's
// formula, so that three large logarithms do not cancel. The forms are those of Didonato and Morris, Algorithm 708,
// 1992.
func (m arith) betaLn(x, y graph.Value) graph.Value {
	a, b := m.Prim(graph.PrimMin, x, y), m.Prim(graph.PrimMax, x, y)
	sum := m.add(a, b)
	// lgamma(b) - lgamma(a+b) for b of at least 8
	far := m.Prim(graph.PrimMax, b, m.num(lgammaFar))
	ratio := m.div(a, far)
	rest := m.sub(m.stirlingRest(far), m.stirlingRest(m.add(a, far)))
	grown := m.log1p(ratio)
	fall := m.sub(m.sub(rest, m.sub(m.mul(m.sub(m.add(a, far), m.num(0.5)), grown), a)), m.mul(a, m.log(far)))
	// both of at least 8
	least := m.Prim(graph.PrimMax, a, m.num(lgammaFar))
	share := m.div(a, m.add(a, far))
	power := m.add(m.mul(m.sub(least, m.num(0.5)), m.log(share)), m.mul(m.neg(far), grown))
	both := m.add(m.sub(power, m.mul(m.num(0.5), m.log(far))),
		m.add(m.num(0.5*math.Log(2*math.Pi)), m.add(m.stirlingRest(least), rest)))

	low := m.lgammaAbove(a, allGammaTerms)
	near := m.sub(m.add(low, m.lgammaAbove(b, allGammaTerms)), m.lgammaAbove(sum, allGammaTerms))
	result := m.pick(m.less(b, lgammaFar), near, m.pick(m.less(a, lgammaFar), m.add(low, fall), both))
	result = m.pick(m.equals(b, inf), m.num(-inf), result)
	result = m.pick(m.equals(a, 0), m.num(inf), result)
	numbers := m.Prim(graph.PrimAnd, m.Prim(graph.PrimGe, a, m.num(0)), m.Prim(graph.PrimEq, sum, sum))
	return m.pick(numbers, result, m.num(math.NaN()))
}

// logsOf are the logarithms of x and y, of which the sum is 1: that of the one near 1 by the other, since it has
// rounded it away.
func logsOf(x, y node) (logX, logY node) {
	isLow := Less(x, y)
	small, great := Where(isLow, x, y), Where(isLow, y, x)
	of, beside := Log(small), Where(Less(small, num(0.25)), Log1p(Neg(small)), Log(great))
	return Where(isLow, of, beside), Where(isLow, beside, of)
}

// betaFront is x^a y^b / B(a, b) where x + y is 1; for large a and b by Stirling's formula, in which large logarithms
// do not cancel.
func betaFront(a, b, x, y node) node {
	isLarge := And(GreaterEqual(a, num(lgammaFar)), GreaterEqual(b, num(lgammaFar)))
	al, bl := Where(isLarge, a, num(lgammaFar)), Where(isLarge, b, num(lgammaFar))
	xl, yl := Where(isLarge, x, num(0.5)), Where(isLarge, y, num(0.5))
	n, off := Add(al, bl), Sub(Mul(xl, bl), Mul(yl, al))
	power := Add(Mul(al, logLess(Div(Mul(xl, n), al), Div(off, al))),
		Mul(bl, logLess(Div(Mul(yl, n), bl), Neg(Div(off, bl)))))
	rest := Sub(Sub(stirlingRestOf(n), stirlingRestOf(al)), stirlingRestOf(bl))
	large := Mul(Exp(Add(power, rest)), Sqrt(Mul(num(1/(2*math.Pi)), Mul(al, Div(bl, n)))))
	as, bs := Where(isLarge, num(1), a), Where(isLarge, num(1), b)
	xs, ys := Where(isLarge, num(0.5), x), Where(isLarge, num(0.5), y)
	logX, logY := logsOf(xs, ys)
	small := Exp(Sub(Add(Mul(as, logX), Mul(bs, logY)), BetaLn(as, bs)))
	return Where(isLarge, large, small)
}

// betaIntegral is x^a y^b / (a y B(a, b)) times the integral of exp(-v) ((1 - x s)/y)^(b-1) with s = exp(-v/a), which
// is the share of the beta distribution below x; factor makes it the mean of another function of log(t) and log(1-t), t
// = x s, over what is below x.
func betaIntegral(a, b, x, y node, factor func(logT, logRest node) node) node {
	front := Div(betaFront(a, b, x, y), Mul(a, y))
	al, odds, less := lastAxis(a), lastAxis(Div(x, y)), lastAxis(Sub(b, num(1)))
	logX, logY := logsOf(x, y)
	logX, logY = lastAxis(logX), lastAxis(logY)
	steep := Div(Mul(less, odds), al) // how fast the logarithm of the power grows at 0
	hump := Add(ClampMin(Sub(num(1), steep), 0),
		Sqrt(Div(StopGradient(Mul(Abs(steep), Add(num(1), odds))), ClampMin(al, 1))))
	// A power that falls has a width of its own, beside that of exp(-v): the places are between the two, nearer to the
	// greater one.
	narrow := Where(Less(steep, num(0)), Sqrt(Sqrt(Sub(num(1), ClampMax(StopGradient(steep), 0)))), hump)
	return Mul(front, overHalfLineBy(nodesStep/2, narrow, func(v node) node {
		s := Div(v, al)
		grown := Log1p(Neg(Mul(odds, Expm1(Neg(s)))))
		y := Exp(Sub(Mul(less, grown), v))
		if factor == nil {
			return y
		}
		return Mul(y, factor(Sub(logX, s), Add(logY, grown)))
	}))
}

// betaSide is the side of a share that is integrated: below x where that is the smaller one, about, and else above it,
// which is below 1-x with a and b exchanged.
type betaSide struct{ turned, a, b, x, y node }

func sideOf(a, b, x, y node) betaSide { // y is 1-x
	isBelow := Or(LessEqual(b, num(1)), LessEqual(x, Div(a, Add(a, b))))
	turned := And(Not(isBelow), Greater(x, num(0)))
	return betaSide{turned, Where(turned, b, a), Where(turned, a, b), Where(turned, y, x), Where(turned, x, y)}
}

// shareOf is the regularized incomplete beta function where a and b are finite and above 0, x is between 0 and 1, and y
// is 1-x.
func shareOf(a, b, x, y node) node {
	s := sideOf(a, b, x, y)
	share := betaIntegral(s.a, s.b, s.x, s.y, nil)
	return Where(s.turned, Sub(num(1), share), share)
}

// slopesOf are its derivatives by a and by b.
func slopesOf(a, b, x node) (byA, byB node) {
	s := sideOf(a, b, x, Sub(num(1), x))
	both := Digamma(Add(s.a, s.b))
	offA, offB := lastAxis(Sub(both, Digamma(s.a))), lastAxis(Sub(both, Digamma(s.b)))
	first := betaIntegral(s.a, s.b, s.x, s.y, func(logT, _ node) node { return Add(logT, offA) })
	second := betaIntegral(s.a, s.b, s.x, s.y, func(_, logRest node) node { return Add(logRest, offB) })
	return Where(s.turned, Neg(second), first), Where(s.turned, Neg(first), second)
}

func init() {
	opBetaLn = floatPair("betaln", "BetaLn", "the logarithm of the beta function; NaN where a or b is below 0.",
		"betaln",
		func(m arith, x, y graph.Value) graph.Value {
			if m.t == graph.Float64 {
				return m.betaLn(x, y)
			}
			w := arith{Emitter: m.Emitter, t: graph.Float64}
			return m.Convert(w.betaLn(m.Convert(x, graph.Float64), m.Convert(y, graph.Float64)), m.t)
		},
		each(
			func(n, dy node) node { return Mul(dy, Sub(Digamma(n.In(0)), Digamma(Add(n.In(0), n.In(1))))) },
			func(n, dy node) node { return Mul(dy, Sub(Digamma(n.In(1)), Digamma(Add(n.In(0), n.In(1))))) }))
	opBetaLn.Promote = ToCommonFloat
	opBetaLn.Ref = named("scipy.special.betaln", "", "jax.scipy.special.betaln", "", "")
	composed("Beta", "the beta function, Γ(a) Γ(b) / Γ(a+b).",
		named("scipy.special.beta", "", "jax.scipy.special.beta", "", "",
			func(e *graph.Example) node { return Beta(e.Of("a", "n"), e.Of("b", "n")) }))
	composed("BetaInc", "the share of the beta distribution below x, the regularized incomplete beta function.",
		named("scipy.special.betainc", "", "jax.scipy.special.betainc, jax.lax.betainc", "", "",
			func(e *graph.Example) node { return BetaInc(e.Of("a", "n"), e.Of("b", "n"), e.Of("x", "n")) }))
}

// BetaLn returns the logarithm of the beta function of a and b. The absolute or the relative error is at most 1e-14.
// It is Inf if a or b is 0, and NaN if one is negative.
func BetaLn(a, b *graph.Node) *graph.Node { return Apply(opBetaLn, nil, a, b) }

// Beta returns the beta function, exp(BetaLn(a, b)).
func Beta(a, b *graph.Node) *graph.Node {
	defer building("Beta", a, b)()
	return Exp(BetaLn(a, b))
}

// BetaInc returns the regularized incomplete beta function: the cumulative distribution function of the beta
// distribution with parameters a and b. All operands broadcast and have gradients. In Float64 the relative error is
// at most 1e-13 for a up to 300 and b up to 150. It is NaN unless a and b are finite and above 0, and x is between 0
// and 1.
func BetaInc(a, b, x *graph.Node) *graph.Node {
	// inside has parameters where the function is one, and ordinary numbers elsewhere.
	inside := func(in []node) (isInside, a, b, x node) {
		isInside = And(And(Greater(in[0], num(0)), Less(in[0], num(inf))),
			And(Greater(in[1], num(0)), Less(in[1], num(inf))))
		isInside = And(isInside, And(Greater(in[2], num(0)), Less(in[2], num(1))))
		return isInside, Where(isInside, in[0], num(1)), Where(isInside, in[1], num(1)),
			Where(isInside, in[2], num(0.5))
	}
	return allAsDoubles("BetaInc", []node{a, b, x}, func(in []node) node {
		return WithGradient("BetaInc", in, func(in []node) node {
			isInside, a, b, x := inside(in)
			good := And(And(Greater(in[0], num(0)), Less(in[0], num(inf))),
				And(Greater(in[1], num(0)), Less(in[1], num(inf))))
			atEdge := And(good, Or(Equal(in[2], num(0)), Equal(in[2], num(1))))
			return Where(isInside, shareOf(a, b, x, Sub(num(1), x)), Where(atEdge, in[2], num(math.NaN())))
		}, func(_, dy node, in []node) []node {
			isInside, a, b, x := inside(in)
			byA, byB := slopesOf(a, b, x)
			byX := Div(betaFront(a, b, x, Sub(num(1), x)), Mul(x, Sub(num(1), x)))
			grads := []node{byA, byB, byX}
			for i, slope := range grads {
				grads[i] = Mul(dy, Where(isInside, slope, num(0)))
			}
			return grads
		})
	})
}
