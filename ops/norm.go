package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opStandardize, opLayerNorm, opRMSNorm, opPerChannel, opChannels *graph.Op

// StandardizeAttrs are the fixed arguments of Standardize.
type StandardizeAttrs struct {
	Axes []int
	Eps  float64
}

func (a StandardizeAttrs) reduced() ReduceAttrs { return ReduceAttrs{a.Axes, true} }

// Args writes eps and the axes.
func (a StandardizeAttrs) Args(operands []string) []string {
	return after(after(operands, a.Eps), axisWords(a.Axes)...)
}

// LayerNormAttrs are the fixed arguments of LayerNorm and RMSNorm.
type LayerNormAttrs struct {
	// Shape has the sizes of the normalised axes if the call gives them. If it is nil, they are those of the second
	// operand, or without one the last axis.
	Shape graph.Shape
	Eps   float64
	// BiasOnly says that the second operand is the bias.
	BiasOnly bool
}

// Args writes eps.
func (a LayerNormAttrs) Args(operands []string) []string { return after(operands, a.Eps) }

// over returns the sizes of the axes normalised over, of operands of the given shapes.
func (a LayerNormAttrs) over(shapes ...graph.Shape) graph.Shape {
	switch x := shapes[0]; {
	case a.Shape != nil:
		return a.Shape
	case len(shapes) > 1:
		return shapes[1]
	default:
		return x[max(0, len(x)-1):]
	}
}

// channelAttrs say how a vector over channels is called.
type channelAttrs struct{ Word string }

// Args writes nothing: the word is not the user's.
func (channelAttrs) Args(operands []string) []string { return operands }

var layerNormFloats = floatOnly(func(t graph.DType) string {
	return `"LayerNormKernelImpl" not implemented for '` + t.TorchName() + `'`
})

