package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// source makes inputs from a random stream with a fixed seed, and collects them.
type source struct {
	rng *rand.Rand
	in  Inputs
	// evaluates says that parameters are held and not trained.
	evaluates bool
}

// newSource starts the stream anew; every workload gets the same one.
func newSource() *source {
	return &source{rng: rand.New(rand.NewPCG(1, 2))}
}

// add collects a float32 tensor whose elements are drawn one by one.
func (s *source) add(name string, shape []int, element func() float32) *Tensor {
	t := &Tensor{Name: name, Shape: shape}
	t.Float = make([]float32, t.Len())
	for i := range t.Float {
		t.Float[i] = element()
	}
	s.in.Tensors = append(s.in.Tensors, t)
	return t
}

// parameter adds a tensor that is trained, or constant if nothing is.
func (s *source) parameter(name string, shape []int, element func() float32) {
	t := s.add(name, shape, element)
	t.Trained, t.Held = !s.evaluates, s.evaluates
}

// state adds a parameter of one value that no gradient trains.
func (s *source) state(name string, value float32, shape ...int) {
	s.add(name, shape, func() float32 { return value }).Held = true
}

// normal adds standard normal data.
func (s *source) normal(name string, shape ...int) {
	s.add(name, shape, func() float32 { return float32(s.rng.NormFloat64()) })
}

// uniform adds data between lo and hi.
func (s *source) uniform(name string, lo, hi float64, shape ...int) {
	s.add(name, shape, func() float32 { return float32(lo + (hi-lo)*s.rng.Float64()) })
}

// coins adds zeros and ones, each as likely.
func (s *source) coins(name string, shape ...int) {
	s.add(name, shape, func() float32 { return float32(s.rng.IntN(2)) })
}

// scalar adds a tensor without axes.
func (s *source) scalar(name string, value float32) {
	s.add(name, nil, func() float32 { return value })
}

// weight adds a trained tensor of normal data, divided by the square root of
// its last axis as in the table's other implementation.
func (s *source) weight(name string, shape ...int) {
	s.scaled(name, 1/math.Sqrt(float64(shape[len(shape)-1])), shape...)
}

// scaled adds a trained tensor of normal data with a standard deviation.
func (s *source) scaled(name string, deviation float64, shape ...int) {
	s.parameter(name, shape, func() float32 { return float32(s.rng.NormFloat64() * deviation) })
}

// zeros adds a trained tensor of zeros.
func (s *source) zeros(name string, shape ...int) {
	s.parameter(name, shape, func() float32 { return 0 })
}

// ones adds a trained tensor of ones.
func (s *source) ones(name string, shape ...int) {
	s.parameter(name, shape, func() float32 { return 1 })
}

// classes adds int64 class numbers below n.
func (s *source) classes(name string, n int, shape ...int) {
	t := &Tensor{Name: name, Shape: shape, Classes: n}
	t.Int = make([]int64, t.Len())
	for i := range t.Int {
		t.Int[i] = s.rng.Int64N(int64(n))
	}
	s.in.Tensors = append(s.in.Tensors, t)
}

// evaluated makes a model's data with parameters that are held and not trained.
func evaluated(model func(*source)) func(*source) {
	return func(s *source) {
		s.evaluates = true
		model(s)
	}
}

// numbered makes the name of a layer's parameter: w0, w1, …
func numbered(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }
