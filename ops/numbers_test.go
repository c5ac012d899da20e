package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// A number stands for a tensor that has it everywhere, also where a function computes something of it alone.
func TestNumbersAsOperands(t *testing.T) {
	type fill func(v float64, shape ...graph.Dim) node
	for name, f := range map[string]func(x node, v fill) node{
		"BCEWithLogits":   func(x node, v fill) node { return ops.BCEWithLogits(x, v(1, 3, 2)) },
		"SigmoidFocal":    func(x node, v fill) node { return ops.SigmoidFocal(x, v(1, 3, 2), 0.25, 2) },
		"HingeEmbedding":  func(x node, v fill) node { return ops.HingeEmbedding(x, v(-1, 3, 2), 1) },
		"CosineEmbedding": func(x node, v fill) node { return ops.CosineEmbedding(x, ops.Square(x), v(1, 3), 0) },
		"MarginRanking":   func(x node, v fill) node { return ops.MarginRanking(x, ops.Square(x), v(1, 3, 2), 0.1) },
		"PoissonNLL":      func(x node, v fill) node { return ops.PoissonNLL(x, v(3, 3, 2), ops.ConstantTerms()) },
		"percentage":      func(x node, v fill) node { return ops.MeanAbsolutePercentage(x, v(2, 3, 2)) },
		"KLDiv":           func(x node, v fill) node { return ops.KLDiv(x, v(0.25, 3, 2)) },
		"KLDiv log":       func(x node, v fill) node { return ops.KLDiv(x, v(-2, 3, 2), ops.LogTarget()) },
		"logarithmic":     func(x node, v fill) node { return ops.MeanSquaredLogarithmic(x, v(2, 3, 2)) },
		"GammaInc":        func(x node, v fill) node { return ops.GammaInc(v(2, 3, 2), x) },
		"BetaInc": func(x node, v fill) node {
			return ops.BetaInc(v(2, 3, 2), v(3, 3, 2), ops.Div(x, graph.Num(4)))
		},
		"Zeta":            func(x node, v fill) node { return ops.Zeta(ops.Add(x, graph.Num(1)), v(1.5, 3, 2)) },
		"OwensT":          func(x node, v fill) node { return ops.OwensT(x, v(0.1, 3, 2)) },
		"Comb":            func(x node, v fill) node { return ops.Comb(v(5, 3, 2), x) },
		"BoxCox":          func(x node, v fill) node { return ops.BoxCox(x, v(0.1, 3, 2)) },
		"IsClose":         func(x node, v fill) node { return ops.IsClose(x, v(1, 3, 2), 0.5, 0) },
		"Ldexp":           func(x node, v fill) node { return ops.Ldexp(x, v(2, 3, 2)) },
		"PolyVal":         func(x node, v fill) node { return ops.PolyVal(ops.Select(x, 1, 0), v(0.1, 2)) },
		"SliceScatter":    func(x node, v fill) node { return ops.SliceScatter(x, v(7, 1, 2), 0, 1, 2, 1) },
		"SelectScatter":   func(x node, v fill) node { return ops.SelectScatter(x, v(7, 3), 1, 0) },
		"DiagonalScatter": func(x node, v fill) node { return ops.DiagonalScatter(x, v(7, 2), 0, 0, 1) },
	} {
		g := graph.New("numbers")
		x := g.Input("x", graph.Float64, 3, 2)
		in := feeds{x: reference.FromFloats(graph.Float64, []float64{0.5, 1.5, 2.5, 3.5, 0.25, 1}, 3, 2)}
		want := f(x, func(v float64, shape ...graph.Dim) node { return ops.Full(g, graph.Float64, v, shape...) })
		of := f(x, func(v float64, _ ...graph.Dim) node { return graph.Num(v) })
		require.NoError(t, g.Err(), name)
		require.Equal(t, want.DType(), of.DType(), name)
		values := evaluate(t, in, want, of)
		got := values[1].Floats()
		requireClose(t, values[0].Floats()[:len(got)], got, 1e-12, name) // a polynomial at a number is one number
	}
}

// Places of parts are numbers where they are known.
func TestNumbersAsPlaces(t *testing.T) {
	g := graph.New("places")
	x, at := g.Input("x", graph.Float32, 3, 2), g.Input("at", graph.Int32)
	part := ops.DynamicSlice(x, []node{at, graph.Num(1)}, 2, 1)
	changed := ops.DynamicUpdateSlice(x, ops.Neg(part), graph.Num(-2), graph.Num(0))
	values := evaluate(t,
		feeds{x: reference.FromFloats(graph.Float32, []float64{1, 2, 3, 4, 5, 6}, 3, 2),
			at: reference.FromFloats(graph.Int32, []float64{0})}, part, changed)
	require.Equal(t, []float64{2, 4}, values[0].Floats())
	require.Equal(t, []float64{1, 2, -2, 4, -4, 6}, values[1].Floats())
}

// Parameters of distributions are numbers where they are known.
func TestNumbersAsParameters(t *testing.T) {
	type number func(v float64) node
	for name, draw := range map[string]func(seed node, v number) node{
		"Bernoulli":   func(seed node, v number) node { return ops.Bernoulli(seed, v(0.25)) },
		"StudentT":    func(seed node, v number) node { return ops.StudentT(seed, v(3)) },
		"RandomGamma": func(seed node, v number) node { return ops.RandomGamma(seed, v(3)) },
		"Poisson":     func(seed node, v number) node { return ops.Poisson(seed, v(3)) },
		"RandomBeta":  func(seed node, v number) node { return ops.RandomBeta(seed, v(3), v(2)) },
		"Kumaraswamy": func(seed node, v number) node { return ops.Kumaraswamy(seed, v(3), v(2)) },
	} {
		drawn := func(v func(g *graph.Graph) number) []float64 {
			g := graph.New("draws")
			seed := g.Input("seed", graph.Int64)
			y := draw(seed, v(g))
			require.NoError(t, g.Err(), name)
			require.Equal(t, graph.Float32, y.DType(), name)
			return evaluateWithin(t, 1e-5, feeds{seed: reference.FromFloats(graph.Int64, []float64{7})}, y)[0].Floats()
		}
		want := drawn(func(g *graph.Graph) number { return func(v float64) node { return g.Scalar(graph.Float32, v) } })
		require.Equal(t, want, drawn(func(*graph.Graph) number { return func(v float64) node { return graph.Num(v) } }),
			name)
	}
}
