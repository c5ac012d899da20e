package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Steps says how windows move over the spatial axes of an operand, with one number for each.
type Steps struct{ Stride, Padding, Dilation []int }

// Conv is the shape rule of PyTorch's convolutions over the last axes of operand 0,
// [N, C, …] or [C, …], with the weights [O, C/groups, …] as operand 1 and, as operand 2,
// a bias [O] if there is one. axes is the number of axes over which it slides.
func Conv(c *graph.Call, axes int, steps Steps, groups int) (graph.DType, graph.Shape) {
	x, w := slices.Clone(c.Shape(0)), c.Shape(1)
	if len(x) != axes+1 && len(x) != axes+2 {
		c.Fail(operandMistake(c, graph.CodeRank,
			"Expected %dD (unbatched) or %dD (batched) input to conv%dd, but got input of size: %s",
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
	if m := convArguments(c, x, w, steps, groups); m != nil {
		c.Fail(m)
	} else {
		out[1] = convOutputs(c, w[0], x[1])
		convSizes(c, x, w, out, steps, groups)
	}
	if single {
		out = out[1:]
	}
	return c.DType(0), out
}

// convOutputs returns the number of output channels. As in PyTorch, of no channels come none:
// where there may be none, that is outputs·floor(2·channels/(channels+1)).
func convOutputs(c *graph.Call, outputs, channels graph.Dim) graph.Dim {
	switch {
	case channels == 0:
		return 0
	case channels.IsSymbolic() && prove.NewProver(c.Bounds).AtLeast(channels, 1) != prove.Proved:
		return outputs.Times(channels.Times(2).FloorDivBy(channels.Plus(1)))
	}
	return outputs
}

func convDTypes(c *graph.Call) {
	t := c.DType(0)
	switch {
	case c.NumIn() > 2 && c.DType(2) != t:
		RefuseDType(c, fmt.Sprintf("Input type (%s) and bias type (%s) should be the same", t.CppName(),
			c.DType(2).CppName()))
	case c.DType(1) != t:
		RefuseDType(c, fmt.Sprintf("expected scalar type %s but found %s", t.TorchName(), c.DType(1).TorchName()))
	case t == graph.Bool:
		RefuseDType(c, `"slow_conv2d_cpu" not implemented for 'Bool'`)
	}
}

// convArguments says what is wrong with the fixed arguments and ranks, or nothing.
func convArguments(c *graph.Call, x, w graph.Shape, steps Steps, groups int) *graph.Mistake {
	refuse := func(format string, args ...any) *graph.Mistake {
		return convMistake(c, format, args...)
	}
	if len(w) < 3 {
		return refuse("weight should have at least three dimensions")
	}
	if groups < 1 {
		return refuse("non-positive groups is not supported")
	}
	for _, p := range []struct {
		name   string
		values []int
		least  int
		text   string
	}{
		{"stride", steps.Stride, 1, "non-positive stride is not supported"},
		{"padding", steps.Padding, 0, "negative padding is not supported"},
		{"dilation", steps.Dilation, 1, "dilation should be greater than zero"},
	} {
		if len(p.values) != len(w)-2 {
			return refuse(
				"expected %s to be a single integer value or a list of %d values to match the convolution dimensions, but got %s=%s",
				p.name, len(w)-2, p.name, graph.MakeShape(p.values...))
		}
		switch least := slices.Min(p.values); {
		case least == 0 && p.name == "dilation":
			return refuse("%s, but got %s", p.text,
				append(slices.Repeat(graph.Shape{1}, max(0, 2-len(p.values))), graph.MakeShape(p.values...)...))
		case least < p.least:
			return refuse("%s", p.text)
		}
		if text := outOfRange(p.values); text != "" {
			return refuse("%s", text)
		}
	}
	outputs, whole := w[0].Int()
	switch {
	case len(w) != len(x):
		return refuse(
			"Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional input of size %s instead",
			len(w), len(w), w, len(x), x)
	case whole && outputs < int64(groups):
		return refuse("%s", fewOutputs(w, groups))
	case whole && outputs%int64(groups) != 0:
		return refuse(
			"Given groups=%d, expected weight to be divisible by %d at dimension 0, but got weight of size [%s] instead",
			groups, groups, w)
	}
	return convKernel(c, w[2:], len(c.Shape(0))-len(w)+2)
}

// convKernel requires that a kernel has an element along each axis over which it slides, the first of
// them the given axis of the result, or says that it has none.
func convKernel(c *graph.Call, kernel graph.Shape, first int) *graph.Mistake {
	p := prove.NewProver(c.Bounds)
	for i, d := range kernel {
		switch {
		case d.IsUnknown():
		case p.AtLeast(d, 1) == prove.Refused:
			return convMistake(c, "kernel size should be greater than zero, but got %s", kernelText(kernel))
		case p.AtLeast(d, 1) == prove.Deferred:
			c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: first + i,
				Why: "kernel size should be greater than zero"})
		}
	}
	return nil
}

// kernelText is the size of a kernel as PyTorch tells it, which takes one axis for the last
// of two.
func kernelText(kernel graph.Shape) string {
	switch len(kernel) {
	case 1:
		kernel = graph.Shape{1, kernel[0]}
	case 3:
		return joined(kernel, " x ") + " (TxHxW)"
	}
	return fmt.Sprintf("kernel_height: %s kernel_width: %s", kernel[0], kernel[1])
}

func fewOutputs(w graph.Shape, groups int) string {
	return fmt.Sprintf(
		"Given groups=%d, expected weight to be at least %d at dimension 0, but got weight of size %s instead", groups,
		groups, w)
}

// haveChannels requires that a weight has channels for each group on its first axis, and reports whether it may.
func haveChannels(c *graph.Call, w graph.Shape, groups int, why string) bool {
	switch prove.NewProver(c.Bounds).AtLeast(w[0], int64(groups)) {
	case prove.Refused:
		c.Fail(operandMistake(c, graph.CodeWindow, "%s", fewOutputs(w, groups)))
		return false
	case prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: w[0], B: graph.Dim(groups), Axis: 1, Why: why})
	}
	return true
}

