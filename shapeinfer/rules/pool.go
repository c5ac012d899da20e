package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// PoolSize returns the number of windows on an axis of the given length. With ceil, a last window may reach past the
// padding at the end of the axis if it starts before it: the number is the smaller one of ceil((length + 2 padding -
// extent)/stride) + 1 and ceil((length + padding)/stride), and which one that is does not depend on the length.
func PoolSize(length graph.Dim, kernel, stride, padding, dilation int, ceil bool) graph.Dim {
	extent := dilation*(kernel-1) + 1
	if !ceil {
		return length.Plus(graph.Dim(2*padding - extent)).FloorDiv(int64(stride)).Plus(1)
	}
	return length.Plus(graph.Dim(min(2*padding-extent+stride, padding))).CeilDiv(int64(stride))
}

// Pooling is one of PyTorch's pooling operations; each has its own error texts.
type Pooling struct {
	Word  string // PyTorch's name of it
	Axes  int    // over which windows slide: the last 1, 2 or 3
	IsMax bool   // else means are taken
}

// isFlatMax reports whether it is the one that has a function of its own in PyTorch: others pool one axis as the last
// of two.
func (p Pooling) isFlatMax() bool { return p.IsMax && p.Axes == 1 }

// Pool is the shape rule of PyTorch's pooling over the spatial axes of the operand, [N, C, …] or [C, …].
func Pool(c *graph.Call, of Pooling, kernel []int, steps Steps, ceil bool) graph.Shape {
	x := c.Shape(0)
	axes := len(kernel)
	var m *graph.Mistake
	if text := of.rankTextFirst(x); text != "" {
		m = operandMistake(c, graph.CodeRank, "%s", text) // PyTorch says so before all else
	} else {
		m = poolArguments(c, of, kernel, steps)
	}
	if m == nil && len(x) != axes+1 && len(x) != axes+2 {
		m = operandMistake(c, graph.CodeRank, "%s", of.rankText(x))
	}
	if m != nil {
		c.Fail(m)
		return unknown(max(len(x), axes+1))
	}
	first := len(x) - axes
	out := slices.Clone(x)
	for i := range kernel {
		out[first+i] = PoolSize(x[first+i], kernel[i], steps.Stride[i], steps.Padding[i], steps.Dilation[i], ceil)
	}
	p := prove.NewProver(c.Bounds)
	for i, d := range x[first-1:] {
		v := prove.Proved
		if !d.IsUnknown() {
			v = p.AtLeast(d, 1)
		}
		switch {
		case v == prove.Refused:
			c.Fail(windowMistake(c, first-1+i, "%s", of.rankText(x)))
			return unknownFrom(out, first)
		case v == prove.Deferred && (i == 0 || steps.Padding[i-1] > 0): // else that a window fits is enough
			c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: first - 1 + i,
				Why: "pooling needs axes with elements"})
		}
	}
	for i, d := range out[first:] {
		switch {
		case d.IsUnknown():
		case p.AtLeast(d, 1) == prove.Refused:
			text := fmt.Sprintf("Given input size: (%s). Calculated output size: (%s). Output size is too small",
				poolSizeText(x[first-1:]), poolSizeText(out[first-1:]))
			if of.isFlatMax() {
				text = fmt.Sprintf("max_pool1d() Invalid computed output size: %s", d)
			}
			c.Fail(windowMistake(c, first+i, "%s", text))
			return unknownFrom(out, first)
		case p.AtLeast(d, 1) == prove.Deferred:
			c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 1, Axis: first + i,
				Why: "a window must be inside its operand"})
		}
	}
	return out
}

// rankTextFirst is the sentence for an operand of a rank that is refused before the arguments
// are looked at, or "".
func (p Pooling) rankTextFirst(x graph.Shape) string {
	switch rank := len(x); {
	case p.isFlatMax() && (rank < 2 || rank > 3 || slices.Contains(x[rank-2:], 0)):
		return p.rankText(x)
	case p.isFlatMax():
		return ""
	case p.Axes == 1 && (rank < 2 || rank > 3):
		return fmt.Sprintf(
			"Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' (while checking arguments for avg_pool1d)",
			rank)
	case p.Axes == 1:
		return ""
	case p.Axes == 2 && p.IsMax && (rank < 3 || rank > 4):
		return "non-empty 3D or 4D (batch mode) tensor expected for input"
	case p.Axes == 3 && (rank < 4 || rank > 5):
		return "non-empty 4D or 5D (batch mode) tensor expected for input"
	case p.Axes == 3:
		return ""
	case rank == 0:
		return "Dimension specified as -3 but tensor has no dimensions"
	case rank < 3:
		return fmt.Sprintf("Dimension out of range (expected to be in range of [%d, %d], but got -3)", -rank, rank-1)
	}
	return ""
}

