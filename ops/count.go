package ops

import (
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

func init() {
	composed(
		"Unique",
		"the different elements in rising order, the place of each element among them, and how often each is found.",
		named("numpy.unique", "torch.unique",
			"jax.numpy.unique, jax.numpy.unique_all, jax.numpy.unique_counts, jax.numpy.unique_inverse, jax.numpy.unique_values",
			"Unique", "", func(e *graph.Example) node {
				return e.Several(Unique(e.Of("x", "n"), e.Shape("n")[0], num(0)))
			}))
	composed("UniqueConsecutive",
		"the elements that differ from the one before, the place of each element among them, and how many follow one another.",
		named("", "torch.unique_consecutive", "", "", "", func(e *graph.Example) node {
			values, _, _ := UniqueConsecutive(e.Of("x", "n"), e.Shape("n")[0], num(0))
			return values
		}))
	composed("IsIn", "whether each element is among others.",
		flat("its result is a truth value", "numpy.isin", "torch.isin", "jax.numpy.isin", "", "",
			func(e *graph.Example) node { return IsIn(e.Of("x", "n"), e.Of("among", "k")) }))
	composed("Histc", "how many elements are in each of the given number of equal parts of a range.",
		flat(flatBetweenJumps, "", "torch.histc", "", "", "", func(e *graph.Example) node {
			return Histc(e.Of("x", "n"), 8, 0, 1)
		}))
	composed("Bincount", "how often each of the numbers 0, 1, … is found, or the sum of its weights.",
		named("numpy.bincount", "torch.bincount", "jax.numpy.bincount", "", "", func(e *graph.Example) node {
			return Bincount(e.As(graph.Int64, "x", "n"), e.Shape("m")[0], e.Of("weights", "n"))
		}))
	composed("Histogram", "how many elements are between each two neighbouring edges, or the sum of their weights.",
		named("numpy.histogram", "torch.histogram", "jax.numpy.histogram", "", "", func(e *graph.Example) node {
			return Histogram(e.As(graph.Float32, "x", "n"), e.As(graph.Float32, "edges", "8"), e.Of("weights", "n"))
		}))
}

// Unique returns the distinct elements of x, over all its axes, in ascending order; the index among them of each
// element of x; and the number of times that each occurs, Int64. The first and the last result are vectors of the
// given size. The values are padded with fill, a number, and have count 0 there. If there are more values, the run
// stops; the number of elements of x is always enough. Each NaN is a value of its own, as in PyTorch. Gradients flow
// to the first of equal elements.
func Unique(x *graph.Node, size graph.Dim, fill *graph.Node) (values, inverse, counts *graph.Node) {
	return runsOf("Unique", x, size, fill, func(x node) (sorted, order node) { return Sort(x, 0, false) })
}

// UniqueConsecutive returns the elements of x, in row-major order, without those that equal the one before. The other
// results are the index among them of each element of x, and the length of each run of equal elements, Int64. The
// rest is as in [Unique].
func UniqueConsecutive(x *graph.Node, size graph.Dim, fill *graph.Node) (values, inverse, counts *graph.Node) {
	return runsOf("UniqueConsecutive", x, size, fill, func(x node) (sorted, order node) { return x, nil })
}

// runsOf finds the runs of equal elements, in an order of x, which is nil for that in which they are.
func runsOf(fn string, x node, size graph.Dim, fill node, sort func(x node) (sorted, order node)) (values, inverse,
	counts node) {
	defer building(fn, x, size, fill)()
	call := refused(fn, x, fill).with(size)
	if bad := wrongUnique(call, x, fill); bad != nil {
		return bad, bad, bad
	}
	sorted, order := sort(Reshape(x, x.Shape().NumElements()))
	values, inverse, counts = firstOfRuns(sorted, order, beginsRun(sorted, 0), size, fill)
	return values, Reshape(inverse, x.Shape()...), counts
}

// wrongUnique is the refusal of a call whose x or fill is none; nil where both are right.
func wrongUnique(call refusedCall, x, fill node) node {
	if x == nil || fill == nil || !x.Judged() || !fill.Judged() {
		return refusal(call, nil)
	}
	if bad := notNodes(refused(call.fn, x)); bad != nil {
		return bad
	}
	if m := wrongFill(fill, x.DType()); m != nil {
		return refusal(call, m)
	}
	if x.DType().IsStorage() {
		return refusal(call, x.StorageMistake(strings.ToLower(call.fn)))
	}
	return nil
}

// firstOfRuns takes the first element, or row, of each run of a vector, or a matrix, for whose places it is said
// whether a run begins there. order has the places from which they were taken, or is nil. inverse is of the places
// before.
func firstOfRuns(sorted, order, begins node, size graph.Dim, fill node) (values, inverse, counts node) {
	if !sorted.Judged() {
		return sorted, sorted, sorted
	}
	g, n := sorted.Graph(), sorted.Shape()[0]
	place, room := Iota(g, 0, n), Size(g, graph.Int64, size)
	rank := Sub(CumSum(Cast(begins, graph.Int64), 0), num64(1))
	total := Sum(Cast(begins, graph.Int64))
	total = Assert(total, LessEqual(total, room),
		fmt.Sprintf("there are more distinct values than the given size, %s", size))
	rank = Minimum(rank, Sub(total, num64(1))) // which it is anyway: the sum is what is checked
	counts = namings(rank, size)
	begin := Where(Greater(counts, num64(0)), SegmentMin(place, 0, rank, size), Size(g, graph.Int64, n))
	values = Take(withFill(sorted, fill), 0, begin)
	if order != nil {
		rank = SegmentSum(rank, 0, order, n)
	}
	return values, rank, counts
}

// Bincount counts how often each number from 0 to size-1 occurs in a vector of integers, as Int64. With weights, a
// vector of the same size or nil, it sums these instead, as Float32 if that is their dtype, else as Float64. A number
// outside stops the run.
func Bincount(x *graph.Node, size graph.Dim, weights *graph.Node) *graph.Node {
	defer building("Bincount", withWeights(weights, x, size)...)()
	switch {
	case x == nil || !x.Judged():
		return refusal(refused("Bincount", x).with(size), nil)
	case x.Rank() != 1 || !x.DType().IsInt():
		return refusal(refused("Bincount", x).with(size), &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("bincount only supports 1-d non-negative integral inputs, but %s is %s of shape %s",
				x.Called(), x.DType(), x.Shape())})
	}
	if x.DType() != graph.Int32 {
		x = Cast(x, graph.Int64)
	}
	if weights == nil {
		return namings(x, size)
	}
	if weights.Judged() && weights.DType() != graph.Float32 {
		weights = x.Graph().Convert(weights, graph.Float64)
	}
	return SegmentSum(weights, 0, x, size)
}