// convSizes judges channels, bias and windows, and fills the sizes in.
func convSizes(c *graph.Call, x, w, out graph.Shape, steps Steps, groups int) {
	r := CallRules(c)
	if !haveChannels(c, w, groups, "each group of a convolution must have output channels") {
		return
	}
	if groups > 1 && !w[0].IsConst() {
		c.Require(graph.Requirement{Kind: graph.MustBeMultipleOf, A: w[0], B: graph.Dim(groups), Axis: 1,
			Why: "the groups of a convolution must have the same number of channels"})
	}
	wanted := w[1].Times(graph.Dim(groups))
	r.requireSame(c, wanted, x[1], 1, "the channels of a convolution", func() *graph.Mistake {
		m := convMistake(c,
			"Given groups=%d, weight of size %s, expected input%s to have %s channels, but got %s channels instead",
			groups, w, x, wanted, x[1])
		m.Operands[0].Bad, m.Operands[1].Bad = []int{len(c.Shape(0)) - len(x) + 1}, []int{1}
		return m
	})
	if c.NumIn() > 2 {
		convBias(c, r, w, "", w[0])
	}
	padded, kernel := graph.Shape{}, graph.Shape{}
	for i, d := range x[2:] {
		padded = append(padded, d.Plus(graph.Dim(2*steps.Padding[i])))
		kernel = append(kernel, WindowExtent(w[i+2], steps.Dilation[i]))
	}
	for i := range padded {
		axis := len(c.Shape(0)) - len(padded) + i
		if requireWindow(c, axis, padded[i], kernel[i]) == prove.Refused {
			m := convMistake(c,
				"Calculated padded input size per channel: (%s). Kernel size: (%s). Kernel size can't be greater than actual input size",
				joined(padded, " x "), joined(kernel, " x "))
			m.Operands[0].Bad, m.Operands[1].Bad = []int{axis}, []int{i + 2}
			c.Fail(m)
			return
		}
		out[i+2] = WindowCount(padded[i], w[i+2], steps.Stride[i], steps.Dilation[i])
	}
}

// convBias judges the bias, which has one element for each output channel.
func convBias(c *graph.Call, r Rules, w graph.Shape, kind string, outputs graph.Dim) {
	b := c.Shape(2)
	refuse := func() *graph.Mistake {
		m := convMistake(c,
			"Given %sweight of size %s, expected bias to be 1-dimensional with %s elements, but got bias of size %s instead",
			kind, w, outputs, b)
		m.Operands[1].Bad = []int{0}
		for axis := range b {
			m.Operands[2].Bad = append(m.Operands[2].Bad, axis)
		}
		return m
	}
	if len(b) != 1 {
		c.Fail(refuse())
		return
	}
	r.requireSame(c, outputs, b[0], 1, "one bias for each output channel", refuse)
}

// convMistake is a mistake about the operands of a convolution, whose axes do not line up.
func convMistake(c *graph.Call, format string, args ...any) *graph.Mistake {
	m := operandMistake(c, graph.CodeWindow, format, args...)
	m.Apart = true
	return m
}

func joined(s graph.Shape, separator string) string {
	words := make([]string, len(s))
	for i, d := range s {
		words[i] = d.String()
	}
	return strings.Join(words, separator)
}
