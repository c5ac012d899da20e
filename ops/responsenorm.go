package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// InstanceNorm standardizes each channel of each example of x, [N, C, …], over the axes after the channels,
// multiplies by gain, and adds bias, which are [C] or nil. It also returns the mean and the variance, [N, C], for
// running averages. A channel must have more than one element, as in PyTorch; for named sizes this is checked when
// they are bound.
func InstanceNorm(x, gain, bias *graph.Node, eps float64) (y, mean, variance *graph.Node) {
	defer building("InstanceNorm", x, gain, bias, eps)()
	if x == nil || !x.Judged() || x.Rank() < 3 {
		bad := Standardize(x, eps) // its own mistake
		if x != nil && x.Judged() {
			bad = refusal(refused("InstanceNorm", x), &graph.Mistake{Code: graph.CodeRank,
				Summary: fmt.Sprintf("Expected more than 1 spatial element when training, got input size %s",
					x.Shape())})
		}
		return bad, bad, bad
	}
	in, round, ofStatistics := normalizedWide(x, gain, bias)
	x, gain, bias = in[0], in[1], in[2]
	s := x.Shape()
	apart := Apply(opChannels, nil, Reshape(x, append(graph.Shape{1, s[0].Times(s[1])}, s[2:]...)...))
	if !apart.Judged() || apart.Err() != nil {
		return apart, apart, apart
	}
	x = Reshape(apart, s...)
	places := make([]Axis, 0, x.Rank())
	for axis := 2; axis < x.Rank(); axis++ {
		places = append(places, Axis(axis))
	}
	y = channelScale(Standardize(x, eps, places...), gain, bias)
	centred := Sub(x, Mean(x, append(places, KeepDims())...))
	mean, variance = Mean(x, places...), Mean(Square(centred), places...) // what Standardize computes too
	return round(y), ofStatistics(mean), ofStatistics(variance)
}

// LocalResponseNorm returns x / (k + alpha*mean)^beta for x [N, C, …] of floating-point numbers. The mean is that of
// the squares in size neighbouring channels, of which size/2 come before the element's own. Channels beyond the ends
// count as 0. It is PyTorch's local_response_norm; for even sizes, ONNX's LRN has one channel less before and one
// more after. Source: A. Krizhevsky and others, ImageNet Classification with Deep Convolutional Neural Networks,
// 2012.
func LocalResponseNorm(x *graph.Node, size int, alpha, beta, k float64) *graph.Node {
	defer building("LocalResponseNorm", x, size, alpha, beta, k)()
	call := refused("LocalResponseNorm", x).with(size, alpha, beta, k)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case x.Rank() < 3:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeRank,
				Summary: fmt.Sprintf("Expected 3D or higher dimensionality input (got %d dimensions)", x.Rank())})
	case !x.DType().IsFloat():
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
				Summary: `"avg_pool2d_out_frame" not implemented for '` + x.DType().TorchName() + `'`})
	case size < 1 || size > maxParts:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeWindow,
				Summary: fmt.Sprintf("kernel size should be from 1 to %d, but got %d", maxParts, size)})
	}
	in, round := computedWide(x)
	before := graph.Dim(size / 2)
	squares := Pad(Square(in[0]), 1, before, graph.Dim(size-1).Minus(before), 0)
	return round(
		Div(in[0], Pow(Add(Mul(Mean(Window(squares, 1, graph.Dim(size), 1, 1), -1), num(alpha)), num(k)), num(beta))))
}

func init() {
	composed("InstanceNorm",
		"(x - mean) / sqrt(variance + eps) * gain + bias, with the statistics of each channel of each example.",
		named(
			"",
			"torch.nn.functional.instance_norm, torch.nn.InstanceNorm1d, torch.nn.InstanceNorm2d, torch.nn.InstanceNorm3d",
			"", "InstanceNormalization", "",
			func(e *graph.Example) node {
				return e.Several(InstanceNorm(e.Of("x", "n", "c", "8"), e.Of("gain", "c"), e.Of("bias", "c"), 1e-5))
			}))
	composed("LocalResponseNorm", "x / (k + alpha * mean of the squares of neighbouring channels)^beta.",
		named("", "torch.nn.functional.local_response_norm, torch.nn.LocalResponseNorm, torch.nn.CrossMapLRN2d", "",
			"LRN", "",
			func(e *graph.Example) node { return LocalResponseNorm(e.Of("x", "n", "c", "h"), 5, 1e-4, 0.75, 1) }))
}
