package ops

import "github.com/broadloom/broadloom/graph"

// CausalConv1D convolves each channel of x, [N, C, T], by itself, so that no element depends on a later one. weight
// is [C, 1, K], bias [C] or nil, and y has the shape of x. past, [N, C, K-1] or nil for zeros, are the elements
// before x. next are the last K-1 elements, to pass as past of the next call. Operands have one floating-point dtype,
// and T is at least 1. It is ONNX's CausalConvWithState without its activation, [Silu].
func CausalConv1D(x, weight, bias, past *graph.Node) (y, next *graph.Node) {
	defer building("CausalConv1D", x, weight, bias, past)()
	defer lowering(&x, &weight, &bias, &past)()
	call := refused("CausalConv1D", append([]node{x, weight}, given(nil, bias, past)[1:]...)...)
	if bad := notTensors(call); bad != nil {
		return bad, bad
	}
	refuse := func(code graph.Code, format string, args ...any) (y, next node) {
		bad := call.wrong(code, format, args...)
		return bad, bad
	}
	for _, v := range call.in {
		if !v.DType().IsFloat() || v.DType() != x.DType() {
			bad := call.wrongDType(oneFloat(call.in...), "%s", notOneFloat(v, x))
			return bad, bad
		}
	}
	if x.Rank() != 3 || weight.Rank() != 3 || past != nil && past.Rank() != 3 {
		return refuse(graph.CodeWindow,
			"x must be [N, C, T], the weight [C, 1, K] and past [N, C, K-1], but x and the weight have shapes %s and %s",
			x.Shape(), weight.Shape())
	}
	channels, known := x.Shape()[1].Int()
	taps, fixed := weight.Shape()[2].Int()
	if known && channels < 1 || fixed && taps < 1 {
		return refuse(graph.CodeWindow,
			"x must be [N, C, T] and the weight [C, 1, K], with C and K at least 1, but their shapes are %s and %s",
			x.Shape(), weight.Shape())
	}
	width := weight.Shape()[2].Minus(1)
	const why = "the operands of a causal convolution must match"
	sizes := []sizeMatch{axisMatch(weight, 0, x.Shape()[1], why), axisMatch(weight, 1, 1, why)}
	if past != nil {
		for axis, want := range []graph.Dim{x.Shape()[0], x.Shape()[1], width} {
			sizes = append(sizes, axisMatch(past, axis, want, why))
		}
	}
	if bad := call.mismatch(graph.CodeWindow, sizes); bad != nil {
		return bad, bad
	}
	long := node(nil)
	if past != nil {
		long = Concat(2, past, x)
	} else {
		long = Pad(x, 2, width, 0, 0)
	}
	if known && fixed {
		y = Conv1D(long, weight, bias, Groups(int(channels)))
	} else {
		y = ofNamedChannels(long, weight, bias)
	}
	requireMatches(y, sizes)
	return y, Narrow(long, 2, x.Shape()[2], width)
}

// ofNamedChannels is [Conv1D] of each channel by itself where the number of channels or that of elements of a window
// has a name.
func ofNamedChannels(x, weight, bias node) node {
	y := Sum(Mul(Window(x, 2, weight.Shape()[2], 1, 1), weight), -1)
	if bias != nil {
		y = Add(y, Unsqueeze(bias, -1))
	}
	return y
}

func init() {
	composed("CausalConv1D",
		"windows of each channel that end at each element, times weights, and the elements that the next call reads.",
		named("", "", "", "CausalConvWithState", "", func(e *graph.Example) node {
			return e.Several(CausalConv1D(e.Of("x", "n", "4", "t"), e.Of("weight", "4", "1", "3"), nil,
				e.Of("past", "n", "4", "2")))
		}))
}
