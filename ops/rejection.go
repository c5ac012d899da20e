package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opSampled, opFewEvents, opFewSuccesses *graph.Op

// maxRejections bounds the steps of a draw by rejection: with a probability of acceptance of 0.6 or more, none
// of 10^12 numbers needs as many.
const maxRejections = 96

// untilAccepted draws until every element of a value is accepted. draw gives candidates and says which are
// accepted; other numbers come in each step, since the step is part of a random stream.
func untilAccepted(begin node, draw func() (candidate, accepted node)) node {
	return whereOpen(Full(begin.Graph(), graph.Bool, 1, begin.Shape()...), begin, draw)
}

// whereOpen is untilAccepted of the elements that are open; others are of no account.
func whereOpen(open, begin node, draw func() (candidate, accepted node)) node {
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

// RandomGamma returns numbers from the gamma distribution with the given shape parameters, above 0, and scale 1: one
// for each parameter, in its dtype. The gradient is the implicit reparameterization gradient, as in PyTorch: it keeps
// the cumulative probability of the number constant, and its mean is the gradient of the mean. Source: Figurnov,
// Mohamed and Mnih, Implicit Reparameterization Gradients, 2018.
func RandomGamma(seed, concentration *graph.Node) *graph.Node {
	defer building("RandomGamma", seed, concentration)()
	asParameters(seed, &concentration)
	if bad := refusedDraw(refused("RandomGamma", seed, concentration), concentration); bad != nil {
		return bad
	}
	return rounded(Exp(logGamma(seed, widened(concentration))), concentration)
}

// RandomBeta returns numbers from the beta distribution with parameters a and b, which are above 0 and broadcast.
// They are quotients of numbers from [RandomGamma] and have their gradient, as in JAX; PyTorch's has the same mean.
func RandomBeta(seed, a, b *graph.Node) *graph.Node {
	defer building("RandomBeta", seed, a, b)()
	asParameters(seed, &a, &b)
	if bad := refusedDraw(refused("RandomBeta", seed, a, b), a, b); bad != nil {
		return bad
	}
	both := Add(a, b)
	if !both.Judged() {
		return both
	}
	like := StopGradient(Sub(both, both)) // of the shape to which both are repeated
	return rounded(Sigmoid(Sub(logGamma(seed, widened(Add(a, like))), logGamma(seed, widened(Add(b, like))))), both)
}

// Dirichlet returns vectors from the Dirichlet distribution, with sum 1 along the last axis. Its parameters are above
// 0. The vectors are normalized numbers from [RandomGamma] and have their gradient, as in JAX; PyTorch's has the same
// mean.
func Dirichlet(seed, concentration *graph.Node) *graph.Node {
	defer building("Dirichlet", seed, concentration)()
	if bad := refusedDraw(refused("Dirichlet", seed, concentration), concentration); bad != nil {
		return bad
	}
	return rounded(Softmax(logGamma(seed, widened(concentration)), -1), concentration)
}

// Where a Poisson rate is large enough for rejection, and how many events there are at most below: more have a
// probability of 1e-17.
const (
	largeRate = 10
	mostFew   = 48
)

// Poisson returns numbers from Poisson distributions with the given rates, which are not negative, in their dtype.
// For rates below 10 it uses sums of probabilities, and above transformed rejection. Source: Hörmann, The Transformed
// Rejection Method for Generating Poisson Random Variables, 1993.
func Poisson(seed, rate *graph.Node) *graph.Node {
	defer building("Poisson", seed, rate)()
	asParameters(seed, &rate)
	if bad := refusedDraw(refused("Poisson", seed, rate), rate); bad != nil {
		return bad
	}
	return rounded(poisson(seed, widened(StopGradient(rate))), rate)
}

func poisson(seed, rate node) node {
	isLarge := GreaterEqual(rate, num(largeRate))
	return Where(isLarge, manyEvents(seed, isLarge, Where(isLarge, rate, num(largeRate))),
		fewEvents(seed, Where(isLarge, num(0), rate)))
}

// fewEvents counts the sums of probabilities that an evenly distributed number is not below.
func fewEvents(seed, rate node) node {
	wide := Cast(rate, graph.Float64)
	return Cast(graph.Apply(opFewEvents, nil, Uniform(seed, graph.Float64, rate.Shape()...), wide), rate.DType())
}

// countingSums is the entry of how many sums of probabilities a number is not below: the first of them, and what makes
// the next of the one for k.
func countingSums(name, doc string, operands int, first func(m arith, x []graph.Value) graph.Value,
	next func(m arith, p graph.Value, k float64, x []graph.Value) graph.Value) *graph.Op {
	return define(graph.Op{Name: name, Func: name, Doc: doc, Class: graph.Elementwise, MinIn: operands, MaxIn: operands,
		Infer: sameType, Grad: noGradient,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			m := arith{Emitter: e, t: n.DType()}
			p := first(m, x[1:])
			sum, count := p, m.num(0)
			for k := range mostFew {
				count = m.add(count, m.pick(m.Prim(graph.PrimGe, x[0], sum), m.num(1), m.num(0)))
				p = next(m, p, float64(k), x[1:])
				sum = m.add(sum, p)
			}
			return count
		}})
}

