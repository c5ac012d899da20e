package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// drawOf runs a draw.
func drawOf(t *testing.T, draw func(g *graph.Graph, seed node) node) ([]float64, error) {
	t.Helper()
	g := graph.New("draws")
	seed := g.Input("seed", graph.Int64)
	y := ops.Cast(draw(g, seed), graph.Float64)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), exec.Feed{seed: exec.Array{Shape: []int{}, Data: []int64{3}}})
	if err != nil {
		return nil, err
	}
	values, err := exec.Values[float64](r, y)
	return values, err
}

// TestNarrowDrawsAreRoundedOnce expects what is drawn in 16 bits to have the distribution that it has in Float32, but
// for the last rounding: the 256 numbers of a Uniform of BFloat16 would give no probability below 1/256, and infinite
// numbers of Gumbel.
func TestNarrowDrawsAreRoundedOnce(t *testing.T) {
	const count, rare = 60000, 0x1p-9
	mean := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x / float64(len(v))
		}
		return sum
	}
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16} {
		full := func(g *graph.Graph, v float64) node { return ops.Full(g, dt, v, count) }
		for name, c := range map[string]struct {
			draw       func(g *graph.Graph, seed node) node
			mean, near float64
			low, high  float64
		}{
			"Exponential": {func(_ *graph.Graph, s node) node { return ops.Exponential(s, dt, count) }, 1, 0.02, 0, 16},
			"Gumbel": {func(_ *graph.Graph, s node) node { return ops.Gumbel(s, dt, count) }, 0.5772, 0.03, -4,
				17},
			"Logistic": {func(_ *graph.Graph, s node) node { return ops.Logistic(s, dt, count) }, 0, 0.04, -18, 18},
			"TruncatedNormal": {func(_ *graph.Graph, s node) node { return ops.TruncatedNormal(s, dt, -9, -8, count) },
				-8.1216, 0.01, -9, -8},
			"Bernoulli": {func(g *graph.Graph, s node) node { return ops.Bernoulli(s, full(g, rare)) }, rare, 6e-4,
				0, 1},
			"Poisson": {func(g *graph.Graph, s node) node { return ops.Poisson(s, full(g, rare)) }, rare, 6e-4, 0, 3},
			"Events":  {func(g *graph.Graph, s node) node { return ops.Poisson(s, full(g, 1000)) }, 1000, 1, 800, 1200},
			"Dropout": {func(g *graph.Graph, s node) node {
				return ops.Equal(ops.Dropout(full(g, 1), rare, s), graph.Num(0))
			}, rare, 6e-4, 0, 1},
			"GumbelSoftmax": {func(g *graph.Graph, s node) node {
				return ops.GumbelSoftmax(ops.Zeros(g, dt, count/4, 4), 1, false, 1, s)
			}, 0.25, 1e-3, 0, 1},
		} {
			v, err := drawOf(t, c.draw)
			require.NoError(t, err)
			require.InDelta(t, c.mean, mean(v), c.near, "%s of %s", name, dt)
			for _, x := range v {
				require.True(t, x >= c.low && x <= c.high, "%s of %s: %v", name, dt, x)
			}
		}
	}
}

// TestOpenUnitInterval has the greatest of the numbers of Uniform, of which a logarithm must not be 0: one of 2^24 is
// so.
func TestOpenUnitInterval(t *testing.T) {
	v, err := drawOf(t, func(_ *graph.Graph, s node) node { return ops.Max(ops.Gumbel(s, graph.Float32, 1<<26)) })
	require.NoError(t, err)
	require.False(t, math.IsInf(v[0], 0))
}

func TestDrawsThatThereAreNot(t *testing.T) {
	weights := func(g *graph.Graph, w ...float32) node { return graph.Constant(g, w, graph.Dim(len(w))) }
	for message, draw := range map[string]func(g *graph.Graph, seed node) node{
		"sum of probabilities <= 0": func(g *graph.Graph, s node) node {
			return ops.Multinomial(s, weights(g, 0, 0), 3, true)
		},
		"element < 0": func(g *graph.Graph, s node) node {
			return ops.Multinomial(s, weights(g, 2, -1), 3, true)
		},
		"not enough non-negative": func(g *graph.Graph, s node) node {
			return ops.Multinomial(s, weights(g, 2, 0, 1), 3, false)
		},
		"contains either `inf`, `na": func(g *graph.Graph, s node) node {
			return ops.Multinomial(s, weights(g, 2, float32(math.NaN())), 1, false)
		},
	} {
		_, err := drawOf(t, draw)
		require.ErrorContains(t, err, message)
	}
	g := graph.New("integers")
	seed := g.Input("seed", graph.Int64)
	requireMistake(t, ops.RandInt(seed, graph.Int8, 0, 300, 4),
		"from 0 up to 300: not all of these integers fit into int8")
	requireMistake(t, ops.RandInt(seed, graph.Uint32, -1, 3, 4),
		"from -1 up to 3: not all of these integers fit into uint32")
	require.NoError(t, ops.RandInt(seed, graph.Uint8, 0, 256, 4).Err())
}

// TestManyEvents expects the spread of numbers of events that are a million: their probabilities are differences of
// much greater numbers.
func TestManyEvents(t *testing.T) {
	v, err := drawOf(t, func(g *graph.Graph, s node) node {
		k := ops.Cast(ops.Poisson(s, ops.Full(g, graph.Float32, 1e6, 400000)), graph.Float64)
		return ops.Stack(0, ops.Mean(k), ops.Var(k, 1))
	})
	require.NoError(t, err)
	require.InDelta(t, 1e6, v[0], 10)
	require.InDelta(t, 1e6, v[1], 1.2e4)
}
