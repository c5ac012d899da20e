package nn

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Norm is layer, group, instance or root-mean-square normalization.
type Norm struct {
	declared
	Weight *graph.Node // or nil
	Bias   *graph.Node // or nil
	RunningStats
	takes string
	sizes map[string]graph.Dim
	build func(p *Pass, x *graph.Node) *graph.Node
}

// Apply returns x normalized, in its shape.
func (l *Norm) Apply(p *Pass, x *graph.Node) *graph.Node {
	return l.apply(p, argumentOf(x, l.takes), l.sizes, "", func(x []*graph.Node) *graph.Node {
		return l.build(p, x[0])
	})
}

const normOptions = "WeightInit BiasInit NoBias NoAffine Epsilon DType"

// normKind is one of the kinds of normalizations.
type normKind struct {
	name    string
	takes   string // the axes of what it normalizes
	axis    string // of its parameters
	options string
	noBias  bool
}

var (
	layerNorm = normKind{name: "LayerNorm", takes: "*batch size", axis: "size", options: normOptions}
	rmsNorm   = normKind{name: "RMSNorm", takes: "*batch size", axis: "size",
		options: "WeightInit NoAffine Epsilon DType", noBias: true}
	groupNorm    = normKind{name: "GroupNorm", takes: "n channels ...", axis: "channels", options: normOptions}
	instanceNorm = normKind{name: "InstanceNorm", takes: "n channels _ ...", axis: "channels",
		options: normOptions + " TrackRunningStats Momentum"}
)

// newNorm declares a normalization with parameters of the given size. build returns what it does.
func newNorm(g *graph.Graph, k normKind, name string, d graph.Dim, opts []Option,
	build func(l *Norm, s settings, d graph.Dim) func(p *Pass, x *graph.Node) *graph.Node) *Norm {
	l := &Norm{takes: k.takes}
	l.declared = declare(g, k.name, name, opts, k.options, func(s *settings) {
		s.noBias = s.noBias || k.noBias
		if !s.plain || s.tracked { // it has parameters or state of that size
			d = s.size(k.axis, d)
		}
		l.sizes = map[string]graph.Dim{k.axis: d}
		l.Weight, l.Bias = s.affine(g, d)
		l.build = build(l, *s, d)
	})
	return l
}

// affine declares the weight, of ones, and the bias, of zeros, of a normalization, as far as it
// has them.
func (s *settings) affine(g *graph.Graph, shape ...graph.Dim) (weight, bias *graph.Node) {
	if s.plain {
		return nil, nil
	}
	weight = g.ParamInit("weight", s.dtype, or(s.weight, Ones()), shape...)
	if !s.noBias {
		bias = g.ParamInit("bias", s.dtype, or(s.bias, Zeros()), shape...)
	}
	return weight, bias
}

// NewLayerNorm declares layer normalization of x, [..., size], over the last axis: see [ops.LayerNorm]. The
// parameters are name.weight and name.bias, as in PyTorch's LayerNorm. Options are [WeightInit], [BiasInit],
// [NoBias], [NoAffine], [Epsilon] and [DType].
func NewLayerNorm[S Size](g *graph.Graph, name string, size S, opts ...Option) *Norm {
	return newNorm(g, layerNorm, name, graph.Dim(size), opts,
		func(l *Norm, s settings, d graph.Dim) func(*Pass, *graph.Node) *graph.Node {
			return func(_ *Pass, x *graph.Node) *graph.Node {
				return ops.LayerNormOver(x, graph.Shape{d}, l.Weight, l.Bias, s.eps)
			}
		})
}

// NewRMSNorm declares root-mean-square normalization of x, [..., size], over the last axis: see [ops.RMSNorm]. The
// parameter is name.weight, as in PyTorch's RMSNorm with eps=1e-5. Options are [WeightInit], [NoAffine], [Epsilon]
// and [DType].
func NewRMSNorm[S Size](g *graph.Graph, name string, size S, opts ...Option) *Norm {
	return newNorm(g, rmsNorm, name, graph.Dim(size), opts,
		func(l *Norm, s settings, _ graph.Dim) func(*Pass, *graph.Node) *graph.Node {
			return func(_ *Pass, x *graph.Node) *graph.Node { return ops.RMSNorm(x, l.Weight, s.eps) }
		})
}

// NewGroupNorm declares normalization of groups of channels of x, [N, channels, …]: see [ops.GroupNorm]. The
// parameters are name.weight and name.bias, [channels], as in PyTorch's GroupNorm. Options are those of
// [NewLayerNorm].
func NewGroupNorm[S Size](g *graph.Graph, name string, groups int, channels S, opts ...Option) *Norm {
	return newNorm(g, groupNorm, name, graph.Dim(channels), opts,
		func(l *Norm, s settings, _ graph.Dim) func(*Pass, *graph.Node) *graph.Node {
			return func(_ *Pass, x *graph.Node) *graph.Node { return ops.GroupNorm(x, groups, l.Weight, l.Bias, s.eps) }
		})
}

