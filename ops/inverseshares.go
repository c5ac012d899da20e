package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Where a share of a distribution is inverted by Newton's method: steps that suffice, the size of a step after which
// none follows since the next one is below rounding, and the longest one, beyond which functions would leave Float64.
const (
	inversionSteps = 100
	lastStep       = 1e-8
	longestStep    = 10
)

// inverted is the place y where the logarithm f of a share meets that of a number. share has f less that logarithm at
// y, and the first and second derivatives. f is concave on the axis of y, the logarithm of the place or of its odds, as
// that of both sides of every density whose logarithm is: Newton's method then comes to it from any place, after one
// step from one side. Near it, it takes the step of Halley's. An element that is there stays, so that no other one
// decides its bits.
func inverted(begin node, share func(y node) (f, slope, curve node)) node {
	open := Full(begin.Graph(), graph.Bool, 1, begin.Shape()...)
	final, _ := While(inversionSteps, []node{begin, open},
		func(c []node) node { return Any(c[1]) },
		func(_ node, c []node) []node {
			f, slope, curve := share(c[0])
			step := Neg(Div(f, slope))
			bend := Mul(Mul(num(0.5), step), Div(curve, slope))
			step = Div(step, Where(Less(Abs(bend), num(0.5)), Add(num(1), bend), num(1)))
			step = Clamp(step, -longestStep, longestStep)
			return []node{Where(c[1], Add(c[0], step), c[0]), And(c[1], Greater(Abs(step), num(lastStep)))}
		})
	return final[0]
}

// lgammaNearOne is LGamma(a+1), exact for small a.
func lgammaNearOne(a node) node {
	isSmall := Less(a, num(0.5))
	e := Where(isSmall, a, num(0))
	return Where(isSmall, Sub(Mul(e, seriesOf(lgammaSeries, e)), Log1p(e)), LGamma(Add(a, num(1))))
}

// powersBelow is where -log(x) is large enough for 1+x to be 1.
const powersBelow = -40

// inverseGamma is the x at which the share below is p and that above is q = 1-p, both above 0: of the two, the smaller
// one decides.
func inverseGamma(a, p, q node) node {
	isLow := LessEqual(p, q)
	share := Minimum(p, q)
	rest := lgammaNearOne(a)
	// For small x the share below is x^a / Γ(a+1), and never above it.
	least := Div(Add(Where(isLow, Log(share), Log1p(Neg(share))), rest), a)
	isPower := Less(least, num(powersBelow))
	a0 := Where(isPower, num(1), a)

	// The cube root of a number of the distribution is about normal: Wilson and Hilferty, The Distribution of
	// Chi-Square, 1931.
	z := Mul(Ndtri(share), Where(isLow, num(1), num(-1)))
	root := Add(Sub(num(1), Reciprocal(Mul(num(9), a0))), Div(z, Mul(num(3), Sqrt(a0))))
	normal := Add(Log(a0), Mul(num(3), Log(ClampMin(root, math.SmallestNonzeroFloat32))))
	// For large x the share above is about x^(a-1) exp(-x) / Γ(a).
	scale := Sub(Sub(Log(a0), rest), Log(share))
	tail := func(log node) node { return Log(ClampMin(Add(scale, Mul(Sub(a0, num(1)), log)), 1)) }
	isFar := And(GreaterEqual(a0, num(1)), Greater(normal, Log(Mul(num(3), a0))))
	normal = Where(isFar, tail(tail(tail(normal))), normal)
	begin := Where(Less(a0, num(1)), Where(isLow, least, Maximum(least, tail(Log(ClampMin(scale, 1))))),
		Where(isLow, Maximum(least, normal), normal))
	begin = Where(isPower, num(0), begin)
	y := inverted(begin, func(y node) (f, slope, curve node) {
		x := Exp(y)
		below, beyond := incompleteGamma(a0, x, false)
		got := Where(isLow, below, beyond)
		rise := Mul(Where(isLow, a0, Neg(a0)), gammaFront(a0, x)) // of the share with y
		slope = Div(rise, got)
		return Sub(Log(got), Log(share)), slope, Mul(slope, Sub(Sub(a0, x), slope))
	})
	return Exp(Where(isPower, least, y))
}