func init() {
	opStandardize = define(graph.Op{
		Name: "standardize", Func: "Standardize", Doc: "(x - mean) / sqrt(variance + eps) over axes.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.Axes(c, c.Attrs().(StandardizeAttrs).Axes, len(c.Shape(0)))
			return layerNormFloats(c), c.Shape(0)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			centred := Sub(in[0], meanOver(n, in[0]))
			return Mul(centred, scaleOf(n, centred))
		},
		// With the scale s = 1/sqrt(variance + eps), dx = s (dy - mean(dy) - y mean(dy y)).
		Grad: func(n, dy node, _ int) node {
			x := n.In(0)
			scale := scaleOf(n, Sub(x, meanOver(n, x)))
			return Mul(scale, Sub(Sub(dy, meanOver(n, dy)), Mul(n, meanOver(n, Mul(dy, n)))))
		},
	})
	opLayerNorm = define(graph.Op{
		Name: "layer_norm", Func: "LayerNorm", Doc: "x standardized over its trailing axes, times gain, plus bias.",
		Class: graph.Composite, MinIn: 1, MaxIn: 3,
		Infer: inferLayerNorm(float32Params),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(LayerNormAttrs)
			y := Apply(opStandardize, StandardizeAttrs{trailing(in[0], a.over(shapesOf(in)...)), a.Eps}, in[0])
			return Cast(layerScale(y, in[1:], a), in[0].DType())
		},
	})
	opRMSNorm = define(graph.Op{
		Name: "rms_norm", Func: "RMSNorm", Doc: "x / sqrt(mean of squares + eps) over its trailing axes, times gain.",
		Class: graph.Composite, MinIn: 1, MaxIn: 2,
		Infer: inferLayerNorm(floatParams),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			x, a := in[0], n.Attrs().(LayerNormAttrs)
			squares := Apply(opMean, ReduceAttrs{Axes: trailing(x, a.over(shapesOf(in)...)), KeepDims: true}, Square(x))
			return layerScale(Mul(x, Rsqrt(Add(squares, num(a.Eps)))), in[1:], a)
		},
	})
	opPerChannel = define(graph.Op{
		Name: "per_channel", Func: "perChannel", Doc: "a vector lined up with axis 1 of another value.",
		Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.PerChannel(c, c.Attrs().(channelAttrs).Word)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node { return Reshape(in[0], n.Shape()...) },
		Grad: func(n, dy node, i int) node {
			if i == 1 {
				return nil
			}
			return Reshape(dy, n.In(0).Shape()...)
		},
	})
	opChannels = movement("channels", "BatchNorm", "x, whose channels do not have one element each.", rules.Channels,
		func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) { return in, true },
		func(_, dy node) node { return dy })
	opChannels.Batch = batchReshape
	opLayerNorm.Batch, opRMSNorm.Batch = sameForAll, sameForAll
	opLayerNorm.Ref = named("", "torch.nn.functional.layer_norm", "", "LayerNormalization", "",
		func(e *graph.Example) node {
			return LayerNorm(e.Of("x", "n", "k"), e.Of("gain", "k"), e.Of("bias", "k"), 1e-5)
		})
	opRMSNorm.Ref = named("", "torch.nn.functional.rms_norm", "", "RMSNormalization", "",
		func(e *graph.Example) node { return RMSNorm(e.Of("x", "n", "k"), e.Of("gain", "k"), 1e-5) })
	opStandardize.Ref = named("", "", "jax.nn.standardize", "MeanVarianceNormalization", "",
		func(e *graph.Example) node { return Standardize(e.Of("x", "n", "k"), 1e-5, 1) })
	composed("BatchNorm",
		"(x - mean) / sqrt(variance + eps) * gain + bias, with the statistics of the batch for each channel.",
		named("", "torch.nn.functional.batch_norm", "", "BatchNormalization", "BatchNorm",
			func(e *graph.Example) node {
				return e.Several(BatchNorm(e.Of("x", "n", "c"), e.Of("gain", "c"), e.Of("bias", "c"), 1e-5))
			}))
	composed("BatchNormInference",
		"(x - mean) / sqrt(variance + eps) * gain + bias, with given statistics for each channel.",
		named("", "torch.nn.functional.batch_norm", "", "BatchNormalization", "",
			func(e *graph.Example) node {
				return BatchNormInference(e.Of("x", "n", "c"), e.Of("mean", "c"), e.Of("variance", "c"),
					e.Of("gain", "c"), e.Of("bias", "c"), 1e-5)
			}))
	composed("GroupNorm", "layer normalisation over groups of channels.",
		named("", "torch.nn.functional.group_norm", "", "GroupNormalization", "",
			func(e *graph.Example) node {
				return GroupNorm(e.Of("x", "n", "8", "k"), 2, e.Of("gain", "8"), e.Of("bias", "8"), 1e-5)
			}))
	composed("LayerNormOver", "(x - mean) / sqrt(variance + eps) * gain + bias over the last axes.",
		named("", "torch.nn.functional.layer_norm", "", "LayerNormalization", "",
			func(e *graph.Example) node {
				return LayerNormOver(e.Of("x", "n", "k", "m"), e.Shape("k", "m"), e.Of("gain", "k", "m"),
					e.Of("bias", "k", "m"), 1e-5)
			}))
}

// scaleOf is 1 / sqrt(variance + eps), from the distances from the mean.
func scaleOf(n, centred node) node {
	return Rsqrt(Add(meanOver(n, Square(centred)), num(n.Attrs().(StandardizeAttrs).Eps)))
}

// inferLayerNorm is the rule of a normalization over trailing axes. Parameters have the dtype of x; may says which
// others they may have, with that of the result.
func inferLayerNorm(may func(x graph.DType, params []graph.DType) (result graph.DType, ok bool)) func(*graph.Call) (
	graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		a := c.Attrs().(LayerNormAttrs)
		names := []string{"weight", "bias"}
		if a.BiasOnly {
			names = names[1:]
		}
		t := layerNormFloats(c)
		var params []graph.DType
		for i := 1; i < c.NumIn(); i++ {
			params = append(params, c.DType(i))
		}
		result, ok := may(t, params)
		for _, u := range params {
			if u != t && !ok && !c.Failed() {
				rules.RefuseDType(c, fmt.Sprintf("expected scalar type %s but found %s", t.TorchName(), u.TorchName()))
			}
		}
		if !ok {
			result = t
		}
		return result, rules.Normalized(c, a.over(shapesOf(c.Node().Operands())...), names...)
	}
}