// Histogram counts the elements of x, over all axes, between each edge (inclusive) and the next (exclusive), as
// Int64. With weights, which broadcast with x or are nil, it sums these instead. The last edge is inclusive. Elements
// outside all edges and NaN are not counted. edges is a vector of at least one element in ascending order, such as
// from [Linspace].
func Histogram(x, edges, weights *graph.Node) *graph.Node {
	defer building("Histogram", withWeights(weights, x, edges)...)()
	place := Sub(Bucketize(x, edges, true), num64(1))
	if !place.Judged() {
		return place
	}
	g, bins := x.Graph(), edges.Shape()[0].Minus(1)
	last := Sub(Size(g, graph.Int64, bins), num64(1))
	place = Where(Equal(x, Select(edges, 0, -1)), last, place)
	outside := Or(Less(place, num64(0)), Greater(place, last))
	place = Where(outside, Size(g, graph.Int64, bins), place)
	if weights == nil {
		weights = OnesLike(place)
	}
	weights = Expand(weights, place.Shape()...)
	if !weights.Judged() {
		return weights
	}
	n := place.Shape().NumElements()
	return Slice(SegmentSum(Reshape(weights, n), 0, Reshape(place, n), bins.Plus(1)), 0, 0, bins, 1)
}

// Histc counts the elements of x, over all axes, in each of the given number of equal bins from low to high, both
// inclusive. The result has x's dtype, Float32 or Float64. If low equals high, the range is that of x's elements. It
// is torch.histc.
func Histc(x *graph.Node, bins graph.Dim, low, high float64) *graph.Node {
	defer building("Histc", x, bins, low, high)()
	call := refused("Histc", x).with(bins, low, high)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	n, known := bins.Int()
	switch {
	case x.DType() != graph.Float32 && x.DType() != graph.Float64:
		return call.wrongDType(oneWideFloat(x), "\"histogram_cpu\" not implemented for '%s'", x.DType().TorchName())
	case known && n <= 0:
		return call.wrong(graph.CodeOperand, "torch.histogram(): bins must be > 0, but got %d for dimension 0", n)
	case !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0):
		return call.wrong(graph.CodeOperand, "torch.histc(): the range from %v to %v is not finite, or descending", low,
			high)
	}
	g, t, size := x.Graph(), x.DType(), x.Shape().NumElements()
	x = StopGradient(Reshape(x, size))
	least, greatest := g.Scalar(t, low), g.Scalar(t, high)
	if low == high {
		isEmpty := Equal(Size(g, graph.Int64, size), num64(0))
		filled := Concat(0, x, Reshape(Where(isEmpty, num(0), Sum(Slice(x, 0, 0, graph.MinDim(size, 1), 1))), 1))
		least, greatest = Min(filled), Max(filled)
		apart := Cast(Equal(least, greatest), t)
		least, greatest = Sub(least, apart), Add(greatest, apart)
	}
	room := Size(g, graph.Int64, bins)
	inside := And(GreaterEqual(x, least), LessEqual(x, greatest))
	share := Where(inside, Div(Sub(x, least), Sub(greatest, least)), num(0))
	place := Minimum(Cast(Floor(Mul(share, Cast(room, t))), graph.Int64), Sub(room, num64(1)))
	return Cast(Slice(namings(Where(inside, place, room), bins.Plus(1)), 0, 0, bins, 1), t)
}

// IsIn reports which elements of x equal any element of among, of any shape. NaN equals nothing.
func IsIn(x, among *graph.Node) *graph.Node {
	defer building("IsIn", x, among)()
	if bad := notTensors(refused("IsIn", x, among)); bad != nil {
		return bad
	}
	n := among.Shape().NumElements()
	both := converted(opEqual, x, Reshape(among, n))
	for i, v := range both {
		if v.DType() == graph.Bool {
			both[i] = Cast(v, graph.Int32)
		}
	}
	sorted, _ := Sort(both[1], 0, false)
	place := SearchSorted(sorted, both[0], false)
	return And(Less(place, Size(x.Graph(), graph.Int64, n)), Equal(Take(withFill(sorted, num(0)), 0, place), both[0]))
}

// withWeights are the arguments of a call, and behind them weights if there are any.
func withWeights(weights node, args ...any) []any {
	if weights != nil {
		return append(args, weights)
	}
	return args
}
