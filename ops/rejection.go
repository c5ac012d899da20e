package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opSampled *graph.Op

// maxRejections bounds the steps of a draw by rejection: with a probability of acceptance of 0.6 or more, none
// of 10^12 numbers needs as many.
const maxRejections = 96

// untilAccepted draws until every element of a value is accepted. draw gives candidates and says which are
// accepted; other numbers come in each step, since the step is part of a random stream.
func untilAccepted(begin node, draw func() (candidate, accepted node)) node {
	g := begin.Graph()
	open := Full(g, graph.Bool, 1, begin.Shape()...)
	final, _ := While(maxRejections, []node{begin, open},
		func(c []node) node { return Any(c[1]) },
		func(_ node, c []node) []node {
			candidate, accepted := draw()
			return []node{Where(And(c[1], accepted), candidate, c[0]), And(c[1], Not(accepted))}
		})
	return final[0]
}

// logGamma draws the logarithm of numbers of the gamma distribution with shape a, by the method of Marsaglia and
// Tsang, A Simple Method for Generating Gamma Variables, 2000, for a + 1, times u^(1/a): it does not underflow
// where a is small. The gradient is that of [logGammaSlope].
func logGamma(seed, concentration node) node {
	a := StopGradient(concentration)
	t, shape := a.DType(), a.Shape()
	d := Add(a, num(1-1.0/3))
	c := Rsqrt(Mul(num(9), d))
	v := untilAccepted(FullLike(a, 1), func() (candidate, accepted node) {
		x, u := Normal(seed, t, shape...), awayFromZero(seed, t, shape)
		root := Add(num(1), Mul(c, x))
		cube := Mul(Mul(root, root), root)
		safe := Where(Greater(cube, num(0)), cube, num(1))
		limit := Add(Mul(num(0.5), Square(x)), Mul(d, Add(Sub(num(1), safe), Log(safe))))
		return safe, And(Greater(cube, num(0)), Less(Log(u), limit))
	})
	return Apply(opSampled, nil, Add(Log(Mul(d, v)), Div(Log(awayFromZero(seed, t, shape)), a)), concentration)
}

// widened is a parameter in the dtype in which numbers are drawn: Float32 instead of those of 16 bits.
func widened(parameter node) node {
	return parameter.Graph().Convert(parameter, parameter.DType().Computed())
}

// rounded is what was drawn, in the dtype of the parameters.
func rounded(x, parameter node) node { return x.Graph().Convert(x, parameter.DType()) }

// RandomGamma returns numbers of the gamma distribution with the given shape parameters, which are above 0, and
// scale 1, one for each of them and in their dtype. The gradient with respect to the parameters is the implicit one,
// as in PyTorch, of which that of a mean is the mean: the probability of less than the number stays. See Figurnov, Mohamed
// and Mnih, Implicit Reparameterization Gradients, 2018.
func RandomGamma(seed, concentration *graph.Node) *graph.Node {
	defer building("RandomGamma", seed, concentration)()
	asParameters(seed, &concentration)
	if bad := refusedParameter(refused("RandomGamma", seed, concentration), concentration); bad != nil {
		return bad
	}
	return rounded(Exp(logGamma(seed, widened(concentration))), concentration)
}

// RandomBeta returns numbers of the beta distribution with parameters a and b, which are above 0 and broadcast.
// The gradient with respect to them is that of the two numbers of [RandomGamma] of which each is a share, as in JAX;
// PyTorch's has the same mean.
func RandomBeta(seed, a, b *graph.Node) *graph.Node {
	defer building("RandomBeta", seed, a, b)()
	asParameters(seed, &a, &b)
	for _, p := range []node{a, b} {
		if bad := refusedParameter(refused("RandomBeta", seed, a, b), p); bad != nil {
			return bad
		}
	}
	both := Add(a, b)
	if !both.Judged() {
		return both
	}
	like := StopGradient(Sub(both, both)) // of the shape to which both are repeated
	return rounded(Sigmoid(Sub(logGamma(seed, widened(Add(a, like))), logGamma(seed, widened(Add(b, like))))), both)
}

// Dirichlet returns vectors of the Dirichlet distribution along the last axis of its parameters, which are above
// 0: shares that add up to 1. The gradient with respect to them is that of the numbers of [RandomGamma] of which they
// are shares, as in JAX; PyTorch's has the same mean.
func Dirichlet(seed, concentration *graph.Node) *graph.Node {
	defer building("Dirichlet", seed, concentration)()
	if bad := refusedParameter(refused("Dirichlet", seed, concentration), concentration); bad != nil {
		return bad
	}
	return rounded(Softmax(logGamma(seed, widened(concentration)), -1), concentration)
}

// Where a Poisson rate is large enough for rejection, and what stands for a rate that is not.
const (
	largeRate  = 10
	knuthSteps = 96 // of a rate below 10: more events have a probability of 1e-55
)

