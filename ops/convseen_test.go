package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// Filters of which numbers meet nothing but padding are computed without these. Fewer numbers are multiplied where the
// filters are fixed, and where what is left of them is a view; results and gradients are those of all numbers.
func TestFiltersLargerThanImages(t *testing.T) {
	for _, c := range []struct {
		x, w                      []int
		stride, padding, dilation [2]int
		groups                    int
		// numbers of a filter, and those that are left; fewer only if fixed where these are more than one
		of, seen int
	}{
		{[]int{1, 70, 1, 1}, []int{66, 70, 3, 3}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, 1, 9, 1},
		{[]int{3, 70, 1, 1}, []int{66, 70, 3, 3}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}, 1, 9, 1},
		{[]int{1, 70, 2, 2}, []int{66, 70, 3, 3}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, 1, 9, 9},
		// other padding before than behind
		{[]int{1, 70, 2, 2}, []int{66, 70, 3, 3}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}, 1, 9, 4},
		{[]int{2, 70, 2, 1}, []int{66, 70, 5, 5}, [2]int{1, 1}, [2]int{2, 2}, [2]int{1, 1}, 1, 25, 3},
		{[]int{1, 70, 3, 2}, []int{66, 70, 3, 7}, [2]int{1, 1}, [2]int{1, 3}, [2]int{1, 1}, 1, 21, 9},
		{[]int{1, 70, 3, 2}, []int{66, 70, 3, 3}, [2]int{1, 1}, [2]int{3, 2}, [2]int{3, 2}, 1, 9, 1},
		{[]int{1, 70, 3, 3}, []int{66, 70, 2, 2}, [2]int{1, 1}, [2]int{2, 0}, [2]int{4, 1}, 1, 4, 4},
		// an element that no number meets
		{[]int{1, 70, 2, 2}, []int{66, 70, 2, 2}, [2]int{9, 1}, [2]int{2, 0}, [2]int{3, 1}, 1, 4, 2},
		{[]int{2, 24, 1, 1}, []int{16, 3, 3, 3}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, 8, 9, 1},
		// of groups only single numbers
		{[]int{2, 24, 2, 2}, []int{16, 3, 5, 5}, [2]int{1, 1}, [2]int{2, 2}, [2]int{1, 1}, 8, 25, 25},
		{[]int{0, 70, 1, 1}, []int{66, 70, 3, 3}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, 1, 0, 0},
	} {
		for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
			t.Run(fmt.Sprint(c, dtype), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				xs, ws := random(rng, c.x...), random(rng, c.w...)
				shape, want := naiveConv2D(array{c.x, xs.Floats(), 0}, array{c.w, ws.Floats(), 0},
					make([]float64, c.w[0]), c.stride, c.padding, c.dilation, c.groups)
				left := c.of
				if c.seen == 1 {
					left = 1
				}
				for _, fixed := range []bool{false, true} {
					g := graph.New("conv")
					x, w := g.Input("x", dtype, graph.MakeShape(c.x...)...),
						g.Input("w", dtype, graph.MakeShape(c.w...)...)
					feed := exec.Feed{x: arrayOf(dtype, c.x, xs.Floats()), w: arrayOf(dtype, c.w, ws.Floats())}
					if fixed {
						w, left = g.Param("fixed", dtype, graph.MakeShape(c.w...)...), c.seen
						delete(feed, w)
					}
					y := ops.Conv2D(x, w, nil, ops.Stride(c.stride[:]...), ops.Padding(c.padding[:]...),
						ops.Dilation(c.dilation[:]...), ops.Groups(c.groups))
					p, err := exec.Compile(g, exec.Outputs(y))
					require.NoError(t, err)
					stats, err := p.Stats(nil)
					require.NoError(t, err)
					places := shape[0] * shape[2] * shape[3]
					require.Equal(t, 2*places*c.w[0]*c.w[1]*left, stats.Flops, "fixed: %v", fixed)
					s := p.NewSession()
					if fixed {
						require.NoError(t, s.SetParam(w, arrayOf(dtype, c.w, ws.Floats())))
					}
					for range 3 { // the filters are laid out in the second run
						out, err := s.Run(t.Context(), feed)
						require.NoError(t, err)
						got, err := out.Array(y)
						require.NoError(t, err)
						require.Equal(t, shape, got.Shape)
						requireClose(t, want, reference.Value{DType: dtype, Shape: got.Shape, Data: got.Data}.Floats(),
							1e-4, "conv2d")
					}
				}
			})
		}
	}
}

// What is left of fixed filters is laid out once, however large, and follows them when they are set.
func TestWhatIsLeftOfFiltersIsLaidOutOnce(t *testing.T) {
	const channels, filters, left = 300, 600, 4
	g := graph.New("conv")
	x, w := g.Input("x", graph.Float32, 1, channels, 2, 2), g.Param("w", graph.Float32, filters, channels, 3, 3)
	y := ops.Conv2D(x, w, nil, ops.Stride(2), ops.Padding(1))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	stats, err := p.Stats(nil)
	require.NoError(t, err)
	require.GreaterOrEqual(t, stats.Kept, 4*filters*channels*left)
	require.Less(t, stats.Kept, 4*filters*channels*9)
	s, rng := p.NewSession(), rand.New(rand.NewPCG(1, 2))
	for range 2 {
		xs, ws := random(rng, 1, channels, 2, 2), random(rng, filters, channels, 3, 3)
		_, want := naiveConv2D(array{xs.Shape, xs.Floats(), 0}, array{ws.Shape, ws.Floats(), 0},
			make([]float64, filters), [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}, 1)
		require.NoError(t, s.SetParam(w, arrayOf(graph.Float32, ws.Shape, ws.Floats())))
		for range 3 {
			out, err := s.Run(t.Context(), exec.Feed{x: arrayOf(graph.Float32, xs.Shape, xs.Floats())})
			require.NoError(t, err)
			got, err := out.Array(y)
			require.NoError(t, err)
			requireClose(t, want, reference.Value{DType: graph.Float32, Shape: got.Shape, Data: got.Data}.Floats(),
				1e-4, "conv2d")
		}
	}
}
