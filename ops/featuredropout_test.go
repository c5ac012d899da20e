package ops_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestKindsOfDropout: what is dropped is dropped whole, as often as asked, and has no gradient; the rest is scaled.
func TestKindsOfDropout(t *testing.T) {
	const p = 0.25
	selu := -1.0507009873554805 * 1.6732632423543772
	a := 1 / math.Sqrt((1-p)*(1+p*selu*selu))
	for name, c := range map[string]struct {
		call        func(x *graph.Node, p float64, seed *graph.Node) *graph.Node
		whole       int // elements that are dropped together
		scale, bias float64
		dropped     float64
	}{
		"FeatureDropout":      {ops.FeatureDropout, 5, 1 / (1 - p), 0, 0},
		"StochasticDepth":     {ops.StochasticDepth, 20, 1 / (1 - p), 0, 0},
		"AlphaDropout":        {ops.AlphaDropout, 1, a, -selu * a * p, a*selu - selu*a*p},
		"FeatureAlphaDropout": {ops.FeatureAlphaDropout, 5, a, -selu * a * p, a*selu - selu*a*p},
	} {
		g := graph.New("dropout")
		seed, x := g.Input("seed", graph.Int64), g.Input("x", graph.Float64, g.Dim("n"), 4, 5)
		in := feeds{seed: reference.Of([]int64{7}), x: random(rand.New(rand.NewPCG(1, 2)), 100, 4, 5)}
		y := c.call(x, p, seed)
		got := evaluate(t, in, y, autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0])
		away := 0
		for i, v := range got[0].Floats() {
			isDropped := got[1].Floats()[i] == 0
			require.Equal(t, got[1].Floats()[i-i%c.whole] == 0, isDropped, name)
			want := c.scale*in[x].Floats()[i] + c.bias
			if isDropped {
				away, want = away+1, c.dropped
			}
			require.InDelta(t, want, v, 1e-12, name)
		}
		require.InDelta(t, p, float64(away)/2000, 0.1, name)
		require.Equal(t, x.Shape(), c.call(x, 0, seed).Shape())
		zero := value(t, in, c.call(x, 1, seed))
		require.Zero(t, zero.Floats()[3], "all is dropped")
		requireMistake(t, c.call(x, 1.5, seed), "dropout probability has to be between 0 and 1, but got 1.5")
		if c.whole > 1 {
			require.ErrorContains(t, c.call(seed.Cast(graph.Float64), p, seed).Err(),
				"Feature dropout requires at least")
		}
	}
}

// TestGumbelSoftmax: rows are distributions, or have one 1 with the gradient of what it would have been; places are
// drawn by Softmax.
func TestGumbelSoftmax(t *testing.T) {
	g := graph.New("gumbel")
	seed, x := g.Input("seed", graph.Int64), g.Input("x", graph.Float64, 2000, 3)
	logits := make([]float64, 0, 6000)
	for range 2000 {
		logits = append(logits, math.Log(0.5), math.Log(0.3), math.Log(0.2))
	}
	in := feeds{seed: reference.Of([]int64{3}), x: reference.Of(logits, 2000, 3)}
	soft := ops.GumbelSoftmax(x, 0.5, false, 1, seed)
	hard := ops.GumbelSoftmax(x, 0.5, true, -1, seed)
	slope := autodiff.Grad(ops.Sum(ops.Select(hard, 1, 0)), []*graph.Node{x})[0]
	got := evaluate(t, in, ops.Sum(soft, 1), ops.Mean(hard, 0),
		ops.Any(ops.And(ops.NotEqual(hard, graph.Num(0)), ops.NotEqual(hard, graph.Num(1)))), ops.Sum(ops.Abs(slope)))
	for _, v := range got[0].Floats() {
		require.InDelta(t, 1, v, 1e-12)
	}
	for i, p := range []float64{0.5, 0.3, 0.2} {
		require.InDelta(t, p, got[1].Floats()[i], 0.05)
	}
	require.Zero(t, got[2].Floats()[0], "each element is 0 or 1, exactly")
	require.Positive(t, got[3].Floats()[0])
	requireMistake(t, ops.GumbelSoftmax(x, 0, true, 1, seed), "the temperature tau must be more than 0, but it is 0")
}