// NewInstanceNorm declares normalization of each channel of each example of x, [N, channels, …], which must have axes
// after the channels: see [ops.InstanceNorm]. The parameters are name.weight and name.bias, [channels]. [NoAffine]
// leaves them out; this is the default of PyTorch's InstanceNorm. With [TrackRunningStats] an evaluation pass uses
// running statistics. Other options are [Momentum] and those of [NewLayerNorm].
func NewInstanceNorm[S Size](g *graph.Graph, name string, channels S, opts ...Option) *Norm {
	return newNorm(g, instanceNorm, name, graph.Dim(channels), opts,
		func(l *Norm, s settings, d graph.Dim) func(*Pass, *graph.Node) *graph.Node {
			if s.tracked {
				l.RunningStats = s.newRunning(g, d)
			}
			return func(p *Pass, x *graph.Node) *graph.Node {
				if s.tracked && !p.IsTraining() {
					return ops.BatchNormInference(x, l.RunningMean, l.RunningVar, l.Weight, l.Bias, s.eps)
				}
				y, mean, variance := ops.InstanceNorm(x, l.Weight, l.Bias, s.eps)
				if s.tracked && y.Judged() {
					l.track(p, s, ops.Mean(mean, 0), ops.Mean(variance, 0), x.Shape()[2:].NumElements())
				}
				return y
			}
		})
}

// RunningStats are running averages of the statistics of batches, which are state of a layer; nil if it keeps none.
type RunningStats struct {
	RunningMean       *graph.Node // [channels]
	RunningVar        *graph.Node // [channels]
	NumBatchesTracked *graph.Node // Int64 scalar
}

// newRunning declares running statistics.
func (s *settings) newRunning(g *graph.Graph, channels graph.Dim) RunningStats {
	return RunningStats{
		RunningMean:       g.State("running_mean", s.dtype, Zeros(), channels),
		RunningVar:        g.State("running_var", s.dtype, Ones(), channels),
		NumBatchesTracked: g.State("num_batches_tracked", graph.Int64, Zeros()),
	}
}

// track moves the running averages towards the mean and the variance of a batch, in which a channel has so many
// elements.
func (r RunningStats) track(p *Pass, s settings, mean, variance *graph.Node, each graph.Dim) {
	count := ops.Size(mean.Graph(), s.dtype, each)
	unbiased := ops.Mul(variance, ops.Div(count, ops.Sub(count, graph.Num(1))))
	for _, w := range []struct{ state, batch *graph.Node }{{r.RunningMean, mean}, {r.RunningVar, unbiased}} {
		p.Write(w.state, ops.Lerp(p.Value(w.state), ops.StopGradient(w.batch), graph.Num(s.momentum)))
	}
}

// BatchNorm normalizes each channel over the batch.
type BatchNorm struct {
	declared
	Weight, Bias *graph.Node // [channels], or nil
	RunningStats
	settings settings
}

// NewBatchNorm declares batch normalization of x, [N, channels, …], with any number of further axes, like PyTorch's
// BatchNorm1d, 2d and 3d. It has the parameters name.weight and name.bias and the state name.running_mean,
// name.running_var and name.num_batches_tracked. Options are [WeightInit], [BiasInit], [NoAffine], [Epsilon],
// [Momentum] and [DType].
func NewBatchNorm[S Size](g *graph.Graph, name string, channels S, opts ...Option) *BatchNorm {
	l := &BatchNorm{}
	l.declared = declare(g, "BatchNorm", name, opts, "WeightInit BiasInit NoAffine Epsilon Momentum DType",
		func(s *settings) {
			if !(s.momentum >= 0 && s.momentum <= 1) {
				s.layer.refuse("the momentum must be a number from 0 to 1")
			}
			d := s.size("channels", graph.Dim(channels))
			l.Weight, l.Bias = s.affine(g, d)
			l.RunningStats = s.newRunning(g, d)
			l.settings = *s
		})
	return l
}

// Apply returns x normalized, in its shape. A training pass uses the mean and the variance of the batch, and updates
// the running ones: running += momentum·(batch - running), with the unbiased variance of the batch. An evaluation pass
// uses the running ones.
func (l *BatchNorm) Apply(p *Pass, x *graph.Node) *graph.Node {
	sizes := sizesOf(l.RunningMean, "channels")
	return l.apply(p, argumentOf(x, "n channels ..."), sizes, "", func(values []*graph.Node) *graph.Node {
		x, s := values[0], l.settings
		if !p.IsTraining() {
			return ops.BatchNormInference(x, l.RunningMean, l.RunningVar, l.Weight, l.Bias, s.eps)
		}
		y, mean, variance := ops.BatchNorm(x, l.Weight, l.Bias, s.eps)
		if !y.Judged() {
			return y
		}
		each := x.Shape()[0] // the elements of a channel
		for _, d := range x.Shape()[2:] {
			each = each.Times(d)
		}
		l.track(p, s, mean, variance, each)
		p.Write(l.NumBatchesTracked, ops.Add(p.Value(l.NumBatchesTracked), graph.Num(1)))
		return y
	})
}
