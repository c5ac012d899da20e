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

// splitMix64 is the published output function.
func splitMix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func TestRandomBitsAreThoseOfSplitMix64(t *testing.T) {
	g := graph.New("random")
	place, stream := g.Input("place", graph.Int64, 6), g.Input("stream", graph.Int64)
	places := []int64{0, 1, 2, -1, math.MaxInt64, 123456789}
	in := feeds{place: reference.Of(places, 6), stream: reference.Of([]int64{-42})}
	var want []int64
	for _, p := range places {
		const golden = 0x9e3779b97f4a7c15
		seed := int64(-42)
		want = append(want, int64(splitMix64(splitMix64(uint64(seed)*golden)+uint64(p)*golden)))
	}
	require.Equal(t, want, value(t, in, ops.Apply(ops.Lookup("random_bits"), nil, place, stream)).Data)
}

func TestUniformAndNormal(t *testing.T) {
	g := graph.New("random")
	seed, n := g.Input("seed", graph.Int64), g.Dim("n")
	size := g.Input("size", graph.Bool, n)
	u, other := ops.Uniform(seed, graph.Float64, n, 4), ops.Uniform(seed, graph.Float32, n, 4)
	normal := ops.Normal(seed, graph.Float64, n, 4)
	const count = 1000
	in := feeds{seed: reference.Of([]int64{1}), size: reference.Of(make([]bool, count), count)}
	got := evaluate(t, in, u, other, normal)
	mean, variance, least, most := moments(got[0].Floats())
	require.InDelta(t, 0.5, mean, 0.02)
	require.InDelta(t, 1.0/12, variance, 0.005)
	require.True(t, least >= 0 && most < 1)
	mean, variance, _, _ = moments(got[1].Floats())
	require.InDelta(t, 0.5, mean, 0.02)
	require.InDelta(t, 1.0/12, variance, 0.005)
	mean, variance, _, _ = moments(got[2].Floats())
	require.InDelta(t, 0, mean, 0.06)
	require.InDelta(t, 1, variance, 0.08)

	require.Equal(t, got[0].Data, value(t, in, u).Data, "the seed decides")
	product := 0.0
	for i, v := range got[0].Floats() {
		product += (v - 0.5) * (got[1].Floats()[i] - 0.5)
	}
	require.InDelta(t, 0, product/(4*count), 0.005, "two calls have nothing in common")
	in[seed] = reference.Of([]int64{2})
	require.NotEqual(t, got[0].Data, value(t, in, u).Data)
}

func moments(v []float64) (mean, variance, least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		mean += x / float64(len(v))
		least, most = min(least, x), max(most, x)
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, variance, least, most
}

func TestDropout(t *testing.T) {
	g := graph.New("random")
	seed, x := g.Input("seed", graph.Int64), g.Input("x", graph.Float64, 50, 20)
	in := feeds{seed: reference.Of([]int64{7}), x: random(rand.New(rand.NewPCG(1, 2)), 50, 20)}
	y := ops.Dropout(x, 0.25, seed)
	dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
	got := evaluate(t, in, y, dx)
	dropped := 0
	for i, v := range got[0].Floats() {
		if v == 0 {
			dropped++
			require.Zero(t, got[1].Floats()[i], "what was dropped has no gradient")
			continue
		}
		require.InDelta(t, in[x].Floats()[i]/0.75, v, 1e-12)
		require.InDelta(t, 1/0.75, got[1].Floats()[i], 1e-12)
	}
	require.InDelta(t, 250, dropped, 50)
	requireMistake(t, ops.Dropout(x, 1.5, seed), "dropout probability has to be between 0 and 1, but got 1.5")
	requireMistake(t, ops.Uniform(x, graph.Float32, 3), "a seed must be a scalar, but x has shape [50, 20]")
}

// A wrong seed is reported once, by the call that got it.
func TestSeedsThatAreNone(t *testing.T) {
	g := graph.New("draw")
	p := g.Input("p", graph.Float32, 3)
	shape := graph.MakeShape(3)
	for want, y := range map[string]*graph.Node{
		"Uniform(nil, graph.Float32, 3): the seed is nil": ops.Uniform(nil, graph.Float32, shape...),
		"Normal(…): the seed is nil":                      ops.Normal(nil, graph.Float32, shape...),
		"Normal(…): the seed is a number":                 ops.Normal(graph.Num(1), graph.Float32, shape...),
		"Permutation(…): the seed is nil":                 ops.Permutation(nil, 3),
		"RandomGamma(nil, p): the seed is nil":            ops.RandomGamma(nil, p),
		"RandomGamma(1, p): the seed is a number":         ops.RandomGamma(graph.Num(1), p),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "use an Int64 scalar")
	}
	require.Len(t, g.Mistakes(), 2)
}
