package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// WindowExtent returns how many neighbouring elements a window of the given size spans.
func WindowExtent(size graph.Dim, dilation int) graph.Dim {
	return size.Minus(1).Times(graph.Dim(dilation)).Plus(1)
}

// WindowCount returns the number of windows that fit on an axis.
func WindowCount(length, size graph.Dim, stride, dilation int) graph.Dim {
	return length.Minus(WindowExtent(size, dilation)).FloorDiv(int64(stride)).Plus(1)
}

// Window is the shape rule of sliding windows along one axis: the windows replace the axis, and a new last axis holds
// the elements of each.
func Window(c *graph.Call, axis int, size graph.Dim, stride, dilation int) graph.Shape {
	x := slices.Clone(c.Shape(0))
	if len(x) == 0 {
		c.Fail(windowMistake(c, -1, "window: a scalar has no axis along which a window could slide"))
		return unknown(2)
	}
	at := Axis(c, axis, len(x))
	if at < 0 {
		return unknown(len(x) + 1)
	}
	out := append(x, size)
	if m := badWindow(c, at, size, stride, dilation); m != nil {
		c.Fail(m)
		out[at] = graph.UnknownDim
		return out
	}
	length := x[at]
	if size.IsSymbolic() {
		requireAtLeast(c, prove.NewProver(c.Bounds), size, 1, at, "a window must have at least one element")
	}
	if requireWindow(c, at, length, WindowExtent(size, dilation)) == prove.Refused {
		c.Fail(windowMistake(c, at,
			"maximum size for tensor at dimension %d is %s but size is %s", at, length, WindowExtent(size, dilation)))
		out[at] = graph.UnknownDim
		return out
	}
	out[at] = WindowCount(length, size, stride, dilation)
	return out
}

// Fold is the shape rule of the adjoint of [Window]: windows along one axis, whose elements are the last axis, are
// put back on an axis of the given length.
func Fold(c *graph.Call, axis int, length graph.Dim, stride, dilation int) graph.Shape {
	x := slices.Clone(c.Shape(0))
	if len(x) < 2 {
		c.Fail(windowMistake(c, -1, "fold needs an axis of windows and one of their elements"))
		return unknown(1)
	}
	last := len(x) - 1
	at := Axis(c, axis, last)
	if at < 0 {
		return unknown(last)
	}
	size, out := x[last], slices.Clone(x[:last])
	out[at] = length
	if m := badWindow(c, at, size, stride, dilation); m != nil {
		c.Fail(m)
		return out
	}
	count := WindowCount(length, size, stride, dilation)
	CallRules(c).requireSame(c, x[at], count, at, "the number of windows", func() *graph.Mistake {
		return windowMistake(c, at,
			"fold: an axis of %s elements has %s windows of %s elements, but got %s", length, count, size, x[at])
	})
	return out
}

// maxStep bounds the numbers that say how windows move, as in PyTorch: what is computed from
// them then fits an int64.
const maxStep = math.MaxInt32

// outOfRange is PyTorch's sentence where one of the numbers is beyond maxStep, or "".
func outOfRange(lists ...[]int) string {
	for _, list := range lists {
		for _, n := range list {
			if n > maxStep || n < -maxStep {
				return fmt.Sprintf("integer out of range: %d", n)
			}
		}
	}
	return ""
}

// badWindow says what is wrong with a window whatever the axis's length, or nothing.
func badWindow(c *graph.Call, axis int, size graph.Dim, stride, dilation int) *graph.Mistake {
	n, whole := size.Int()
	switch {
	case outOfRange([]int{stride, dilation}) != "":
		return windowMistake(c, axis, "%s", outOfRange([]int{stride, dilation}))
	case whole && n < 1:
		return windowMistake(c, axis, "a window of %d elements: the size must be at least 1", n)
	case stride < 1:
		return windowMistake(c, axis, "step is %d but must be > 0", stride)
	case dilation < 1:
		return windowMistake(c, axis, "dilation is %d but must be > 0", dilation)
	}
	return nil
}

// requireWindow judges whether a window of the given extent fits on an axis, and leaves
// to binding what cannot be known.
func requireWindow(c *graph.Call, axis int, length, extent graph.Dim) prove.Verdict {
	if length.IsUnknown() || extent.IsUnknown() {
		return prove.Proved
	}
	v := prove.NewProver(c.Bounds).AtLeast(length.Minus(extent), 0)
	if v == prove.Deferred {
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: length, B: extent, Axis: axis,
			Why: "a window must be inside its operand"})
	}
	return v
}

// windowMistake is a mistake about one axis of operand 0; -1 is no axis.
func windowMistake(c *graph.Call, axis int, format string, args ...any) *graph.Mistake {
	m := operandMistake(c, graph.CodeWindow, format, args...)
	if axis >= 0 {
		m.Operands[0].Bad = []int{axis}
	}
	return m
}