// Poisson returns numbers of events of Poisson distributions with the given rates, which are not negative, in
// their dtype: by counting below a rate of 10, and above by transformed rejection, Hörmann, The Transformed
// Rejection Method for Generating Poisson Random Variables, 1993.
func Poisson(seed, rate *graph.Node) *graph.Node {
	defer building("Poisson", seed, rate)()
	asParameters(seed, &rate)
	if bad := refusedParameter(refused("Poisson", seed, rate), rate); bad != nil {
		return bad
	}
	if notSeed(seed) {
		return Uniform(seed, rate.DType(), rate.Shape()...) // its own mistake
	}
	return rounded(poisson(seed, widened(StopGradient(rate))), rate)
}

func poisson(seed, rate node) node {
	isLarge := GreaterEqual(rate, num(largeRate))
	return Where(isLarge, manyEvents(seed, Where(isLarge, rate, num(largeRate))), fewEvents(seed, Where(isLarge, num(0), rate)))
}

// fewEvents counts how many exponential intervals end before the time 1.
func fewEvents(seed, rate node) node {
	t, shape := rate.DType(), rate.Shape()
	zero := ZerosLike(rate)
	final, _ := While(knuthSteps, []node{zero, Neg(Exponential(seed, t, shape...))},
		func(c []node) node { return Any(Greater(Add(c[1], rate), num(0))) },
		func(_ node, c []node) []node {
			before := Greater(Add(c[1], rate), num(0))
			return []node{Where(before, Add(c[0], num(1)), c[0]), Sub(c[1], Exponential(seed, t, shape...))}
		})
	return final[0]
}

// manyEvents is Hörmann's PTRS, with his constants.
func manyEvents(seed, rate node) node {
	t, shape := rate.DType(), rate.Shape()
	b := Add(num(0.931), Mul(num(2.53), Sqrt(rate)))
	a := Add(num(-0.059), Mul(num(0.02483), b))
	inverse := Add(num(1.1239), Div(num(1.1328), Sub(b, num(3.4))))
	inner := Sub(num(0.9277), Div(num(3.6224), Sub(b, num(2))))
	return untilAccepted(Floor(rate), func() (candidate, accepted node) {
		u, v := Sub(Uniform(seed, t, shape...), num(0.5)), awayFromZero(seed, t, shape)
		edge := ClampMin(Sub(num(0.5), Abs(u)), math.SmallestNonzeroFloat32)
		k := Floor(Add(Mul(Add(Div(Mul(num(2), a), edge), b), u), Add(rate, num(0.43))))
		surely := And(GreaterEqual(edge, num(0.07)), LessEqual(v, inner))
		never := Or(Less(k, num(0)), And(Less(edge, num(0.013)), Greater(v, edge)))
		left := Log(Div(Mul(v, inverse), Add(Div(a, Square(edge)), b)))
		right := Sub(Sub(Mul(k, Log(rate)), rate), LGamma(Add(ClampMin(k, 0), num(1))))
		return k, Or(surely, And(Not(never), LessEqual(left, right)))
	})
}

func init() {
	opSampled = define(graph.Op{Name: "sampled", Func: "sampled", Doc: "x, the logarithm of a number of the gamma distribution with the shape a, by which it has the implicit gradient.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2, Infer: sameType,
		Emit: func(_ graph.Emitter, _ node, x []graph.Value) graph.Value { return x[0] },
		Grad: each(noGradientOf, func(n, dy node) node { return Mul(dy, logGammaSlope(n.In(1), n)) }),
	})
	composed("RandomGamma", "a number of the gamma distribution.",
		named("numpy.random.standard_gamma", "torch.distributions.Gamma", "jax.random.gamma, jax.random.loggamma", "", "",
			func(e *graph.Example) node { return RandomGamma(e.As(graph.Int64, "seed"), e.Of("concentration", "n")) }))
	composed("RandomBeta", "a number of the beta distribution.",
		named("numpy.random.beta", "torch.distributions.Beta", "jax.random.beta", "", "",
			func(e *graph.Example) node {
				return RandomBeta(e.As(graph.Int64, "seed"), e.Of("a", "n"), e.Of("b", "n"))
			}))
	composed("Dirichlet", "shares of the Dirichlet distribution.",
		named("numpy.random.dirichlet", "torch.distributions.Dirichlet", "jax.random.dirichlet", "", "",
			func(e *graph.Example) node {
				return Dirichlet(e.As(graph.Int64, "seed"), e.Of("concentration", "n", "k"))
			}))
	composed("Poisson", "a number of events of a Poisson distribution.",
		flat("it jumps", "numpy.random.poisson", "torch.poisson, torch.distributions.Poisson", "jax.random.poisson", "", "",
			func(e *graph.Example) node { return Poisson(e.As(graph.Int64, "seed"), e.Of("rate", "n")) }))
}
