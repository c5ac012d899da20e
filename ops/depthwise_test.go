package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var convs = []func(x, w, b *graph.Node, opts ...ops.ConvOption) *graph.Node{ops.Conv1D, ops.Conv2D, ops.Conv3D}

// channelByChannel is a depthwise convolution as one convolution for each channel.
func channelByChannel(x, w *graph.Node, opts ...ops.ConvOption) *graph.Node {
	channels, _ := x.Shape()[1].Int()
	filters, _ := w.Shape()[0].Int()
	var parts []*graph.Node
	for c := range channels {
		of := func(x *graph.Node, axis int, n int64) *graph.Node {
			return ops.Slice(x, axis, graph.Dim(c*n), graph.Dim((c+1)*n), 1)
		}
		parts = append(parts, convs[x.Rank()-3](of(x, 1, 1), of(w, 0, filters/channels), nil, opts...))
	}
	return ops.Concat(1, parts...)
}

// Depthwise convolutions with rows that are long and short, few channels and many, several filters for a channel, in
// one axis to three.
func TestDepthwiseConvolutions(t *testing.T) {
	for _, c := range []struct {
		x, w                      []int
		stride, padding, dilation int
	}{
		{[]int{2, 3, 26}, []int{3, 1, 3}, 1, 1, 1},
		{[]int{1, 8, 5}, []int{8, 1, 4}, 1, 3, 1},
		{[]int{1, 2, 5}, []int{6, 1, 2}, 2, 0, 2},
		{[]int{2, 8, 4, 3}, []int{8, 1, 3, 3}, 1, 1, 1},
		{[]int{1, 8, 5, 4}, []int{8, 1, 3, 2}, 2, 1, 1},
		{[]int{1, 8, 2, 2}, []int{8, 1, 1, 1}, 1, 0, 1},
		{[]int{1, 8, 3, 1}, []int{8, 1, 2, 1}, 1, 3, 1}, // windows that see nothing but padding
		{[]int{1, 2, 2, 25}, []int{2, 1, 3, 2}, 1, 1, 1},
		{[]int{1, 2, 7, 6}, []int{2, 1, 2, 2}, 3, 0, 2},
		{[]int{1, 4, 3, 2}, []int{8, 1, 2, 2}, 1, 1, 1},
		{[]int{1, 8, 3, 2, 2}, []int{8, 1, 2, 2, 1}, 2, 1, 1},
		{[]int{0, 8, 3, 3}, []int{8, 1, 3, 3}, 1, 1, 1},
		{[]int{2, 2, 0, 4}, []int{2, 1, 1, 3}, 1, 2, 1}, // nothing but padding
		{[]int{2, 8, 0, 3}, []int{8, 1, 3, 3}, 2, 2, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("conv")
			rng := rand.New(rand.NewPCG(1, 2))
			x, w := g.Input("x", graph.Float64, graph.MakeShape(c.x...)...),
				g.Input("w", graph.Float64, graph.MakeShape(c.w...)...)
			in := feeds{x: random(rng, c.x...), w: random(rng, c.w...)}
			opts := []ops.ConvOption{ops.Stride(c.stride), ops.Padding(c.padding), ops.Dilation(c.dilation)}
			y := convs[len(c.x)-3](x, w, nil, append(opts, ops.Groups(c.x[1]))...)
			require.NoError(t, y.Err())
			want := channelByChannel(x, w, opts...)
			require.Equal(t, want.Shape(), y.Shape())
			requireClose(t, value(t, in, want).Floats(), value(t, in, y).Floats(), 1e-12, "depthwise")
			requireGradients(t, in, y, x, w)
		})
	}
}

// Where sizes of images are names, so are those of the gradient: none is left to be known at the run.
func TestDepthwiseConvolutionOfSymbolicSizes(t *testing.T) {
	for _, stride := range []int{1, 2} {
		g := graph.New("conv")
		n, h, v := g.Dim("n"), g.Dim("h"), g.Dim("v")
		x, w := g.Input("x", graph.Float64, n, 8, h, v), g.Input("w", graph.Float64, 8, 1, 3, 3)
		y := ops.Conv2D(x, w, nil, ops.Padding(1), ops.Groups(8), ops.Stride(stride))
		require.NoError(t, y.Err())
		dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
		require.NoError(t, dx.Err())
		require.Equal(t, x.Shape(), dx.Shape())
		require.Empty(t, g.Requirements())
		rng := rand.New(rand.NewPCG(1, 2))
		in := feeds{x: random(rng, 2, 8, 3, 4), w: random(rng, 8, 1, 3, 3)}
		requireGradients(t, in, y, x, w)
	}
}