// logFactorial is log(k!) for whole numbers k from 0 on, by Stirling's formula, for small ones of k+8, within 1e-10.
func logFactorial(k node) node {
	isSmall, small := Less(k, num(64)), Minimum(k, num(64))
	product := Add(small, num(1))
	for i := 2; i <= 7; i++ {
		product = Mul(product, Add(small, num(float64(i))))
	}
	product = Where(isSmall, product, num(1))
	z := Where(isSmall, Add(k, num(8)), Add(k, num(1)))
	return Sub(Add(Sub(Mul(Sub(z, num(0.5)), Log(z)), z), Add(num(math.Log(2*math.Pi)/2), factorialRest(z))),
		Log(product))
}

// factorialRest is what Stirling's formula without its series lacks of log(z!) - log(z), for whole numbers z from 1 on,
// within 1e-6.
func factorialRest(z node) node {
	u := Reciprocal(z)
	square := Square(u)
	series := Mul(u, Add(num(1.0/12), Mul(square, Add(num(-1.0/360), Mul(square, num(1.0/1260))))))
	return Where(GreaterEqual(z, num(3)), series,
		Where(GreaterEqual(z, num(2)), num(0.041340695955409294), num(0.08106146679532726)))
}

// logPoisson is the logarithm of the probability of k events, by how far k is from the rate: log(k!) and what is nearly
// as large cancel.
func logPoisson(k, rate node) node {
	some := ClampMin(k, 1)
	away := Div(Sub(rate, some), some)
	y := Sub(Mul(some, Sub(Log1p(away), away)), Add(Mul(num(0.5), Log(Mul(num(2*math.Pi), some))), factorialRest(some)))
	return Where(Less(k, num(1)), Neg(rate), y)
}

// manyEvents is Hörmann's PTRS, with his constants, where rates are large.
func manyEvents(seed, isLarge, rate node) node {
	t, shape := rate.DType(), rate.Shape()
	b := Add(num(0.931), Mul(num(2.53), Sqrt(rate)))
	a := Add(num(-0.059), Mul(num(0.02483), b))
	inverse := Add(num(1.1239), Div(num(1.1328), Sub(b, num(3.4))))
	inner := Sub(num(0.9277), Div(num(3.6224), Sub(b, num(2))))
	return whereOpen(isLarge, Floor(rate), func() (candidate, accepted node) {
		u, v := Sub(Uniform(seed, t, shape...), num(0.5)), awayFromZero(seed, t, shape)
		edge := ClampMin(Sub(num(0.5), Abs(u)), math.SmallestNonzeroFloat32)
		k := Floor(Add(Mul(Add(Div(Mul(num(2), a), edge), b), u), Add(rate, num(0.43))))
		surely := And(GreaterEqual(edge, num(0.07)), LessEqual(v, inner))
		never := Or(Less(k, num(0)), And(Less(edge, num(0.013)), Greater(v, edge)))
		left := Log(Div(Mul(v, inverse), Add(Div(a, Square(edge)), b)))
		return k, Or(surely, And(Not(never), LessEqual(left, logPoisson(ClampMin(k, 0), rate))))
	})
}

func init() {
	opFewEvents = countingSums("few_events",
		"the number of events of a Poisson process of which a number between 0 and 1 is the share.", 2,
		func(m arith, x []graph.Value) graph.Value { return m.exp(m.Prim(graph.PrimNeg, x[0])) },
		func(m arith, p graph.Value, k float64, x []graph.Value) graph.Value {
			return m.mul(m.mul(p, x[0]), m.num(1/(k+1)))
		})
	opFewSuccesses = countingSums("few_successes",
		"the number of successes of trials of which a number between 0 and 1 is the share.", 3,
		func(m arith, x []graph.Value) graph.Value {
			return m.exp(m.mul(x[0], m.log1p(m.Prim(graph.PrimNeg, x[1]))))
		},
		func(m arith, p graph.Value, k float64, x []graph.Value) graph.Value {
			odds := m.div(x[1], m.sub(m.num(1), x[1]))
			return m.mul(m.mul(p, m.mul(m.sub(x[0], m.num(k)), odds)), m.num(1/(k+1)))
		})
	opSampled = define(graph.Op{Name: "sampled", Func: "sampled",
		Doc:   "x, the logarithm of a number of the gamma distribution with the shape a, by which it has the implicit gradient.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2, Infer: sameType,
		Emit: func(_ graph.Emitter, _ node, x []graph.Value) graph.Value { return x[0] },
		Grad: each(noGradientOf, func(n, dy node) node { return Mul(dy, logGammaSlope(n.In(1), n)) }),
	})
	composed("RandomGamma", "a number of the gamma distribution.",
		named("numpy.random.standard_gamma", "torch.distributions.Gamma", "jax.random.gamma, jax.random.loggamma",
			"", "",
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
		flat("it jumps", "numpy.random.poisson", "torch.poisson, torch.distributions.Poisson", "jax.random.poisson",
			"", "",
			func(e *graph.Example) node { return Poisson(e.As(graph.Int64, "seed"), e.Of("rate", "n")) }))
}
