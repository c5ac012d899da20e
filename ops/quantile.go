package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opQuantile, opNanQuantile *graph.Op

// QuantileMode says what Quantile returns if a quantile lies between two elements.
type QuantileMode uint8

// The modes of Quantile, named as in PyTorch.
const (
	QuantileLinear   QuantileMode = iota // linear interpolation
	QuantileLower                        // the lesser element
	QuantileHigher                       // the greater element
	QuantileNearest                      // the nearest index, and of two the even one
	QuantileMidpoint                     // the mean of both
)

var quantileModes = [...]string{"ops.QuantileLinear", "ops.QuantileLower", "ops.QuantileHigher", "ops.QuantileNearest",
	"ops.QuantileMidpoint"}

// String returns the name of the constant.
func (m QuantileMode) String() string {
	if int(m) < len(quantileModes) {
		return quantileModes[m]
	}
	return "ops.QuantileMode(?)"
}

// QuantileAttrs are the fixed arguments of Quantile and NanQuantile.
type QuantileAttrs struct {
	Axis int
	Mode QuantileMode
}

// Args writes the arguments as in a call.
func (a QuantileAttrs) Args(operands []string) []string { return after(operands, a.Axis, a.Mode) }

func init() {
	opQuantile = quantile("quantile", "Quantile",
		"the elements below which the given fractions of an axis lie; NaN if there is one.", false)
	opNanQuantile = quantile("nanquantile", "NanQuantile",
		"the elements below which the given fractions of an axis lie, ignoring NaN.", true)
	opQuantile.Ref = named("numpy.quantile, numpy.percentile", "torch.quantile",
		"jax.numpy.quantile, jax.numpy.percentile", "", "",
		func(e *graph.Example) node { return Quantile(e.Of("x", "n", "8"), e.Of("q", "k"), 1, QuantileLinear) })
	opNanQuantile.Ref = named("numpy.nanquantile, numpy.nanpercentile", "torch.nanquantile",
		"jax.numpy.nanquantile, jax.numpy.nanpercentile", "", "",
		func(e *graph.Example) node { return NanQuantile(e.Of("x", "n", "8"), num(0.5), 1, QuantileLower) })
	composed(
		"Median",
		"the lower of the two middle elements along an axis, and its position; the first NaN if there is one.",
		named("numpy.quantile", "torch.median", "jax.numpy.quantile", "", "", func(e *graph.Example) node {
			return e.Several(Median(e.Of("x", "n", "8"), 1))
		}))
	composed("Mode", "the element that is most often found along an axis, the least of several, and its last place.",
		named("", "torch.mode", "jax.scipy.stats.mode", "", "", func(e *graph.Example) node {
			return e.Several(Mode(e.Of("x", "n", "8"), 1))
		}))
}

func quantile(name, fn, doc string, withoutNaN bool) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 2, MaxIn: 2, Autocast: graph.AutocastWidens,
		Promote: func(types []graph.DType, _ []graph.OperandRank) []graph.DType { return repeat(types[0], 2) },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			if m := c.Attrs().(QuantileAttrs).Mode; int(m) >= len(quantileModes) {
				c.Fail(&graph.Mistake{Code: graph.CodeOperand,
					Summary: name +
						"() interpolation must be one of ops.QuantileLinear, QuantileLower, QuantileHigher, QuantileNearest, QuantileMidpoint"})
			}
			return c.DType(0), rules.Quantile(c, name, c.Attrs().(QuantileAttrs).Axis)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a, x := n.Attrs().(QuantileAttrs), vector(in[0])
			picked := ranked(MoveAxis(x, a.Axis, -1), vector(in[1]), a.Mode, withoutNaN)
			if in[1].Rank() == 0 {
				return Select(picked, -1, 0)
			}
			return MoveAxis(picked, -1, 0)
		},
	})
}

