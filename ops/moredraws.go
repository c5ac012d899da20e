package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Maxwell returns lengths of vectors of three standard normal numbers.
func Maxwell(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Maxwell", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node { return maxwell(seed, t, shape) })
}

func maxwell(seed node, t graph.DType, shape []graph.Dim) node {
	sum := Square(Normal(seed, t, shape...))
	for range 2 {
		sum = Add(sum, Square(Normal(seed, t, shape...)))
	}
	return Sqrt(sum)
}

// DoubleSidedMaxwell returns numbers of [Maxwell] with random signs.
func DoubleSidedMaxwell(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("DoubleSidedMaxwell", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node {
		return Mul(Rademacher(seed, t, shape...), maxwell(seed, t, shape))
	})
}

// Rayleigh returns lengths of vectors of two standard normal numbers.
func Rayleigh(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Rayleigh", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node { return Sqrt(Mul(num(2), Exponential(seed, t, shape...))) })
}

// Triangular returns numbers between 0 and 1 from the triangular distribution whose density is greatest at mode. mode
// is between 0 and 1, and has a gradient.
func Triangular(seed, mode *graph.Node) *graph.Node {
	return ofParameter("Triangular", seed, mode, func(c node) node {
		u := awayFromZero(seed, c.DType(), c.Shape())
		isLeft := Less(u, c)
		left := Sqrt(Where(isLeft, Mul(u, c), num(1)))
		right := Sqrt(Where(isLeft, num(1), Mul(Sub(num(1), u), Sub(num(1), c))))
		return Where(isLeft, left, Sub(num(1), right))
	})
}

// Wald returns numbers from the inverse Gaussian distribution with the given means, whose variance is mean³. No
// gradient flows. Source: Michael, Schucany and Haas, Generating Random Variates Using Transformations with Multiple
// Roots, 1976.
func Wald(seed, mean *graph.Node) *graph.Node {
	return ofParameter("Wald", seed, mean, func(mean node) node {
		mean = StopGradient(mean)
		t, shape := mean.DType(), mean.Shape()
		w := Mul(mean, Square(Normal(seed, t, shape...)))
		x := Div(mean, Add(Add(num(1), Mul(num(0.5), w)), Sqrt(Add(w, Mul(num(0.25), Square(w))))))
		isFirst := LessEqual(Mul(Uniform(seed, t, shape...), Add(mean, x)), mean)
		return Where(isFirst, x, Mul(mean, Div(mean, x)))
	})
}

// Kumaraswamy returns numbers between 0 and 1 from the Kumaraswamy distribution, whose survival function is (1 -
// x^a)^b. a and b are above 0, broadcast, and have gradients.
func Kumaraswamy(seed, a, b *graph.Node) *graph.Node {
	return ofParameters("Kumaraswamy", seed, a, b, func(a, b node) node {
		u := awayFromZero(seed, a.DType(), a.Shape())
		return Exp(Div(Log(Neg(Expm1(Div(Log(u), b)))), a))
	})
}

// GeneralizedNormal returns numbers from the distribution whose density is proportional to exp(-|x|^p): p = 1 is the
// Laplace distribution, and p = 2 a normal one with variance 1/2. p is above 0 and has the gradient of [RandomGamma].
func GeneralizedNormal(seed, p *graph.Node) *graph.Node {
	return ofParameter("GeneralizedNormal", seed, p, func(p node) node {
		size := Exp(Div(logGamma(seed, Reciprocal(p)), p))
		return Mul(Rademacher(seed, p.DType(), p.Shape()...), size)
	})
}

// VonMises returns angles between -π and π from the von Mises distribution around 0 with the given concentrations,
// which are above 0. No gradient flows. Source: Best and Fisher, Efficient Simulation of the von Mises Distribution,
// 1979.
func VonMises(seed, concentration *graph.Node) *graph.Node {
	return ofParameter("VonMises", seed, concentration, func(p node) node {
		k := Cast(StopGradient(p), graph.Float64)
		t, shape := k.DType(), k.Shape()
		// r is (1 + ρ²)/(2ρ) with ρ = (τ - sqrt(2τ))/(2k) and τ = 1 + sqrt(1 + 4k²), written without a difference.
		tau := Add(num(1), Sqrt(Add(num(1), Mul(num(4), Square(k)))))
		rho := Div(Mul(num(2), k), Add(tau, Sqrt(Mul(num(2), tau))))
		r := Div(Add(num(1), Square(rho)), Mul(num(2), rho))
		cosine := untilAccepted(OnesLike(k), func() (candidate, accepted node) {
			z := Cos(Mul(num(math.Pi), Uniform(seed, t, shape...)))
			f := Div(Add(num(1), Mul(r, z)), Add(r, z))
			c, u := Mul(k, Sub(r, f)), awayFromZero(seed, t, shape)
			return f, Or(Greater(Mul(c, Sub(num(2), c)), u), GreaterEqual(Add(Log(Div(c, u)), num(1)), c))
		})
		angle := Acos(Clamp(cosine, -1, 1))
		return Cast(Mul(Rademacher(seed, t, shape...), angle), p.DType())
	})
}

func init() {
	for _, d := range []struct {
		name, doc, numpy, jax string
		draw                  func(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node
	}{
		{"Maxwell", "the length of three normal numbers.", "", "jax.random.maxwell", Maxwell},
		{"DoubleSidedMaxwell", "the length of three normal numbers, or its negative.", "",
			"jax.random.double_sided_maxwell", DoubleSidedMaxwell},
		{"Rayleigh", "the length of two normal numbers.", "numpy.random.rayleigh", "jax.random.rayleigh", Rayleigh},
	} {
		composed(d.name, d.doc, flat(noSlope, d.numpy, "", d.jax, "", "",
			func(e *graph.Example) node { return d.draw(e.As(graph.Int64, "seed"), e.DType, e.Shape("n")...) }))
	}
	of := func(name string, draw func(seed, p *graph.Node) *graph.Node) example {
		return func(e *graph.Example) node { return draw(e.As(graph.Int64, "seed"), e.Of(name, "n")) }
	}
	composed("Triangular", "sqrt(u mode), or 1 - sqrt((1-u)(1-mode)) where u is above mode.",
		named("numpy.random.triangular", "", "jax.random.triangular", "", "", of("mode", Triangular)))
	composed("Wald", "a number of the inverse Gaussian distribution.",
		flat("it jumps between two roots", "numpy.random.wald", "", "jax.random.wald", "", "", of("mean", Wald)))
	composed("GeneralizedNormal", "±g^(1/p) of a number g of the gamma distribution of shape 1/p.",
		named("", "", "jax.random.generalized_normal", "", "", of("p", GeneralizedNormal)))
	composed("VonMises", "an angle of von Mises' distribution.",
		flat("it is drawn until it is accepted", "numpy.random.vonmises", "torch.distributions.VonMises", "", "", "",
			of("concentration", VonMises)))
	composed("Kumaraswamy", "(1 - u^(1/b))^(1/a).",
		named("", "torch.distributions.Kumaraswamy", "", "", "", func(e *graph.Example) node {
			return Kumaraswamy(e.As(graph.Int64, "seed"), e.Of("a", "n"), e.Of("b", "n"))
		}))
}
