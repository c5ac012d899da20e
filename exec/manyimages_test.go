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
						x: exec.Array{Shape: []int{count, 5, size, size}, Data: pixels}, w: exec.Array{Shape: []int{7, 5, 3, 3}, Data: filters}})
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
