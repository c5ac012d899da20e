package rules

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// ConvTranspose is the shape rule of PyTorch's transposed convolutions over the spatial axes of operand 0, [N, C, …]
// or [C, …]. Operand 1 are the weights, [C, O/groups, …], and operand 2 is a bias [O] if there is one. extra is added
// to the end of each axis of the result.
func ConvTranspose(c *graph.Call, axes int, steps Steps, extra []int, groups int) (graph.DType, graph.Shape) {
	x, w := slices.Clone(c.Shape(0)), c.Shape(1)
	if len(x) != axes+1 && len(x) != axes+2 {
		c.Fail(operandMistake(c, graph.CodeRank,
			"Expected %dD (unbatched) or %dD (batched) input to conv_transpose%dd, but got input of size: %s",
			axes+1, axes+2, axes, x))
		return c.DType(0), unknown(axes + 2)
	}
	single := len(x) == axes+1
	if single {
		x = slices.Insert(x, 0, 1)
	}
	convDTypes(c)
	out := unknown(len(x))
	out[0] = x[0]
	m := convArguments(c, x, w, steps, groups)
	if m == nil {
		m = extraArguments(c, steps, extra)
	}
	if m != nil {
		c.Fail(m)
	} else if haveChannels(c, w, groups, "each group of a transposed convolution must have input channels") {
		out[1] = w[1].Times(graph.Dim(groups))
		transposedSizes(c, x, w, out, steps, extra, groups)
	}
	if single {
		out = out[1:]
	}
	return c.DType(0), out
}

func extraArguments(c *graph.Call, steps Steps, extra []int) *graph.Mistake {
	if len(extra) != len(steps.Stride) {
		return convMistake(c,
			"expected output_padding to be a single integer value or a list of %d values to match the convolution dimensions, but got output_padding=%s",
			len(steps.Stride), graph.MakeShape(extra...))
	}
	for i, n := range extra {
		switch {
		case n < 0:
			return convMistake(c, "negative output_padding is not supported")
		case n >= steps.Stride[i] && n >= steps.Dilation[i]:
			return convMistake(c,
				"output padding must be smaller than either stride or dilation, but got output_padding=%s",
				graph.MakeShape(extra...))
		}
	}
	return nil
}

// TransposedSize returns the size of an axis of a transposed convolution's result: the size for which a convolution
// with the same steps has the given number of windows, plus extra.
func TransposedSize(windows, kernel graph.Dim, stride, padding, dilation, extra int) graph.Dim {
	whole := windows.Minus(1).Times(graph.Dim(stride)).Plus(WindowExtent(kernel, dilation))
	return whole.Plus(graph.Dim(extra - 2*padding))
}

// transposedSizes judges channels, bias and sizes, and fills the sizes in.
func transposedSizes(c *graph.Call, x, w, out graph.Shape, steps Steps, extra []int, groups int) {
	r := CallRules(c)
	if groups > 1 && !w[0].IsConst() {
		c.Require(graph.Requirement{Kind: graph.MustBeMultipleOf, A: w[0], B: graph.Dim(groups), Axis: 1,
			Why: "the groups of a convolution must have the same number of channels"})
	}
	r.requireSame(c, w[0], x[1], 1, "the channels of a convolution", func() *graph.Mistake {
		m := convMistake(c,
			"Given transposed=1, weight of size %s, expected input%s to have %s channels, but got %s channels instead",
			w, x, w[0], x[1])
		m.Operands[0].Bad, m.Operands[1].Bad = []int{len(c.Shape(0)) - len(x) + 1}, []int{0}
		return m
	})
	if c.NumIn() > 2 {
		convBias(c, r, w, "transposed=1, ", out[1])
	}
	first := len(c.Shape(0)) - len(x) + 2 // of the spatial axes
	for i, d := range x[2:] {
		if !atLeastOne(c, d, first+i, "a transposed convolution needs at least one element along each axis",
			"expected input with non-zero dimensions apart from the batch size, but got input of size: %s", c.Shape(0)) {
			unknownFrom(out, 2)
			return
		}
		out[i+2] = TransposedSize(d, w[i+2], steps.Stride[i], steps.Padding[i], steps.Dilation[i], extra[i])
	}
	for i, d := range out[2:] {
		if !atLeastOne(c, d, first+i, "a transposed convolution must give at least one element along each axis",
			"Given input size per channel: (%s). Calculated output size per channel: (%s). Output size is too small",
			joined(x[2:], " x "), joined(out[2:], " x ")) {
			unknownFrom(out, 2)
			return
		}
	}
}

// atLeastOne requires that a size is at least 1. If that is refuted, it fails with a summary and returns false.
func atLeastOne(c *graph.Call, d graph.Dim, axis int, why, summary string, args ...any) bool {
	if d.IsUnknown() {
		return true
	}
	switch prove.NewProver(c.Bounds).AtLeast(d, 1) {
	case prove.Refused:
		m := convMistake(c, summary, args...)
		m.Operands[0].Bad = []int{axis}
		c.Fail(m)
		return false
	case prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: axis, Why: why})
	}
	return true
}
