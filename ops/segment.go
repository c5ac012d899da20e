package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSegmentSum, opSegmentProd, opSegmentMax, opSegmentMin *graph.Op

// SegmentAttrs are the fixed arguments of SegmentSum and similar functions: the axis of the result along which
// elements are combined, negative from the end, and its size.
type SegmentAttrs struct {
	Axis int
	Size graph.Dim
}

// segments is the entry of elements that are united by index.
func segments(name, fn, doc string, fold graph.Fold, grad func(n, dy node) node) *graph.Op {
	op := define(graph.Op{
		Name: name, Func: fn, Doc: doc + writeOutside + ".", Class: graph.Gather, Fold: fold,
		MinIn: 2, MaxIn: 2,
		Axes: func(n node) []int {
			return countedFromZero([]int{n.Attrs().(SegmentAttrs).Axis}, n.Rank())
		},
		Infer: refuseBool(`"`+name+`" not implemented for 'Bool'`, func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(SegmentAttrs)
			return c.DType(0), rules.Segments(c, name, a.Axis, a.Size)
		}),
		Grad: each(grad, noOperandGradient), Batch: batchSegments,
	})
	op.Ref = named("", "", "jax.ops."+name, "", "",
		func(e *graph.Example) node {
			return Apply(op, SegmentAttrs{0, e.Shape("m")[0]}, e.Of("x", "n", "k"), e.As(graph.Int64, "index", "n"))
		})
	return op
}

func init() {
	opSegmentSum = segments("segment_sum", "SegmentSum",
		"zeros, and to each place along one axis the sum of the elements whose index it is",
		graph.FoldSum, takeBack)
	opSegmentProd = segments("segment_prod", "SegmentProd",
		"ones, and at each place along one axis the product of the elements whose index it is",
		graph.FoldProd, segmentProdGrad)
	opSegmentMax = segments("segment_max", "SegmentMax",
		"at each place along one axis the greatest of the elements whose index it is; NaN wins; equal ones share the gradient",
		graph.FoldMax, segmentShareGrad)
	opSegmentMin = segments("segment_min", "SegmentMin",
		"at each place along one axis the least of the elements whose index it is; NaN wins; equal ones share the gradient",
		graph.FoldMin, segmentShareGrad)
	composed("SegmentMean",
		"at each place along one axis the mean of the elements whose index it is, and 0 where there is none.",
		named("", "", "", "", "", func(e *graph.Example) node {
			return SegmentMean(e.Of("x", "n", "k"), 0, e.As(graph.Int64, "index", "n"), e.Shape("m")[0])
		}))
	composed("SegmentSoftmax", "exp(x), divided by the sum of exp(x) over the elements with the same index.",
		named("", "", "", "", "", func(e *graph.Example) node {
			return SegmentSoftmax(e.Of("x", "n", "k"), 0, e.As(graph.Int64, "index", "n"), e.Shape("m")[0])
		}))
}

// takeBack brings what each place has to the elements that are united there.
func takeBack(n, place node) node { return Take(place, n.Attrs().(SegmentAttrs).Axis, n.In(1)) }

// segmentSum adds up by the indices of n.
func segmentSum(n, x node) node { return Apply(opSegmentSum, n.Attrs(), x, n.In(1)) }

// segmentShareGrad divides the gradient among the elements equal to the winner, or among NaNs.
func segmentShareGrad(n, dy node) node {
	x := n.In(0)
	won := Or(Equal(x, takeBack(n, n)), NotEqual(x, x))
	// a place that no index names has none, and a derivative by dy
	winners := ClampMin(segmentSum(n, Cast(won, x.DType())), 1)
	return Where(won, takeBack(n, Div(dy, winners)), num(0))
}

// segmentProdGrad returns dy times the product of all other elements with the same index. The product of all that are
// not 0 is divided, so that one 0 does no harm. Beside another 0 it is 0, or NaN where the product of all is, as in
// PyTorch.
func segmentProdGrad(n, dy node) node {
	x := n.In(0)
	isZero := Equal(x, num(0))
	divisor := Where(isZero, num(1), x)
	zeros := segmentSum(n, Cast(isZero, x.DType()))
	others := Div(takeBack(n, Mul(dy, Apply(opSegmentProd, n.Attrs(), divisor, n.In(1)))), divisor)
	beside := takeBack(n, Where(Equal(n, n), num(0), num(math.NaN())))
	return Where(Equal(takeBack(n, zeros), Cast(isZero, x.DType())), others, beside)
}

