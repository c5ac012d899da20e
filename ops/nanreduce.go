package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// The reductions here leave NaN out. An element that is NaN has the gradient 0.

// besideNaN builds a reduction that leaves NaN out. build is given x and where it is NaN, which is nil for a dtype
// without NaN.
func besideNaN(fn string, x node, attrs interface{ Args([]string) []string }, build func(x, isNaN node) node) node {
	defer graph.BeginCall(fn, attrs, x)()
	if bad := notTensors(refused(fn, x)); bad != nil {
		return bad
	}
	if !x.DType().IsFloat() {
		return build(x, nil)
	}
	return build(x, IsNaN(x))
}

// filled has a number instead of NaN.
func filled(x, isNaN node, v float64) node {
	if isNaN == nil {
		return x
	}
	return Where(isNaN, num(v), x)
}

// countedBesideNaN is how many elements are numbers, in x's dtype.
func countedBesideNaN(x, isNaN node, axes []Axis) node {
	return Cast(Sum(Not(isNaN), axes...), x.DType())
}

// keeping are axes whose reduction keeps them with size 1.
func keeping(axes []Axis) []Axis { return append(axes[:len(axes):len(axes)], keepDims) }

// NanSum returns the sum of the elements that are not NaN over the given axes, or over all. It is 0 if there are
// none.
func NanSum(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanSum", x, reduceList(axes), func(x, isNaN node) node {
		return Sum(filled(x, isNaN, 0), axes...)
	})
}

// NanProd returns the product of the elements that are not NaN over the given axes, or over all. It is 1 if there are
// none.
func NanProd(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanProd", x, reduceList(axes), func(x, isNaN node) node {
		return Prod(filled(x, isNaN, 1), axes...)
	})
}

// NanMax returns the greatest element that is not NaN over the given axes, or over all. It is NaN if there are none.
func NanMax(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanMax", x, reduceList(axes), func(x, isNaN node) node {
		return unlessAllNaN(Max(filled(x, isNaN, -inf), axes...), isNaN, axes, math.NaN())
	})
}

// NanMin returns the least element that is not NaN over the given axes, or over all. It is NaN if there are none.
func NanMin(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanMin", x, reduceList(axes), func(x, isNaN node) node {
		return unlessAllNaN(Min(filled(x, isNaN, inf), axes...), isNaN, axes, math.NaN())
	})
}

// NanArgMax is [ArgMax] of the elements that are not NaN. It is -1 if there are none.
func NanArgMax(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanArgMax", x, reduceList(axes), func(x, isNaN node) node {
		return unlessAllNaN(ArgMax(filled(x, isNaN, -inf), axes...), isNaN, axes, -1)
	})
}

// NanArgMin is [ArgMin] of the elements that are not NaN. It is -1 if there are none.
func NanArgMin(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanArgMin", x, reduceList(axes), func(x, isNaN node) node {
		return unlessAllNaN(ArgMin(filled(x, isNaN, inf), axes...), isNaN, axes, -1)
	})
}

// unlessAllNaN is y, or a number where all that was reduced is NaN.
func unlessAllNaN(y, isNaN node, axes []Axis, v float64) node {
	if isNaN == nil || !y.Judged() {
		return y
	}
	if y.DType().IsInt() {
		return Where(All(isNaN, axes...), num64(int64(v)), y)
	}
	return Where(All(isNaN, axes...), num(v), y)
}

// NanMean returns the mean of the elements that are not NaN over the given axes, or over all. If there are none, it
// is NaN and its gradient 0; PyTorch's gradient is NaN.
func NanMean(x *graph.Node, axes ...Axis) *graph.Node {
	return besideNaN("NanMean", x, reduceList(axes), func(x, isNaN node) node {
		if isNaN == nil {
			return refusal(refused("NanMean", x), &graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
				Summary: "nanmean(): expected input to have floating point or complex dtype but got " +
					x.DType().TorchName()})
		}
		return Div(Sum(filled(x, isNaN, 0), axes...), countedBesideNaN(x, isNaN, axes))
	})
}

// NanVar is [Var] of the elements that are not NaN, over the given axes or over all.
func NanVar(x *graph.Node, correction float64, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	return besideNaN("NanVar", x, VarianceAttrs{a.Axes, a.KeepDims, correction}, func(x, isNaN node) node {
		if isNaN == nil {
			return Var(x, correction, axes...) // its refusal
		}
		n := countedBesideNaN(x, isNaN, keeping(axes))
		left := x
		for range 2 { // the mean is corrected once, as that of Var
			left = filled(Sub(left, Div(Sum(filled(left, isNaN, 0), keeping(axes)...), n)), isNaN, 0)
		}
		freedom := ClampMin(Sub(countedBesideNaN(x, isNaN, axes), num(correction)), 0)
		return Div(Sum(Square(left), axes...), freedom)
	})
}

// NanStd returns the square root of [NanVar]. Its gradient at 0 is 0.
func NanStd(x *graph.Node, correction float64, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	return besideNaN("NanStd", x, VarianceAttrs{a.Axes, a.KeepDims, correction}, func(x, _ node) node {
		return flatRoot(NanVar(x, correction, axes...))
	})
}

