package ops_test

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

const jumps = "it is constant, or of slope 1, between jumps that differences meet"

// elementSamples are the rows of special functions, of parts of numbers and of gated activations.
var elementSamples = []sample{
	{name: "polygamma 1", arity: 1, call: on(func(x node) node { return ops.Polygamma(1, x) })},
	{name: "polygamma 4", arity: 1, points: [2]float64{2, 3},
		call: on(func(x node) node { return ops.Polygamma(4, x) })},
	{name: "digamma", arity: 1, cancels: true, points: [2]float64{0.6, 1.3}, call: on(ops.Digamma)},
	{name: "lgamma", arity: 1, cancels: true, points: [2]float64{0.6, 1.3}, call: on(ops.LGamma)},
	{name: "erfinv", arity: 1, points: [2]float64{0.1, 0.6}, call: on(ops.Erfinv)},
	{name: "nextafter", arity: 2, flat: jumps, call: func(in ...node) node { return ops.NextAfter(in[0], in[1]) }},
	{name: "frexp_mantissa", arity: 1, points: [2]float64{0.51, 0.98},
		call: on(func(x node) node { m, _ := ops.Frexp(x); return m })},
	{name: "frexp_exponent", arity: 1, call: on(func(x node) node { _, e := ops.Frexp(x); return e })},
	{name: "nan_to_num", arity: 1, call: on(func(x node) node { return ops.NanToNum(x, 1.5, math.Inf(1), -3) })},
	{name: "threshold", arity: 1, call: on(func(x node) node { return ops.Threshold(x, 0.5003, 7) })},
	{name: "print", shapes: [][]int{{3, 2}}, call: on(func(x node) node { return ops.Print(x, "x") })},
	{name: "assert", arity: 2, truth: []int{1}, call: func(in ...node) node {
		return ops.Assert(in[0], ops.Or(in[1], ops.Not(in[1])), "never")
	}},
	{name: "few_events", draws: true, shapes: [][]int{{3}}, flat: "it jumps", call: on(func(x node) node {
		return ops.Poisson(x.Graph().Scalar(graph.Int64, 3), ops.Clamp(x, 0, 12))
	})},
	{name: "few_successes", draws: true, shapes: [][]int{{3}}, flat: "it jumps", call: on(func(x node) node {
		return ops.Binomial(x.Graph().Scalar(graph.Int64, 3), ops.FullLike(x, 7), ops.Clamp(x, 0, 1))
	})},
	{name: "sampled", draws: true, shapes: [][]int{{3}},
		flat: "the implicit gradient is not that of the steps of a draw", call: on(func(x node) node {
			return ops.RandomGamma(x.Graph().Scalar(graph.Int64, 3), ops.Add(ops.Abs(x), graph.Num(0.5)))
		})},
	{name: "kl_elements", arity: 2, cancels: true, points: [2]float64{0.2, 3}, call: func(in ...node) node {
		return ops.KLElements(in[0], in[1])
	}},
	{name: "softcap", arity: 1, call: on(func(x node) node { return ops.Softcap(x, 3) })},
}
