package nn

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// drawing is a layer that draws in training: drop is what it does then, and rest what it does in evaluation.
type drawing struct {
	fn   string
	rate float64
	drop func(x *graph.Node, p float64, seed *graph.Node) *graph.Node
	rest func(x *graph.Node) *graph.Node
}

// Apply implements [Layer].
func (d drawing) Apply(p *Pass, x *graph.Node) *graph.Node {
	switch {
	case p == nil:
		return unbuilt(d.fn, noPass, x)
	case !drops(p, x, d.rate) && d.rest == nil:
		return x
	case !drops(p, x, d.rate):
		return d.rest(x)
	}
	return d.drop(x, d.rate, p.Seed())
}

// FeatureDropout is [ops.FeatureDropout] as a layer: it drops whole channels of [N, C, …] in training, like PyTorch's
// Dropout1d, 2d and 3d.
func FeatureDropout(p float64) Layer { return drawing{"FeatureDropout", p, ops.FeatureDropout, nil} }

// AlphaDropout is [ops.AlphaDropout] as a layer, for networks with Selu.
func AlphaDropout(p float64) Layer { return drawing{"AlphaDropout", p, ops.AlphaDropout, nil} }

// FeatureAlphaDropout is [ops.FeatureAlphaDropout] as a layer.
func FeatureAlphaDropout(p float64) Layer {
	return drawing{"FeatureAlphaDropout", p, ops.FeatureAlphaDropout, nil}
}

// StochasticDepth is [ops.StochasticDepth] as a layer: it drops whole examples from the branch of a residual block.
// nn.Residual(nn.Sequential(block, nn.StochasticDepth(0.1))) skips the block for some examples.
func StochasticDepth(p float64) Layer { return drawing{"StochasticDepth", p, ops.StochasticDepth, nil} }

// RRelu is [ops.RRelu] as a layer: the slopes of negative elements are random between low and high in training, and
// (low + high)/2 in evaluation.
func RRelu(low, high float64) Layer {
	draw := func(x *graph.Node, _ float64, seed *graph.Node) *graph.Node { return ops.RRelu(x, low, high, seed) }
	return drawing{"RRelu", 1, draw, func(x *graph.Node) *graph.Node { return ops.LeakyRelu(x, (low+high)/2) }}
}

// LocalResponseNorm is [ops.LocalResponseNorm] as a layer.
func LocalResponseNorm(size int, alpha, beta, k float64) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.LocalResponseNorm(x, size, alpha, beta, k) })
}

// PRelu returns x where it is positive, and a learned slope times x elsewhere.
type PRelu struct {
	declared
	Weight *graph.Node // [slopes]
	slopes graph.Dim
}

// NewPRelu declares learned slopes, the parameter name.weight, [slopes]: one for each channel of x, [N, channels, …],
// or one for all, like PyTorch's PReLU. Their initial value is 0.25. Options are [WeightInit] and [DType].
func NewPRelu[S Size](g *graph.Graph, name string, slopes S, opts ...Option) *PRelu {
	l := &PRelu{}
	l.declared = declare(g, "PRelu", name, opts, "WeightInit DType", func(s *settings) {
		l.slopes = s.size("slopes", graph.Dim(slopes))
		l.Weight = g.ParamInit("weight", s.dtype, or(s.weight, Constant(0.25)), l.slopes)
	})
	return l
}

// Apply returns x, or the slope times x, in x's shape.
func (l *PRelu) Apply(p *Pass, x *graph.Node) *graph.Node {
	form := "n slopes ..."
	if l.slopes == 1 {
		form = "..."
	}
	return l.apply(p, argumentOf(x, form), sizesOf(l.Weight, "slopes"), "", func(x []*graph.Node) *graph.Node {
		return ops.PRelu(x[0], l.Weight)
	})
}
