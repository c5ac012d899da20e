package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// HistogramBinEdges returns the edges, [bins+1], of bins of equal width from low to high. If low equals high, they
// are from the least to the greatest element of x; from half a unit below to half a unit above if these are equal;
// and from 0 to 1 if x has no elements. They have x's dtype; integers give Float32.
func HistogramBinEdges(x *graph.Node, bins graph.Dim, low, high float64) *graph.Node {
	defer building("HistogramBinEdges", x, bins, low, high)()
	call := refused("HistogramBinEdges", x).with(bins, low, high)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	n, known := bins.Int()
	switch {
	case known && n <= 0:
		return call.wrong(graph.CodeOperand, "`bins` must be positive, but it is %d", n)
	case !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0):
		return call.wrong(graph.CodeOperand, "the range from %v to %v is not finite, or descending", low, high)
	}
	if x = Div(x, num(1)); x.Err() != nil || !x.Judged() {
		return x
	}
	g, t := x.Graph(), x.DType()
	least, greatest := g.Scalar(t, low), g.Scalar(t, high)
	if low == high {
		least, greatest = rangeOf(x)
	}
	place := Cast(Iota(g, 0, bins.Plus(1)), t)
	edges := Add(least, Mul(Div(place, Size(g, t, bins)), Sub(greatest, least)))
	return Where(Equal(place, Size(g, t, bins)), greatest, edges)
}

// rangeOf are the least and the greatest element of x: of one value, half less and half more, and of none 0 and 1.
func rangeOf(x node) (least, greatest node) {
	g, size := x.Graph(), x.Shape().NumElements()
	flat := Reshape(x, size)
	isEmpty := Equal(Size(g, graph.Int64, size), num64(0))
	some := Reshape(Where(isEmpty, num(0.5), Sum(Slice(flat, 0, 0, graph.MinDim(size, 1), 1))), 1)
	filled := Concat(0, flat, Cast(some, x.DType()))
	least, greatest = Min(filled), Max(filled)
	apart := Where(Equal(least, greatest), num(0.5), num(0))
	return Sub(least, apart), Add(greatest, apart)
}

// HistogramDD counts the rows of x, [n, d], in each cell of a grid, as Int64. With weights, [n] or nil, it sums these
// instead. Each of the d columns has a vector of edges in ascending order. k edges bound k-1 bins, each including its
// first edge, and the last one also its last. It is numpy.histogramdd; [HistogramBinEdges] makes edges.
func HistogramDD(x, weights *graph.Node, edges ...*graph.Node) *graph.Node {
	args := []any{x, weights}
	if weights == nil {
		args = []any{x, "nil"}
	}
	for _, e := range edges {
		args = append(args, e)
	}
	defer building("HistogramDD", args...)()
	operands := append([]node{x}, edges...)
	if weights != nil {
		operands = append(operands, weights)
	}
	call := refused("HistogramDD", operands...)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if x.Rank() != 2 || len(edges) == 0 || x.Shape()[1].IsConst() && x.Shape()[1] != graph.Dim(len(edges)) {
		return call.wrong(graph.CodeRank, "rows [n, d] need edges for each of d columns, but there are %d for shape %s",
			len(edges), x.Shape())
	}
	g := x.Graph()
	shape := make(graph.Shape, len(edges))
	total, all := graph.Dim(1), g.Scalar(graph.Int64, 0)
	inside := Full(g, graph.Bool, 1, x.Shape()[0])
	for i, e := range edges {
		column := Select(x, 1, graph.Dim(i))
		place := Sub(Bucketize(column, e, true), num64(1))
		if !place.Judged() {
			return place
		}
		shape[i] = e.Shape()[0].Minus(1)
		last := Sub(Size(g, graph.Int64, shape[i]), num64(1))
		place = Where(Equal(column, Select(e, 0, -1)), last, place)
		inside = And(inside, And(GreaterEqual(place, num64(0)), LessEqual(place, last)))
		all, total = Add(Mul(all, Size(g, graph.Int64, shape[i])), place), total.Times(shape[i])
	}
	place := Where(inside, all, Size(g, graph.Int64, total))
	if weights == nil {
		weights = OnesLike(place)
	}
	sums := SegmentSum(Expand(weights, x.Shape()[0]), 0, place, total.Plus(1))
	if !sums.Judged() {
		return sums
	}
	return Reshape(Slice(sums, 0, 0, total, 1), shape...)
}

