package exec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A convolution of small images is one product for all of them, with the bits that each image
// has alone.
func TestSmallImagesAreConvolvedTogether(t *testing.T) {
	for _, images := range []int{0, 1, 2, 5} {
		for _, size := range []int{1, 2, 3, 5, 6} { // up to 36 columns
			t.Run(fmt.Sprintf("%d of %d", images, size), func(t *testing.T) {
				g := graph.New("images")
				x := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(0)), 5, graph.Dim(size), graph.Dim(size))
				w := g.Input("w", graph.Float32, 7, 5, 3, 3)
				y := ops.Conv2D(x, w, nil, ops.Padding(1))
				p, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				rng := rand.New(rand.NewPCG(1, 2))
				one := 5 * size * size
				pixels, filters := make([]float32, images*one), make([]float32, 7*5*9)
				for _, list := range [][]float32{pixels, filters} {
					for i := range list {
						list[i] = float32(rng.NormFloat64())
					}
				}
				convolve := func(count int, pixels []float32) []float32 {
					out, err := p.NewSession().Run(context.Background(), exec.Feed{
						x: exec.Array{Shape: []int{count, 5, size, size}, Data: pixels},
						w: exec.Array{Shape: []int{7, 5, 3, 3}, Data: filters}})
					require.NoError(t, err)
					values, err := exec.Values[float32](out, y)
					require.NoError(t, err)
					return values
				}
				want := []float32{}
				for i := range images {
					want = append(want, convolve(1, pixels[i*one:(i+1)*one])...)
				}
				require.Equal(t, want, append([]float32{}, convolve(images, pixels)...))
			})
		}
	}
}

// The gradient of filters needs no memory for each image but its own.
func TestGradientOfFiltersIsOneProduct(t *testing.T) {
	g := graph.New("filters")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 32, 4, 4)
	w := g.Input("w", graph.Float32, 64, 32, 3, 3)
	dw := autodiff.Grad(ops.Sum(ops.Square(ops.Conv2D(x, w, nil, ops.Padding(1)))), []*graph.Node{w})[0]
	p, err := exec.Compile(g, exec.Outputs(dw))
	require.NoError(t, err)
	few, err := p.Stats(map[string]int{"batch": 2})
	require.NoError(t, err)
	many, err := p.Stats(map[string]int{"batch": 12})
	require.NoError(t, err)
	const filters, image = 64 * 32 * 9 * 4, (32*6*6 + 3*64*4*4) * 4
	require.Less(t, many.Peak-few.Peak, 10*image)
	require.Less(t, 10*image, 10*filters)
}

// A convolution of few places with fixed filters, which is the product of windows with filters, has the bits that it
// has with filters that are fed.
func TestFewPlaces(t *testing.T) {
	for _, c := range []struct {
		images int
		size   []int
		kernel []int
		opts   []ops.ConvOption
	}{
		{1, []int{7, 7}, []int{3, 3}, []ops.ConvOption{ops.Padding(1)}},
		{2, []int{7, 7}, []int{3, 3}, []ops.ConvOption{ops.Padding(1)}},
		{1, []int{7, 7}, []int{1, 1}, nil},
		{1, []int{13, 14}, []int{3, 3}, []ops.ConvOption{ops.Padding(1), ops.Stride(2)}},
		{1, []int{14, 14}, []int{1, 1}, []ops.ConvOption{ops.Stride(2)}},
		{3, []int{7, 3}, []int{3, 2}, []ops.ConvOption{ops.Dilation(2), ops.Padding(2)}},
		{1, []int{1, 1}, []int{3, 3}, []ops.ConvOption{ops.Padding(1)}},
		{1, []int{50}, []int{4}, nil},
		{1, []int{3, 4, 3}, []int{2, 2, 2}, []ops.ConvOption{ops.Padding(1)}},
	} {
		for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.BFloat16} {
			t.Run(fmt.Sprint(c.images, c.size, c.kernel, len(c.opts), dtype), func(t *testing.T) {
				const channels, filters = 70, 66
				rng := rand.New(rand.NewPCG(1, 2))
				g := graph.New("places")
				pixels, weights := drawn(rng, dtype, append([]int{c.images, channels}, c.size...)),
					drawn(rng, dtype, append([]int{filters, channels}, c.kernel...))
				x, fed := g.Input("x", dtype, graph.MakeShape(pixels.Shape...)...),
					g.Input("fed", dtype, graph.MakeShape(weights.Shape...)...)
				w := g.Param("w", dtype, graph.MakeShape(weights.Shape...)...)
				convolve := map[int]func(x, w, b *graph.Node, opts ...ops.ConvOption) *graph.Node{
					1: ops.Conv1D, 2: ops.Conv2D, 3: ops.Conv3D}[len(c.size)]
				y, want := ops.Relu(convolve(x, w, nil, c.opts...)), ops.Relu(convolve(x, fed, nil, c.opts...))
				p, err := exec.Compile(g, exec.Outputs(y, want))
				require.NoError(t, err)
				for _, threads := range []int{1, 2} {
					s := p.NewSession(exec.Threads(threads))
					require.NoError(t, s.SetParam(w, exec.Array{Shape: weights.Shape, Data: weights.Data}))
					for range 3 { // the filters are laid out in the second run
						out, err := s.Run(t.Context(), exec.Feed{
							x:   exec.Array{Shape: pixels.Shape, Data: pixels.Data},
							fed: exec.Array{Shape: weights.Shape, Data: weights.Data}})
						require.NoError(t, err)
						require.Equal(t, arrayOf(t, out, want).Data, arrayOf(t, out, y).Data)
					}
				}
			})
		}
	}
}

