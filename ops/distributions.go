package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// The functions here draw from distributions in their standard form: scale and shift what they return, and
// gradients flow through both. Seeds, dtypes and shapes are those of [Uniform].

// drawn begins a call of a seed, a dtype and a shape.
func drawn(fn string, seed node, t graph.DType, shape []graph.Dim, more ...any) (end func()) {
	return building(fn, append(append([]any{seed, "graph." + t.GoName()}, more...), shapeWords(shape)...)...)
}

// awayFromZero is a number of Uniform strictly between 0 and 1, for logarithms: 0 is replaced by half of the step. t is
// Float32 or Float64.
func awayFromZero(seed node, t graph.DType, shape []graph.Dim) node {
	step := 0x1p-25
	if t == graph.Float64 {
		step = 0x1p-54
	}
	return ClampMin(Uniform(seed, t, shape...), step)
}

// inComputed draws numbers in the dtype in which t is computed, and rounds them once: the few numbers of 16 bits
// between 0 and 1 would give few others.
func inComputed(t graph.DType, draw func(wide graph.DType) node) node {
	wide := t
	if t.IsFloat() {
		wide = t.Computed()
	}
	y := draw(wide)
	if wide != t && y.Judged() {
		return Cast(y, t)
	}
	return y
}

// Exponential returns numbers from the exponential distribution with mean 1.
func Exponential(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Exponential", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node { return Neg(Log1p(Neg(Uniform(seed, t, shape...)))) })
}

// Gumbel returns numbers from the Gumbel distribution. The argmax of scores plus such noise is distributed by the
// Softmax of the scores.
func Gumbel(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Gumbel", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node { return Neg(Log(Neg(Log(awayFromZero(seed, t, shape))))) })
}

// Laplace returns numbers from the Laplace distribution with mean 0 and variance 2.
func Laplace(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Laplace", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node {
		u := Sub(awayFromZero(seed, t, shape), num(0.5))
		return Mul(Neg(Sign(u)), Log1p(Mul(num(-2), Abs(u))))
	})
}

// Cauchy returns numbers from the Cauchy distribution, which has no mean: half of them are between -1 and 1.
func Cauchy(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("Cauchy", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node {
		return Tan(Mul(num(math.Pi), Sub(awayFromZero(seed, t, shape), num(0.5))))
	})
}

// LogNormal returns Exp of numbers from the standard normal distribution.
func LogNormal(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer drawn("LogNormal", seed, t, shape)()
	return inComputed(t, func(t graph.DType) node { return Exp(Normal(seed, t, shape...)) })
}

// TruncatedNormal returns numbers from the standard normal distribution, restricted to the range from low to high.
func TruncatedNormal(seed *graph.Node, t graph.DType, low, high float64, shape ...graph.Dim) *graph.Node {
	defer drawn("TruncatedNormal", seed, t, shape, low, high)()
	if !(low < high) {
		return refusal(refused("TruncatedNormal", seed).with("graph."+t.GoName(), low, high),
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("the lower bound %v is not below the upper bound %v", low, high)})
	}
	sign := 1.0
	if low > 0 { // shares are exact where they are small
		low, high, sign = -high, -low, -1
	}
	from, to := math.Erfc(-low/math.Sqrt2)/2, math.Erfc(-high/math.Sqrt2)/2
	return inComputed(t, func(t graph.DType) node {
		share := Add(Mul(awayFromZero(seed, t, shape), num(to-from)), num(from))
		return Mul(Clamp(Ndtri(share), low, high), num(sign))
	})
}

// RandInt returns integers of dtype t, uniformly distributed from low up to, but not including, high.
func RandInt(seed *graph.Node, t graph.DType, low, high int64, shape ...graph.Dim) *graph.Node {
	defer drawn("RandInt", seed, t, shape, low, high)()
	switch {
	case !t.IsInt():
		return refusal(refused("RandInt", seed).with("graph."+t.GoName(), low, high),
			&graph.Mistake{Code: graph.CodeDType,
				Summary: fmt.Sprintf("random integers need an integer dtype, not %s", t)})
	case !holdsRange(t, low, high-1):
		return refusal(refused("RandInt", seed).with("graph."+t.GoName(), low, high),
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("from %d up to %d: not all of these integers fit into %s", low, high, t)})
	case low >= high || high-low < 0 || high-low > maxRange:
		return refusal(refused("RandInt", seed).with("graph."+t.GoName(), low, high),
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("from %d up to %d: low must be less than high, by at most 2^50", low, high)})
	}
	scaled := Floor(Mul(Uniform(seed, graph.Float64, shape...), num(float64(high-low))))
	return Cast(Add(Cast(scaled, graph.Int64), num64(low)), t)
}