// flatRoot is the square root, with the gradient 0 at 0.
func flatRoot(x node) node {
	isZero := Equal(x, num(0))
	return Where(isZero, num(0), Sqrt(Where(isZero, num(1), x)))
}

// NanMedian returns the median of the elements that are not NaN along an axis, of two middle ones the lesser, and its
// index, as Int64. The axis is removed. If all elements are NaN, the result is the first one.
func NanMedian(x *graph.Node, axis int) (value, index *graph.Node) {
	defer graph.BeginCall("NanMedian", ScanAttrs{Axis: axis}, x)()
	call := refused("NanMedian", x).with(axis)
	if bad := notTensors(call); bad != nil {
		return bad, bad
	}
	if !x.DType().IsFloat() || x.Rank() == 0 {
		return Median(x, axis)
	}
	at, bad := call.axis(axis)
	if bad != nil {
		return bad, bad
	}
	_, order := Sort(x, at, false) // NaN is at its end
	numbers := Sum(Not(IsNaN(x)), Axis(at))
	index = pickAlong(order, at, ClampMin(FloorDiv(Sub(numbers, num64(1)), num64(2)), 0))
	return pickAlong(x, at, index), index
}

// NanCumSum is [CumSum] with NaN replaced by 0.
func NanCumSum(x *graph.Node, axis int) *graph.Node {
	return besideNaN("NanCumSum", x, ScanAttrs{Axis: axis}, func(x, isNaN node) node {
		return CumSum(filled(x, isNaN, 0), axis)
	})
}

// NanCumProd is [CumProd] with NaN replaced by 1.
func NanCumProd(x *graph.Node, axis int) *graph.Node {
	return besideNaN("NanCumProd", x, ScanAttrs{Axis: axis}, func(x, isNaN node) node {
		return CumProd(filled(x, isNaN, 1), axis)
	})
}

// CountNonzero returns the number of elements that are not 0 over the given axes, or over all, as Int64. NaN counts.
func CountNonzero(x *graph.Node, axes ...Axis) *graph.Node {
	defer graph.BeginCall("CountNonzero", reduceList(axes), x)()
	return Sum(NotEqual(x, num(0)), axes...)
}

func init() {
	for _, f := range []struct {
		name, doc, numpy, torch string
		call                    func(x *graph.Node, axes ...Axis) *graph.Node
	}{
		{"NanSum", "the sum over axes of the elements that are not NaN.", "nansum", "torch.nansum", NanSum},
		{"NanProd", "the product over axes of the elements that are not NaN.", "nanprod", "", NanProd},
		{"NanMean", "the mean over axes of the elements that are not NaN.", "nanmean", "torch.nanmean", NanMean},
		{"NanMax", "the greatest element over axes that is not NaN.", "nanmax", "", NanMax},
		{"NanMin", "the least element over axes that is not NaN.", "nanmin", "", NanMin},
		{"NanArgMax", "the index of the first greatest element that is not NaN.", "nanargmax", "", NanArgMax},
		{"NanArgMin", "the index of the first least element that is not NaN.", "nanargmin", "", NanArgMin},
		{"CountNonzero", "how many elements are not 0.", "count_nonzero", "torch.count_nonzero", CountNonzero},
	} {
		composed(f.name, f.doc,
			named("numpy."+f.numpy, f.torch, "jax.numpy."+f.numpy, "", "", func(e *graph.Example) node {
				return f.call(e.Of("x", "n", "8"), 1)
			}))
	}
	composed("NanCumSum", "the sum of the elements up to each place of an axis that are not NaN.",
		named("numpy.nancumsum", "", "jax.numpy.nancumsum", "", "", func(e *graph.Example) node {
			return NanCumSum(e.Of("x", "n", "k"), 1)
		}))
	composed("NanCumProd", "the product of the elements up to each place of an axis that are not NaN.",
		named("numpy.nancumprod", "", "jax.numpy.nancumprod", "", "", func(e *graph.Example) node {
			return NanCumProd(e.Of("x", "n", "k"), 1)
		}))
	composed("NanVar", "the variance over axes of the elements that are not NaN.",
		named("numpy.nanvar", "", "jax.numpy.nanvar", "", "", func(e *graph.Example) node {
			return NanVar(e.Of("x", "n", "k"), 1, 1)
		}))
	composed("NanStd", "the square root of the variance of the elements that are not NaN.",
		named("numpy.nanstd", "", "jax.numpy.nanstd", "", "", func(e *graph.Example) node {
			return NanStd(e.Of("x", "n", "k"), 1, 1)
		}))
	composed("NanMedian", "the lower of the two middle elements along an axis that are not NaN, and its place.",
		named("numpy.nanquantile", "torch.nanmedian", "jax.numpy.nanquantile", "", "", func(e *graph.Example) node {
			return e.Several(NanMedian(e.Of("x", "n", "8"), 1))
		}))
}
