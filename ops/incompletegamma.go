package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// asDoubles is [allAsDoubles] of two operands.
func asDoubles(fn string, a, b node, f func(a, b node) node) node {
	return allAsDoubles(fn, []node{a, b}, func(in []node) node { return f(in[0], in[1]) })
}

// allAsDoubles is f of operands that broadcast, two or more, in Float64; the result has the dtype that holds all,
// Float32 of integers.
func allAsDoubles(fn string, in []node, f func(in []node) node) node {
	args := make([]any, len(in))
	for i, v := range in {
		args[i] = v
	}
	defer building(fn, args...)()
	in = slices.Clone(in)
	pointers := make([]*node, len(in))
	for i := range in {
		pointers[i] = &in[i]
	}
	withScalars(nil, opDiv, pointers...)
	if bad := notTensors(refused(fn, in...)); bad != nil {
		return bad
	}
	last := len(in) - 1
	all := in[0]
	for _, v := range in[1:last] {
		all = Add(all, v)
	}
	all = Div(all, in[last])
	if all.Err() != nil || !all.Judged() {
		return all
	}
	none := ZerosLike(all) // of the shape to which all are repeated
	doubles := make([]node, len(in))
	for i, v := range in {
		doubles[i] = Cast(Add(v, none), graph.Float64)
	}
	return Cast(f(doubles), all.DType())
}

// overHalfLine adds up f from 0 to infinity along a new last axis, which operands have with size 1. narrow is about the
// reciprocal of how wide f is; the value does not depend on it, so that derivatives do not.
func overHalfLine(narrow node, f func(v node) node) node { return overHalfLineBy(nodesStep, narrow, f) }

// overHalfLineBy is overHalfLine with another step than [nodesStep].
func overHalfLineBy(step float64, narrow node, f func(v node) node) node {
	places, weights := halfLine(nodesFrom, step)
	at := graph.Constant(narrow.Graph(), places, graph.Dim(len(places)))
	weight := graph.Constant(narrow.Graph(), weights, graph.Dim(len(weights)))
	width := StopGradient(Reciprocal(narrow))
	return Squeeze(Mul(width, Sum(Mul(f(Mul(width, at)), weight), -1, KeepDims())), -1)
}

func lastAxis(x node) node { return Unsqueeze(x, -1) }

// logLess is log(1+d) - d, exact for small d: with r = d/(2+d) it is -r d + 2 (r³/3 + r⁵/5 + …). ratio is 1+d, which d
// has rounded away near -1.
func logLess(ratio, d node) node {
	isNear := Less(Abs(d), num(0.4))
	near := Where(isNear, d, num(0))
	r := Div(near, Add(near, num(2)))
	c := make([]float64, 12)
	for k := range c {
		c[k] = 2 / float64(2*k+3)
	}
	square := Square(r)
	series := Sub(Mul(Mul(square, r), seriesOf(c, square)), Mul(r, near))
	return Where(isNear, series, Sub(Log(Where(isNear, num(1), ratio)), d))
}

// stirlingRestOf is what Stirling's formula without its series lacks of LGamma(a), a of at least [lgammaFar].
func stirlingRestOf(a node) node {
	u := Reciprocal(a)
	var c []float64
	for k, b := range bernoulli {
		c = append(c, b/float64((2*k+1)*(2*k+2)))
	}
	return Mul(u, seriesOf(c, Square(u)))
}

// gammaFront is x^a exp(-x) / Γ(a+1), for large a by Stirling's formula, in which a log x - x does not cancel.
func gammaFront(a, x node) node {
	isLarge := GreaterEqual(a, num(lgammaFar))
	large, small := Where(isLarge, a, num(lgammaFar)), Where(isLarge, num(1), a)
	far := Where(isLarge, x, num(lgammaFar))
	power := Sub(Mul(large, logLess(Div(far, large), Div(Sub(far, large), large))), stirlingRestOf(large))
	stirling := Mul(Exp(power), Rsqrt(Mul(num(2*math.Pi), large)))
	near := Where(isLarge, num(1), x)
	plain := Exp(Sub(Sub(Mul(small, Log(near)), near), LGamma(Add(small, num(1)))))
	return Where(isLarge, stirling, plain)
}