// float32Params lets parameters be Float32 beside values of 16 bits, as PyTorch's layer_norm does on CPUs.
func float32Params(x graph.DType, params []graph.DType) (graph.DType, bool) {
	return x, x.IsHalf() && !slices.ContainsFunc(params, func(t graph.DType) bool { return t != graph.Float32 })
}

// floatParams lets parameters be of any floating-point dtype, to which the result is promoted.
func floatParams(x graph.DType, params []graph.DType) (result graph.DType, ok bool) {
	result = x
	for _, t := range params {
		if result, ok = graph.Promote(result, t); !ok || !t.IsFloat() {
			return x, false
		}
	}
	return result, true
}

func shapesOf(values []node) []graph.Shape {
	list := make([]graph.Shape, len(values))
	for i, x := range values {
		list[i] = x.Shape()
	}
	return list
}

// trailing lists as many of the last axes as the shape has.
func trailing(x node, shape graph.Shape) []int {
	axes := make([]int, len(shape))
	for i := range axes {
		axes[i] = x.Rank() - len(shape) + i
	}
	return axes
}

// layerScale applies gain and bias, as far as they are given.
func layerScale(y node, more []node, a LayerNormAttrs) node {
	if len(more) > 0 && !a.BiasOnly {
		y, more = Mul(y, more[0]), more[1:]
	}
	if len(more) > 0 {
		y = Add(y, more[0])
	}
	return y
}

// Standardize returns (x - mean) / sqrt(variance + eps) over the given axes, or over all. The variance is the mean of
// the squared distances from the mean.
func Standardize(x *graph.Node, eps float64, axes ...Axis) *graph.Node {
	return Apply(opStandardize, StandardizeAttrs{reduceList(axes).Axes, eps}, x)
}

// LayerNorm standardizes x over its trailing axes, multiplies by gain, and adds bias. gain and bias have the shape of
// these axes; either may be nil. Without both it normalises the last axis. All have one floating-point dtype, which is
// that of the result; beside x of 16 bits, gain and bias may also be Float32.
func LayerNorm(x, gain, bias *graph.Node, eps float64) *graph.Node {
	defer building("LayerNorm", x, gain, bias, eps)()
	return layerNorm(x, nil, gain, bias, eps)
}

// LayerNormOver is [LayerNorm] over trailing axes of the given sizes, like PyTorch's layer_norm with a
// normalized_shape.
func LayerNormOver(x *graph.Node, sizes graph.Shape, gain, bias *graph.Node, eps float64) *graph.Node {
	defer building("LayerNormOver", x, sizes, gain, bias, eps)()
	return layerNorm(x, append(graph.Shape{}, sizes...), gain, bias, eps)
}

func layerNorm(x node, sizes graph.Shape, gain, bias node, eps float64) node {
	return Apply(opLayerNorm, LayerNormAttrs{sizes, eps, gain == nil && bias != nil}, given(x, gain, bias)...)
}

// RMSNorm returns x / sqrt(mean(x²) + eps) * gain. The mean is over the trailing axes that gain has. gain may be nil;
// then it is over the last axis. Of two floating-point dtypes the result has the wider one.
func RMSNorm(x, gain *graph.Node, eps float64) *graph.Node {
	return Apply(opRMSNorm, LayerNormAttrs{Eps: eps}, given(x, gain)...)
}

// given is a list of operands without those that are nil, but for the first.
func given(x node, more ...node) []node {
	list := []node{x}
	for _, v := range more {
		if v != nil {
			list = append(list, v)
		}
	}
	return list
}