// GaussianKDE returns the Gaussian kernel density estimate from data, [d, n] or [n], at points, [d, m] or [m]: [m].
// The covariance of the kernels is that of the data times factor². A factor of 0 selects Scott's, k^(-1/(d+4)), where
// k is n, or with weights (Σw)²/Σw². weights are [n] or nil. All operands have gradients. It is
// scipy.stats.gaussian_kde.
func GaussianKDE(points, data, weights *graph.Node, factor float64) *graph.Node {
	args, operands := []any{points, data, "nil", factor}, []node{points, data}
	if weights != nil {
		args[2], operands = weights, append(operands, weights)
	}
	defer building("GaussianKDE", args...)()
	call := refused("GaussianKDE", operands...).with(factor)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if !(factor >= 0) {
		return call.wrong(graph.CodeOperand, "the bandwidth factor must be above 0, or 0 for Scott's, but it is %v",
			factor)
	}
	in := converted(opDiv, points, data)
	p, x := in[0], in[1]
	for _, v := range []*node{&p, &x} {
		if (*v).Rank() == 1 {
			*v = Unsqueeze(*v, 0)
		}
	}
	if p.Rank() != 2 || x.Rank() != 2 || p.Shape()[0].IsConst() && x.Shape()[0].IsConst() &&
		p.Shape()[0] != x.Shape()[0] {
		return call.wrong(graph.CodeRank, "points and data must be [d, m] and [d, n], but their shapes are %s and %s",
			points.Shape(), data.Shape())
	}
	d, n := x.Shape()[0], x.Shape()[1]
	g, t := x.Graph(), x.DType()
	share := Div(Ones(g, t, n), Size(g, t, n))
	if weights != nil {
		share = Div(Cast(weights, t), Sum(Cast(weights, t)))
	}
	var width node = num(factor)
	if factor == 0 {
		width = Pow(Sum(Square(share)), Div(num(1), Add(Size(g, t, d), num(4))))
	}
	left := Sub(x, Sum(Mul(x, share), 1, KeepDims()))
	covariance := Div(MatMul(Mul(left, share), transposed(left)), Sub(num(1), Sum(Square(share))))
	scale := Mul(Cholesky(covariance), width)
	from, to := SolveTriangular(scale, x), SolveTriangular(scale, p)
	squares := Sum(Square(Sub(Unsqueeze(to, 2), Unsqueeze(from, 1))), 0)
	volume := Add(Sum(Log(Diagonal(scale, 0, 0, 1))), Mul(Size(g, t, d), num(0.5*math.Log(2*math.Pi))))
	return Exp(Sub(LogSumExp(Add(Mul(squares, num(-0.5)), Log(share)), 1), volume))
}

func init() {
	composed("HistogramBinEdges", "the edges of bins of equal width over the range of elements.",
		named("numpy.histogram_bin_edges", "", "jax.numpy.histogram_bin_edges", "", "",
			func(e *graph.Example) node { return HistogramBinEdges(e.Of("x", "n"), 4, 0, 0) }))
	composed("HistogramDD", "how many rows are in each box of a grid, or the sum of their weights.",
		named("numpy.histogramdd, numpy.histogram2d", "torch.histogramdd",
			"jax.numpy.histogramdd, jax.numpy.histogram2d", "", "",
			func(e *graph.Example) node {
				return HistogramDD(e.As(graph.Float32, "x", "n", "2"), e.Of("weights", "n"),
					e.As(graph.Float32, "edges", "8"), e.As(graph.Float32, "boundaries", "4"))
			}))
	composed("GaussianKDE", "a density, estimated by normal densities around samples of it.",
		named("scipy.stats.gaussian_kde", "", "jax.scipy.stats.gaussian_kde", "", "",
			func(e *graph.Example) node {
				return GaussianKDE(e.Of("points", "m"), e.As(graph.Float32, "sorted", "n"), nil, 0)
			}))
}
