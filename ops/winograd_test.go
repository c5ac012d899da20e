package ops_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// A convolution of many channels and places, and its gradients, are computed by tiles in Float32, as precisely as in
// Float64 by windows but for rounding: of whole tiles and not, with all kinds of padding, one image and several.
func TestConvolutionsByTiles(t *testing.T) {
	for _, c := range []struct{ x, padding []int }{
		{[]int{1, 256, 32, 32}, []int{1, 1}},
		{[]int{2, 256, 23, 22}, []int{0, 2}},
		{[]int{1, 257, 33, 34}, []int{1, 0}},
		{[]int{3, 256, 15, 9}, []int{3, 1}},
		{[]int{13, 64, 30, 43}, []int{1, 1}},
		{[]int{2, 96, 15, 14}, []int{1, 1}},   // by the smaller tiles
		{[]int{1, 64, 131, 130}, []int{2, 1}}, // rows in parts
		{[]int{2, 40, 110, 118}, []int{0, 0}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			requireTilesAsWindows(t, c.x, []int{256, c.x[1], 3, 3}, c.padding)
		})
	}
}

// requireTilesAsWindows compares a convolution and its gradients by tiles, in Float32, with those by windows, in
// Float64.
func requireTilesAsWindows(t *testing.T, x, filter, padding []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	xs, ws := normal(rng, x), normal(rng, filter)
	tiled := convolved(t, graph.Float32, x, filter, padding, xs, ws)
	plain := convolved(t, graph.Float64, x, filter, padding, xs, ws)
	for i := range tiled {
		var worst, mean float64
		for j, want := range plain[i] {
			worst, mean = max(worst, math.Abs(tiled[i][j]-want)), mean+math.Abs(want)
		}
		require.Less(t, worst, 3e-5*mean/float64(len(plain[i])), "result %d", i)
	}
}

// A convolution of 16 bits by tiles is computed in Float32 and rounded once, and so are its gradients.
func TestConvolutionsOf16BitsByTiles(t *testing.T) {
	shape, filter, padding := []int{4, 64, 30, 31}, []int{96, 64, 3, 3}, []int{1, 1}
	for _, dtype := range []graph.DType{graph.BFloat16, graph.Float16} {
		rng := rand.New(rand.NewPCG(1, 2))
		rounded := func(data []float64) []float64 { // small, so that sums stay in the range of Float16
			for i, v := range data {
				data[i] = v / 16
			}
			return reference.FromFloats(dtype, data, len(data)).Floats()
		}
		xs, ws := rounded(normal(rng, shape)), rounded(normal(rng, filter))
		tiled := convolved(t, dtype, shape, filter, padding, xs, ws)
		plain := convolved(t, graph.Float64, shape, filter, padding, xs, ws)
		for i := range tiled {
			var differs, all float64
			for j, want := range plain[i] {
				differs, all = differs+math.Abs(tiled[i][j]-want), all+math.Abs(want)
			}
			require.Less(t, differs/all, 2e-3, "result %d of %s", i, dtype)
		}
	}
}

// Whether tiles are used shows in the number of kernels.
func TestShapesChooseTiles(t *testing.T) {
	const any = -1 // number of images
	count := func(declare func(*graph.Graph, string, graph.DType, ...graph.Dim) *graph.Node, x, w []int,
		opts ...ops.ConvOption) (n int) {
		g := graph.New("conv")
		shape := graph.MakeShape(x...)
		if x[0] == any {
			shape[0] = g.Dim("batch")
		}
		y := ops.Conv2D(g.Input("x", graph.Float32, shape...), declare(g, "w", graph.Float32, graph.MakeShape(w...)...),
			nil, opts...)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		return p.Kernels()
	}
	input := func(g *graph.Graph, name string, dtype graph.DType, shape ...graph.Dim) *graph.Node {
		return g.Input(name, dtype, shape...)
	}
	param := func(g *graph.Graph, name string, dtype graph.DType, shape ...graph.Dim) *graph.Node {
		return g.Param(name, dtype, shape...)
	}
	filter, small := []int{256, 256, 3, 3}, []int{1, 256, 8, 8}
	windows := count(input, small, filter, ops.Padding(1)) // few tiles for filters that would be turned in each run
	tiles := count(param, small, filter, ops.Padding(1))
	require.Greater(t, tiles, windows)
	larger := count(input, []int{1, 256, 28, 28}, filter, ops.Padding(1)) // one axis after the other
	require.Greater(t, larger, tiles)
	require.Equal(t, larger, count(param, []int{1, 64, 56, 56}, []int{64, 64, 3, 3}, ops.Padding(1)))
	require.Equal(t, windows, count(input, []int{1, 256, 14, 14}, filter, ops.Padding(1)))
	require.Greater(t, count(input, []int{16, 64, 56, 56}, []int{64, 64, 3, 3}, ops.Padding(1)), 2*larger, "parts")
	require.Equal(t, windows, count(param, []int{1, 4, 64, 64}, []int{8, 4, 3, 3}, ops.Padding(1)))
	require.Equal(t, windows, count(param, small, filter, ops.Padding(2), ops.Dilation(2)))
	require.Equal(t, windows, count(param, []int{1, 256, 16, 16}, filter, ops.Padding(1), ops.Stride(2)))
	require.Equal(t, windows, count(param, small, []int{256, 256, 3, 2}, ops.Padding(1)))
	require.Greater(t, count(param, []int{any, 256, 14, 14}, filter, ops.Padding(1)), windows)
	require.Equal(t, count(input, []int{16, 256, 8, 8}, filter, ops.Padding(1)),
		count(input, []int{any, 256, 8, 8}, filter, ops.Padding(1)), "a batch of any size, as in training")
}

