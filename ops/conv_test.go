package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// array reads a value's elements by index; outside of it everything is a filling.
type array struct {
	shape []int
	data  []float64
	fill  float64
}

func (a array) at(index ...int) float64 {
	place := 0
	for i, d := range a.shape {
		if index[i] < 0 || index[i] >= d {
			return a.fill
		}
		place = place*d + index[i]
	}
	return a.data[place]
}

// naiveConv2D is the definition of a convolution, as loops.
func naiveConv2D(x, w array, bias []float64, stride, padding, dilation [2]int, groups int) (shape []int, y []float64) {
	size := func(i int) int {
		return (x.shape[i+2]+2*padding[i]-dilation[i]*(w.shape[i+2]-1)-1)/stride[i] + 1
	}
	shape = []int{x.shape[0], w.shape[0], size(0), size(1)}
	inputs, outputs := w.shape[1], w.shape[0]/groups
	for n := range shape[0] {
		for o := range shape[1] {
			for i := range shape[2] {
				for j := range shape[3] {
					sum := bias[o]
					for c := range inputs {
						for a := range w.shape[2] {
							for b := range w.shape[3] {
								sum += w.at(o, c, a, b) * x.at(
									n, o/outputs*inputs+c, i*stride[0]-padding[0]+a*dilation[0],
									j*stride[1]-padding[1]+b*dilation[1])
							}
						}
					}
					y = append(y, sum)
				}
			}
		}
	}
	return shape, y
}

func TestConv2D(t *testing.T) {
	for _, c := range []struct {
		x, w                      []int
		stride, padding, dilation [2]int
		groups                    int
	}{
		{[]int{1, 1, 4, 4}, []int{1, 1, 3, 3}, [2]int{1, 1}, [2]int{0, 0}, [2]int{1, 1}, 1},
		{[]int{2, 3, 5, 4}, []int{2, 3, 2, 3}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, 1},
		{[]int{2, 2, 4, 5}, []int{1, 2, 3, 2}, [2]int{2, 1}, [2]int{1, 0}, [2]int{1, 1}, 1},
		{[]int{1, 1, 5, 7}, []int{2, 1, 2, 2}, [2]int{1, 2}, [2]int{0, 2}, [2]int{2, 3}, 1},
		{[]int{2, 4, 3, 3}, []int{4, 2, 2, 2}, [2]int{1, 1}, [2]int{0, 0}, [2]int{1, 1}, 2},
		{[]int{1, 3, 4, 4}, []int{6, 1, 2, 2}, [2]int{2, 2}, [2]int{0, 0}, [2]int{1, 1}, 3},
		{[]int{2, 3, 3, 4}, []int{2, 3, 1, 1}, [2]int{1, 1}, [2]int{0, 0}, [2]int{1, 1}, 1},
		{[]int{1, 2, 6, 6}, []int{1, 2, 2, 2}, [2]int{3, 3}, [2]int{0, 0}, [2]int{1, 1}, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("conv")
			rng := rand.New(rand.NewPCG(1, 2))
			x := g.Input("x", graph.Float64, graph.MakeShape(c.x...)...)
			w := g.Input("w", graph.Float64, graph.MakeShape(c.w...)...)
			b := g.Input("b", graph.Float64, graph.Dim(c.w[0]))
			in := feeds{x: random(rng, c.x...), w: random(rng, c.w...), b: random(rng, c.w[0])}
			y := ops.Conv2D(x, w, b, ops.Stride(c.stride[:]...), ops.Padding(c.padding[:]...),
				ops.Dilation(c.dilation[:]...), ops.Groups(c.groups))
			require.NoError(t, y.Err())
			shape, want := naiveConv2D(array{c.x, in[x].Floats(), 0}, array{c.w, in[w].Floats(), 0}, in[b].Floats(),
				c.stride, c.padding, c.dilation, c.groups)
			require.Equal(t, graph.MakeShape(shape...), y.Shape())
			requireClose(t, want, value(t, in, y).Floats(), 1e-12, "conv2d")
			requireGradients(t, in, y, x, w, b)
		})
	}
}

func TestConv1DIsConv2DOverOneRow(t *testing.T) {
	g := graph.New("conv")
	rng := rand.New(rand.NewPCG(1, 2))
	x, w := g.Input("x", graph.Float64, 2, 4, 7), g.Input("w", graph.Float64, 6, 2, 3)
	in := feeds{x: random(rng, 2, 4, 7), w: random(rng, 6, 2, 3)}
	y := ops.Conv1D(x, w, nil, ops.Stride(2), ops.Padding(1), ops.Groups(2))
	shape, want := naiveConv2D(array{[]int{2, 4, 1, 7}, in[x].Floats(), 0}, array{[]int{6, 2, 1, 3}, in[w].Floats(), 0},
		make([]float64, 6), [2]int{1, 2}, [2]int{0, 1}, [2]int{1, 1}, 2)
	require.Equal(t, graph.Shape{2, 6, graph.Dim(shape[3])}, y.Shape())
	requireClose(t, want, value(t, in, y).Floats(), 1e-12, "conv1d")
	requireGradients(t, in, y, x, w)
}