// A 1×1 convolution of several images of 7×7, whose places are the rows of one product, has the bits that it has for
// each image by itself.
func TestRaggedPlaces(t *testing.T) {
	const images, channels, filters = 3, 300, 320
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
		for _, size := range [][]int{{7, 7}, {6, 6}, {14, 13}, {49}} {
			t.Run(fmt.Sprint(dtype, size), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				kernel := []int{filters, channels}
				opts, convolve := []ops.ConvOption{}, ops.Conv1D
				for range size {
					kernel = append(kernel, 1)
				}
				if len(size) == 2 {
					convolve = ops.Conv2D
				}
				if size[0] == 14 {
					opts = append(opts, ops.Stride(2))
				}
				pixels, weights, biases := drawn(rng, dtype, append([]int{images, channels}, size...)),
					drawn(rng, dtype, kernel), drawn(rng, dtype, []int{filters})
				g := graph.New("places")
				x, w, b := g.Input("x", dtype, graph.MakeShape(pixels.Shape...)...),
					g.Input("w", dtype, graph.MakeShape(kernel...)...), g.Input("b", dtype, filters)
				y := ops.Relu(convolve(x, w, b, opts...))
				var each []*graph.Node
				for i := range images {
					each = append(
						each, ops.Relu(convolve(ops.Slice(x, 0, graph.Dim(i), graph.Dim(i+1), 1), w, b, opts...)))
				}
				alone, err := exec.Compile(g, exec.Outputs(each[0]))
				require.NoError(t, err)
				together, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				require.Greater(t, together.Kernels(), alone.Kernels(), "copies of what is seen and given")
				p, err := exec.Compile(g, exec.Outputs(append(each, y)...))
				require.NoError(t, err)
				feed := exec.Feed{x: exec.Array{Shape: pixels.Shape, Data: pixels.Data},
					w: exec.Array{Shape: kernel, Data: weights.Data},
					b: exec.Array{Shape: biases.Shape, Data: biases.Data}}
				for _, threads := range []int{1, 2} {
					out, err := p.NewSession(exec.Threads(threads)).Run(t.Context(), feed)
					require.NoError(t, err)
					for i, n := range each {
						requirePart(t, arrayOf(t, out, y).Data, arrayOf(t, out, n).Data, i)
					}
				}
			})
		}
	}
}

// requirePart compares equal parts of elements with those of one of them.
func requirePart(t *testing.T, whole, part any, i int) {
	t.Helper()
	switch part := part.(type) {
	case []float32:
		require.Equal(t, part, whole.([]float32)[i*len(part):][:len(part)])
	case []float64:
		require.Equal(t, part, whole.([]float64)[i*len(part):][:len(part)])
	default:
		t.Fatalf("elements of %T", part)
	}
}
