package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

func TestWindowsAndTheirGradients(t *testing.T) {
	for _, c := range []struct {
		shape                        []int
		axis, size, stride, dilation int
	}{
		{[]int{6}, 0, 3, 1, 1}, {[]int{7}, -1, 2, 2, 1}, {[]int{7}, 0, 3, 2, 2}, {[]int{5}, 0, 1, 1, 1},
		{[]int{5}, 0, 5, 1, 1},
		{[]int{2, 7}, 1, 3, 3, 1}, {[]int{7, 2}, 0, 3, 1, 2}, {[]int{7, 2}, 0, 3, 3, 1}, {[]int{8, 2}, 0, 2, 5, 1},
		{[]int{2, 6, 3}, 1, 3, 2, 1}, {[]int{2, 6, 3}, -2, 2, 1, 4}, {[]int{6, 1, 2}, 0, 2, 3, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("windows")
			x := g.Input("x", graph.Float64, graph.MakeShape(c.shape...)...)
			in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), c.shape...)}
			y := ops.Window(x, c.axis, graph.Dim(c.size), c.stride, c.dilation)
			got := value(t, in, y)

			axis := (c.axis + len(c.shape)) % len(c.shape)
			count := (c.shape[axis]-c.dilation*(c.size-1)-1)/c.stride + 1
			inner := 1
			for _, d := range c.shape[axis+1:] {
				inner *= d
			}
			var want []float64
			for outer := range len(in[x].Floats()) / (inner * c.shape[axis]) {
				for i := range count {
					for j := range inner {
						for k := range c.size {
							want = append(want, in[x].Floats()[(outer*c.shape[axis]+i*c.stride+k*c.dilation)*inner+j])
						}
					}
				}
			}
			require.Equal(t, want, got.Floats())
			require.Equal(t, count, got.Shape[axis])
			require.Equal(t, c.size, got.Shape[len(got.Shape)-1])
			requireGradients(t, in, ops.Mul(y, y), x)
		})
	}
}

func TestFoldAddsWhatMeets(t *testing.T) {
	g := graph.New("fold")
	x := g.Input("x", graph.Int32, 3, 2)
	y := ops.Fold(x, 0, 5, 1, 2)
	got := value(t, feeds{x: reference.Of([]int32{1, 2, 3, 4, 5, 6}, 3, 2)}, y)
	require.Equal(t, []int32{1, 3, 5 + 2, 4, 6}, got.Data)
}

func TestWindowsOfSymbolicSize(t *testing.T) {
	g := graph.New("windows")
	n := g.Dim("n", graph.AtLeast(5))
	x := g.Input("x", graph.Float64, 2, n)
	y := ops.Window(x, 1, 3, 2, 2)
	require.NoError(t, y.Err())
	require.Equal(t, "[2, floor((n+1)/2)-2, 3]", y.Shape().String())
	require.Empty(t, g.Requirements(), "5 elements are enough for every window")
	for _, size := range []int{5, 8} {
		in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), 2, size)}
		require.Equal(t, []int{2, (size-5)/2 + 1, 3}, value(t, in, y).Shape)
	}
	requireGradients(t, feeds{x: random(rand.New(rand.NewPCG(1, 2)), 2, 6)}, ops.Exp(y), x)
}

func TestWindowsThatDoNotFit(t *testing.T) {
	g := graph.New("windows")
	x := g.Input("x", graph.Float64, 2, 4)
	requireMistake(t, ops.Window(x, 1, 3, 1, 2), "maximum size for tensor at dimension 1 is 4 but size is 5")
	requireMistake(t, ops.Window(x, 1, 3, 0, 1), "step is 0 but must be > 0")
	requireMistake(t, ops.Window(x, 2, 3, 1, 1),
		"Dimension out of range (expected to be in range of [-2, 1], but got 2)")
	requireMistake(t, ops.Fold(x, 0, 9, 1, 1), "fold: an axis of 9 elements has 6 windows of 4 elements, but got 2")
}