// incompleteGamma is the share below x of the gamma distribution of shape a, and that above. Each is computed where it
// is the smaller one, about, by an integral of positive numbers. Where both a and x are below 1 it is the series 6.5.29
// of Abramowitz and Stegun.
func incompleteGamma(a, x node, isSingle bool) (below, above node) {
	isInside := And(And(Greater(a, num(0)), Greater(x, num(0))), And(Less(a, num(inf)), Less(x, num(inf))))
	a0, x0 := Where(isInside, a, num(1)), Where(isInside, x, num(1))
	isSmall := And(Less(a0, num(1)), Less(x0, num(1)))
	integral, terms := gammaIntegral, 18
	if isSingle {
		integral, terms = shortGammaIntegral, 11
	}
	belowSmall, aboveSmall := smallGamma(Where(isSmall, a0, num(0.5)), Where(isSmall, x0, num(0.5)), terms)
	isLow := Less(x0, a0)
	share := Mul(gammaFront(a0, x0), integral(a0, x0, isLow, isSmall))
	rest := Sub(num(1), share)
	below = Where(isSmall, belowSmall, Where(isLow, share, rest))
	above = Where(isSmall, aboveSmall, Where(isLow, rest, share))
	edge := gammaEdge(a, x)
	return Where(isInside, below, edge), Where(isInside, above, Sub(num(1), edge))
}

// gammaIntegral is the share below x if isLow, or else that above, over [gammaFront]: γ(a, x) = x^a exp(-x)/a times the
// integral of exp(-v) exp(x (1 - exp(-v/a))), and Γ(a, x) = x^(a-1) exp(-x) times that of exp(-u) (1 + u/x)^(a-1). Only
// one of the two is needed: the power of e is computed once. It may be any number where isSmall.
func gammaIntegral(a, x, isLow, isSmall node) node {
	al, xl := Where(isLow, a, num(2)), Where(isLow, x, num(1))
	narrowLow := Add(ClampMin(Sub(num(1), Div(xl, al)), 0), Div(Sqrt(StopGradient(xl)), ClampMin(al, 1)))
	isHigh := And(Not(isLow), Not(isSmall))
	ah, xh := Where(isHigh, a, num(2)), Where(isHigh, x, num(2))
	less := Sub(ah, num(1))
	narrowHigh := Add(ClampMin(Sub(num(1), Div(less, xh)), 0), Div(Sqrt(ClampMin(StopGradient(less), 0)), xh))
	isLowRow, ofA, xl, less, ofX := lastAxis(isLow), lastAxis(Reciprocal(al)), lastAxis(xl), lastAxis(less),
		lastAxis(Reciprocal(xh))
	integral := overHalfLine(lastAxis(Where(isLow, narrowLow, narrowHigh)), func(v node) node {
		low := Neg(Mul(xl, Expm1(Neg(Mul(v, ofA)))))
		high := Mul(less, Log1p(Mul(v, ofX)))
		return Exp(Sub(Where(isLowRow, low, high), v))
	})
	return Where(isLow, integral, Mul(Div(a, x), integral))
}

// shortGammaIntegral is [gammaIntegral] for what is rounded to float32, or less. With t = x exp(±w) both shares are
// x^a exp(-x)/Γ(a) times the integral of exp(-f), f = x (exp(±w)-1) ∓ a w, from 0 to infinity. f is convex, and taken
// up to where it is 20, by Gauss's formula: within 3e-9 for a from 0.01 to 10^5.
func shortGammaIntegral(a, x, isLow, isSmall node) node {
	const nodes, most, steps = 20, 20, 2
	a, x = Where(isSmall, num(2), a), Where(isSmall, num(2), x)
	sign := Where(isLow, num(-1), num(1))
	turned := Mul(sign, a)
	slope := Mul(sign, Sub(x, a))
	// where the parabola at 0 is 20, then Newton's method
	end := Div(num(2*most), Add(slope, Sqrt(Add(Square(slope), Mul(num(2*most), x)))))
	for range steps {
		grown := Mul(x, Expm1(Mul(sign, end)))
		f := Sub(grown, Mul(turned, end))
		end = Sub(end, Div(Sub(f, num(most)), Sub(Mul(sign, Add(grown, x)), turned)))
	}
	places, weights := legendreNodes(nodes)
	at, weight := graph.Constant(a.Graph(), places, nodes), graph.Constant(a.Graph(), weights, nodes)
	w := Mul(lastAxis(Mul(sign, end)), at) // ±w
	f := Sub(Mul(lastAxis(a), w), Mul(lastAxis(x), Expm1(w)))
	return Mul(Mul(a, end), Sum(Mul(Exp(f), weight), -1))
}

