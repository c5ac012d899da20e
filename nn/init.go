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

// Zeros fills a parameter with 0.
func Zeros() graph.Initializer { return same("zeros", 0) }

// Ones fills a parameter with 1.
func Ones() graph.Initializer { return same("ones", 1) }

// Constant fills a parameter with v.
func Constant(v float64) graph.Initializer { return same(fmt.Sprintf("constant(%g)", v), v) }

// Uniform draws from the uniform distribution on [low, high).
func Uniform(low, high float64) graph.Initializer {
	return drawn(fmt.Sprintf("uniform(%g,%g)", low, high), func(rng *rand.Rand, _ []int) func() float64 {
		return func() float64 { return low + (high-low)*rng.Float64() }
	})
}

// Normal draws from the normal distribution with mean 0 and the given standard deviation.
func Normal(std float64) graph.Initializer {
	return drawn(fmt.Sprintf("normal(%g)", std), func(rng *rand.Rand, _ []int) func() float64 {
		return func() float64 { return std * rng.NormFloat64() }
	})
}

// InitOption changes the initialisers that scale by the sizes of a layer.
type InitOption func(*scale)

// scale is what the standard deviation of an initialiser follows from.
type scale struct {
	gain   float64
	fanOut bool
}

// Gain multiplies the standard deviation by a number, such as [GainRelu], to compensate for the effect of an
// activation.
func Gain(gain float64) InitOption { return func(s *scale) { s.gain = gain } }

// FanOut makes Kaiming initialisers preserve the scale of gradients instead of that of values.
func FanOut() InitOption { return func(s *scale) { s.fanOut = true } }

// The gains of activations: those of torch.nn.init.calculate_gain.
const (
	GainLinear = 1.0
	GainTanh   = 5.0 / 3
	GainRelu   = math.Sqrt2
	GainSelu   = 3.0 / 4
)

// GainLeakyRelu is the gain of leaky relu with the given slope: √(2/(1+slope²)).
func GainLeakyRelu(slope float64) float64 { return math.Sqrt(2 / (1 + slope*slope)) }

// XavierUniform draws uniformly with the standard deviation gain·√(2/(in+out)), which preserves the scale of both
// values and gradients (Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks,
// 2010). The default gain is 1.
func XavierUniform(opts ...InitOption) graph.Initializer {
	return scaledUniform("xavier_uniform", xavier(opts))
}

// XavierNormal is [XavierUniform] with the normal distribution.
func XavierNormal(opts ...InitOption) graph.Initializer {
	return scaledNormal("xavier_normal", xavier(opts))
}

// KaimingUniform draws uniformly with the standard deviation gain/√in, or with [FanOut] gain/√out (He and others,
// Delving deep into rectifiers, 2015). The default gain is that of relu, √2.
func KaimingUniform(opts ...InitOption) graph.Initializer {
	return scaledUniform("kaiming_uniform", kaiming(opts))
}

// KaimingNormal is [KaimingUniform] with the normal distribution.
func KaimingNormal(opts ...InitOption) graph.Initializer {
	return scaledNormal("kaiming_normal", kaiming(opts))
}

// torchWeight is how PyTorch's linear layers and convolutions begin: uniformly between ±1/√in.
func torchWeight() graph.Initializer { return KaimingUniform(Gain(GainLeakyRelu(math.Sqrt(5)))) }

// xavier and kaiming return the standard deviation of a parameter of a shape.
func xavier(opts []InitOption) func([]int) float64 {
	s := scaleOf(GainLinear, opts)
	return func(shape []int) float64 {
		in, out := fans(shape)
		return s.gain * math.Sqrt(2/(in+out))
	}
}

func kaiming(opts []InitOption) func([]int) float64 {
	s := scaleOf(GainRelu, opts)
	return func(shape []int) float64 {
		fan, out := fans(shape)
		if s.fanOut {
			fan = out
		}
		return s.gain / math.Sqrt(fan)
	}
}

func scaleOf(gain float64, opts []InitOption) scale {
	s := scale{gain: gain}
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	return s
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
func scaledUniform(name string, deviation func([]int) float64) graph.Initializer {
	return drawn(name, func(rng *rand.Rand, shape []int) func() float64 {
		bound := math.Sqrt(3) * deviation(shape)
		return func() float64 { return bound * (2*rng.Float64() - 1) }
	})
}

func scaledNormal(name string, deviation func([]int) float64) graph.Initializer {
	return drawn(name, func(rng *rand.Rand, shape []int) func() float64 {
		std := deviation(shape)
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

// fill writes values into a slice of elements.
func fill(dst any, next func() float64) {
	switch dst := dst.(type) {
	case []float32:
		fillFloats(dst, next)
	case []float64:
		fillFloats(dst, next)
	default:
		_, count := graph.DTypeOfSlice(dst)
		for i := range count {
			v := next()
			graph.SetNumberAt(dst, i, v, int64(v))
		}
	}
}

func fillFloats[T float32 | float64](dst []T, next func() float64) {
	for i := range dst {
		dst[i] = T(next())
	}
}