// Those of float32 with steps of one and two are functions of whole images, of one or of several, also where the sizes
// of images are names.
func TestDepthwiseConvolutionsOfImages(t *testing.T) {
	for _, c := range []struct {
		x, w                      []int
		stride, padding, dilation int
	}{
		{[]int{1, 16, 7, 7}, []int{16, 1, 3, 3}, 1, 1, 1},
		{[]int{3, 4, 14, 15}, []int{4, 1, 3, 5}, 2, 1, 1},
		{[]int{3, 4, 14, 15}, []int{4, 1, 3, 3}, 2, 0, 1},
		{[]int{2, 3, 33}, []int{3, 1, 4}, 2, 2, 1},
		{[]int{1, 12, 20}, []int{12, 1, 5}, 1, 4, 2},
		{[]int{2, 2, 6, 40}, []int{6, 1, 2, 2}, 2, 0, 2},
		{[]int{2, 20, 3, 3}, []int{20, 1, 3, 3}, 2, 1, 1},
		{[]int{1, 2, 5, 4}, []int{2, 1, 1, 1}, 2, 0, 1},
		{[]int{0, 8, 3, 3}, []int{8, 1, 3, 3}, 1, 1, 1},
		{[]int{2, 8, 0, 3}, []int{8, 1, 3, 3}, 2, 2, 1},
	} {
		for _, named := range []bool{false, !slices.Contains(c.x, 0)} {
			t.Run(fmt.Sprint(c, named), func(t *testing.T) {
				g := graph.New("conv")
				rng := rand.New(rand.NewPCG(1, 2))
				shape := graph.MakeShape(c.x...)
				for i := 2; named && i < len(shape); i++ {
					shape[i] = g.Dim(fmt.Sprint("size", i))
				}
				x, w := g.Input("x", graph.Float64, shape...), g.Input("w", graph.Float64, graph.MakeShape(c.w...)...)
				in := feeds{x: random(rng, c.x...), w: random(rng, c.w...)}
				opts := []ops.ConvOption{ops.Stride(c.stride), ops.Padding(c.padding), ops.Dilation(c.dilation),
					ops.Groups(c.x[1])}
				all := func(t graph.DType) []*graph.Node {
					x, w := ops.Cast(x, t), ops.Cast(w, t)
					y := convs[len(c.x)-3](x, w, nil, opts...)
					return append(autodiff.Grad(ops.Sum(ops.Sin(y)), []*graph.Node{x, w}), y)
				}
				nodes := slices.Concat(all(graph.Float32), all(graph.Float64))
				values := evaluateWithin(t, 1e-4, in, nodes...)
				for i, v := range values[:3] {
					requireClose(t, values[3+i].Floats(), v.Floats(), 1e-4, "depthwise")
				}
				p, err := exec.Compile(g, exec.Outputs(nodes[:3]...))
				require.NoError(t, err)
				is := strings.Contains(p.String(), "function over")
				require.Equal(t, c.x[0] != 0, is, p.String())
			})
		}
	}
}

// In 16 bits the sum is rounded once, as in a product of matrices.
func TestDepthwiseConvolutionRoundsOnce(t *testing.T) {
	g := graph.New("conv")
	rng := rand.New(rand.NewPCG(1, 2))
	x, w := g.Input("x", graph.Float64, 2, 8, 5, 5), g.Input("w", graph.Float64, 8, 1, 3, 3)
	in := feeds{x: random(rng, 2, 8, 5, 5), w: random(rng, 8, 1, 3, 3)}
	conv := func(x, w *graph.Node) *graph.Node { return ops.Conv2D(x, w, nil, ops.Padding(1), ops.Groups(8)) }
	x16, w16 := ops.Cast(x, graph.BFloat16), ops.Cast(w, graph.BFloat16)
	want := ops.Cast(conv(ops.Cast(x16, graph.Float32), ops.Cast(w16, graph.Float32)), graph.BFloat16)
	require.Equal(t, value(t, in, ops.Cast(want, graph.Float32)).Floats(),
		value(t, in, ops.Cast(conv(x16, w16), graph.Float32)).Floats())
}

// A depthwise convolution lays out no windows, nor does its gradient: memory is as x is.
func TestDepthwiseConvolutionTakesTheMemoryOfItsOperand(t *testing.T) {
	const n, c, size = 2, 32, 16
	g := graph.New("conv")
	x, w := g.Input("x", graph.Float32, n, c, size, size), g.Input("w", graph.Float32, c, 1, 5, 5)
	y := ops.Conv2D(ops.Tanh(x), w, nil, ops.Padding(2), ops.Groups(c))
	p, err := exec.Compile(g, exec.Outputs(autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, w})...))
	require.NoError(t, err)
	s, err := p.Stats(nil)
	require.NoError(t, err)
	const padded = n * c * (size + 4) * (size + 4) * 4
	require.Less(t, s.Peak, 5*padded)
}
