package nn

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Linear is x·weightᵀ + bias.
type Linear struct {
	declared
	Weighted             // [out, in]
	Bias     *graph.Node // [out], or nil
}

const linearOptions = "WeightInit BiasInit NoBias WeightNorm SpectralNorm Int8Weights Int4Weights Uint8Weights Uint4Weights DType"

// NewLinear declares a linear layer with the parameters name.weight, [out, in], and name.bias, [out], like PyTorch's
// Linear. Initial values are the same, uniform between ±1/√in, unless [WeightInit] and [BiasInit] set others. Other
// options are [NoBias], [WeightNorm], [SpectralNorm], [Int8Weights], [Int4Weights], [Uint8Weights], [Uint4Weights] and
// [DType].
func NewLinear[In, Out Size](g *graph.Graph, name string, in In, out Out, opts ...Option) *Linear {
	l := &Linear{}
	l.declared = declare(g, "Linear", name, opts, linearOptions, func(s *settings) {
		in, out := s.size("in", graph.Dim(in)), s.size("out", graph.Dim(out))
		l.Weighted = s.newWeight(g, torchWeight(), 0, out, in)
		l.Bias = s.newBias(g, l.shape(), out)
	})
	return l
}

// Apply takes x, [..., in], and returns [..., out].
func (l *Linear) Apply(p *Pass, x *graph.Node) *graph.Node {
	return l.apply(p, argumentOf(x, "*batch in"), l.sizes(), "*batch out", func(x []*graph.Node) *graph.Node {
		return ops.Linear(x[0], l.WeightIn(p), l.Bias)
	})
}

func (l *Linear) sizes() map[string]graph.Dim {
	return namedSizes(l.shape(), "out", "in")
}

// sizesOf names the first sizes of a parameter.
func sizesOf(weight *graph.Node, names ...string) map[string]graph.Dim {
	if weight == nil {
		return nil
	}
	return namedSizes(weight.Shape(), names...)
}

// namedSizes names the first sizes of a shape.
func namedSizes(shape graph.Shape, names ...string) map[string]graph.Dim {
	sizes := map[string]graph.Dim{}
	for i, name := range names {
		if i < len(shape) {
			sizes[name] = shape[i]
		}
	}
	return sizes
}

// Bilinear is the sum over i and j of a[i]·weight[o, i, j]·b[j], plus bias[o].
type Bilinear struct {
	declared
	Weighted             // [out, in1, in2]
	Bias     *graph.Node // [out], or nil
}

// NewBilinear declares a bilinear layer with the parameters name.weight, [out, in1, in2], and name.bias, [out], like
// PyTorch's Bilinear. Initial values are uniform between ±1/√in1. Options are those of [NewLinear].
func NewBilinear[In1, In2, Out Size](g *graph.Graph, name string, in1 In1, in2 In2, out Out, opts ...Option) *Bilinear {
	l := &Bilinear{}
	l.declared = declare(g, "Bilinear", name, opts, linearOptions, func(s *settings) {
		in1, in2, out := s.size("in1", graph.Dim(in1)), s.size("in2", graph.Dim(in2)), s.size("out", graph.Dim(out))
		bound := 1 / math.Sqrt(float64(known(g, in1)))
		l.Weighted = s.newWeight(g, Uniform(-bound, bound), 0, out, in1, in2)
		if !s.noBias {
			l.Bias = g.ParamInit("bias", s.dtype, or(s.bias, Uniform(-bound, bound)), out)
		}
	})
	return l
}

// ApplyTo takes a, [..., in1], and b, [..., in2], and returns [..., out].
func (l *Bilinear) ApplyTo(p *Pass, a, b *graph.Node) *graph.Node {
	args := []argument{{"a", a, "*batch in1"}, {"b", b, "*batch in2"}}
	sizes := namedSizes(l.shape(), "out", "in1", "in2")
	return l.apply(p, args, sizes, "*batch out", func(x []*graph.Node) *graph.Node {
		return ops.Bilinear(x[0], x[1], l.WeightIn(p), l.Bias)
	})
}

// newBias declares the bias of a linear layer or of a convolution with out outputs, or returns nil.
// It starts as PyTorch's, uniformly between ±1/√fan_in of the weight's shape.
func (s *settings) newBias(g *graph.Graph, weight graph.Shape, out graph.Dim) *graph.Node {
	if s.noBias {
		return nil
	}
	shape := make([]int, len(weight))
	for i, d := range weight {
		shape[i] = known(g, d)
	}
	in, _ := fans(shape)
	bound := 1 / math.Sqrt(in)
	return g.ParamInit("bias", s.dtype, or(s.bias, Uniform(-bound, bound)), out)
}
