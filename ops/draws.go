package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Standard distributions; see [Exponential] for how they are moved and scaled.

// HalfNormal returns magnitudes of numbers from the standard normal distribution.
func HalfNormal(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("HalfNormal", seed, t, shape)()
	return Abs(Normal(seed, t, shape...))
}

// HalfCauchy returns magnitudes of numbers from the Cauchy distribution.
func HalfCauchy(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("HalfCauchy", seed, t, shape)()
	return Abs(Cauchy(seed, t, shape...))
}

// Logistic returns numbers from the logistic distribution: [Logit] of uniform ones.
func Logistic(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Logistic", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node { return Logit(awayFromZero(seed, t, shape)) })
}

// Rademacher returns 1 or -1, each with probability 1/2.
func Rademacher(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Rademacher", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node {
		return Sub(Mul(num(2), Floor(Mul(num(2), Uniform(seed, t, shape...)))), num(1))
	})
}

// Distributions with parameters draw one number for each element of these, in their dtype.

// ofParameter draws by one parameter.
func ofParameter(fn string, seed, p node, draw func(p node) node) node {
	defer building(fn, seed, p)()
	asParameters(seed, &p)
	if bad := refusedDraw(refused(fn, seed, p), p); bad != nil {
		return bad
	}
	return rounded(draw(widened(p)), p)
}

// ofParameters draws by two parameters, which broadcast.
func ofParameters(fn string, seed, a, b node, draw func(a, b node) node) node {
	defer building(fn, seed, a, b)()
	asParameters(seed, &a, &b)
	if bad := refusedDraw(refused(fn, seed, a, b), a, b); bad != nil {
		return bad
	}
	both := Add(a, b)
	if both.Err() != nil || !both.Judged() {
		return both
	}
	none := ZerosLike(both) // of the shape to which both are repeated
	return rounded(draw(widened(Add(a, none)), widened(Add(b, none))), both)
}

// Weibull returns numbers from the Weibull distribution with the given shape parameters and scale 1. The parameters
// have gradients.
func Weibull(seed, concentration *graph.Node) *graph.Node {
	return ofParameter("Weibull", seed, concentration, func(k node) node {
		return Pow(Exponential(seed, k.DType(), k.Shape()...), Reciprocal(k))
	})
}

// Pareto returns numbers, at least 1, from the Pareto distribution with the given exponents. The exponents have
// gradients.
func Pareto(seed, exponent *graph.Node) *graph.Node {
	return ofParameter("Pareto", seed, exponent, func(a node) node {
		return Exp(Div(Exponential(seed, a.DType(), a.Shape()...), a))
	})
}

// ChiSquare returns numbers from the chi-square distribution with the given degrees of freedom, which have the
// gradient of [RandomGamma].
func ChiSquare(seed, freedom *graph.Node) *graph.Node {
	return ofParameter("ChiSquare", seed, freedom, func(d node) node { return chiSquare(seed, d) })
}

func chiSquare(seed, freedom node) node {
	return Mul(num(2), Exp(logGamma(seed, Mul(freedom, num(0.5)))))
}

// StudentT returns numbers from Student's t-distribution with the given degrees of freedom, which have the gradient
// of [RandomGamma].
func StudentT(seed, freedom *graph.Node) *graph.Node {
	return ofParameter("StudentT", seed, freedom, func(d node) node {
		return Mul(Normal(seed, d.DType(), d.Shape()...), Sqrt(Div(d, chiSquare(seed, d))))
	})
}

// FisherF returns numbers from the F-distribution with the given degrees of freedom of the numerator and the
// denominator. These broadcast and have the gradient of [RandomGamma].
func FisherF(seed, numerator, denominator *graph.Node) *graph.Node {
	return ofParameters("FisherF", seed, numerator, denominator, func(a, b node) node {
		return Div(Div(chiSquare(seed, a), a), Div(chiSquare(seed, b), b))
	})
}

// InverseGamma returns reciprocals of numbers of [RandomGamma].
func InverseGamma(seed, concentration *graph.Node) *graph.Node {
	return ofParameter("InverseGamma", seed, concentration, func(a node) node { return Exp(Neg(logGamma(seed, a))) })
}

// Geometric returns the number of trials with success probability p up to and including the first success, at least
// 1. It is torch.Tensor.geometric_ and jax.random.geometric; torch.distributions.Geometric does not count the
// success.
func Geometric(seed, p *graph.Node) *graph.Node {
	return ofParameter("Geometric", seed, p, func(p node) node { return geometric(seed, StopGradient(p)) })
}

func geometric(seed, p node) node {
	u := awayFromZero(seed, p.DType(), p.Shape())
	return ClampMin(Ceil(Div(Log(u), Log1p(Neg(p)))), 1)
}