// ranked picks elements of the last axis by their rank in its order, the share q of the greatest rank.
func ranked(x, q node, mode QuantileMode, withoutNaN bool) node {
	g, t := x.Graph(), x.DType()
	q = Assert(q, And(GreaterEqual(q, num(0)), LessEqual(q, num(1))), "a quantile must be in the range [0, 1]")
	last := Sub(Size(g, t, lastSize(x)), num(1))
	isNaN := IsNaN(x)
	var rank node
	if withoutNaN {
		rank = ClampMin(Mul(q, Sub(Sum(Cast(Not(isNaN), t), -1, KeepDims()), num(1))), 0)
	} else {
		rank = Where(Any(isNaN, -1, KeepDims()), last, Mul(q, last))
	}
	switch mode {
	case QuantileLower:
		rank = Floor(rank)
	case QuantileHigher:
		rank = Ceil(rank)
	case QuantileNearest:
		rank = Round(rank)
	}
	sorted, _ := Sort(x, -1, false)
	low := Gather(sorted, -1, Cast(rank, graph.Int64))
	if mode != QuantileLinear && mode != QuantileMidpoint {
		return low
	}
	weight := Sub(rank, Floor(rank))
	if mode == QuantileMidpoint {
		weight = FullLike(rank, 0.5)
	}
	return Lerp(low, Gather(sorted, -1, Cast(Ceil(rank), graph.Int64)), weight)
}

// Quantile returns the q-quantiles of x along an axis. q is a number from 0 to 1, or a vector of such numbers, whose
// axis is then the first of the result. The mode says what is returned between two elements. If there is a NaN, the
// result is NaN. x is Float32 or Float64, and q is converted to its dtype. A q outside of [0, 1] stops the run.
// Gradients flow to the selected elements and to q. It is torch.quantile.
func Quantile(x, q *graph.Node, axis int, mode QuantileMode) *graph.Node {
	return Apply(opQuantile, QuantileAttrs{axis, mode}, x, q)
}

// NanQuantile is [Quantile] of the elements that are not NaN. If all are NaN, the result is NaN.
func NanQuantile(x, q *graph.Node, axis int, mode QuantileMode) *graph.Node {
	return Apply(opNanQuantile, QuantileAttrs{axis, mode}, x, q)
}

// Median returns the median of x along an axis, of two middle elements the lesser, and its index, Int64. The axis is
// removed. If there is a NaN, the result is the first NaN. The mean of two middle elements is [Quantile] of 0.5.
func Median(x *graph.Node, axis int) (value, index *graph.Node) {
	defer graph.BeginCall("Median", ScanAttrs{Axis: axis}, x)()
	greatest, at := MaxIndex(x, axis)
	if !at.Judged() || x.Rank() == 0 {
		return greatest, at
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	_, middle := KthValue(x, x.Shape()[axis].CeilDiv(2), axis)
	index = Where(NotEqual(greatest, greatest), at, middle)
	return pickAlong(x, axis, index), index
}

// Mode returns the most frequent element along an axis, of several the least, and its last index, Int64. The axis is
// removed. NaN equals nothing.
func Mode(x *graph.Node, axis int) (value, index *graph.Node) {
	defer graph.BeginCall("Mode", ScanAttrs{Axis: axis}, x)()
	greatest, at := MaxIndex(x, axis)
	if !at.Judged() || x.Rank() == 0 {
		return greatest, at
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	sorted, order := Sort(x, axis, false)
	place := Iota(x.Graph(), axis, x.Shape()...)
	start, _ := CumMax(Where(beginsRun(sorted, axis), place, num64(0)), axis)
	index = pickAlong(order, axis, ArgMax(Sub(place, start), Axis(axis)))
	return pickAlong(x, axis, index), index
}

// beginsRun tells which elements along an axis differ from the one before.
func beginsRun(x node, axis int) node {
	isFirst := Equal(Iota(x.Graph(), axis, x.Shape()...), num64(0))
	return Or(isFirst, NotEqual(x, previous(x, axis, 0)))
}

// pickAlong picks one element of each row along an axis.
func pickAlong(x node, axis int, index node) node {
	return Squeeze(Gather(x, axis, Unsqueeze(index, axis)), axis)
}
