package ops

import "github.com/broadloom/broadloom/graph"

// SoftmaxOver is [Softmax] over several axes together, or over all: exp(x - max) / sum(exp(x - max)).
func SoftmaxOver(x *graph.Node, axes ...Axis) *graph.Node {
	defer building("SoftmaxOver", append([]any{x}, axisArgs(axes)...)...)()
	if bad := notScores("SoftmaxOver", x, axes); bad != nil {
		return bad
	}
	e := expOrZero(Sub(x, greatestOver(x, axes)))
	return Div(e, Sum(e, kept(axes)...))
}

// LogSoftmaxOver is [LogSoftmax] over several axes together, or over all.
func LogSoftmaxOver(x *graph.Node, axes ...Axis) *graph.Node {
	defer building("LogSoftmaxOver", append([]any{x}, axisArgs(axes)...)...)()
	if bad := notScores("LogSoftmaxOver", x, axes); bad != nil {
		return bad
	}
	shifted := Sub(x, greatestOver(x, axes))
	return Sub(shifted, Log(Sum(expOrZero(shifted), kept(axes)...)))
}

// MaskedSoftmax is [SoftmaxOver] of the elements where the mask is true, and 0 elsewhere. The mask is a Bool that
// broadcasts with x. Masked elements are not read, not even for gradients. If the whole mask is false, the result and
// the gradient are 0. It is jax.nn.softmax with where.
func MaskedSoftmax(x, mask *graph.Node, axes ...Axis) *graph.Node {
	defer building("MaskedSoftmax", append([]any{x, mask}, axisArgs(axes)...)...)()
	if bad := notScores("MaskedSoftmax", x, axes); bad != nil {
		return bad
	}
	if mask == nil || !mask.Judged() || mask.DType() != graph.Bool {
		return Where(mask, x, num(0)) // its own mistake, or that of a mask of another dtype
	}
	x = Where(mask, x, num(-inf))
	most := greatestOver(x, axes)
	most = Where(Equal(most, num(-inf)), num(0), most) // where the mask holds nowhere
	e := expOrZero(Sub(x, most))
	sum := Sum(e, kept(axes)...)
	return Div(e, Where(Equal(sum, num(0)), num(1), sum))
}

// Sparsemax returns max(x - tau, 0) along an axis, where tau is chosen so that the sum is 1. This is the probability
// distribution nearest to x. It is keras.ops.sparsemax. Source: A. Martins and R. Astudillo, From Softmax to
// Sparsemax, 2016.
func Sparsemax(x *graph.Node, axis int) *graph.Node {
	defer building("Sparsemax", x, axis)()
	if bad := notScores("Sparsemax", x, []Axis{Axis(axis)}); bad != nil {
		return bad
	}
	if x.Rank() == 0 {
		return Softmax(x, axis) // its own mistake
	}
	in, round := computedWide(x) // places beyond 256 need more than the 8 bits of BFloat16
	x = in[0]
	sorted, _ := Sort(x, axis, true)
	if !sorted.Judged() || sorted.Err() != nil {
		return sorted
	}
	place := Cast(Add(Iota(x.Graph(), axis, x.Shape()...), num64(1)), x.DType())
	sums := CumSum(sorted, axis)
	isIn := Greater(Add(Mul(place, sorted), num(1)), sums) // of the greatest elements
	count := Sum(Cast(isIn, x.DType()), Axis(axis), KeepDims())
	tau := Div(Sub(Sum(Where(isIn, sorted, num(0)), Axis(axis), KeepDims()), num(1)), count)
	return round(aboveZero(Sub(x, tau)))
}

// notScores refuses what no floating-point numbers are, or has no such axes; nil where it is fit.
func notScores(fn string, x node, axes []Axis) node {
	call := refused(fn, x)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if !x.DType().IsFloat() {
		return call.wrongDType(oneFloat(x), `"softmax_lastdim_kernel_impl" not implemented for '%s'`,
			x.DType().TorchName())
	}
	for _, a := range axes {
		switch {
		case a == keepDims || a == noAxes:
			return call.wrong(graph.CodeAxis,
				"a softmax needs axis numbers, at least one, and no options: it keeps all axes")
		case a != allAxes && x.Rank() > 0 && !hasAxis(x, int(a)):
			return Sum(x, a) // its own mistake
		}
	}
	return nil
}

func kept(axes []Axis) []Axis { return append(append([]Axis{}, axes...), KeepDims()) }

// greatestOver is the shift of a softmax over axes.
func greatestOver(x node, axes []Axis) node {
	return Apply(opMaxOrLowest, reduceList(kept(axes)), x)
}

// axisArgs writes axes as arguments.
func axisArgs(axes []Axis) []any {
	words := make([]any, len(axes))
	for i, a := range axes {
		if words[i] = int(a); a == allAxes {
			words[i] = "AllAxes()"
		}
	}
	return words
}

func init() {
	composed("SoftmaxOver", "exp(x - max) / sum(exp(x - max)) over several axes.",
		named("scipy.special.softmax", "", "jax.nn.softmax", "", "", func(e *graph.Example) node {
			return SoftmaxOver(e.Of("x", "n", "k", "m"), 1, 2)
		}))
	composed("LogSoftmaxOver", "the logarithm of a softmax over several axes.",
		named("scipy.special.log_softmax", "", "jax.nn.log_softmax", "", "", func(e *graph.Example) node {
			return LogSoftmaxOver(e.Of("x", "n", "k", "m"), 1, 2)
		}))
	composed("MaskedSoftmax", "softmax of the elements where a mask holds, 0 elsewhere.",
		named("", "", "jax.nn.softmax", "", "", func(e *graph.Example) node {
			return MaskedSoftmax(e.Of("x", "n", "k"), e.As(graph.Bool, "mask", "n", "k"), 1)
		}))
	composed("Sparsemax", "max(x - tau, 0) along an axis, with the tau for which the sum is 1.",
		named("", "keras.ops.sparsemax", "", "", "", func(e *graph.Example) node {
			return Sparsemax(e.Of("x", "n", "k"), 1)
		}))
}