// logBetaFront is log(a B(a, b)), whose error is a small part of a.
func logBetaFront(a, b node) node {
	isSmall := Less(a, num(1))
	a0 := Where(isSmall, a, num(0.5))
	// log Γ(a+b+1) - log Γ(b+1) is the integral of ψ over what lies between: by Gauss's formula with 8 places
	places := []float64{0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363}
	weights := []float64{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763}
	grown := num(0)
	for i, u := range places {
		low, high := Digamma(Add(Mul(a0, num((1-u)/2)), Add(b, num(1)))),
			Digamma(Add(Mul(a0, num((1+u)/2)), Add(b, num(1))))
		grown = Add(grown, Mul(num(weights[i]/2), Add(low, high)))
	}
	small := Sub(Add(lgammaNearOne(a0), Log1p(Div(a0, b))), Mul(a0, grown))
	return Where(isSmall, small, Add(Log(a), BetaLn(a, b)))
}

// shareNear is [shareOf], and where y is small what the first terms of 26.5.4 of Abramowitz and Stegun leave: the
// integral has a pole there.
func shareNear(a, b, x, y node) node {
	both := Add(a, b)
	isNear := Less(Mul(both, y), num(1e-5))
	x0, y0 := Where(isNear, num(0.5), x), Where(isNear, num(0.5), y)
	y = Where(isNear, y, num(0))
	sum, term := num(1), num(1)
	for k := range 3 {
		term = Mul(term, Mul(y, Div(Add(both, num(float64(k))), Add(b, num(float64(k+1))))))
		sum = Add(sum, term)
	}
	above := Div(Mul(betaFront(a, b, Where(isNear, x, num(0.5)), Where(isNear, y, num(0.5))), sum), b)
	return Where(isNear, Sub(num(1), above), shareOf(a, b, x0, y0))
}

// inverseBeta is the x at which the share below is p and that above is q = 1-p, both above 0: of the two, the smaller
// one decides, which is that below 1-x with a and b exchanged. The place is found as the logarithm of odds, so that
// neither x nor 1-x is rounded away.
func inverseBeta(a, b, p, q node) node {
	isLow := LessEqual(p, q)
	share := Minimum(p, q)
	a, b = Where(isLow, a, b), Where(isLow, b, a)
	// For small x the share below is x^a / (a B(a, b)), and for small 1-x that above is (1-x)^b / (b B(a, b)).
	low := Div(Add(Log(share), logBetaFront(a, b)), a)
	high := Div(Add(Log1p(Neg(share)), logBetaFront(b, a)), b)
	isPower := Less(Add(low, Log(ClampMin(b, 1))), num(powersBelow))
	isRest := And(Not(isPower), Less(Add(high, Log(ClampMin(a, 1))), num(powersBelow)))
	isOther := Or(isPower, isRest)
	a0, b0, share0 := Where(isOther, num(1), a), Where(isOther, num(1), b), Where(isOther, num(0.5), share)

	odds := func(logX node) node { // their logarithm, of x below 1
		logX = ClampMax(logX, -1e-3)
		return Sub(logX, Log(Neg(Expm1(logX))))
	}
	fromLow, fromHigh := odds(low), Neg(odds(high))
	// The approximation 26.5.22 of Abramowitz and Stegun.
	z := Neg(Ndtri(share0))
	s, t := Reciprocal(Sub(Mul(num(2), ClampMin(a0, 1)), num(1))), Reciprocal(Sub(Mul(num(2), ClampMin(b0, 1)), num(1)))
	h := Div(num(2), Add(s, t))
	lambda := Div(Sub(Square(z), num(3)), num(6))
	w := Sub(Div(Mul(z, Sqrt(ClampMin(Add(h, lambda), 0))), h),
		Mul(Sub(t, s), Sub(Add(lambda, num(5.0/6)), Div(num(2), Mul(num(3), h)))))
	normal := Sub(Log(Div(a0, b0)), Mul(num(2), w))
	isNormal := And(GreaterEqual(a0, num(1)), GreaterEqual(b0, num(1)))
	mass := Div(b0, Add(a0, b0)) // of what is below 1/2, for small a and b
	apart := Where(Less(b0, num(1)), Where(
		Less(a0, num(1)), Where(Less(share0, mass), fromLow, fromHigh), Minimum(fromLow, fromHigh)), fromLow)
	begin := Where(isOther, num(0), Where(isNormal, Maximum(normal, fromLow), apart))

	y := inverted(begin, func(y node) (f, slope, curve node) {
		x, rest := Sigmoid(y), Sigmoid(Neg(y))
		got := shareNear(a0, b0, x, rest)
		slope = Div(betaFront(a0, b0, x, rest), got)
		return Sub(Log(got), Log(share0)), slope, Mul(slope, Sub(Sub(Mul(a0, rest), Mul(b0, x)), slope))
	})
	y = Where(isLow, y, Neg(y))
	x := Sigmoid(y)
	small := Exp(low)
	x = Where(isPower, Where(isLow, small, Sub(num(1), small)), x)
	small = Exp(high)
	return Where(isRest, Where(isLow, Sub(num(1), small), small), x)
}

