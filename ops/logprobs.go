package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Logarithms of probabilities, or of densities, that distributions give to values: PyTorch's log_prob, and SciPy's
// logpdf and logpmf. Values and parameters broadcast, and have gradients; all but numbers of events and places are
// floating-point, and of 16 bits the whole is computed in Float32. A density is 0 where the distribution has no values;
// parameters are not checked.

// logProb is the logarithm of a probability of x with parameters, of which some may be numbers.
func logProb(fn string, x node, parameters []node, f func(x node, p []node) node) node {
	in := append([]node{x}, parameters...)
	args, places := make([]any, len(in)), make([]*node, len(in))
	for i := range in {
		args[i], places[i] = in[i], &in[i]
	}
	defer building(fn, args...)()
	withScalars(nil, opDiv, places...)
	in, round := computedWide(in...)
	return round(f(in[0], in[1:]))
}

// standardLogProb is [logProb] of a distribution that a location and a scale move and stretch, by its standard form.
func standardLogProb(fn string, x, location, scale node, standard func(z node) node) node {
	return logProb(fn, x, []node{location, scale}, func(x node, p []node) node {
		return Sub(standard(Div(Sub(x, p[0]), p[1])), Log(p[1]))
	})
}

// within is f of x where x is inside, and else -Inf, of which x takes no gradient. There f is given 1/2.
func within(x, inside node, f func(x node) node) node {
	y := f(Where(inside, x, num(0.5)))
	return Where(inside, y, num(math.Inf(-1)))
}

// NormalLogProb returns the log-density of the normal distribution at x: -((x-mean)/deviation)²/2 - log(deviation) -
// log(2π)/2.
func NormalLogProb(x, mean, deviation *graph.Node) *graph.Node {
	return standardLogProb("NormalLogProb", x, mean, deviation, func(z node) node {
		return Sub(Mul(num(-0.5), Square(z)), num(math.Log(2*math.Pi)/2))
	})
}

// LogNormalLogProb returns the log-density at x of the log-normal distribution: mean and deviation are those of
// log(x).
func LogNormalLogProb(x, mean, deviation *graph.Node) *graph.Node {
	return logProb("LogNormalLogProb", x, []node{mean, deviation}, func(x node, p []node) node {
		return within(x, Greater(x, num(0)), func(x node) node {
			l := Log(x)
			return Sub(NormalLogProb(l, p[0], p[1]), l)
		})
	})
}

// LaplaceLogProb returns the log-density of the Laplace distribution at x: -|x-location|/scale - log(2 scale).
func LaplaceLogProb(x, location, scale *graph.Node) *graph.Node {
	return standardLogProb("LaplaceLogProb", x, location, scale, func(z node) node {
		return Sub(Neg(Abs(z)), num(math.Ln2))
	})
}

// CauchyLogProb returns the log-density of the Cauchy distribution at x: -log(π scale (1 + z²)), where z is
// (x-location)/scale.
func CauchyLogProb(x, location, scale *graph.Node) *graph.Node {
	return standardLogProb("CauchyLogProb", x, location, scale, func(z node) node {
		return Sub(Neg(Log1p(Square(z))), num(math.Log(math.Pi)))
	})
}

// LogisticLogProb returns the log-density of the logistic distribution at x: -z - 2 log(1 + exp(-z)) - log(scale),
// where z is (x-location)/scale.
func LogisticLogProb(x, location, scale *graph.Node) *graph.Node {
	return standardLogProb("LogisticLogProb", x, location, scale, func(z node) node {
		return Add(LogSigmoid(z), LogSigmoid(Neg(z)))
	})
}

// GumbelLogProb returns the log-density of the Gumbel distribution at x: -z - exp(-z) - log(scale), where z is
// (x-location)/scale.
func GumbelLogProb(x, location, scale *graph.Node) *graph.Node {
	return standardLogProb("GumbelLogProb", x, location, scale, func(z node) node { return Neg(Add(z, Exp(Neg(z)))) })
}

// StudentTLogProb returns the log-density at x of Student's t-distribution with the given degrees of freedom,
// location and scale.
func StudentTLogProb(x, freedom, location, scale *graph.Node) *graph.Node {
	return logProb("StudentTLogProb", x, []node{freedom, location, scale}, func(x node, p []node) node {
		half := Mul(p[0], num(0.5))
		z := Div(Sub(x, p[1]), p[2])
		peak := Sub(Neg(BetaLn(half, num(0.5))), Mul(num(0.5), Log(p[0])))
		return Sub(Sub(peak, Log(p[2])), Mul(Add(half, num(0.5)), Log1p(Div(Square(z), p[0]))))
	})
}