// BatchNorm standardizes each channel of x, [N, C, …], over all axes but axis 1, multiplies by gain, and adds bias,
// which are [C] or nil. It also returns the mean and the variance of each channel, [C], for running averages.
// PyTorch's running variance uses the variance times m/(m-1), where m is the number of elements of a channel. m must
// not be 1, as in PyTorch; for named sizes this is checked when they are bound. Beside x of 16 bits, gain and bias may
// be Float32: y then has the dtype of x, and the statistics are Float32. That holds for all normalizations of channels.
func BatchNorm(x, gain, bias *graph.Node, eps float64) (y, mean, variance *graph.Node) {
	defer building("BatchNorm", x, gain, bias, eps)()
	in, round, ofStatistics := normalizedWide(x, gain, bias)
	x, gain, bias = in[0], in[1], in[2]
	x = Apply(opChannels, nil, x)
	others := []Axis{0}
	if x.Judged() {
		for axis := 2; axis < x.Rank(); axis++ {
			others = append(others, Axis(axis))
		}
	}
	y = channelScale(Standardize(x, eps, others...), gain, bias)
	centred := Sub(x, Mean(x, append(others, KeepDims())...))
	mean, variance = Mean(x, others...), Mean(Square(centred), others...) // what Standardize computes too
	return round(y), ofStatistics(mean), ofStatistics(variance)
}

// BatchNormInference returns (x - mean) / sqrt(variance + eps) * gain + bias for x [N, C, …]. The other operands are
// [C]; gain and bias may be nil.
func BatchNormInference(x, mean, variance, gain, bias *graph.Node, eps float64) *graph.Node {
	defer building("BatchNormInference", x, mean, variance, gain, bias, eps)()
	in, round, _ := normalizedWide(x, mean, variance, gain, bias)
	x, mean, variance, gain, bias = in[0], in[1], in[2], in[3], in[4]
	scale := Rsqrt(Add(perChannel("running_var", variance, x), num(eps)))
	return round(channelScale(Mul(Sub(x, perChannel("running_mean", mean, x)), scale), gain, bias))
}

// GroupNorm standardizes x, [N, C, …], over groups of neighbouring channels and all axes after them, multiplies by
// gain, and adds bias, which are [C] or nil. With one group for each channel it is instance normalisation.
func GroupNorm(x *graph.Node, groups int, gain, bias *graph.Node, eps float64) *graph.Node {
	defer building("GroupNorm", x, groups, gain, bias, eps)()
	if x == nil || !x.Judged() {
		return Standardize(x, eps) // its own mistake
	}
	if x.Rank() < 2 {
		return refusal(refused("GroupNorm", x).with(groups), &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("Expected at least 2 dimensions for input tensor but received %d", x.Rank())})
	}
	s := x.Shape()
	channels, static := s[1].Int()
	switch {
	case groups < 1:
		return refusal(refused("GroupNorm", x).with(groups), &graph.Mistake{Code: graph.CodeReshape,
			Summary: fmt.Sprintf("Expected num groups to be greater than 0, got %d", groups)})
	case static && channels%int64(groups) != 0:
		return refusal(refused("GroupNorm", x).with(groups), &graph.Mistake{Code: graph.CodeReshape,
			Summary: fmt.Sprintf(
				"Expected number of channels in input to be divisible by num_groups, but got input of shape %s and num_groups=%d",
				s, groups)})
	}
	in, round, _ := normalizedWide(x, gain, bias)
	x, gain, bias = in[0], in[1], in[2]
	grouped := Reshape(x, append(graph.Shape{s[0], graph.Dim(groups), s[1].DividedBy(graph.Dim(groups))}, s[2:]...)...)
	if grouped.Judged() { // also of a batch without elements
		requireMultiple(grouped, s[1], graph.Dim(groups), "the channels of groups",
			"Expected number of channels in input to be divisible by num_groups")
	}
	axes := make([]Axis, 0, x.Rank()-1)
	for axis := 2; axis < grouped.Rank(); axis++ {
		axes = append(axes, Axis(axis))
	}
	return round(channelScale(Reshape(Standardize(grouped, eps, axes...), s...), gain, bias))
}

// channelScale multiplies by gain and adds bias, as far as they are there.
func channelScale(y, gain, bias node) node {
	x := y
	if gain != nil {
		y = Mul(y, perChannel("weight", gain, x))
	}
	if bias != nil {
		y = Add(y, perChannel("bias", bias, x))
	}
	return y
}

// perChannel lines a vector up with the channels of x.
func perChannel(word string, v, x node) node { return Apply(opPerChannel, channelAttrs{word}, v, x) }
