package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

func init() {
	x := func(e *graph.Example) node { return e.As(graph.Uint8, "x", "n", "c", "8", "8") }
	w := func(e *graph.Example) node { return e.As(graph.Int8, "w", "o", "c", "3", "3") }
	composed("ConvInteger", "the convolution of x - xZero with weights w - wZero, in int32.",
		named("", "", "", "ConvInteger", "", func(e *graph.Example) node { return ConvInteger(x(e), w(e), nil, nil) }))
	composed("QLinearConv", "the convolution of quantised operands, quantised.",
		shownAs("QLinearConv(x, xScale, xZero, w, wScale, wZero, scale, zero, nil)",
			flat(flatBetweenJumps, "", "torch.ao.nn.quantized.functional.conv2d", "", "QLinearConv", "",
				func(e *graph.Example) node {
					xZero, wZero, zero := e.As(graph.Uint8, "xZero"), e.As(graph.Int8, "wZero"),
						e.As(graph.Uint8, "zero")
					return QLinearConv(x(e), e.Of("xScale"), xZero, w(e), e.Of("wScale"), wZero, e.Of("scale"), zero,
						nil)
				})))
}

// ConvInteger returns the convolution of x - xZero with weights w - wZero, 8-bit or 16-bit integers, as Int32, which
// wraps around. x is [N, C, L], [N, C, H, W] or [N, C, D, H, W]; shapes and options are those of [Conv1D], [Conv2D]
// and [Conv3D]. xZero is a scalar, which is also the value of padding. wZero is a scalar, or [O] with one for each
// output channel. A nil zero point is 0.
func ConvInteger(x, w, xZero, wZero *graph.Node, opts ...ConvOption) *graph.Node {
	defer building("ConvInteger", x, w, xZero, wZero)()
	in := slices.DeleteFunc([]node{xZero, wZero}, func(zero node) bool { return zero == nil })
	in = append([]node{x, w}, in...)
	if bad := refusedQuantized(refused("ConvInteger", in...), in...); bad != nil {
		return bad
	}
	return integerConvolution(x, w, xZero, wZero, opts)
}

// integerConvolution is the convolution of x less its zero point with w less its own, in int32.
func integerConvolution(x, w, xZero, wZero node, opts []ConvOption) node {
	op, axes := opConv2D, 2
	switch w.Rank() {
	case 3:
		op, axes = opConv1D, 1
	case 5:
		op, axes = opConv3D, 3
	}
	x, w = lessZero(x, xZero), lessZero(w, ofChannels(wZero, w.Rank()-1))
	return convolve(op, axes, x, w, nil, opts)
}

// ofChannels gives a vector of numbers of channels some further axes of size 1.
func ofChannels(x node, axes int) node {
	if x == nil || x.Rank() != 1 {
		return x
	}
	return Reshape(x, append(graph.Shape{x.Shape()[0]}, slices.Repeat(graph.Shape{1}, axes)...)...)
}

// QLinearConv returns the quantised convolution of quantised operands: [ConvInteger] plus bias, times
// xScale·wScale/scale, rounded half to even, plus zero, clamped to the range of zero's dtype. The scales are Float32.
// wScale and wZero are scalars, or [O] with one for each output channel. The bias is Int32 [O], of scale
// xScale·wScale, or nil.
func QLinearConv(x, xScale, xZero, w, wScale, wZero, scale, zero, bias *graph.Node, opts ...ConvOption) *graph.Node {
	defer building("QLinearConv", x, xScale, xZero, w, wScale, wZero, scale, zero, bias)()
	in := []node{x, xScale, xZero, w, wScale, wZero, scale, zero}
	if bias != nil {
		in = append(in, bias)
	}
	call := refused("QLinearConv", in...)
	if bad := refusedQuantized(call, x, xZero, w, wZero, zero); bad != nil {
		return bad
	}
	sums := integerConvolution(x, w, xZero, wZero, opts)
	if bias != nil {
		if bias.DType() != graph.Int32 || bias.Rank() != 1 {
			return refusal(call, &graph.Mistake{Code: graph.CodeDType,
				Summary: "a bias is Int32 with an element for each output channel, and " + bias.Called() + " is " +
					bias.DType().String() + bias.Shape().String()})
		}
		sums = Add(sums, ofChannels(bias, w.Rank()-2))
	}
	return quantized(Mul(Cast(sums, graph.Float32), ofChannels(Div(Mul(xScale, wScale), scale), w.Rank()-2)), zero)
}