// ExponentialLogProb returns the log-density of the exponential distribution at x: log(rate) - rate x.
func ExponentialLogProb(x, rate *graph.Node) *graph.Node {
	return logProb("ExponentialLogProb", x, []node{rate}, func(x node, p []node) node {
		return within(x, GreaterEqual(x, num(0)), func(x node) node { return Sub(Log(p[0]), Mul(p[0], x)) })
	})
}

// GammaLogProb returns the log-density of the gamma distribution at x: a log(rate) + (a-1) log(x) - rate x - log
// Γ(a), where a is the concentration.
func GammaLogProb(x, concentration, rate *graph.Node) *graph.Node {
	return logProb("GammaLogProb", x, []node{concentration, rate}, func(x node, p []node) node {
		return within(x, GreaterEqual(x, num(0)), func(x node) node {
			grown := Add(Mul(p[0], Log(p[1])), XLogY(Sub(p[0], num(1)), x))
			return Sub(Sub(grown, Mul(p[1], x)), LGamma(p[0]))
		})
	})
}

// BetaLogProb returns the log-density of the beta distribution at x: (a-1) log(x) + (b-1) log(1-x) - log B(a, b).
func BetaLogProb(x, a, b *graph.Node) *graph.Node {
	return logProb("BetaLogProb", x, []node{a, b}, func(x node, p []node) node {
		return within(x, And(GreaterEqual(x, num(0)), LessEqual(x, num(1))), func(x node) node {
			return Sub(Add(XLogY(Sub(p[0], num(1)), x), XLog1PY(Sub(p[1], num(1)), Neg(x))), BetaLn(p[0], p[1]))
		})
	})
}

// VonMisesLogProb returns the log-density of the von Mises distribution at the angle x: c cos(x-location) - log(2π
// I₀(c)), where c is the concentration.
func VonMisesLogProb(x, location, concentration *graph.Node) *graph.Node {
	return logProb("VonMisesLogProb", x, []node{location, concentration}, func(x node, p []node) node {
		falls := Mul(p[1], Sub(Cos(Sub(x, p[0])), num(1)))
		return Sub(Sub(falls, num(math.Log(2*math.Pi))), Log(I0e(p[1])))
	})
}

// BernoulliLogProb returns the log-probability of x, 0 or 1. The probability of 1 is Sigmoid(logits).
func BernoulliLogProb(x, logits *graph.Node) *graph.Node {
	defer inFloat32(&x, &logits)()
	return logProb("BernoulliLogProb", x, []node{logits}, func(x node, p []node) node {
		return Add(Mul(Sub(x, num(1)), p[0]), LogSigmoid(p[0]))
	})
}

// BinomialLogProb returns the log-probability of x successes in the given number of trials. The success probability
// is Sigmoid(logits).
func BinomialLogProb(x, trials, logits *graph.Node) *graph.Node {
	return logProb("BinomialLogProb", x, []node{trials, logits}, func(x node, p []node) node {
		failures := Sub(p[0], x)
		ways := Sub(LGamma(Add(p[0], num(1))), Add(LGamma(Add(x, num(1))), LGamma(Add(failures, num(1)))))
		return Sub(Add(ways, Mul(p[0], LogSigmoid(p[1]))), Mul(failures, p[1]))
	})
}

// PoissonLogProb returns the log-probability of x events: x log(rate) - rate - log(x!). [PoissonNLL] is the loss.
func PoissonLogProb(x, rate *graph.Node) *graph.Node {
	return logProb("PoissonLogProb", x, []node{rate}, func(x node, p []node) node {
		return Sub(Sub(XLogY(x, p[0]), p[0]), LGamma(Add(x, num(1))))
	})
}

