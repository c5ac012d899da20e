package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// exactUpTo is up to which size numbers that are whole are rounded to such: their errors are below 1/2 there.
const exactUpTo = 1e12

// roundedIf is y rounded to a whole number where it is known to be one; gradients pass as they are.
func roundedIf(isWhole, y node) node {
	isExact := And(isWhole, Less(y, num(exactUpTo)))
	return Add(y, StopGradient(Where(isExact, Sub(Round(y), y), num(0))))
}

func isWholeNumber(x node) node { return Equal(x, Floor(x)) }

// Factorial returns Γ(x+1) in floating point, and 0 where x is negative. Integers give Float32. In Float64, whole
// results up to 1e12 are exact.
func Factorial(x *graph.Node) *graph.Node {
	defer building("Factorial", x)()
	if bad := notTensors(refused("Factorial", x)); bad != nil {
		return bad
	}
	float := Div(x, num(1))
	if float.Err() != nil || !float.Judged() {
		return float
	}
	wide := Cast(float, graph.Float64)
	isBelow := Less(wide, num(0))
	y := Where(isBelow, num(0), Gamma(Add(Where(isBelow, num(0), wide), num(1))))
	return Cast(roundedIf(isWholeNumber(wide), y), float.DType())
}

// Comb returns the number of ways to choose k of n, n!/(k! (n-k)!); n and k need not be whole. It is 0 where k is
// above n or one of them is negative, and NaN where one is NaN. Both operands broadcast and have gradients; integers
// give Float32. In Float64 the relative error is at most 1e-14 times the logarithm of the result, and whole results
// up to 1e12 are exact.
func Comb(n, k *graph.Node) *graph.Node {
	return asDoubles("Comb", n, k, func(n, k node) node {
		isInside := And(GreaterEqual(k, num(0)), GreaterEqual(n, k))
		isNumber := And(Equal(n, n), Equal(k, k))
		n0, k0 := Where(isInside, n, num(1)), Where(isInside, k, num(1))
		y := Exp(Neg(Add(Log(Add(n0, num(1))), BetaLn(Add(Sub(n0, k0), num(1)), Add(k0, num(1))))))
		y = roundedIf(And(isWholeNumber(n0), isWholeNumber(k0)), y)
		return Where(isInside, y, Where(isNumber, num(0), num(math.NaN())))
	})
}

// Poch returns the Pochhammer symbol Γ(z+m)/Γ(z), the product z(z+1)…(z+m-1) of m factors. It is 0 where only Γ(z) is
// infinite, and Inf where only Γ(z+m) is. Both operands broadcast and have gradients; integers give Float32. It is
// scipy.special.poch.
func Poch(z, m *graph.Node) *graph.Node {
	return asDoubles("Poch", z, m, func(z, m node) node {
		end := Add(z, m)
		pole := func(x node) node { return And(LessEqual(x, num(0)), isWholeNumber(x)) }
		from, to := pole(z), pole(end)
		both := And(from, to)
		// Of two poles it is the ratio of their residues, by reflection: ±Γ(1-z)/Γ(1-z-m).
		lowZ, lowEnd := Where(both, Sub(num(1), end), z), Where(both, Sub(num(1), z), end)
		isOne := Or(Or(And(from, Not(to)), And(to, Not(from))), Equal(m, num(0)))
		lowZ, lowEnd = Where(isOne, num(1), lowZ), Where(isOne, num(1), lowEnd)
		isRising := And(Greater(lowZ, num(0)), Greater(lowEnd, num(0)))
		y := Where(isRising, positiveRatio(Where(isRising, lowZ, num(1)), Where(isRising, lowEnd, num(1))),
			anyRatio(Where(isRising, num(1), lowZ), Where(isRising, num(1), lowEnd)))
		isOdd := NotEqual(Mul(Floor(Mul(m, num(0.5))), num(2)), m)
		y = Where(And(both, isOdd), Neg(y), y)
		y = Where(And(from, Not(to)), num(0), Where(And(to, Not(from)), num(inf), y))
		return Where(Equal(m, num(0)), Where(Equal(z, z), num(1), num(math.NaN())), y)
	})
}

