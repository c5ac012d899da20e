package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// standardized brings each group of elements to mean 0 and variance 1.
func standardized(data []float64, eps float64, groupOf func(i int) int) []float64 {
	sums, squares, counts := map[int]float64{}, map[int]float64{}, map[int]float64{}
	for i, v := range data {
		sums[groupOf(i)] += v
		counts[groupOf(i)]++
	}
	for i, v := range data {
		k := groupOf(i)
		squares[k] += (v - sums[k]/counts[k]) * (v - sums[k]/counts[k])
	}
	out := make([]float64, len(data))
	for i, v := range data {
		k := groupOf(i)
		out[i] = (v - sums[k]/counts[k]) / math.Sqrt(squares[k]/counts[k]+eps)
	}
	return out
}

// normInputs are a value of shape [3, 4, 2], and a gain and a bias of the given sizes.
func normInputs(sizes ...int) (g *graph.Graph, x, gain, bias *graph.Node, in feeds) {
	g, rng := graph.New("norm"), rand.New(rand.NewPCG(1, 2))
	n := g.Dim("n")
	x = g.Input("x", graph.Float64, n, 4, 2)
	gain = g.Input("gain", graph.Float64, graph.MakeShape(sizes...)...)
	bias = g.Input("bias", graph.Float64, graph.MakeShape(sizes...)...)
	return g, x, gain, bias, feeds{x: random(rng, 3, 4, 2), gain: random(rng, sizes...), bias: random(rng, sizes...)}
}

func affine(y []float64, gain, bias reference.Value, at func(i int) int) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = v*gain.Floats()[at(i)] + bias.Floats()[at(i)]
	}
	return out
}

func TestLayerNorm(t *testing.T) {
	for _, sizes := range [][]int{{2}, {4, 2}} {
		_, x, gain, bias, in := normInputs(sizes...)
		size := len(in[gain].Floats())
		plain := standardized(in[x].Floats(), 1e-2, func(i int) int { return i / size })
		y := ops.LayerNorm(x, gain, bias, 1e-2)
		require.NoError(t, y.Err())
		requireClose(t, affine(plain, in[gain], in[bias], func(i int) int { return i % size }),
			value(t, in, y).Floats(), 1e-12, "layer_norm")
		requireClose(t, plain, value(t, in, ops.LayerNormOver(x, gain.Shape(), nil, nil, 1e-2)).Floats(), 1e-12,
			"without gain and bias")
		shifted := affine(plain, reference.Of([]float64{1, 1, 1, 1, 1, 1, 1, 1}, 8), in[bias],
			func(i int) int { return i % size })
		requireClose(t, shifted, value(t, in, ops.LayerNorm(x, nil, bias, 1e-2)).Floats(), 1e-12, "without gain")
		requireGradients(t, in, y, x, gain, bias)
	}
}

func TestRMSNorm(t *testing.T) {
	_, x, gain, _, in := normInputs(2)
	y := ops.RMSNorm(x, gain, 1e-2)
	var want []float64
	for i, v := range in[x].Floats() {
		a, b := in[x].Floats()[i/2*2], in[x].Floats()[i/2*2+1]
		want = append(want, v/math.Sqrt((a*a+b*b)/2+1e-2)*in[gain].Floats()[i%2])
	}
	requireClose(t, want, value(t, in, y).Floats(), 1e-12, "rms_norm")
	requireGradients(t, in, y, x, gain)
}

func TestBatchNorm(t *testing.T) {
	_, x, gain, bias, in := normInputs(4)
	channel := func(i int) int { return i / 2 % 4 }
	y, mean, variance := ops.BatchNorm(x, gain, bias, 1e-2)
	require.Equal(t, graph.Shape{4}, mean.Shape())
	want := affine(standardized(in[x].Floats(), 1e-2, channel), in[gain], in[bias], channel)
	requireClose(t, want, value(t, in, y).Floats(), 1e-12, "batch_norm")
	requireClose(t, want, value(t, in, ops.BatchNormInference(x, mean, variance, gain, bias, 1e-2)).Floats(), 1e-12,
		"the batch's own mean and variance")
	requireGradients(t, in, y, x, gain, bias)
}

func TestGroupNorm(t *testing.T) {
	for _, groups := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(groups), func(t *testing.T) {
			_, x, gain, bias, in := normInputs(4)
			y := ops.GroupNorm(x, groups, gain, bias, 1e-2)
			plain := standardized(in[x].Floats(), 1e-2, func(i int) int { return i / (8 / groups) })
			requireClose(t, affine(plain, in[gain], in[bias], func(i int) int { return i / 2 % 4 }),
				value(t, in, y).Floats(), 1e-12, "group_norm")
			requireGradients(t, in, y, x, gain, bias)
		})
	}
}

func TestNormMistakes(t *testing.T) {
	g := graph.New("norm")
	x, gain, bias := g.Input("x", graph.Float64, 2, 3), g.Input("gain", graph.Float64, 4),
		g.Input("bias", graph.Float64, 3)
	requireMistake(t, ops.LayerNorm(x, gain, nil, 1e-5),
		"Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]")
	requireMistake(t, ops.LayerNorm(x, gain, bias, 1e-5),
		"Expected bias to be of same shape as normalized_shape, but got bias of shape [3] and normalized_shape = [4]")
	requireMistake(t, ops.GroupNorm(x, 2, nil, nil, 1e-5),
		"Expected number of channels in input to be divisible by num_groups, but got input of shape [2, 3] and num_groups=2")
	_, _, _ = ops.BatchNorm(x, gain, nil, 1e-5)
	require.ErrorContains(t, g.Err(), "weight should contain 3 elements not 4")
	_, _, _ = ops.BatchNorm(bias, nil, nil, 1e-5)
	_, _, _ = ops.BatchNorm(ops.Slice(x, 0, 0, 1, 1), nil, nil, 1e-5)
	report := shapeinfer.Check(g).Err()
	require.ErrorContains(t, report, "BatchNorm(bias, nil, nil, 1e-05): expected 2D or more input (got 1D input)")
	require.ErrorContains(
		t, report,
		"BatchNorm(Slice(x, 0, 0, 1, 1), nil, nil, 1e-05): Expected more than 1 value per channel when training, got input size torch.Size([1, 3])")
}