// ends are the shares of 0 and 1, where an inverse is known whatever the distribution, and inside is what lies between.
func ends(p node) (isEnd, isInside node) {
	return Or(Equal(p, num(0)), Equal(p, num(1))), And(Greater(p, num(0)), Less(p, num(1)))
}

// inverseGammaShare is the inverse of one of the two shares by x, with the gradients of implicit functions: that by the
// share is the reciprocal of the density, and that by a what [logGammaSlope] says.
func inverseGammaShare(fn string, a, share node, isBelow bool) node {
	sides := func(share node) (p, q node) {
		if isBelow {
			return share, Sub(num(1), share)
		}
		return Sub(num(1), share), share
	}
	inside := func(a, share node) (isInside, a0, share0 node) {
		_, isInside = ends(share)
		isInside = And(isInside, And(Greater(a, num(0)), Less(a, num(inf))))
		return isInside, Where(isInside, a, num(1)), Where(isInside, share, num(0.5))
	}
	return asDoubles(fn, a, share, func(a, share node) node {
		return WithGradient(fn, []node{a, share},
			func(in []node) node {
				isInside, a0, share0 := inside(in[0], in[1])
				p, q := sides(share0)
				isEnd, _ := ends(in[1])
				p0, _ := sides(in[1])
				edge := Where(And(isEnd, GreaterEqual(in[0], num(0))), Where(Equal(p0, num(0)), num(0), num(inf)),
					num(math.NaN()))
				return Where(isInside, inverseGamma(a0, p, q), edge)
			},
			func(x, dy node, in []node) []node {
				isInside, a0, _ := inside(in[0], in[1])
				isWithin := And(isInside, And(Greater(x, num(0)), Less(x, num(inf))))
				x0 := Where(isWithin, x, num(1))
				byA := Mul(x0, logGammaSlope(a0, Log(x0)))
				byP := Div(x0, Mul(a0, gammaFront(a0, x0)))
				atZero := Exp(Sub(LGamma(in[0]), XLogY(Sub(in[0], num(1)), x)))
				byP = Where(isWithin, byP, Where(Equal(x, num(inf)), x, atZero))
				if !isBelow {
					byP = Neg(byP)
				}
				return []node{Mul(dy, Where(isWithin, byA, num(0))), Mul(dy, byP)}
			})
	})
}

