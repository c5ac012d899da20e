package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// RankMethod says how equal elements are ranked.
type RankMethod uint8

// The methods of [RankData], named as in SciPy.
const (
	RankAverage RankMethod = iota // the mean of their ranks
	RankMin                       // the least of their ranks
	RankMax                       // the greatest of their ranks
	RankDense                     // one more than the next lesser element
	RankOrdinal                   // distinct ranks, in the order of the elements
)

var rankMethods = [...]string{"RankAverage", "RankMin", "RankMax", "RankDense", "RankOrdinal"}

// String returns the name of the constant.
func (m RankMethod) String() string {
	if int(m) < len(rankMethods) {
		return "ops." + rankMethods[m]
	}
	return fmt.Sprintf("ops.RankMethod(%d)", uint8(m))
}

// RankData returns the ranks of the elements along an axis, from 1 for the least, as Float64. If there is a NaN along
// the axis, all ranks are NaN. It is scipy.stats.rankdata.
func RankData(x *graph.Node, axis int, method RankMethod) *graph.Node {
	defer building("RankData", x, axis, method)()
	call := refused("RankData", x).with(axis, method)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	at, bad := call.axis(axis)
	if bad != nil {
		return bad
	}
	if int(method) >= len(rankMethods) {
		return call.wrong(graph.CodeOperand, "%s is not a method of RankData", method)
	}
	return alongLast(StopGradient(x), at, func(x node) node {
		if x.DType() == graph.Bool {
			x = Cast(x, graph.Int32)
		}
		ranks := Cast(ranksOf(x, method), graph.Float64)
		if !x.DType().IsFloat() {
			return ranks
		}
		return Where(Any(IsNaN(x), -1, KeepDims()), num(math.NaN()), ranks)
	})
}

// ranksOf are the ranks along the last axis.
func ranksOf(x node, method RankMethod) node {
	sorted, order := Sort(x, -1, false)
	least, most := func() node { return SearchSorted(sorted, x, false) }, func() node {
		return SearchSorted(sorted, x, true)
	}
	switch method {
	case RankMin:
		return Add(least(), num64(1))
	case RankMax:
		return most()
	case RankDense:
		// NaN is behind all
		return Gather(CumSum(Cast(beginsRun(sorted, x.Rank()-1), graph.Int64), -1), -1,
			Minimum(least(), Sub(Size(x.Graph(), graph.Int64, lastSize(x)), num64(1))))
	case RankOrdinal:
		return Add(ArgSort(order, -1, false), num64(1))
	}
	return Mul(Cast(Add(Add(least(), most()), num64(1)), graph.Float64), num(0.5))
}

// StandardError returns the standard error of the mean over the given axes, or over all: [Std] divided by the square
// root of the number of elements.
func StandardError(x *graph.Node, correction float64, axes ...Axis) *graph.Node {
	a := reduceList(axes)
	defer graph.BeginCall("StandardError", VarianceAttrs{a.Axes, a.KeepDims, correction}, x)()
	if bad := notTensors(refused("StandardError", x)); bad != nil {
		return bad
	}
	deviation := Std(x, correction, axes...)
	if !deviation.Judged() || deviation.Err() != nil {
		return deviation
	}
	return Mul(deviation, Cast(Rsqrt(reducedCount(x, a)), deviation.DType()))
}

// reducedCount is how many elements of x a reduction makes one of, in Float64, since there may be more than a short
// dtype counts.
func reducedCount(x node, a ReduceAttrs) node {
	count := x.Shape().NumElements()
	if a.Axes != nil {
		count = 1
		for _, axis := range countedFromZero(a.Axes, x.Rank()) {
			count = count.Times(x.Shape()[axis])
		}
	}
	return Size(x.Graph(), graph.Float64, count)
}

func init() {
	composed("RankData",
		"the rank of each element along an axis, from 1 for the least; equal ones have the mean of theirs.",
		flat(flatBetweenJumps, "scipy.stats.rankdata", "", "jax.scipy.stats.rankdata", "", "",
			func(e *graph.Example) node { return RankData(e.Of("x", "n", "k"), 1, RankAverage) }))
	composed("StandardError", "the standard error of the mean over axes.",
		named("scipy.stats.sem", "", "jax.scipy.stats.sem", "", "", func(e *graph.Example) node {
			return StandardError(e.Of("x", "n", "k"), 1, 1)
		}))
}
