package importer

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"ReduceSum": reduce(0, ops.Sum), "ReduceMean": reduce(0, mean), "ReduceProd": reduce(1, ops.Prod),
		"ReduceMax": reduce(math.Inf(-1), ops.Max), "ReduceMin": reduce(math.Inf(1), ops.Min),
		"ReduceL1": reduce(0, func(x node, axes ...ops.Axis) node { return ops.Sum(ops.Abs(x), axes...) }),
		"ReduceL2": reduce(0, func(x node, axes ...ops.Axis) node {
			return ops.Sqrt(ops.Sum(ops.Square(x), axes...))
		}),
		"ReduceLogSum": reduce(math.Inf(-1), func(x node, axes ...ops.Axis) node {
			return ops.Log(ops.Sum(x, axes...))
		}),
		"ReduceLogSumExp": reduce(math.Inf(-1), func(x node, axes ...ops.Axis) node {
			return ops.LogSumExp(x, axes...)
		}),
		"ReduceSumSquare": reduce(0, func(x node, axes ...ops.Axis) node { return ops.Sum(ops.Square(x), axes...) }),
		"ArgMax":          extreme(ops.ArgMax), "ArgMin": extreme(ops.ArgMin),
		"CumSum": running(ops.CumSum, 0), "CumProd": running(ops.CumProd, 1),
		"Softmax": over(ops.Softmax), "LogSoftmax": over(ops.LogSoftmax), "Hardmax": over(ops.Hardmax),
		"TopK": func(c *call) []node {
			values, indices := ops.TopK(c.in(0), c.topSize(), c.axis(-1), c.int("largest", 1) == 1)
			return []node{values, indices}
		},
	})
}

// reduce is an operator over axes, or over all if none are given, whose result has the operand's dtype. Over no
// elements it is a number.
func reduce(empty float64, f func(x node, axes ...ops.Axis) node) rule {
	return with(func(c *call, x node) node {
		over := axes(c.listOr(1, "axes"))
		if len(over) == 0 && c.int("noop_with_empty_axes", 0) == 1 {
			over = []ops.Axis{ops.NoAxes()}
		}
		if c.int("keepdims", 1) == 1 {
			over = append(over, ops.KeepDims())
		}
		if n, _ := x.Shape().NumElements().Int(); n == 0 {
			shape := ops.Sum(x, over...).Shape()
			if x.DType() == graph.Bool {
				return ops.Cast(ops.Full(c.g, graph.Float32, (1+math.Copysign(1, empty))/2, shape...), graph.Bool)
			}
			return ops.Full(c.g, x.DType(), extremeOf(x.DType(), empty), shape...)
		}
		return ops.Cast(f(x, over...), x.DType())
	})
}

// extremeOf is an infinity as a dtype has it: integers have a least and a greatest number in its place.
func extremeOf(t graph.DType, v float64) float64 {
	low, high := t.Range()
	switch {
	case t.IsFloat() || !math.IsInf(v, 0):
		return v
	case v < 0:
		return low
	}
	return high
}

// mean rounds that of integers towards 0.
func mean(x node, axes ...ops.Axis) node {
	if x.DType().IsInt() {
		return div(ops.Sum(x, axes...), ops.Sum(ops.OnesLike(x), axes...))
	}
	return ops.Mean(x, axes...)
}

// extreme is the place of an extreme, the last one where the attribute says so.
func extreme(f func(x node, axes ...ops.Axis) node) rule {
	return with(func(c *call, x node) node {
		axis := c.axis(0)
		over := []ops.Axis{ops.Axis(axis)}
		if c.int("keepdims", 1) == 1 {
			over = append(over, ops.KeepDims())
		}
		if c.int("select_last_index", 0) == 0 {
			return f(x, over...)
		}
		return ops.Sub(c.length(x.Shape()[axis].Minus(1)), f(ops.Flip(x, axis), over...))
	})
}

// running is a sum or a product up to each place, or up to the one before.
func running(f func(x node, axis int) node, first float64) rule {
	return with(func(c *call, x node) node {
		axis := c.fromEnd(c.list(1)[0])
		reverse := c.int("reverse", 0) == 1
		if reverse {
			x = ops.Flip(x, axis)
		}
		y := f(x, axis)
		if c.int("exclusive", 0) == 1 {
			y = ops.Narrow(ops.Pad(y, axis, 1, 0, first), axis, 0, x.Shape()[axis])
		}
		if reverse {
			y = ops.Flip(y, axis)
		}
		return ops.Cast(y, x.DType())
	})
}

// over is an operator along an axis; before version 13 along that and all behind it.
func over(f func(x node, axis int) node) rule {
	return with(func(c *call, x node) node {
		if c.version >= 13 {
			return f(x, c.axis(-1))
		}
		return ops.Reshape(f(ops.Flatten(x, c.axis(1), -1), -1), x.Shape()...)
	})
}

// topSize is the k of TopK, which was an attribute before version 10.
func (c *call) topSize() graph.Dim {
	if !c.has(1) {
		return graph.Dim(c.int("k", 0))
	}
	return c.dims(1)[0]
}