// NegativeBinomial returns the number of successful trials, with success probability p, before the given number of
// failures. That number need not be whole. Both broadcast.
func NegativeBinomial(seed, failures, p *graph.Node) *graph.Node {
	return ofParameters("NegativeBinomial", seed, failures, p, func(r, p node) node {
		r, p = StopGradient(r), StopGradient(p)
		return Poisson(seed, Mul(Exp(logGamma(seed, r)), Div(p, Sub(num(1), p))))
	})
}

// Binomial returns the number of successes in the given number of trials with success probability p. trials are whole
// numbers in p's dtype. Both broadcast. If few successes are expected, it uses the sums of probabilities, and
// otherwise transformed rejection. Source: Hörmann, The Generation of Binomial Random Variates, 1993.
func Binomial(seed, trials, p *graph.Node) *graph.Node {
	return ofParameters("Binomial", seed, trials, p, func(n, p node) node {
		t := p.DType()
		n, p = Cast(StopGradient(n), graph.Float64), Cast(StopGradient(p), graph.Float64)
		isLikely := Greater(p, num(0.5))
		rare := Where(isLikely, Sub(num(1), p), p)
		isLarge := GreaterEqual(Mul(n, rare), num(largeRate))
		many := manySuccesses(seed, isLarge, Where(isLarge, n, num(2*largeRate)), Where(isLarge, rare, num(0.5)))
		few := fewSuccesses(seed, Where(isLarge, num(0), n), rare)
		k := Where(isLarge, many, few)
		return Cast(Where(isLikely, Sub(n, k), k), t)
	})
}

// fewSuccesses counts the sums of probabilities that an evenly distributed number is not below.
func fewSuccesses(seed, n, p node) node {
	count := graph.Apply(opFewSuccesses, nil, Uniform(seed, graph.Float64, p.Shape()...), n, p)
	return Minimum(count, n) // the last sum may be just below 1
}

// manySuccesses is Hörmann's BTRS, with his constants, where there are many.
func manySuccesses(seed, isLarge, n, p node) node {
	t, shape := p.DType(), p.Shape()
	deviation := Sqrt(Mul(Mul(n, p), Sub(num(1), p)))
	b := Add(num(1.15), Mul(num(2.53), deviation))
	a := Add(Add(num(-0.0873), Mul(num(0.0248), b)), Mul(num(0.01), p))
	centre, inner := Add(Mul(n, p), num(0.5)), Sub(num(0.92), Div(num(4.2), b))
	alpha := Mul(Add(num(2.83), Div(num(5.1), b)), deviation)
	odds, mode := Log(Div(p, Sub(num(1), p))), Floor(Mul(Add(n, num(1)), p))
	chances := func(k node) node {
		return Sub(Mul(k, odds), Add(logFactorial(k), logFactorial(Sub(n, k))))
	}
	return whereOpen(isLarge, Floor(centre), func() (candidate, accepted node) {
		u, v := Sub(Uniform(seed, t, shape...), num(0.5)), awayFromZero(seed, t, shape)
		edge := ClampMin(Sub(num(0.5), Abs(u)), math.SmallestNonzeroFloat32)
		k := Floor(Add(Mul(Add(Div(Mul(num(2), a), edge), b), u), centre))
		inside := And(GreaterEqual(k, num(0)), LessEqual(k, n))
		surely := And(GreaterEqual(edge, num(0.07)), LessEqual(v, inner))
		safe := Where(inside, k, mode)
		left := Log(Div(Mul(v, alpha), Add(Div(a, Square(edge)), b)))
		return safe, And(inside, Or(surely, LessEqual(left, Sub(chances(safe), chances(mode)))))
	})
}

// MultivariateNormal returns vectors mean + L·z from the normal distribution with the covariances L·Lᵀ, where z are
// standard normal. mean is [..., n], and scale, the lower triangular matrices L as from [Cholesky], [..., n, n].
// Leading axes broadcast, and both have gradients.
func MultivariateNormal(seed, mean, scale *graph.Node) *graph.Node {
	defer building("MultivariateNormal", seed, mean, scale)()
	call := refused("MultivariateNormal", seed, mean, scale)
	if bad := refusedDraw(call, mean, scale); bad != nil {
		return bad
	}
	if mean.Rank() < 1 || scale.Rank() < 2 {
		return call.wrong(graph.CodeRank,
			"a mean must be a vector and a scale a matrix, but their shapes are %s and %s", mean.Shape(), scale.Shape())
	}
	whole := Add(Mul(Sum(scale, -1), num(0)), mean) // for its shape
	if whole.Err() != nil || !whole.Judged() {
		return whole
	}
	z := Normal(seed, whole.DType(), whole.Shape()...)
	return Add(mean, Squeeze(MatMul(Tril(scale, 0), Unsqueeze(z, -1)), -1))
}