// Filters that are set between runs, and by sessions that share them, are turned again; else once.
func TestTurnedFiltersFollowTheParameter(t *testing.T) {
	g := graph.New("conv")
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 64, 28, 28), g.Param("w", graph.Float32, 64, 64, 3, 3)
	fed := g.Input("fed", graph.Float32, 64, 64, 3, 3)
	y, want := ops.Conv2D(x, w, nil, ops.Padding(1)),
		ops.Conv2D(ops.Cast(x, graph.Float64), ops.Cast(fed, graph.Float64), nil, ops.Padding(1))
	kept, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	plain, err := exec.Compile(g, exec.Outputs(want))
	require.NoError(t, err)
	stats, err := kept.Stats(map[string]int{"batch": 1})
	require.NoError(t, err)
	require.Equal(t, 36*64*64*4, stats.Kept, "bytes of turned filters")
	s := kept.NewSession()
	sharing, other := kept.NewSession(exec.ShareParams(s)), plain.NewSession()
	rng := rand.New(rand.NewPCG(3, 4))
	single := func(shape ...int) exec.Array {
		data := make([]float32, shape[0]*shape[1]*shape[2]*shape[3])
		for i := range data {
			data[i] = float32(rng.NormFloat64())
		}
		return exec.Array{Shape: shape, Data: data}
	}
	for i, batch := range []int{1, 3, 3, 1, 2, 2} {
		images := single(batch, 64, 28, 28)
		if i%2 == 0 {
			require.NoError(t, s.SetParam(w, single(64, 64, 3, 3)))
		}
		filters, err := s.Param(w)
		require.NoError(t, err)
		right, err := other.Run(t.Context(), exec.Feed{x: images, fed: filters})
		require.NoError(t, err)
		expected, err := right.Array(want)
		require.NoError(t, err)
		for _, session := range []*exec.Session{s, sharing, s} {
			r, err := session.Run(t.Context(), exec.Feed{x: images})
			require.NoError(t, err)
			got, err := r.Array(y)
			require.NoError(t, err)
			require.InDeltaSlice(t, expected.Data, got.Data, 1e-3)
		}
	}
	feed := exec.Feed{x: single(1, 64, 28, 28)}
	profile, err := s.Profile(t.Context(), feed, 2)
	require.NoError(t, err)
	require.Contains(t, profile.Kernels, time.Duration(0), "a kernel that did not run again")
	allocs.RequireNone(t, 10, func() { _, _ = s.Run(t.Context(), feed) })
}

func normal(rng *rand.Rand, shape []int) []float64 {
	n := 1
	for _, size := range shape {
		n *= size
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(float32(rng.NormFloat64()))
	}
	return list
}

// convolved returns the convolution and the gradients of the sum of its squares for images and filters.
func convolved(t *testing.T, dtype graph.DType, x, w, padding []int, xs, ws []float64) (results [][]float64) {
	t.Helper()
	g := graph.New("conv")
	images, filters := g.Input("x", dtype, graph.MakeShape(x...)...), g.Input("w", dtype, graph.MakeShape(w...)...)
	conv := ops.Conv2D
	if len(x) == 5 {
		conv = ops.Conv3D
	}
	y := conv(images, filters, nil, ops.Padding(padding...))
	out := append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{images, filters})...)
	p, err := exec.Compile(g, exec.Outputs(out...))
	require.NoError(t, err)
	feed := exec.Feed{images: arrayOf(dtype, x, xs), filters: arrayOf(dtype, w, ws)}
	got, err := p.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	for _, n := range out {
		a, err := got.Array(n)
		require.NoError(t, err)
		list := make([]float64, 0, len(xs))
		switch data := a.Widened().Data.(type) {
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
	switch dtype {
	case graph.Float64:
		return exec.Array{Shape: shape, Data: values}
	case graph.Float32:
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		return exec.Array{Shape: shape, Data: narrow}
	}
	return exec.Array{Shape: shape, Data: reference.FromFloats(dtype, values, shape...).Data}
}