// NegativeBinomialLogProb returns the log-probability of x successes before the given number of failures, which need
// not be whole. The success probability is Sigmoid(logits).
func NegativeBinomialLogProb(x, failures, logits *graph.Node) *graph.Node {
	return logProb("NegativeBinomialLogProb", x, []node{failures, logits}, func(x node, p []node) node {
		ways := Sub(LGamma(Add(x, p[0])), Add(LGamma(Add(x, num(1))), LGamma(p[0])))
		return Add(ways, Add(Mul(p[0], LogSigmoid(Neg(p[1]))), Mul(x, LogSigmoid(p[1]))))
	})
}

// CategoricalLogProb returns the log-probability of each index in x, integers [...]. The probabilities are the
// Softmax of logits, [..., classes], along the last axis. Leading axes broadcast. [CrossEntropy] is the loss.
func CategoricalLogProb(x, logits *graph.Node) *graph.Node {
	defer building("CategoricalLogProb", x, logits)()
	call := refused("CategoricalLogProb", x, logits)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if bad := refusedCategories(call, logits); bad != nil {
		return bad
	}
	return Squeeze(TakeAlongAxis(LogSoftmax(logits, -1), -1, Unsqueeze(x, -1)), -1)
}

// DirichletLogProb returns the log-density, [...], of the Dirichlet distribution at the vectors x, which sum to 1. x
// and the concentration, [..., n], broadcast.
func DirichletLogProb(x, concentration *graph.Node) *graph.Node {
	return logProb("DirichletLogProb", x, []node{concentration}, func(x node, p []node) node {
		a := p[0]
		return Add(Sum(XLogY(Sub(a, num(1)), x), -1), Sub(LGamma(Sum(a, -1)), Sum(LGamma(a), -1)))
	})
}

// MultivariateNormalLogProb returns the log-density, [...], of the normal distribution with covariances L·Lᵀ at the
// vectors x, [..., n]. mean is [..., n], and scale, the lower triangular matrices L as from [Cholesky], [..., n, n],
// Float32 or Float64. Leading axes broadcast.
func MultivariateNormalLogProb(x, mean, scale *graph.Node) *graph.Node {
	defer building("MultivariateNormalLogProb", x, mean, scale)()
	call := refused("MultivariateNormalLogProb", x, mean, scale)
	if bad := refusedParameter(call, x, mean, scale); bad != nil {
		return bad
	}
	if x.Rank() < 1 || mean.Rank() < 1 || scale.Rank() < 2 {
		return call.wrong(graph.CodeRank,
			"x and mean must be vectors and scale a matrix, but their shapes are %s, %s and %s", x.Shape(),
			mean.Shape(), scale.Shape())
	}
	d := Sub(x, mean)
	z := Squeeze(SolveTriangular(scale, Unsqueeze(d, -1)), -1)
	each := NormalLogProb(z, num(0), num(1))
	return Sub(Sum(each, -1), Sum(Log(Diagonal(scale, 0, -2, -1)), -1))
}

// MixtureLogProb returns the log-probability, or log-density, of a mixture, [...]. each holds those of the
// components, [..., k], and the Softmax of logits, [..., k], their weights. The two broadcast.
func MixtureLogProb(logits, each *graph.Node) *graph.Node {
	return logProb("MixtureLogProb", logits, []node{each}, func(logits node, p []node) node {
		return LogSumExp(Add(LogSoftmax(logits, -1), p[0]), -1)
	})
}

