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

// A transposed convolution is, by its definition, the gradient of a convolution with the
// same weights and steps with respect to its operand.
func TestConvTransposeIsTheGradientOfConv(t *testing.T) {
	for _, c := range []struct {
		x, w, out                        []int // of the transposed convolution
		stride, padding, dilation, extra [2]int
		groups                           int
	}{
		{[]int{2, 3, 3, 4}, []int{3, 2, 2, 3}, []int{2, 2, 4, 6}, [2]int{1, 1}, [2]int{0, 0}, [2]int{1, 1},
			[2]int{0, 0}, 1},
		{[]int{1, 2, 3, 3}, []int{2, 3, 3, 3}, []int{1, 3, 6, 6}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1},
			[2]int{1, 1}, 1},
		{[]int{1, 4, 2, 3}, []int{4, 1, 2, 2}, []int{1, 2, 6, 4}, [2]int{3, 2}, [2]int{0, 1}, [2]int{1, 1},
			[2]int{1, 0}, 2},
		{[]int{1, 1, 3, 2}, []int{1, 1, 2, 2}, []int{1, 1, 6, 5}, [2]int{1, 2}, [2]int{0, 0}, [2]int{3, 2},
			[2]int{0, 0}, 1},
		{[]int{1, 2, 2, 2}, []int{2, 2, 2, 2}, []int{1, 2, 4, 4}, [2]int{2, 2}, [2]int{0, 0}, [2]int{1, 1},
			[2]int{0, 0}, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("conv")
			rng := rand.New(rand.NewPCG(1, 2))
			x := g.Input("x", graph.Float64, graph.MakeShape(c.x...)...)
			w := g.Input("w", graph.Float64, graph.MakeShape(c.w...)...)
			b := g.Input("b", graph.Float64, graph.Dim(c.out[1]))
			z := g.Input("z", graph.Float64, graph.MakeShape(c.out...)...)
			in := feeds{x: random(rng, c.x...), w: random(rng, c.w...), b: random(rng, c.out[1]),
				z: random(rng, c.out...)}
			options := []ops.ConvOption{ops.Stride(c.stride[:]...), ops.Padding(c.padding[:]...),
				ops.Dilation(c.dilation[:]...), ops.Groups(c.groups)}
			y := ops.ConvTranspose2D(x, w, nil, append(options, ops.OutputPadding(c.extra[:]...))...)
			require.NoError(t, y.Err())
			require.Equal(t, graph.MakeShape(c.out...), y.Shape())
			adjoint := autodiff.Grad(ops.Conv2D(z, w, nil, options...), []*graph.Node{z}, autodiff.Upstream(x))[0]
			got := evaluate(t, in, y, adjoint)
			requireClose(t, got[1].Floats(), got[0].Floats(), 1e-12, "conv_transpose2d")
			requireGradients(t, in, ops.ConvTranspose2D(x, w, b, append(options, ops.OutputPadding(c.extra[:]...))...),
				x, w, b)
		})
	}
}

// Output padding may reach beyond what a step leaves over, where it is less than the dilation: zeros are behind the
// last window, of which padding shows less.
func TestOutputPaddingBeyondTheStride(t *testing.T) {
	for _, c := range []struct {
		stride, padding, dilation, extra [2]int
		groups                           int
	}{
		{[2]int{1, 1}, [2]int{0, 0}, [2]int{2, 2}, [2]int{1, 1}, 1},
		{[2]int{1, 2}, [2]int{1, 2}, [2]int{2, 4}, [2]int{1, 3}, 1},
		{[2]int{2, 1}, [2]int{3, 0}, [2]int{3, 3}, [2]int{2, 2}, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("conv")
			rng := rand.New(rand.NewPCG(1, 2))
			x, w := g.Input("x", graph.Float64, 2, 4, 3, 4), g.Input("w", graph.Float64, 4, 2, 3, 2)
			in := feeds{x: random(rng, 2, 4, 3, 4), w: random(rng, 4, 2, 3, 2)}
			options := []ops.ConvOption{ops.Stride(c.stride[:]...), ops.Dilation(c.dilation[:]...),
				ops.Groups(c.groups)}
			y := ops.ConvTranspose2D(
				x, w, nil, append(options, ops.Padding(c.padding[:]...), ops.OutputPadding(c.extra[:]...))...)
			require.NoError(t, y.Err())
			whole := ops.ConvTranspose2D(x, w, nil, options...)
			for i, extra := range c.extra {
				size, p := y.Shape()[2+i], graph.Dim(c.padding[i])
				whole = ops.Slice(ops.Pad(whole, 2+i, 0, graph.Dim(extra), 0), 2+i, p, size+p, 1)
			}
			got := evaluate(t, in, y, whole)
			requireClose(t, got[1].Floats(), got[0].Floats(), 1e-12, "conv_transpose2d")
			requireGradients(t, in, y, x, w)
		})
	}
}

func TestConvTransposeOfOneRowWithSymbolicSize(t *testing.T) {
	g := graph.New("conv")
	n := g.Dim("n")
	x, w := g.Input("x", graph.Float64, 2, n), g.Input("w", graph.Float64, 2, 3, 4)
	y := ops.ConvTranspose1D(x, w, nil, ops.Stride(2), ops.Padding(1))
	require.NoError(t, y.Err())
	require.Equal(t, graph.Shape{3, n.Times(2)}, y.Shape())
	require.Empty(t, g.Requirements())
	rng := rand.New(rand.NewPCG(1, 2))
	in := feeds{x: random(rng, 2, 3), w: random(rng, 2, 3, 4)}
	want := make([]float64, 3*6)
	for c := range 2 {
		for i := range 3 {
			for o := range 3 {
				for k := range 4 {
					if at := 2*i + k - 1; at >= 0 && at < 6 {
						want[o*6+at] += in[x].Floats()[c*3+i] * in[w].Floats()[(c*3+o)*4+k]
					}
				}
			}
		}
	}
	requireClose(t, want, value(t, in, y).Floats(), 1e-13, "conv_transpose1d")
}

func TestConvTransposeMistakes(t *testing.T) {
	g := graph.New("conv")
	x, w := g.Input("x", graph.Float64, 1, 2, 1), g.Input("w", graph.Float64, 3, 2, 2)
	requireMistake(t, ops.ConvTranspose1D(x, w, nil),
		"Given transposed=1, weight of size [3, 2, 2], expected input[1, 2, 1] to have 3 channels, but got 2 channels instead")
	v := g.Input("v", graph.Float64, 2, 2, 2)
	requireMistake(t, ops.ConvTranspose1D(x, v, nil, ops.Padding(1)),
		"Given input size per channel: (1). Calculated output size per channel: (0). Output size is too small")
	requireMistake(t, ops.ConvTranspose1D(x, v, nil, ops.OutputPadding(1)),
		"output padding must be smaller than either stride or dilation, but got output_padding=[1]")
	requireMistake(t, ops.Conv1D(v, v, nil, ops.OutputPadding(1)), "OutputPadding is for transposed convolutions")
}