// positiveRatio is Γ(b)/Γ(a) of positive numbers, by the beta function of the lesser one and their distance.
func positiveRatio(a, b node) node {
	isFar := GreaterEqual(Abs(Sub(b, a)), num(1e-3))
	low := Where(isFar, Minimum(a, b), num(1))
	d := Where(isFar, Abs(Sub(b, a)), num(1))
	log := Sub(LGamma(d), BetaLn(low, d))
	log = Where(Less(b, a), Neg(log), log)
	near := Sub(LGamma(Where(isFar, num(1), b)), LGamma(Where(isFar, num(1), a)))
	isSmall := And(Less(a, num(30)), Less(b, num(30)))
	direct := Div(Gamma(Where(isSmall, b, num(1))), Gamma(Where(isSmall, a, num(1))))
	return Where(isSmall, direct, Exp(Where(isFar, log, near)))
}

// anyRatio is Γ(b)/Γ(a) where one is below 0.
func anyRatio(a, b node) node {
	isSmall := And(Less(Abs(a), num(100)), Less(Abs(b), num(100)))
	direct := Div(Gamma(Where(isSmall, b, num(1))), Gamma(Where(isSmall, a, num(1))))
	far := Exp(Sub(LGamma(Where(isSmall, num(1), b)), LGamma(Where(isSmall, num(1), a))))
	return Where(isSmall, direct, Mul(far, Mul(gammaSign(a), gammaSign(b))))
}

// GammaSign returns the sign of the gamma function: 1 or -1. At 0 and -0 it is the sign of the zero, and at negative
// whole numbers NaN. Integers give Float32.
func GammaSign(x *graph.Node) *graph.Node {
	defer building("GammaSign", x)()
	if bad := notTensors(refused("GammaSign", x)); bad != nil {
		return bad
	}
	float := Div(x, num(1))
	if float.Err() != nil || !float.Judged() {
		return float
	}
	return gammaSign(float)
}

func gammaSign(x node) node {
	x = StopGradient(x)
	low := Floor(x)
	isOdd := NotEqual(Mul(Floor(Mul(low, num(0.5))), num(2)), low)
	below := Where(Equal(x, low), num(math.NaN()), Where(isOdd, num(-1), OnesLike(x)))
	y := Where(Greater(x, num(0)), num(1), Where(Less(x, num(0)), below, num(math.NaN())))
	return Where(Equal(x, num(0)), CopySign(OnesLike(x), x), y)
}

// LogMeanExp returns the logarithm of the mean of exp(x) over the given axes, or over all, without overflow.
func LogMeanExp(x *graph.Node, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	defer graph.BeginCall("LogMeanExp", a, x)()
	if bad := notTensors(refused("LogMeanExp", x)); bad != nil {
		return bad
	}
	y := LogSumExp(x, axes...)
	if !y.Judged() || y.Err() != nil {
		return y
	}
	return Sub(y, Cast(Log(reducedCount(x, a)), y.DType()))
}

func init() {
	row := func(name, doc, word string, shown example) {
		composed(name, doc, named("scipy.special."+word, "", "jax.scipy.special."+word, "", "", shown))
	}
	row("Factorial", "1·2·…·x, the gamma function of x+1.", "factorial", func(e *graph.Example) node {
		return Factorial(e.Of("x", "n"))
	})
	row("Comb", "n! / (k! (n-k)!).", "comb", func(e *graph.Example) node {
		return Comb(e.Of("total", "n", "k"), e.Of("chosen", "k"))
	})
	row("Poch", "Γ(z+m) / Γ(z).", "poch", func(e *graph.Example) node { return Poch(e.Of("z", "n"), e.Of("m", "n")) })
	composed("GammaSign", "the sign of the gamma function.",
		flat(flatBetweenJumps, "scipy.special.gammasgn", "", "jax.scipy.special.gammasgn", "", "",
			func(e *graph.Example) node { return GammaSign(e.Of("x", "n")) }))
	composed("LogMeanExp", "log(mean(exp(x))) over axes, without overflow.",
		named("", "", "jax.nn.logmeanexp", "", "", func(e *graph.Example) node {
			return LogMeanExp(e.Of("x", "n", "k"), 1)
		}))
}