// holdsRange reports whether a dtype of integers holds all numbers from one to another.
func holdsRange(t graph.DType, low, high int64) bool {
	bits := 8 * t.Size()
	switch {
	case t.IsUnsigned():
		return low >= 0 && (bits == 64 || high < 1<<bits)
	case bits < 64:
		return low >= -1<<(bits-1) && high < 1<<(bits-1)
	}
	return true
}

// maxRange bounds the range of integers: with 53 random bits, probabilities differ by less than 2^-3 of themselves.
const maxRange = 1 << 50

// Bernoulli returns 1 with probability p, and 0 otherwise, for each element of p, in its dtype.
func Bernoulli(seed, p *graph.Node) *graph.Node {
	defer building("Bernoulli", seed, p)()
	asParameters(seed, &p)
	if bad := refusedDraw(refused("Bernoulli", seed, p), p); bad != nil {
		return bad
	}
	wide := widened(p) // its numbers are close enough together for small probabilities
	return Cast(Less(Uniform(seed, wide.DType(), p.Shape()...), wide), p.DType())
}

// asParameters replaces numbers of [graph.Num] among the parameters of a distribution by scalars.
func asParameters(seed node, parameters ...*node) {
	if seed != nil {
		withScalars(seed.Graph(), opDiv, parameters...)
	}
}

// refusedDraw refuses a wrong seed, the call's first operand, or else the first wrong parameter of a distribution; nil
// if all are right.
func refusedDraw(call refusedCall, parameters ...node) node {
	if bad := refusedSeed(call); bad != nil {
		return bad
	}
	return refusedParameter(call, parameters...)
}

// refusedParameter refuses the first parameter of a distribution that is no floating-point tensor; nil where all are.
func refusedParameter(call refusedCall, parameters ...node) node {
	for _, p := range parameters {
		switch {
		case p == nil || !p.Judged():
			return refusal(call, nil)
		case p.Graph() == nil || !p.DType().IsFloat():
			return refusal(call, &graph.Mistake{Code: graph.CodeDType,
				Summary: fmt.Sprintf("a parameter of a distribution must be a floating-point tensor, but %s is not",
					p.Called()),
				Help: []string{"use Graph.Scalar for a number, and Expand to repeat it"}})
		}
	}
	return nil
}

// Categorical draws an index, Int64, along an axis of scores, with the probabilities of their Softmax. The axis is
// removed.
func Categorical(seed, logits *graph.Node, axis int) *graph.Node {
	defer building("Categorical", seed, logits, axis)()
	if bad := refusedDraw(refused("Categorical", seed, logits).with(axis), logits); bad != nil {
		return bad
	}
	logits = scoresToDraw.checks(refused("Categorical", logits), logits)
	logits = widened(logits)
	return ArgMax(Add(logits, Gumbel(seed, logits.DType(), logits.Shape()...)), Axis(axis))
}

// Multinomial draws indices, Int64, along the last axis of weights: [samples] for [C], or [N, samples] for [N, C].
// Weights must not be negative, and need not sum to 1; others stop the run. Without replacement each index is drawn
// at most once, and there must be at least samples weights above 0. Indices are in the order of drawing, as in
// PyTorch.
func Multinomial(seed, weights *graph.Node, samples int, replacement bool) *graph.Node {
	defer building("Multinomial", seed, weights, samples, replacement)()
	call := refused("Multinomial", seed, weights).with(samples, replacement)
	if bad := refusedDraw(call, weights); bad != nil {
		return bad
	}
	if weights.Rank() < 1 || samples < 1 {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeRank,
				Summary: fmt.Sprintf(
					"%d samples of weights of shape %s: there must be at least one sample, and a last axis", samples,
					weights.Shape())})
	}
	last := weights.Rank() - 1
	if classes, known := weights.Shape()[last].Int(); known && !replacement && int64(samples) > classes {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: "cannot sample n_sample > prob_dist.size(-1) samples without replacement"})
	}
	weights = widened(weights)
	weights = Assert(weights, And(GreaterEqual(weights, num(0)), Less(weights, num(inf))),
		"probability tensor contains either `inf`, `nan` or element < 0")
	if replacement {
		return drawnBySums(seed, weights, samples)
	}
	noisy := Add(Log(weights), Gumbel(seed, weights.DType(), weights.Shape()...))
	best, places := TopK(noisy, graph.Dim(samples), last, true)
	return Assert(places, Greater(best, num(-inf)),
		"invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)")
}