// gammaEdge is the share below x where a or x is 0 or infinite, as in PyTorch.
func gammaEdge(a, x node) node {
	isNumber := And(GreaterEqual(a, num(0)), GreaterEqual(x, num(0)))
	both := Or(And(Equal(a, num(0)), Equal(x, num(0))), And(Equal(a, num(inf)), Equal(x, num(inf))))
	isAbove := Or(Equal(a, num(0)), Equal(x, num(inf)))
	edge := Where(isAbove, num(1), ZerosLike(x))
	return Where(And(isNumber, Not(both)), edge, num(math.NaN()))
}

// smallGamma has both shares for a and x below 1, by some terms of the series.
func smallGamma(a, x node, terms int) (below, above node) {
	isHalf := Less(a, num(0.5))
	e := Where(isHalf, a, Sub(a, num(1)))
	log := Sub(Mul(e, seriesOf(lgammaSeries, e)), Where(isHalf, Log1p(Where(isHalf, a, num(0))), num(0))) // of Γ(a+1)
	power := Sub(Mul(a, Log(x)), log)
	sum, term := num(0), num(1)
	for k := 1; k <= terms; k++ {
		term = Mul(term, Mul(x, num(-1/float64(k))))
		sum = Add(sum, Div(term, Add(a, num(float64(k)))))
	}
	rest := Mul(Exp(power), Mul(a, sum))
	return Add(Exp(power), rest), Neg(Add(Expm1(power), rest))
}

// gammaShare is one of the two shares, with the gradients of both: that by x is the density, and that by a follows from
// [logGammaSlope].
func gammaShare(fn string, a, x node, sign float64, pick func(below, above node) node) node {
	isSingle := true
	for _, v := range []node{a, x} {
		if v != nil && v.Graph() != nil && v.DType() == graph.Float64 {
			isSingle = false
		}
	}
	return asDoubles(fn, a, x, func(a, x node) node {
		return WithGradient(fn, []node{a, x},
			func(in []node) node { return pick(incompleteGamma(in[0], in[1], isSingle)) },
			func(_, dy node, in []node) []node {
				a, x := in[0], in[1]
				density := Exp(Sub(Sub(XLogY(Sub(a, num(1)), x), x), LGamma(a)))
				dy = Mul(dy, num(sign))
				isInside := And(And(Greater(a, num(0)), Greater(x, num(0))), And(Less(a, num(inf)), Less(x, num(inf))))
				a0, x0 := Where(isInside, a, num(1)), Where(isInside, x, num(1))
				slope := Neg(Mul(Mul(gammaFront(a0, x0), a0), logGammaSlope(a0, Log(x0))))
				return []node{Mul(dy, Where(isInside, slope, num(0))), Mul(dy, density)}
			})
	})
}

func init() {
	pair := func(call func(a, x *graph.Node) *graph.Node) example {
		return func(e *graph.Example) node { return call(e.Of("a", "n"), e.Of("x", "n")) }
	}
	composed("GammaInc",
		"the share of the gamma distribution of shape a below x, the regularized lower incomplete gamma function.",
		named("scipy.special.gammainc", "torch.special.gammainc, torch.igamma",
			"jax.scipy.special.gammainc, jax.lax.igamma", "", "", pair(GammaInc)))
	composed("GammaIncC",
		"the share of the gamma distribution of shape a above x, the regularized upper incomplete gamma function.",
		named("scipy.special.gammaincc", "torch.special.gammaincc, torch.igammac",
			"jax.scipy.special.gammaincc, jax.lax.igammac", "", "", pair(GammaIncC)))
}

// GammaInc returns the regularized lower incomplete gamma function: the cumulative distribution function of the gamma
// distribution with shape a. Both operands broadcast and have gradients; PyTorch has none for a. In Float64 the
// relative error is at most 1e-13 for a up to 1000, and grows like the square root of a.
func GammaInc(a, x *graph.Node) *graph.Node {
	return gammaShare("GammaInc", a, x, 1, func(below, _ node) node { return below })
}

// GammaIncC returns 1 - GammaInc(a, x). It is exact where it is small.
func GammaIncC(a, x *graph.Node) *graph.Node {
	return gammaShare("GammaIncC", a, x, -1, func(_, above node) node { return above })
}
