package ops_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A convolution of many channels and places, and its gradients, are computed by tiles in Float32, as precisely as in Float64 by windows but for
// rounding: of whole tiles and not, with all kinds of padding, one image and several.
func TestConvolutionsByTiles(t *testing.T) {
	for _, c := range []struct{ x, padding []int }{
		{[]int{1, 256, 32, 32}, []int{1, 1}},
		{[]int{2, 256, 23, 22}, []int{0, 2}},
		{[]int{1, 257, 33, 34}, []int{1, 0}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			const filters = 256
			filter := []int{filters, c.x[1], 3, 3}
			rng := rand.New(rand.NewPCG(1, 2))
			xs, ws := normal(rng, c.x), normal(rng, filter)
			tiled := convolved(t, graph.Float32, c.x, filter, c.padding, xs, ws)
			plain := convolved(t, graph.Float64, c.x, filter, c.padding, xs, ws)
			for i := range tiled {
				var worst, mean float64
				for j, want := range plain[i] {
					worst, mean = max(worst, math.Abs(tiled[i][j]-want)), mean+math.Abs(want)
				}
				require.Less(t, worst, 2e-5*mean/float64(len(plain[i])), "result %d", i)
			}
		})
	}
}

// Whether tiles are used shows in the number of products: 16 of matrices, one for each place of what a tile sees.
func TestShapesChooseTiles(t *testing.T) {
	count := func(x, w []int, opts ...ops.ConvOption) (n int) {
		g := graph.New("conv")
		y := ops.Conv2D(g.Input("x", graph.Float32, graph.MakeShape(x...)...), g.Input("w", graph.Float32, graph.MakeShape(w...)...), nil, opts...)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		s, err := p.Stats(nil)
		require.NoError(t, err)
		return s.Kernels
	}
	filter := []int{256, 256, 3, 3}
	windows := count([]int{1, 256, 14, 14}, filter, ops.Padding(1)) // few tiles
	require.Greater(t, count([]int{1, 256, 32, 32}, filter, ops.Padding(1)), windows)
	require.Equal(t, windows, count([]int{1, 128, 64, 64}, []int{256, 128, 3, 3}, ops.Padding(1)))
	require.Equal(t, windows, count([]int{1, 256, 64, 64}, filter, ops.Padding(1), ops.Dilation(2)))
	require.Equal(t, windows, count([]int{1, 256, 64, 64}, filter, ops.Padding(1), ops.Stride(2)))
	require.Equal(t, windows, count([]int{1, 256, 64, 64}, []int{256, 256, 3, 2}, ops.Padding(1)))
}

func normal(rng *rand.Rand, shape []int) []float64 {
	list := make([]float64, shape[0]*shape[1]*shape[2]*shape[3])
	for i := range list {
		list[i] = float64(float32(rng.NormFloat64()))
	}
	return list
}

// convolved returns the convolution and the gradient of the sum of its squares for the images.
func convolved(t *testing.T, dtype graph.DType, x, w, padding []int, xs, ws []float64) (results [][]float64) {
	t.Helper()
	g := graph.New("conv")
	images, filters := g.Input("x", dtype, graph.MakeShape(x...)...), g.Input("w", dtype, graph.MakeShape(w...)...)
	y := ops.Conv2D(images, filters, nil, ops.Padding(padding...))
	out := append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{images})...)
	p, err := exec.Compile(g, exec.Outputs(out...))
	require.NoError(t, err)
	feed := exec.Feed{images: arrayOf(dtype, x, xs), filters: arrayOf(dtype, w, ws)}
	got, err := p.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	for _, n := range out {
		a, err := got.Array(n)
		require.NoError(t, err)
		list := make([]float64, 0, len(xs))
		switch data := a.Data.(type) {
		case []float64:
			list = append(list, data...)
		case []float32:
			for _, v := range data {
				list = append(list, float64(v))
			}
		}
		results = append(results, list)
	}
	return results
}

func arrayOf(dtype graph.DType, shape []int, values []float64) exec.Array {
	if dtype == graph.Float64 {
		return exec.Array{Shape: shape, Data: values}
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	return exec.Array{Shape: shape, Data: narrow}
}