// drawnBySums draws places where the sum of the weights up to there is beyond a share of all that is drawn.
func drawnBySums(seed, weights node, samples int) node {
	last := weights.Rank() - 1
	shape := slices.Clone(weights.Shape())
	classes := shape[last]
	shape[last] = graph.Dim(samples)
	sums := CumSum(Cast(weights, graph.Float64), last)
	all := Narrow(sums, last, classes.Minus(1), 1)
	all = Assert(all, Greater(all, num(0)), "invalid multinomial distribution (sum of probabilities <= 0)")
	shares := Mul(Uniform(seed, graph.Float64, shape...), all)
	return Minimum(SearchSorted(sums, shares, true), Size(weights.Graph(), graph.Int64, classes.Minus(1)))
}

// Permutation returns a random permutation of 0 to n-1, as Int64: the order of n random numbers. All are equally
// likely.
func Permutation(seed *graph.Node, n graph.Dim) *graph.Node {
	defer building("Permutation", seed, n)()
	keys := Uniform(seed, graph.Float64, n)
	if !keys.Judged() {
		return keys
	}
	return ArgSort(keys, 0, false)
}

func init() {
	standard := map[string]struct {
		doc, numpy, torch, jax string
		draw                   func(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node
	}{
		"Exponential": {"-log(1 - u).", "numpy.random.standard_exponential",
			"torch.Tensor.exponential_, torch.distributions.Exponential", "jax.random.exponential", Exponential},
		"Gumbel": {"-log(-log(u)).", "numpy.random.gumbel", "torch.distributions.Gumbel", "jax.random.gumbel",
			Gumbel},
		"Laplace": {"-sign(u - 1/2) log(1 - 2|u - 1/2|).", "numpy.random.laplace", "torch.distributions.Laplace",
			"jax.random.laplace", Laplace},
		"Cauchy": {"tan(π(u - 1/2)).", "numpy.random.standard_cauchy",
			"torch.Tensor.cauchy_, torch.distributions.Cauchy", "jax.random.cauchy", Cauchy},
		"LogNormal": {"exp of a normal number.", "numpy.random.lognormal",
			"torch.Tensor.log_normal_, torch.distributions.LogNormal", "jax.random.lognormal", LogNormal},
	}
	for name, d := range standard {
		composed(name, d.doc, flat(noSlope, d.numpy, d.torch, d.jax, "", "",
			func(e *graph.Example) node { return d.draw(e.As(graph.Int64, "seed"), e.DType, e.Shape("n")...) }))
	}
	composed("TruncatedNormal", "a normal number between two bounds.",
		flat(noSlope, "", "torch.nn.init.trunc_normal_", "jax.random.truncated_normal", "", "",
			func(e *graph.Example) node {
				return TruncatedNormal(e.As(graph.Int64, "seed"), e.DType, -2, 2, e.Shape("n")...)
			}))
	composed("RandInt", "an integer from low up to and without high.",
		flat(noSlope, "numpy.random.randint", "torch.randint, torch.randint_like",
			"jax.random.randint, jax.random.bits", "", "",
			func(e *graph.Example) node {
				return RandInt(e.As(graph.Int64, "seed"), e.DType, 0, 10, e.Shape("n")...)
			}))
	composed("Bernoulli", "1 with probability p, else 0.",
		flat("it jumps", "numpy.random.binomial", "torch.bernoulli, torch.distributions.Bernoulli",
			"jax.random.bernoulli", "Bernoulli", "BinomialRandomNode",
			func(e *graph.Example) node { return Bernoulli(e.As(graph.Int64, "seed"), e.Of("p", "n")) }))
	composed("Categorical", "a place drawn by softmax(logits).",
		named("", "torch.distributions.Categorical", "jax.random.categorical", "", "",
			func(e *graph.Example) node {
				return Categorical(e.As(graph.Int64, "seed"), e.Of("logits", "n", "c"), 1)
			}))
	composed("Multinomial", "places drawn by weights.",
		named("numpy.random.choice", "torch.multinomial", "jax.random.choice", "Multinomial", "",
			func(e *graph.Example) node {
				return Multinomial(e.As(graph.Int64, "seed"), e.Of("weights", "n", "c"), 4, true)
			}))
	composed("Permutation", "the numbers from 0 to n-1 in a random order.",
		named("numpy.random.permutation", "torch.randperm", "jax.random.permutation", "", "",
			func(e *graph.Example) node { return Permutation(e.As(graph.Int64, "seed"), e.Shape("n")[0]) }))
}