func init() {
	pair := func(call func(a, p *graph.Node) *graph.Node) example {
		return func(e *graph.Example) node { return call(e.Of("a", "n"), e.Of("p", "n")) }
	}
	composed("GammaIncInv",
		"the x below which a fraction p of the gamma distribution of shape a lies, the inverse of GammaInc.",
		named("scipy.special.gammaincinv", "", "", "", "", pair(GammaIncInv)))
	composed("GammaIncCInv",
		"the x above which a fraction p of the gamma distribution of shape a lies, the inverse of GammaIncC.",
		named("scipy.special.gammainccinv", "", "", "", "", pair(GammaIncCInv)))
	composed("BetaIncInv", "the x below which a fraction p of the beta distribution lies, the inverse of BetaInc.",
		named("scipy.special.betaincinv", "", "", "", "",
			func(e *graph.Example) node { return BetaIncInv(e.Of("a", "n"), e.Of("b", "n"), e.Of("p", "n")) }))
}

// GammaIncInv returns the x for which GammaInc(a, x) is p: the p-quantile of the gamma distribution with shape a.
// Both operands broadcast and have gradients. It is 0 if p is 0, Inf if p is 1, and NaN unless p is between 0 and 1
// and a is finite and above 0. If p is near 1, [GammaIncCInv] of 1 - p is more accurate.
func GammaIncInv(a, p *graph.Node) *graph.Node { return inverseGammaShare("GammaIncInv", a, p, true) }

// GammaIncCInv returns the x for which GammaIncC(a, x) is p. It is Inf if p is 0, and 0 if p is 1. See [GammaIncInv].
func GammaIncCInv(a, p *graph.Node) *graph.Node {
	return inverseGammaShare("GammaIncCInv", a, p, false)
}

// BetaIncInv returns the x for which BetaInc(a, b, x) is p: the p-quantile of the beta distribution with parameters a
// and b. All operands broadcast and have gradients. It is p if p is 0 or 1, and NaN unless p is between 0 and 1 and a
// and b are finite and above 0.
func BetaIncInv(a, b, p *graph.Node) *graph.Node {
	arePositive := func(in []node) node { return And(Greater(in[0], num(0)), Greater(in[1], num(0))) }
	// inside has parameters where the inverse is one, and ordinary numbers elsewhere.
	inside := func(in []node) (isInside, a, b, p node) {
		_, isInside = ends(in[2])
		isInside = And(And(isInside, arePositive(in)), And(Less(in[0], num(inf)), Less(in[1], num(inf))))
		return isInside, Where(isInside, in[0], num(1)), Where(isInside, in[1], num(1)),
			Where(isInside, in[2], num(0.5))
	}
	return allAsDoubles("BetaIncInv", []node{a, b, p}, func(in []node) node {
		return WithGradient("BetaIncInv", in,
			func(in []node) node {
				isInside, a, b, p := inside(in)
				isEnd, _ := ends(in[2])
				edge := Where(And(isEnd, arePositive(in)), in[2], num(math.NaN()))
				return Where(isInside, inverseBeta(a, b, p, Sub(num(1), p)), edge)
			},
			func(x, dy node, in []node) []node {
				isInside, a, b, _ := inside(in)
				isWithin := And(isInside, And(Greater(x, num(0)), Less(x, num(1))))
				x0 := Where(isWithin, x, num(0.5))
				rest := Sub(num(1), x0)
				byP := Div(Mul(x0, rest), betaFront(a, b, x0, rest))
				byA, byB := slopesOf(a, b, x0)
				edge := Exp(Sub(BetaLn(in[0], in[1]),
					Add(XLogY(Sub(in[0], num(1)), x), XLogY(Sub(in[1], num(1)), Sub(num(1), x)))))
				return []node{
					Mul(dy, Where(isWithin, Neg(Mul(byA, byP)), num(0))),
					Mul(dy, Where(isWithin, Neg(Mul(byB, byP)), num(0))),
					Mul(dy, Where(isWithin, byP, edge)),
				}
			})
	})
}
