package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// modeOf calls a convolution with the mode of a case.
func modeOf(f func(x, y *graph.Node, mode ops.ConvolveMode) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(t *testing.T, c choiceCase, in []node) []node {
		return []node{f(in[0], in[1], ops.ConvolveMode(c.numbers(t)[0]))}
	}
}

// ofFirst calls a function of one operand and the arguments of a case.
func ofFirst(f func(x *graph.Node, arguments []float64) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(t *testing.T, c choiceCase, in []node) []node { return []node{f(in[0], c.numbers(t))} }
}

// signalCalls build the functions of the cases in testdata/signals.json.
var signalCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"PolyVal": ofBoth(ops.PolyVal), "PolyAdd": ofBoth(ops.PolyAdd), "PolySub": ofBoth(ops.PolySub),
	"PolyMul": ofBoth(ops.PolyMul),
	"PolyDiv": func(_ *testing.T, _ choiceCase, in []node) []node { return two(ops.PolyDiv(in[0], in[1])) },
	"PolyDer": ofFirst(func(p *graph.Node, a []float64) *graph.Node { return ops.PolyDer(p, int(a[0])) }),
	"PolyInt": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.PolyInt(in[0], int(c.numbers(t)[0]), optional(in, 1))}
	},
	"PolyFromRoots": ofFirst(func(x *graph.Node, _ []float64) *graph.Node { return ops.PolyFromRoots(x) }),
	"PolyFit": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.PolyFit(in[0], in[1], int(c.numbers(t)[0]), optional(in, 2))}
	},
	"Convolve": modeOf(ops.Convolve), "Correlate": modeOf(ops.Correlate), "FFTConvolve": modeOf(ops.FFTConvolve),
	"NanCumSum":  ofFirst(func(x *graph.Node, a []float64) *graph.Node { return ops.NanCumSum(x, int(a[0])) }),
	"NanCumProd": ofFirst(func(x *graph.Node, a []float64) *graph.Node { return ops.NanCumProd(x, int(a[0])) }),
	"Unwrap":     ofFirst(func(x *graph.Node, a []float64) *graph.Node { return ops.Unwrap(x, a[0], a[1], int(a[2])) }),
	"RankData": ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		return ops.RankData(x, int(a[0]), ops.RankMethod(a[1]))
	}),
	"StandardError": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.StandardError(in[0], c.numbers(t)[0], c.axes(t, 1)...)}
	},
	"HistogramBinEdges": ofFirst(func(x *graph.Node, a []float64) *graph.Node {
		return ops.HistogramBinEdges(x, graph.Dim(a[0]), a[1], a[2])
	}),
	"HistogramDD": func(_ *testing.T, c choiceCase, in []node) []node {
		if len(c.words()) > 0 {
			return []node{ops.HistogramDD(in[0], in[3], in[1], in[2])}
		}
		return []node{ops.HistogramDD(in[0], nil, in[1:]...)}
	},
	"GaussianKDE": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.GaussianKDE(in[0], in[1], optional(in, 2), c.numbers(t)[0])}
	},
}

// TestSignalsAsSciPy compares polynomials, convolutions, ranks and histograms with NumPy's and SciPy's, and gradients
// with JAX's.
func TestSignalsAsSciPy(t *testing.T) { runCases(t, "signals", signalCalls) }

// TestSignalsOfNamedSizes wants the same of sizes that runs decide, and the gradients of gradients of central
// differences.
func TestSignalsOfNamedSizes(t *testing.T) {
	runNamed(t, "signals", signalCalls, "PolyDiv", "PolyVal", "PolyFromRoots", "GaussianKDE", "HistogramDD",
		"Convolve 2", "Correlate 2", "FFTConvolve 1", "FFTConvolve 2", "Correlate 1", "Unwrap 0 6", "Unwrap 5")
}

// TestSignalsRefuse wants what is wrong in words.
func TestSignalsRefuse(t *testing.T) {
	g := graph.New("refused")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	require.ErrorContains(t, ops.Convolve(in(graph.Float32, 3), in(graph.Float32, 3, 2), ops.ConvolveFull).Err(),
		"in1 and in2 should have the same dimensionality")
	require.ErrorContains(t, ops.Convolve(in(graph.Float32, 3, 2), in(graph.Float32, 2, 3), ops.ConvolveValid).Err(),
		"For 'valid' mode, one must be at least as large as the other in every dimension")
	require.ErrorContains(t, ops.Convolve(in(graph.Float32, 3), in(graph.Float32, 0), ops.ConvolveFull).Err(),
		"operands of a convolution must have elements")
	require.ErrorContains(t, ops.Correlate(in(graph.Float32, 3), in(graph.Float64, 2), ops.ConvolveFull).Err(),
		"they must have one dtype")
	require.ErrorContains(t, ops.PolyVal(in(graph.Float32, 3, 2), in(graph.Float32)).Err(),
		"a polynomial must be a vector of coefficients")
	require.ErrorContains(t, ops.PolyInt(in(graph.Float32, 3), 2, in(graph.Float32, 3)).Err(),
		"k must be a vector of 2 constants of integration")
	require.ErrorContains(t, ops.PolyFit(in(graph.Float32, 3), in(graph.Float32, 4), 1, nil).Err(),
		"expected x and y to have same length")
	require.ErrorContains(t, ops.HistogramDD(in(graph.Float32, 3, 2), nil, in(graph.Float32, 4)).Err(),
		"rows [n, d] need edges for each of d columns")
	require.ErrorContains(t, ops.RankData(in(graph.Float32, 2), 3, ops.RankMin).Err(), "RankData(x, 3, ops.RankMin)")
}
