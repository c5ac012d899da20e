package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// gammaShapes are those at which draws of the gamma distribution are differentiated.
var gammaShapes = []float64{0.05, 0.3, 0.9, 1, 2.5, 10, 70, 1000}

// drawGammas returns, for count draws of each shape, the numbers and what is asked of them.
func drawGammas(t *testing.T, count int, asked func(seed, a node) []node) [][]float64 {
	g := graph.New("gammas")
	seed, a := g.Scalar(graph.Int64, 11), graph.Constant(g, gammaShapes, graph.Dim(len(gammaShapes)), 1)
	a = ops.Expand(a, -1, graph.Dim(count))
	return run(t, asked(seed, a))
}

// derivative is that of what is built from draws, with respect to the shapes.
func derivative(y, a node) node { return autodiff.Grad(ops.Sum(y), []node{a})[0] }

// TestGradientOfGamma compares the gradient of draws with -(dF/da)/p of each, by differences of the distribution
// function F of another library.
func TestGradientOfGamma(t *testing.T) {
	const count = 20
	got := drawGammas(t, count, func(seed, a node) []node {
		x := ops.RandomGamma(seed, a)
		return []node{x, derivative(x, a)}
	})
	for i, x := range got[0] {
		a := gammaShapes[i/count]
		if x < 1e-280 {
			continue // of which the density is too large
		}
		difference := func(h float64) float64 {
			return (mathext.GammaIncReg(a+h, x) - mathext.GammaIncReg(a-h, x)) / (2 * h)
		}
		h := 1e-3 * a
		slope := (4*difference(h/2) - difference(h)) / 3 // Richardson's extrapolation
		log, _ := math.Lgamma(a)
		want := -slope / math.Exp((a-1)*math.Log(x)-x-log)
		require.InEpsilon(t, want, got[1][i], 1e-6, "a = %v, x = %v", a, x)
	}
}

// TestMeansOfGradientsOfDraws compares means with the derivatives of means: those of x, a and ψ(a) are 1 and ψ'(a), of
// a share of two a/(a+3), and the second derivatives those of these.
func TestMeansOfGradientsOfDraws(t *testing.T) {
	const count = 4000
	got := drawGammas(t, count, func(seed, a node) []node {
		x := ops.RandomGamma(seed, a)
		slope := derivative(x, a)
		three := ops.Full(a.Graph(), graph.Float64, 3, a.Shape()...)
		share := ops.RandomBeta(seed, a, three)
		shares := ops.Dirichlet(seed, ops.Stack(-1, a, three))
		return []node{slope, derivative(slope, a), derivative(share, a), derivative(ops.Select(shares, -1, 0), a),
			derivative(ops.Sum(shares, -1), a)}
	})
	for i, a := range gammaShapes {
		share := 3 / ((a + 3) * (a + 3))
		for k, want := range []float64{1, 0, share, share, 0} {
			sum, squares := 0.0, 0.0
			for _, v := range got[k][i*count : (i+1)*count] {
				sum, squares = sum+v, squares+v*v
			}
			mean := sum / count
			deviation := math.Sqrt(max(squares/count-mean*mean, 0) / count)
			require.InDelta(t, want, mean, 5*deviation+1e-12, "derivative %d at a = %v", k, a)
		}
	}
}

// TestDrawsOf16Bits: means of numbers that are rounded, and of their gradients, are those of others.
func TestDrawsOf16Bits(t *testing.T) {
	const count = 20000
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16} {
		g := graph.New("draws")
		seed, a := g.Scalar(graph.Int64, 3), ops.Full(g, dt, 2.5, count)
		x := ops.RandomGamma(seed, a)
		draws := []node{ops.Uniform(seed, dt, count), ops.Normal(seed, dt, count),
			ops.Dropout(ops.OnesLike(a), 0.5, seed),
			ops.Exponential(seed, dt, count), x, derivative(x, a), ops.RandomBeta(seed, a, a)}
		var means []node
		for _, y := range draws {
			require.Equal(t, dt, y.DType())
			means = append(means, ops.Mean(ops.Cast(y, graph.Float64)))
		}
		got := run(t, means)
		for i, want := range []float64{0.5, 0, 1, 1, 2.5, 1, 0.5} {
			require.InDelta(t, want, got[i][0], 0.06, "%s of %s", draws[i].Label(), dt)
		}
	}
}

// run returns the values of nodes of a graph without inputs.
func run(t *testing.T, nodes []node) (values [][]float64) {
	prog, err := exec.Compile(nodes[0].Graph(), exec.Outputs(nodes...), exec.OnWarning(nil))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{})
	require.NoError(t, err)
	for _, y := range nodes {
		v, err := r.Array(y)
		require.NoError(t, err)
		values = append(values, v.Data.([]float64))
	}
	return values
}
