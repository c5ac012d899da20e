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

// Volumes are convolved by tiles of their slices, as precisely as images are: with filters that see one slice or
// several, all kinds of padding, one volume and several, in parts and not.
func TestVolumesByTiles(t *testing.T) {
	for _, c := range []struct{ x, filter, padding []int }{
		{[]int{1, 64, 5, 28, 28}, []int{64, 64, 3, 3, 3}, []int{1, 1, 1}},
		{[]int{2, 64, 4, 23, 22}, []int{128, 64, 3, 3, 3}, []int{0, 0, 2}},
		{[]int{3, 64, 3, 15, 14}, []int{96, 64, 3, 3, 3}, []int{2, 1, 1}}, // by the smaller tiles
		{[]int{2, 128, 6, 17, 18}, []int{64, 128, 1, 3, 3}, []int{0, 1, 0}},
		{[]int{1, 64, 7, 20, 20}, []int{64, 64, 5, 3, 3}, []int{2, 1, 1}},
		{[]int{1, 96, 6, 28, 28}, []int{96, 96, 2, 3, 3}, []int{0, 1, 1}},
		{[]int{5, 64, 8, 28, 30}, []int{64, 64, 3, 3, 3}, []int{1, 1, 1}},   // volumes in parts
		{[]int{1, 64, 3, 131, 130}, []int{64, 64, 3, 3, 3}, []int{1, 2, 1}}, // rows in parts
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("by tiles")
			y := ops.Conv3D(g.Input("x", graph.Float32, graph.MakeShape(c.x...)...),
				g.Input("w", graph.Float32, graph.MakeShape(c.filter...)...), nil,
				ops.Padding(c.padding...))
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			require.Greater(t, p.Kernels(), 3)
			requireTilesAsWindows(t, c.x, c.filter, c.padding)
		})
	}
}

// TestConvolutionsOfUnknownChannelsAreByTiles has the numbers of images, channels and filters named: tiles are used for
// the convolution and both gradients, and they give what windows do, of many channels as of one.
func TestConvolutionsOfUnknownChannelsAreByTiles(t *testing.T) {
	for _, places := range [][]int{{8, 8}, {4, 4, 4}} {
		conv := ops.Conv2D
		if len(places) == 3 {
			conv = ops.Conv3D
		}
		build := func(dtype graph.DType) (p *exec.Program, in, out []*graph.Node) {
			g := graph.New("named")
			n, c, d := g.Dim("n"), g.Dim("c"), g.Dim("d")
			x := g.Input("x", dtype, append(graph.Shape{n, c}, graph.MakeShape(places...)...)...)
			w := g.Input("w", dtype, append(graph.Shape{d, c}, graph.MakeShape(3, 3, 3)[:len(places)]...)...)
			y := conv(x, w, nil, ops.Padding(1))
			out = append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, w})...)
			p, err := exec.Compile(g, exec.Outputs(out...))
			require.NoError(t, err)
			return p, []*graph.Node{x, w}, out
		}
		tiled, in, out := build(graph.Float32)
		plain, wideIn, wide := build(graph.Float64)
		require.Greater(t, tiled.Kernels(), 2*plain.Kernels())
		for _, size := range [][3]int{{3, 5, 7}, {1, 1, 1}, {2, 64, 33}} {
			rng := rand.New(rand.NewPCG(1, uint64(size[1])))
			feed, wideFeed := exec.Feed{}, exec.Feed{}
			for i, shape := range [][]int{append([]int{size[0], size[1]}, places...),
				append([]int{size[2], size[1]}, []int{3, 3, 3}[:len(places)]...)} {
				values := normal(rng, shape)
				feed[in[i]] = arrayOf(graph.Float32, shape, values)
				wideFeed[wideIn[i]] = arrayOf(graph.Float64, shape, values)
			}
			got, err := tiled.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			want, err := plain.NewSession().Run(t.Context(), wideFeed)
			require.NoError(t, err)
			for i := range out {
				a, err := got.Array(out[i])
				require.NoError(t, err)
				b, err := want.Array(wide[i])
				require.NoError(t, err)
				require.Equal(t, b.Shape, a.Shape)
				for j, v := range b.Data.([]float64) {
					require.InDelta(t, v, a.Data.([]float32)[j], 1e-3*float64(1+size[1]*size[2]),
						"%v of %v: result %d", size, places, i)
				}
			}
		}
	}
}
