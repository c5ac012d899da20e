package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// NoncentralChiSquare returns numbers from the noncentral chi-square distribution: sums of squares of freedom normal
// numbers, whose squared means sum to noncentrality. They are drawn as chi-square numbers with freedom + 2k degrees,
// where k is Poisson-distributed. freedom is above 0, noncentrality is not negative, and both broadcast. No gradient
// flows.
func NoncentralChiSquare(seed, freedom, noncentrality *graph.Node) *graph.Node {
	return ofParameters("NoncentralChiSquare", seed, freedom, noncentrality, func(d, nonc node) node {
		return noncentral(seed, d, nonc)
	})
}

func noncentral(seed, freedom, noncentrality node) node {
	events := Poisson(seed, Mul(noncentrality, num(0.5)))
	return StopGradient(chiSquare(seed, Add(freedom, Mul(num(2), events))))
}

// NoncentralF returns ([NoncentralChiSquare](above, noncentrality) / above) / ([ChiSquare](below) / below), where
// above and below are degrees of freedom. All broadcast. No gradient flows.
func NoncentralF(seed, above, below, noncentrality *graph.Node) *graph.Node {
	return ofThree("NoncentralF", seed, [3]node{above, below, noncentrality}, func(p [3]node) node {
		first, second := Div(noncentral(seed, p[0], p[2]), p[0]), Div(chiSquare(seed, p[1]), p[1])
		return StopGradient(Div(first, second))
	})
}

// ofThree is [ofParameters] of three parameters.
func ofThree(fn string, seed node, p [3]node, draw func(p [3]node) node) node {
	defer building(fn, seed, p[0], p[1], p[2])()
	if bad := refusedDraw(refused(fn, seed, p[0], p[1], p[2]), p[:]...); bad != nil {
		return bad
	}
	all := Add(Add(p[0], p[1]), p[2])
	if all.Err() != nil || !all.Judged() {
		return all
	}
	none := ZerosLike(all) // of the shape to which all are repeated
	for i := range p {
		p[i] = widened(Add(p[i], none))
	}
	return rounded(draw(p), all)
}

// LogSeries returns numbers k = 1, 2, … with probabilities proportional to p^k/k, for p from 0 up to, but not
// including, 1. No gradient flows. Source: Kemp, Efficient Generation of Logarithmically Distributed Pseudo-Random
// Variables, 1981.
func LogSeries(seed, p *graph.Node) *graph.Node {
	return ofParameter("LogSeries", seed, p, func(p node) node {
		wide := Cast(StopGradient(p), graph.Float64)
		u, v := awayFromZero(seed, graph.Float64, p.Shape()), awayFromZero(seed, graph.Float64, p.Shape())
		q := Neg(Expm1(Mul(Log1p(Neg(wide)), u)))
		isMore := LessEqual(v, Square(q))
		more := Floor(Add(num(1), Div(Log(v), Log(Where(isMore, q, num(0.5))))))
		return Cast(Where(isMore, more, Where(GreaterEqual(v, q), num(1), num(2))), p.DType())
	})
}

// Zipf returns whole numbers k from 1 to 2^63 with probabilities proportional to k^-a, for exponents a above 1. No
// gradient flows. Source: Devroye, Non-Uniform Random Variate Generation, 1986, X.6.1.
func Zipf(seed, exponent *graph.Node) *graph.Node {
	return ofParameter("Zipf", seed, exponent, func(a node) node {
		less := Cast(Sub(StopGradient(a), num(1)), graph.Float64)
		shape := less.Shape()
		b := Exp2(less)
		least := Exp2(Mul(num(-63), less)) // a smaller number gives more than the greatest k
		k := untilAccepted(OnesLike(less), func() (candidate, accepted node) {
			share, v := Uniform(seed, graph.Float64, shape...), awayFromZero(seed, graph.Float64, shape)
			u := Add(Mul(share, least), Sub(num(1), share))
			k := ClampMin(Floor(Exp(Div(Log(u), Neg(less)))), 1)
			t := Mul(less, Log1p(Reciprocal(k))) // of (1 + 1/k)^(a-1)
			return k, LessEqual(Mul(Mul(v, k), Div(Expm1(t), Sub(b, num(1)))), Div(Exp(t), b))
		})
		return Cast(k, a.DType())
	})
}