// unite is a call of SegmentSum or one of its relatives.
func unite(op *graph.Op, x node, axis int, index node, size graph.Dim, opts []WriteOption) node {
	outside := writingOf(opts)
	if outside == stopOutside || !canIndex(index, nil, []node{index}) {
		return Apply(op, SegmentAttrs{axis, size}, x, index)
	}
	defer building(op.Func, outside.behind(x, axis, index, size)...)()
	at, inside := outside.settled(index, size, false)
	if outside != dropOutside {
		return Apply(op, SegmentAttrs{axis, size}, x, at)
	}
	// One more is for all that are left out.
	y := Apply(op, SegmentAttrs{axis, size.Plus(1)}, x, elsewhere(at, inside, size))
	if !y.Judged() || y.Err() != nil {
		return y
	}
	return Slice(y, axis, 0, size, 1)
}

// SegmentSum sums the elements of x that have the same index. It is the adjoint of [Take]: the result has the given
// size along the axis, in place of the indices' axes, which x has from there on. An index out of range stops the run,
// unless an option says otherwise: jax.ops.segment_sum has DropOutside.
func SegmentSum(x *graph.Node, axis int, index *graph.Node, size graph.Dim, opts ...WriteOption) *graph.Node {
	return unite(opSegmentSum, x, axis, index, size, opts)
}

// SegmentProd is [SegmentSum] with products. Positions without elements are 1. If an element is 0, the derivatives of
// its gradient with respect to other elements count as 0.
func SegmentProd(x *graph.Node, axis int, index *graph.Node, size graph.Dim, opts ...WriteOption) *graph.Node {
	return unite(opSegmentProd, x, axis, index, size, opts)
}

// SegmentMax is [SegmentSum] with the greatest elements. Positions without elements are -Inf, or the least integer.
// Equal elements share the gradient, as in PyTorch's amax.
func SegmentMax(x *graph.Node, axis int, index *graph.Node, size graph.Dim, opts ...WriteOption) *graph.Node {
	return unite(opSegmentMax, x, axis, index, size, opts)
}

// SegmentMin is [SegmentSum] with the least elements. Positions without elements are +Inf, or the greatest integer.
// Equal elements share the gradient, as in PyTorch's amin.
func SegmentMin(x *graph.Node, axis int, index *graph.Node, size graph.Dim, opts ...WriteOption) *graph.Node {
	return unite(opSegmentMin, x, axis, index, size, opts)
}

// SegmentMean is [SegmentSum] with means. Positions without elements are 0. Means of integers are rounded down.
func SegmentMean(x *graph.Node, axis int, index *graph.Node, size graph.Dim, opts ...WriteOption) *graph.Node {
	defer building("SegmentMean", writingOf(opts).behind(x, axis, index, size)...)()
	sum := SegmentSum(x, axis, index, size, opts...)
	if !sum.Judged() || sum.Err() != nil {
		return sum
	}
	return quotient(sum, Maximum(SegmentSum(onesLike(x), axis, index, size, opts...), graph.Num(1)))
}

// SegmentSoftmax returns exp(x) divided by the sum of exp(x) over the elements with the same index, without overflow.
// In a graph network this is the attention over the edges that lead to a node.
func SegmentSoftmax(x *graph.Node, axis int, index *graph.Node, size graph.Dim) *graph.Node {
	defer building("SegmentSoftmax", x, axis, index, size)()
	most := SegmentMax(x, axis, index, size)
	if !most.Judged() || most.Err() != nil {
		return most
	}
	most = StopGradient(most)
	axis = countedFromZero([]int{axis}, most.Rank())[0]
	powers := Exp(Sub(x, Take(most, axis, index)))
	return Div(powers, Take(SegmentSum(powers, axis, index, size), axis, index))
}

// onesLike is 1 for each element of x.
func onesLike(x node) node { return FullLike(x, 1) }

// quotient is a mean of a sum: of integers it is rounded down.
func quotient(sum, count node) node {
	if sum.DType().IsInt() {
		return FloorDiv(sum, count)
	}
	return Div(sum, count)
}
