package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

func init() {
	composed("Unique", "the different elements in rising order, the place of each element among them, and how often each is found.",
		named("numpy.unique", "torch.unique", "jax.numpy.unique", "Unique", "", func(e *graph.Example) node {
			values, _, _ := Unique(e.Of("x", "n"), e.Shape("n")[0], num(0))
			return values
		}))
	composed("Bincount", "how often each of the numbers 0, 1, … is found, or the sum of its weights.",
		named("numpy.bincount", "torch.bincount", "jax.numpy.bincount", "", "", func(e *graph.Example) node {
			return Bincount(e.As(graph.Int64, "x", "n"), e.Shape("m")[0], e.Of("weights", "n"))
		}))
	composed("Histogram", "how many elements lie between each two neighbouring edges, or the sum of their weights.",
		named("numpy.histogram", "torch.histogram", "jax.numpy.histogram", "", "", func(e *graph.Example) node {
			return Histogram(e.As(graph.Float32, "x", "n"), e.As(graph.Float32, "edges", "8"), e.Of("weights", "n"))
		}))
}

// Unique returns the different elements of x, of all its axes, in rising order; for each element of x its place among
// them; and how often each is found, as Int64. The first and the last result are vectors of the given size: behind the
// values that there are stands fill, a number, with a count of 0. More different values than that stop the run. The size
// of x is always enough. As in PyTorch each NaN is a value of its own. Gradients flow to the first of equal elements.
func Unique(x *graph.Node, size graph.Dim, fill *graph.Node) (values, inverse, counts *graph.Node) {
	defer building("Unique", x, size, fill)()
	call := refused("Unique", x, fill).with(size)
	if x == nil || fill == nil || !x.Judged() || !fill.Judged() {
		bad := refusal(call, nil)
		return bad, bad, bad
	}
	if m := wrongFill(fill, x.DType()); m != nil {
		bad := refusal(call, m)
		return bad, bad, bad
	}
	if x.DType().IsStorage() {
		bad := refusal(call, x.StorageMistake("unique"))
		return bad, bad, bad
	}
	g, n := x.Graph(), x.Shape().NumElements()
	sorted, order := Sort(Reshape(x, n), 0, false)
	place, room := Iota(g, 0, n), Size(g, graph.Int64, size)
	rank := Sub(CumSum(Cast(beginsRun(sorted, 0), graph.Int64), 0), num64(1))
	rank = Assert(rank, Less(rank, room), "there are no more different values than the given size")
	counts = namings(rank, size)
	begin := Where(Greater(counts, num64(0)), SegmentMin(place, 0, rank, size), Size(g, graph.Int64, n))
	values = Take(withFill(sorted, fill), 0, begin)
	return values, Reshape(SegmentSum(rank, 0, order, n), x.Shape()...), counts
}

// Bincount returns, for each number from 0 to size-1, how often it is found in a vector of integers, as Int64; or the sum of
// the weights, a vector beside it, where that is not nil, as Float32 if that is their dtype, else as Float64. A number
// outside stops the run.
func Bincount(x *graph.Node, size graph.Dim, weights *graph.Node) *graph.Node {
	defer building("Bincount", withWeights(weights, x, size)...)()
	switch {
	case x == nil || !x.Judged():
		return refusal(refused("Bincount", x).with(size), nil)
	case x.Rank() != 1 || !x.DType().IsInt():
		return refusal(refused("Bincount", x).with(size), &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("bincount only supports 1-d non-negative integral inputs, and %s is %s of shape %s", x.Called(), x.DType(), x.Shape())})
	case weights == nil:
		return namings(x, size)
	}
	if weights.Judged() && weights.DType() != graph.Float32 {
		weights = x.Graph().Convert(weights, graph.Float64)
	}
	return SegmentSum(weights, 0, x, size)
}

// Histogram returns how many elements of x, of all its axes, lie from each of the edges up to and without the next, as
// Int64; or the sum of their weights, which broadcast against x, where these are not nil. The last edge counts as inside,
// and what lies outside of all edges, or is NaN, counts nowhere. edges is a vector of one element or more in rising
// order, such as [Linspace] gives.
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

// withWeights are the arguments of a call, and behind them weights if there are any.
func withWeights(weights node, args ...any) []any {
	if weights != nil {
		return append(args, weights)
	}
	return args
}