func init() {
	for _, d := range []struct {
		name, doc, scipy, torch string
		f                       any
		parameters              []string
	}{
		{"NormalLogProb", "-((x-mean)/deviation)²/2 - log(deviation) - log(2π)/2.", "norm.logpdf", "Normal",
			NormalLogProb, []string{"mean", "deviation"}},
		{"LogNormalLogProb", "the density of numbers whose logarithms are normal.", "lognorm.logpdf", "LogNormal",
			LogNormalLogProb, []string{"mean", "deviation"}},
		{"LaplaceLogProb", "-|x-location|/scale - log(2 scale).", "laplace.logpdf", "Laplace", LaplaceLogProb,
			[]string{"location", "scale"}},
		{"CauchyLogProb", "-log(π scale (1 + z²)), where z is (x-location)/scale.", "cauchy.logpdf", "Cauchy",
			CauchyLogProb, []string{"location", "scale"}},
		{"LogisticLogProb", "-z - 2 log(1 + exp(-z)) - log(scale), where z is (x-location)/scale.", "logistic.logpdf",
			"", LogisticLogProb, []string{"location", "scale"}},
		{"GumbelLogProb", "-z - exp(-z) - log(scale), where z is (x-location)/scale.", "gumbel_r.logpdf", "Gumbel",
			GumbelLogProb, []string{"location", "scale"}},
		{"StudentTLogProb", "the density of Student's t distribution.", "t.logpdf", "StudentT", StudentTLogProb,
			[]string{"freedom", "location", "scale"}},
		{"ExponentialLogProb", "log(rate) - rate*x.", "expon.logpdf", "Exponential", ExponentialLogProb,
			[]string{"rate"}},
		{"GammaLogProb", "a log(rate) + (a-1) log(x) - rate*x - log Γ(a), where a is the concentration.",
			"gamma.logpdf", "Gamma", GammaLogProb, []string{"concentration", "rate"}},
		{"BetaLogProb", "(a-1) log(x) + (b-1) log(1-x) - log B(a, b).", "beta.logpdf", "Beta", BetaLogProb,
			[]string{"a", "b"}},
		{"VonMisesLogProb", "c cos(x-location) - log(2π I0(c)), where c is the concentration.", "vonmises.logpdf",
			"VonMises", VonMisesLogProb, []string{"location", "concentration"}},
		{"BernoulliLogProb", "x*logits - log(1 + exp(logits)).", "bernoulli.logpmf", "Bernoulli", BernoulliLogProb,
			[]string{"logits"}},
		{"BinomialLogProb", "the probability that x of so many trials succeed.", "binom.logpmf", "Binomial",
			BinomialLogProb, []string{"trials", "logits"}},
		{"PoissonLogProb", "x log(rate) - rate - log(x!).", "poisson.logpmf", "Poisson", PoissonLogProb,
			[]string{"rate"}},
		{"NegativeBinomialLogProb", "the probability that x trials succeed before so many fail.", "nbinom.logpmf",
			"NegativeBinomial", NegativeBinomialLogProb, []string{"failures", "logits"}},
		{"DirichletLogProb", "the sum of (a-1) log(x) - log Γ(a), and log Γ of the sum of a, the concentration.",
			"dirichlet.logpdf", "Dirichlet", DirichletLogProb, []string{"concentration"}},
	} {
		composed(d.name, d.doc,
			named("scipy.stats."+d.scipy, distributionName(d.torch), jaxDensity(d.scipy), "", "",
				func(e *graph.Example) node {
					in := []node{e.Of("x", "n")}
					for _, p := range d.parameters {
						in = append(in, e.Of(p, "n"))
					}
					switch f := d.f.(type) {
					case func(x, p *graph.Node) *graph.Node:
						return f(in[0], in[1])
					case func(x, p, q *graph.Node) *graph.Node:
						return f(in[0], in[1], in[2])
					}
					return StudentTLogProb(in[0], in[1], in[2], in[3])
				}))
	}
	composed("CategoricalLogProb", "the logarithm of softmax(logits) at the places x.",
		named("", distributionName("Categorical"), "", "", "",
			func(e *graph.Example) node {
				return CategoricalLogProb(e.As(graph.Int64, "x", "n"), e.Of("logits", "n", "4"))
			}))
	composed("MultivariateNormalLogProb",
		"-|z|²/2 - log(det(L)) - n log(2π)/2, where z solves L·z = x - mean for the scale L.",
		named("scipy.stats.multivariate_normal.logpdf", distributionName("MultivariateNormal"),
			"jax.scipy.stats.multivariate_normal.logpdf", "", "",
			func(e *graph.Example) node {
				return MultivariateNormalLogProb(e.Of("x", "n", "3"), e.Of("mean", "3"), e.Of("scale", "3", "3"))
			}))
	composed("MixtureLogProb", "logsumexp(log_softmax(logits) + each).",
		named("", distributionName("MixtureSameFamily"), "", "", "",
			func(e *graph.Example) node { return MixtureLogProb(e.Of("logits", "4"), e.Of("each", "n", "4")) }))
}

// distributionName is what PyTorch calls the logarithms of a distribution's probabilities.
func distributionName(class string) string {
	if class == "" {
		return ""
	}
	return "torch.distributions." + class + ".log_prob"
}

// jaxDensity is what JAX calls what SciPy has.
func jaxDensity(scipy string) string {
	if scipy == "lognorm.logpdf" {
		return ""
	}
	return "jax.scipy.stats." + scipy
}
