package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
)

// rule is an initialiser: a name, and a source of values for a shape and a seed.
type rule struct {
	name   string
	values func(shape []int, seed uint64) func() float64
}

// Fill implements graph.Initializer.
func (r rule) Fill(dst any, shape []int, seed uint64) { fill(dst, r.values(shape, seed)) }

// String implements graph.Initializer.
func (r rule) String() string { return r.name }

// Zeros starts a parameter with 0 everywhere.
func Zeros() graph.Initializer { return same("zeros", 0) }

// Ones starts a parameter with 1 everywhere.
func Ones() graph.Initializer { return same("ones", 1) }

// Constant starts a parameter with one number everywhere.
func Constant(v float64) graph.Initializer { return same(fmt.Sprintf("constant(%g)", v), v) }

// Uniform draws from the uniform distribution on [low, high).
func Uniform(low, high float64) graph.Initializer {
	return drawn(fmt.Sprintf("uniform(%g,%g)", low, high), func(rng *rand.Rand, _ []int) func() float64 {
		return func() float64 { return low + (high-low)*rng.Float64() }
	})
}

// Normal draws from the normal distribution of mean 0 and the given standard deviation.
func Normal(std float64) graph.Initializer {
	return drawn(fmt.Sprintf("normal(%g)", std), func(rng *rand.Rand, _ []int) func() float64 {
		return func() float64 { return std * rng.NormFloat64() }
	})
}

// GlorotUniform draws uniformly with the variance 2/(in+out), which keeps the size of
// values and gradients alike through layers of tanh (Glorot and Bengio, 2010).
func GlorotUniform() graph.Initializer { return scaledUniform("glorot_uniform", glorot) }

// GlorotNormal is GlorotUniform with the normal distribution.
func GlorotNormal() graph.Initializer { return scaledNormal("glorot_normal", glorot) }

// HeUniform draws uniformly with the variance 2/in, which makes up for the half of the
// values that relu sets to 0 (He et al., 2015).
func HeUniform() graph.Initializer { return scaledUniform("he_uniform", he) }

// HeNormal is HeUniform with the normal distribution.
func HeNormal() graph.Initializer { return scaledNormal("he_normal", he) }

// glorot and he give the variance of a parameter of that shape.
func glorot(shape []int) float64 {
	in, out := fans(shape)
	return 2 / (in + out)
}

func he(shape []int) float64 {
	in, _ := fans(shape)
	return 2 / in
}

// fans returns the number of values that one output of a layer is made from, and of those
// that one input goes into. A matrix is [out, in], as Linear has it; a kernel of higher rank
// is [out, in, ...] with the window's sizes last.
func fans(shape []int) (in, out float64) {
	switch len(shape) {
	case 0:
		return 1, 1
	case 1:
		return float64(shape[0]), float64(shape[0])
	}
	window := 1.0
	for _, n := range shape[2:] {
		window *= float64(n)
	}
	return window * float64(shape[1]), window * float64(shape[0])
}

// scaledUniform draws from [-b, b), whose variance is b²/3.
func scaledUniform(name string, variance func([]int) float64) graph.Initializer {
	return drawn(name, func(rng *rand.Rand, shape []int) func() float64 {
		bound := math.Sqrt(3 * variance(shape))
		return func() float64 { return bound * (2*rng.Float64() - 1) }
	})
}

func scaledNormal(name string, variance func([]int) float64) graph.Initializer {
	return drawn(name, func(rng *rand.Rand, shape []int) func() float64 {
		std := math.Sqrt(variance(shape))
		return func() float64 { return std * rng.NormFloat64() }
	})
}

func same(name string, v float64) graph.Initializer {
	return rule{name, func([]int, uint64) func() float64 { return func() float64 { return v } }}
}

func drawn(name string, values func(rng *rand.Rand, shape []int) func() float64) graph.Initializer {
	return rule{name, func(shape []int, seed uint64) func() float64 {
		return values(rand.New(rand.NewPCG(seed, stream)), shape)
	}}
}

// stream is the second half of the generator's seed; any fixed number does.
const stream = 0x9e3779b97f4a7c15

// fill writes values into a slice of one of the five element types.
func fill(dst any, next func() float64) {
	switch dst := dst.(type) {
	case []float32:
		fillNumbers(dst, next)
	case []float64:
		fillNumbers(dst, next)
	case []int32:
		fillNumbers(dst, next)
	case []int64:
		fillNumbers(dst, next)
	case []bool:
		for i := range dst {
			dst[i] = next() != 0
		}
	}
}

func fillNumbers[T int32 | int64 | float32 | float64](dst []T, next func() float64) {
	for i := range dst {
		dst[i] = T(next())
	}
}