// RelaxedBernoulli returns numbers between 0 and 1, which are nearer to 0 or 1 for a lower temperature: [Sigmoid] of
// (logits + [Logistic]) / temperature. Logits have gradients. Source: Maddison, Mnih and Teh, The Concrete
// Distribution, 2017.
func RelaxedBernoulli(seed, logits *graph.Node, temperature float64) *graph.Node {
	defer building("RelaxedBernoulli", seed, logits, temperature)()
	call := refused("RelaxedBernoulli", seed, logits).with(temperature)
	if bad := refusedDraw(call, logits); bad != nil {
		return bad
	}
	if !(temperature > 0) {
		return call.wrong(graph.CodeOperand, "the temperature must be above 0, but it is %v", temperature)
	}
	wide := widened(logits)
	return rounded(Sigmoid(Div(Add(wide, Logistic(seed, wide.DType(), wide.Shape()...)), num(temperature))), logits)
}

func init() {
	for _, d := range []struct {
		name, doc, numpy, torch, jax string
		draw                         func(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node
	}{
		{"HalfNormal", "the magnitude of a normal number.", "", "torch.distributions.HalfNormal", "", HalfNormal},
		{"HalfCauchy", "the magnitude of a number of the Cauchy distribution.", "", "torch.distributions.HalfCauchy",
			"", HalfCauchy},
		{"Logistic", "log(u / (1 - u)).", "numpy.random.logistic", "", "jax.random.logistic", Logistic},
		{"Rademacher", "1 or -1.", "", "", "jax.random.rademacher", Rademacher},
	} {
		composed(d.name, d.doc, flat(noSlope, d.numpy, d.torch, d.jax, "", "",
			func(e *graph.Example) node { return d.draw(e.As(graph.Int64, "seed"), e.DType, e.Shape("n")...) }))
	}
	for _, d := range []struct {
		name, doc, parameter, numpy, torch, jax string
		draw                                    func(seed, p *graph.Node) *graph.Node
	}{
		{"Weibull", "(-log(1 - u))^(1/concentration).", "concentration", "numpy.random.weibull",
			"torch.distributions.Weibull", "jax.random.weibull_min", Weibull},
		{"Pareto", "(1 - u)^(-1/exponent).", "exponent", "numpy.random.pareto", "torch.distributions.Pareto",
			"jax.random.pareto", Pareto},
		{"ChiSquare", "a number of the chi-square distribution.", "freedom", "numpy.random.chisquare",
			"torch.distributions.Chi2", "jax.random.chisquare", ChiSquare},
		{"StudentT", "a number of Student's t distribution.", "freedom", "numpy.random.standard_t",
			"torch.distributions.StudentT", "jax.random.t", StudentT},
		{"InverseGamma", "the reciprocal of a number of the gamma distribution.", "concentration", "",
			"torch.distributions.InverseGamma", "", InverseGamma},
	} {
		composed(d.name, d.doc, named(d.numpy, d.torch, d.jax, "", "",
			func(e *graph.Example) node { return d.draw(e.As(graph.Int64, "seed"), e.Of(d.parameter, "n")) }))
	}
	composed("Geometric", "the number of trials until one succeeds.",
		flat("it jumps", "numpy.random.geometric", "torch.Tensor.geometric_, torch.distributions.Geometric",
			"jax.random.geometric", "", "",
			func(e *graph.Example) node { return Geometric(e.As(graph.Int64, "seed"), e.Of("p", "n")) }))
	composed("FisherF", "a number of Fisher's F distribution.",
		named("numpy.random.f", "torch.distributions.FisherSnedecor", "jax.random.f", "", "",
			func(e *graph.Example) node {
				return FisherF(e.As(graph.Int64, "seed"), e.Of("numerator", "n"), e.Of("denominator", "n"))
			}))
	composed("NegativeBinomial", "the number of successes before the given number of failures.",
		flat("it jumps", "numpy.random.negative_binomial", "torch.distributions.NegativeBinomial", "", "", "",
			func(e *graph.Example) node {
				return NegativeBinomial(e.As(graph.Int64, "seed"), e.Of("failures", "n"), e.Of("p", "n"))
			}))
	composed("Binomial", "the number of successes in the given number of trials.",
		flat("it jumps", "numpy.random.binomial", "torch.binomial, torch.distributions.Binomial", "jax.random.binomial",
			"", "",
			func(e *graph.Example) node {
				return Binomial(e.As(graph.Int64, "seed"), e.Of("trials", "n"), e.Of("p", "n"))
			}))
	composed("MultivariateNormal", "mean + scale·z of normal numbers z.",
		named("numpy.random.multivariate_normal", "torch.distributions.MultivariateNormal",
			"jax.random.multivariate_normal", "", "",
			func(e *graph.Example) node {
				return MultivariateNormal(e.As(graph.Int64, "seed"), e.Of("mean", "n"), e.Of("scale", "n", "n"))
			}))
	composed("RelaxedBernoulli", "sigmoid((logits + logistic) / temperature).",
		named("", "torch.distributions.RelaxedBernoulli", "", "", "",
			func(e *graph.Example) node {
				return RelaxedBernoulli(e.As(graph.Int64, "seed"), e.Of("logits", "n"), 0.5)
			}))
}
