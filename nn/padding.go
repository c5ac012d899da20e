package nn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// ZeroPad adds zeros around the last axes, like PyTorch's ZeroPad1d, 2d and 3d. widths are the numbers of elements
// before and after the last axis, then before and after the second-last one, and so on. Negative ones remove
// elements.
func ZeroPad(widths ...int) Layer { return padding("ZeroPad", widths, padWithNumber(0)) }

// ConstantPad is [ZeroPad] with another number, like PyTorch's ConstantPad1d, 2d and 3d.
func ConstantPad(value float64, widths ...int) Layer {
	return padding("ConstantPad", widths, padWithNumber(value), strconv.FormatFloat(value, 'g', -1, 64))
}

func padWithNumber(value float64) func(x *graph.Node, axis int, before, after graph.Dim) *graph.Node {
	return func(x *graph.Node, axis int, before, after graph.Dim) *graph.Node {
		return ops.Pad(x, axis, before, after, value)
	}
}

// ReflectionPad pads the last axes with their elements, mirrored at the first and the last one, like PyTorch's
// ReflectionPad1d, 2d and 3d. The widths are as in [ZeroPad]. They must not be negative, and must be less than the
// sizes.
func ReflectionPad(widths ...int) Layer {
	return padding("ReflectionPad", widths, padWith(ops.PadReflect))
}

// ReplicationPad is [ReflectionPad] with the first and the last element of an axis, like PyTorch's ReplicationPad1d,
// 2d and 3d. Widths may be greater than the sizes.
func ReplicationPad(widths ...int) Layer {
	return padding("ReplicationPad", widths, padWith(ops.PadReplicate))
}

// CircularPad is [ReflectionPad] with the elements of the other end of an axis, like PyTorch's CircularPad1d, 2d and
// 3d. Widths may be as large as the sizes.
func CircularPad(widths ...int) Layer {
	return padding("CircularPad", widths, padWith(ops.PadCircular))
}

func padWith(mode ops.PaddingMode) func(x *graph.Node, axis int, before, after graph.Dim) *graph.Node {
	return func(x *graph.Node, axis int, before, after graph.Dim) *graph.Node {
		return ops.PadWith(x, axis, before, after, mode)
	}
}

// padding pads the last axes, the very last first. before are arguments of fn before the widths.
func padding(fn string, widths []int, pad func(x *graph.Node, axis int, before, after graph.Dim) *graph.Node,
	before ...string) Layer {
	words := before
	for _, n := range widths {
		words = append(words, strconv.Itoa(n))
	}
	applied := fmt.Sprintf("%s(%s).Apply", fn, strings.Join(words, ", "))
	return Func(func(x *graph.Node) *graph.Node {
		defer graph.BeginCall(applied, call{}, x)()
		switch {
		case x == nil || !x.Judged():
			return pad(x, -1, 0, 0) // its own mistake
		case len(widths) == 0 || len(widths)%2 != 0 || len(widths) > 2*x.Rank():
			return unbuilt(
				fn,
				fmt.Sprintf(
					"there must be two widths for each of the last axes, before and after it, but got %v for %s of shape %s",
					widths, x.Called(), x.Shape()), x)
		}
		for i := 0; i < len(widths); i += 2 {
			x = pad(x, -1-i/2, graph.Dim(widths[i]), graph.Dim(widths[i+1]))
		}
		return x
	})
}