// rankText is the sentence for an operand of another rank, or with an empty axis.
func (p Pooling) rankText(x graph.Shape) string {
	switch {
	case p.isFlatMax():
		return fmt.Sprintf(
			"max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:%s", x)
	case p.Axes == 1:
		x = slices.Insert(slices.Clone(x), max(len(x)-1, 0), 1) // pooled as images of one row
	}
	ranks := "3D or 4D"
	if p.Axes == 3 {
		ranks = "4D or 5D"
	}
	return fmt.Sprintf("Expected %s (batch mode) tensor with optional 0 dim batch size for input, but got:%s", ranks, x)
}

// poolSizeText is channels and sizes as "1x4x4"; for one axis a 1 is in front, since PyTorch pools it as the last of
// two.
func poolSizeText(s graph.Shape) string {
	if len(s) == 2 {
		s = graph.Shape{s[0], 1, s[1]}
	}
	return joined(s, "x")
}

func unknownFrom(s graph.Shape, first int) graph.Shape {
	for i := first; i < len(s); i++ {
		s[i] = graph.UnknownDim
	}
	return s
}

// poolArguments says what is wrong with the fixed arguments, or nothing.
func poolArguments(c *graph.Call, of Pooling, kernel []int, steps Steps) *graph.Mistake {
	axes := len(kernel)
	refuse := func(format string, args ...any) *graph.Mistake {
		return windowMistake(c, -1, format, args...)
	}
	for _, p := range []struct {
		name   string // and what it must be
		values []int
	}{{"stride must either be omitted,", steps.Stride}, {"padding must either be", steps.Padding},
		{"dilation must be either", steps.Dilation}} {
		if len(p.values) != axes {
			return refuse("%s: %s a single int, or a tuple of %s", of.Word, p.name,
				[...]string{"", "one int", "two ints", "three ints"}[axes])
		}
	}
	if text := outOfRange(kernel, steps.Stride, steps.Padding, steps.Dilation); text != "" {
		return refuse("%s", text)
	}
	if of.isFlatMax() {
		if text := maxPool1DText(kernel[0], steps.Stride[0], steps.Padding[0], steps.Dilation[0]); text != "" {
			return refuse("max_pool1d() %s", text)
		}
		return nil
	}
	for i, k := range kernel {
		pad, dilation := steps.Padding[i], steps.Dilation[i]
		switch extent := dilation*(k-1) + 1; {
		case steps.Stride[i] == 0:
			return refuse("stride should not be zero")
		case pad < 0:
			return refuse("pad must be non-negative, but got pad: %d", pad)
		case pad > extent/2 && k > 0:
			return refuse(
				"pad should be at most half of effective kernel size, but got pad=%d, kernel_size=%d and dilation=%d",
				pad, k, dilation)
		}
	}
	switch {
	case slices.Min(kernel) < 1:
		return refuse("kernel size should be greater than zero, but got %s", perAxisText("k", kernel))
	case slices.Min(steps.Stride) < 1 && axes == 1:
		return refuse("stride should be greater than zero, but got %s", perAxisText("d", []int{1, steps.Stride[0]}))
	case slices.Min(steps.Stride) < 1:
		return refuse("stride should be greater than zero, but got %s", perAxisText("d", steps.Stride))
	case slices.Min(steps.Dilation) < 1:
		return refuse("dilation should be greater than zero, but got %s", perAxisText("dilation", steps.Dilation))
	}
	for i, pad := range steps.Padding {
		if pad > kernel[i]/2 {
			return refuse("pad should be smaller than or equal to half of kernel size, but got %s, %s",
				perAxisList("pad", steps.Padding), perAxisList("k", kernel))
		}
	}
	return nil
}

// maxPool1DText says what is wrong with the arguments of the greatest elements along one axis,
// or nothing.
func maxPool1DText(kernel, stride, padding, dilation int) string {
	switch {
	case kernel < 1:
		return fmt.Sprintf("kernel_size must be greater than zero, but got %d", kernel)
	case stride < 1:
		return fmt.Sprintf("stride must be greater than zero, but got %d", stride)
	case padding < 0:
		return fmt.Sprintf("padding must be non-negative, but got %d", padding)
	case padding > kernel/2:
		return fmt.Sprintf("padding should be at most half of kernel size, but got padding=%d and kernel_size=%d",
			padding, kernel)
	case dilation < 1:
		return fmt.Sprintf("dilation must be greater than zero, but got %d", dilation)
	}
	return ""
}

// perAxisText writes numbers as "kH: 2 kW: 3".
func perAxisText(name string, v []int) string {
	var words []string
	for i, n := range v {
		words = append(words, fmt.Sprintf("%s%s: %d", name, axisLetter(v, i), n))
	}
	return strings.Join(words, " ")
}

// perAxisList writes numbers as "padW = 0, padH = 1".
func perAxisList(name string, v []int) string {
	var words []string
	for i, n := range slices.Backward(v) {
		words = append(words, fmt.Sprintf("%s%s = %d", name, axisLetter(v, i), n))
	}
	return strings.Join(words, ", ")
}

// axisLetter is PyTorch's letter for one of the last axes: of time, height and width.
func axisLetter(v []int, i int) string { return string("THW"[3-len(v)+i]) }