func TestConvOfOneImageWithSymbolicSizes(t *testing.T) {
	g := graph.New("conv")
	h, c := g.Dim("h"), g.Dim("c")
	x, w := g.Input("x", graph.Float64, c, h, 8), g.Input("w", graph.Float64, 2, c, 3, 3)
	y := ops.Conv2D(x, w, nil, ops.Stride(2), ops.Padding(1))
	require.NoError(t, y.Err())
	require.Equal(t, graph.Shape{2, h.Minus(1).FloorDiv(2).Plus(1), 4}, y.Shape())
	require.Empty(t, g.Requirements(), "a padded axis of 1 element has room for 3")
	rng := rand.New(rand.NewPCG(1, 2))
	in := feeds{x: random(rng, 3, 5, 8), w: random(rng, 2, 3, 3, 3)}
	_, want := naiveConv2D(array{[]int{1, 3, 5, 8}, in[x].Floats(), 0}, array{[]int{2, 3, 3, 3}, in[w].Floats(), 0},
		make([]float64, 2), [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}, 1)
	requireClose(t, want, value(t, in, y).Floats(), 1e-12, "conv2d")
	requireGradients(t, in, y, x, w)
}

func TestConvOfNothing(t *testing.T) {
	g := graph.New("conv")
	rng := rand.New(rand.NewPCG(1, 2))
	x, w, batch := g.Input("x", graph.Float64, 1, 0, 4, 4), g.Input("w", graph.Float64, 2, 0, 3, 3),
		g.Input("batch", graph.Float64, 0, 1, 4, 4)
	v := g.Input("v", graph.Float64, 2, 1, 3, 3)
	in := feeds{x: random(rng, 1, 0, 4, 4), w: random(rng, 2, 0, 3, 3), batch: random(rng, 0, 1, 4, 4),
		v: random(rng, 2, 1, 3, 3)}
	require.Equal(t, []int{1, 0, 2, 2}, value(t, in, ops.Conv2D(x, w, nil)).Shape,
		"no channels from no channels, as in PyTorch")
	y := ops.Conv2D(batch, v, nil)
	require.Equal(t, []int{0, 2, 2, 2}, value(t, in, y).Shape)
	dv := autodiff.Grad(ops.Sum(y), []*graph.Node{v})[0]
	require.Equal(t, make([]float64, 18), value(t, in, dv).Data)
}

func TestConvMistakes(t *testing.T) {
	for sentence, build := range map[string]func(input func(sizes ...int) *graph.Node) *graph.Node{
		"Calculated padded input size per channel: (8 x 8). Kernel size: (9 x 9). Kernel size can't be greater than actual input size": func(in func(...int) *graph.Node) *graph.Node {
			return ops.Conv2D(in(1, 3, 8, 8), in(4, 3, 3, 3), nil, ops.Dilation(4))
		},
		"Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [8, 8]": func(in func(...int) *graph.Node) *graph.Node {
			return ops.Conv2D(in(8, 8), in(4, 3, 3, 3), nil)
		},
		"Given groups=2, weight of size [4, 4, 3, 3], expected input[1, 4, 5, 5] to have 8 channels, but got 4 channels instead": func(in func(...int) *graph.Node) *graph.Node {
			return ops.Conv2D(in(1, 4, 5, 5), in(4, 4, 3, 3), nil, ops.Groups(2))
		},
		"expected stride to be a single integer value or a list of 1 values to match the convolution dimensions, but got stride=[1, 1]": func(in func(...int) *graph.Node) *graph.Node {
			return ops.Conv2D(in(1, 3, 8, 8), in(4, 3, 3), nil)
		},
		"Given weight of size [4, 3, 3], expected bias to be 1-dimensional with 4 elements, but got bias of size [3] instead": func(in func(...int) *graph.Node) *graph.Node {
			return ops.Conv1D(in(1, 3, 8), in(4, 3, 3), in(3))
		},
		"non-positive stride is not supported": func(in func(...int) *graph.Node) *graph.Node {
			return ops.Conv1D(in(1, 3, 8), in(4, 3, 3), nil, ops.Stride(0))
		},
	} {
		g := graph.New("conv")
		requireMistake(t, build(func(sizes ...int) *graph.Node {
			return g.Input(fmt.Sprintf("x%d", len(g.Nodes())), graph.Float64, graph.MakeShape(sizes...)...)
		}), sentence)
	}
}