// Hypergeometric returns how many good ones are in a sample drawn without replacement from good + bad: whole numbers
// in a floating-point dtype. The operands broadcast, and sample is at most good + bad. No gradient flows. Small
// samples are drawn one by one, and others by ratio of uniforms. Source: Stadlober, The Ratio of Uniforms Approach
// for Generating Discrete Random Variates, 1990.
func Hypergeometric(seed, good, bad, sample *graph.Node) *graph.Node {
	return ofThree("Hypergeometric", seed, [3]node{good, bad, sample}, func(p [3]node) node {
		t := p[0].DType()
		for i := range p {
			p[i] = Cast(StopGradient(p[i]), graph.Float64)
		}
		good, bad, sample := p[0], p[1], p[2]
		total := Add(good, bad)
		drawn := Minimum(sample, Sub(total, sample)) // or those that are left
		isLarge := GreaterEqual(drawn, num(largeRate))
		large := func(x node, otherwise float64) node { return Where(isLarge, x, num(otherwise)) }
		k := Where(isLarge, manyDrawn(seed, large(good, 2*largeRate), large(bad, 2*largeRate), large(drawn, largeRate)),
			fewDrawn(seed, good, total, Where(isLarge, num(0), drawn)))
		return Cast(Where(Less(drawn, sample), Sub(good, k), k), t)
	})
}

// fewDrawn draws one after the other, fewer than [largeRate].
func fewDrawn(seed, good, total, count node) node {
	final, _ := While(largeRate, []node{good, total, count},
		func(c []node) node { return Any(Greater(c[2], num(0))) },
		func(_ node, c []node) []node {
			goesOn := Greater(c[2], num(0))
			isGood := And(goesOn, Less(Mul(Uniform(seed, graph.Float64, good.Shape()...), c[1]), c[0]))
			one := Cast(goesOn, graph.Float64)
			return []node{Sub(c[0], Cast(isGood, graph.Float64)), Sub(c[1], one), Sub(c[2], one)}
		})
	return Sub(good, final[0])
}

// manyDrawn is Stadlober's HRUA, of a sample of at most half of all.
func manyDrawn(seed, good, bad, sample node) node {
	least, most, total := Minimum(good, bad), Maximum(good, bad), Add(good, bad)
	p, q := Div(least, total), Div(most, total)
	mean := Mul(sample, p)
	variance := Div(Mul(Mul(Mul(Sub(total, sample), sample), p), q), Sub(total, num(1)))
	spread := Sqrt(Add(variance, num(0.5)))
	width := Add(Mul(num(2*math.Sqrt(2/math.E)), spread), num(3-2*math.Sqrt(3/math.E)))
	one := num(1)
	mode := Floor(Div(Mul(Add(sample, one), Add(least, one)), Add(total, num(2))))
	end := Minimum(Add(Minimum(sample, least), one), Floor(Add(Add(mean, num(0.5)), Mul(num(16), spread))))
	logs := func(k node) node { // of the reciprocal of k's share
		sum := Add(LGamma(Add(k, one)), LGamma(Add(Sub(least, k), one)))
		return Add(sum, Add(LGamma(Add(Sub(sample, k), one)), LGamma(Add(Add(Sub(most, sample), k), one))))
	}
	top := logs(mode)
	k := untilAccepted(mode, func() (candidate, accepted node) {
		u, v := awayFromZero(seed, graph.Float64, good.Shape()), Uniform(seed, graph.Float64, good.Shape()...)
		x := Add(Add(mean, num(0.5)), Div(Mul(width, Sub(v, num(0.5))), u))
		isInside := And(GreaterEqual(x, num(0)), Less(x, end))
		k := Floor(Where(isInside, x, mode))
		return k, And(isInside, LessEqual(Mul(num(2), Log(u)), Sub(top, logs(k))))
	})
	return Where(Greater(good, bad), Sub(sample, k), k)
}

func init() {
	seed := func(e *graph.Example) node { return e.As(graph.Int64, "seed") }
	composed("NoncentralChiSquare", "a number of the noncentral chi-square distribution.",
		flat("a part of it jumps", "numpy.random.noncentral_chisquare", "", "", "", "", func(e *graph.Example) node {
			return NoncentralChiSquare(seed(e), e.Of("freedom", "n"), e.Of("noncentrality", "n"))
		}))
	composed("NoncentralF", "a number of the noncentral F distribution.",
		flat("a part of it jumps", "numpy.random.noncentral_f", "", "", "", "", func(e *graph.Example) node {
			return NoncentralF(seed(e), e.Of("above", "n"), e.Of("below", "n"), e.Of("noncentrality", "n"))
		}))
	composed("LogSeries", "a number of the logarithmic series distribution.",
		flat("it jumps", "numpy.random.logseries", "", "", "", "", func(e *graph.Example) node {
			return LogSeries(seed(e), e.Of("p", "n"))
		}))
	composed("Zipf", "a number of Zipf's distribution.",
		flat("it jumps", "numpy.random.zipf", "", "", "", "", func(e *graph.Example) node {
			return Zipf(seed(e), e.Of("exponent", "n"))
		}))
	composed("Hypergeometric", "how many of a sample without putting back are good.",
		flat("it jumps", "numpy.random.hypergeometric", "", "", "", "", func(e *graph.Example) node {
			return Hypergeometric(seed(e), e.Of("good", "n"), e.Of("bad", "n"), e.Of("sample", "n"))
		}))
}
