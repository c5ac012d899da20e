package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Gradients of convolutions with steps of one, whatever their padding and dilation, over one axis and three.
func TestGradientsOfPlainConvolutions(t *testing.T) {
	for _, c := range []struct {
		x, w              []int
		padding, dilation int
	}{
		{[]int{1, 16, 4}, []int{2, 16, 3}, 1, 1},
		{[]int{1, 16, 4}, []int{2, 16, 3}, 2, 1},
		{[]int{1, 16, 3}, []int{2, 16, 2}, 2, 3},
		{[]int{2, 16, 2}, []int{1, 16, 1}, 0, 1},
		{[]int{1, 16, 2, 2}, []int{2, 16, 3, 2}, 1, 1},
		{[]int{1, 16, 2, 1, 2}, []int{1, 16, 3, 1, 1}, 1, 1},
		{[]int{1, 1, 1}, []int{9, 1, 1}, 0, 1}, // more weights than windows, and few channels
		{[]int{1, 2, 7}, []int{3, 2, 3}, 3, 1}, // a window that sees nothing but padding
		{[]int{2, 3, 7}, []int{2, 3, 3}, 0, 1}, // larger than the result
		{[]int{1, 16, 5, 5}, []int{1, 16, 3, 3}, 0, 1},
		{[]int{1, 16, 7, 6}, []int{2, 16, 3, 3}, 0, 2}, // hardly larger for so few channels
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("conv")
			rng := rand.New(rand.NewPCG(1, 2))
			x, w := g.Input("x", graph.Float64, graph.MakeShape(c.x...)...),
				g.Input("w", graph.Float64, graph.MakeShape(c.w...)...)
			in := feeds{x: random(rng, c.x...), w: random(rng, c.w...)}
			conv := []func(x, w, b *graph.Node, opts ...ops.ConvOption) *graph.Node{
				ops.Conv1D, ops.Conv2D, ops.Conv3D}[len(c.x)-3]
			requireGradients(t, in, conv(x, w, nil, ops.Padding(c.padding), ops.Dilation(c.dilation)), x, w)
		})
	}
}

// Sizes may be names, those of the batch, the image and the channels that come in.
func TestGradientOfPlainConvolutionWithSymbolicSizes(t *testing.T) {
	g := graph.New("conv")
	n, c, h := g.Dim("n"), g.Dim("c"), g.Dim("h")
	x, w := g.Input("x", graph.Float64, n, c, h, 4), g.Input("w", graph.Float64, 2, c, 3, 3)
	y := ops.Conv2D(x, w, nil, ops.Padding(1))
	require.NoError(t, y.Err())
	dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
	require.NoError(t, dx.Err())
	require.Equal(t, x.Shape(), dx.Shape())
	rng := rand.New(rand.NewPCG(1, 2))
	requireGradients(t, feeds{x: random(rng, 2, 3, 5, 4), w: random(rng, 2, 3, 3, 3)}, y, x, w)
}

// The gradient for x of a convolution with steps of one lays out no windows: it takes memory as x and dy do. Padding
// may be an operation of its own, as where borders mirror what lies behind them.
func TestGradientOfPlainConvolutionIsAConvolution(t *testing.T) {
	const n, c, size = 4, 16, 24
	for name, conv := range map[string]func(x, w *graph.Node) *graph.Node{
		"zeros": func(x, w *graph.Node) *graph.Node { return ops.Conv2D(x, w, nil, ops.Padding(1)) },
		"mirrored": func(x, w *graph.Node) *graph.Node {
			return ops.Conv2D(ops.PadWith(ops.PadWith(x, 2, 1, 1, ops.PadReflect), 3, 1, 1, ops.PadReflect), w, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("conv")
			x, w := g.Input("x", graph.Float32, n, c, size, size), g.Input("w", graph.Float32, c, c, 3, 3)
			y := conv(ops.Tanh(x), w)
			p, err := exec.Compile(g, exec.Outputs(autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})...))
			require.NoError(t, err)
			s, err := p.Stats(nil)
			require.NoError(t, err)
			const padded = n * c * (size + 2) * (size + 2) * 4
			require.Less(t, s.Peak, 4*padded)
		})
	}
}
