package ops_test

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestFractionalPoolsAsPyTorch compares values, indices and gradients with PyTorch's, at ties, NaN and infinities.
func TestFractionalPoolsAsPyTorch(t *testing.T) {
	numbers := func(t *testing.T, c choiceCase) (list []int) {
		for _, w := range c.words() {
			n, err := strconv.Atoi(w)
			require.NoError(t, err)
			list = append(list, n)
		}
		return list
	}
	runCases(t, "fractional", map[string]func(*testing.T, choiceCase, []node) []node{
		"FractionalMaxPool": func(t *testing.T, c choiceCase, in []node) []node {
			n := numbers(t, c)
			return two(ops.FractionalMaxPool(in[0], in[1], n[:len(n)/2], n[len(n)/2:]))
		},
		"AdaptiveMaxPoolIndex": func(t *testing.T, c choiceCase, in []node) []node {
			return two(ops.AdaptiveMaxPoolIndex(in[0], numbers(t, c)...))
		},
	})
}

// TestFractionalPoolsOfAnySamples reads nothing outside of x, whatever samples are, and has named sizes.
func TestFractionalPoolsOfAnySamples(t *testing.T) {
	g := graph.New("samples")
	x, samples := g.Input("x", graph.Float32, g.Dim("c"), g.Dim("h"), 4),
		g.Input("samples", graph.Float32, g.Dim("c"), 2)
	values, indices := ops.FractionalMaxPool(x, samples, []int{2, 2}, []int{2, 3})
	prog, err := exec.Compile(g, exec.Outputs(values, indices), exec.OnWarning(nil))
	require.NoError(t, err)
	image := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	run := func(rows int, samples0, samples1 float64) ([]int64, error) {
		r, err := prog.NewSession().Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{1, rows, 4}, Data: image[:rows*4]},
				samples: exec.Array{Shape: []int{1, 2}, Data: []float32{float32(samples0), float32(samples1)}}})
		if err != nil {
			return nil, err
		}
		a, err := r.Array(indices)
		require.NoError(t, err)
		return a.Data.([]int64), nil
	}
	for _, s := range []float64{0, 1, -7, 1e30, math.NaN(), math.Inf(1), math.Inf(-1)} {
		got, err := run(3, s, s)
		require.NoError(t, err)
		require.Equal(t, []int64{5, 6, 7, 9, 10, 11}, got, "%v", s)
	}
	_, err = run(2, 0, 0)
	require.ErrorContains(t, err, "the windows must fit on the axis")
}

// TestFractionalPoolsThatAreRefused says which sizes are wrong.
func TestFractionalPoolsThatAreRefused(t *testing.T) {
	g := graph.New("refused")
	x, samples := g.Input("x", graph.Float32, 2, 3, 5, 6), g.Input("samples", graph.Float32, 2, 3, 2)
	pool := func(x, samples node, kernel, sizes []int) error {
		y, _ := ops.FractionalMaxPool(x, samples, kernel, sizes)
		return y.Err()
	}
	adaptive := func(x node, sizes ...int) error {
		y, _ := ops.AdaptiveMaxPoolIndex(x, sizes...)
		return y.Err()
	}
	whole := g.Input("whole", graph.Int32, 2, 3, 5, 6)
	for says, err := range map[string]error{
		"FractionalMaxPool(x, samples, []int{2, 2}, []int{5, 3}): 5 windows of 2 elements need at least 6 elements, but axis 2 of x has 5": pool(
			x, samples, []int{2, 2}, []int{5, 3}),
		"as many result sizes, but got 1 and 1": pool(
			x, samples, []int{2}, []int{2}),
		"as many result sizes, but got 2 and 3": pool(
			x, samples, []int{2, 2}, []int{2, 2, 2}),
		"a window has []int{0, 2} elements": pool(
			x, samples, []int{0, 2}, []int{2, 2}),
		"axis 2 of three has 3 elements, but must have 2": pool(
			x, g.Input("three", graph.Float32, 2, 3, 3), []int{2, 2}, []int{2, 2}),
		"axis 1 of two has 2 elements, but must have 3": pool(
			x, g.Input("two", graph.Float32, 2, 2, 2), []int{2, 2}, []int{2, 2}),
		"flat is float32 of shape [3, 2]": pool(
			x, g.Input("flat", graph.Float32, 3, 2), []int{2, 2}, []int{2, 2}),
		"Expected 4D or 5D tensor, but samples has shape [2, 3, 2]": pool(
			samples, samples, []int{2, 2, 2}, []int{2, 2, 2}),
		"FractionalMaxPool(whole, samples, []int{2, 2}, []int{2, 2}): this needs floating-point numbers": pool(
			whole, samples, []int{2, 2}, []int{2, 2}),
		"AdaptiveMaxPoolIndex(whole, 2, 2): this needs floating-point numbers": adaptive(whole, 2, 2),
		"1 windows of 2 elements need at least 3 elements, but axis 1 of flat3 has 2": pool(
			g.Input("flat3", graph.Float32, 1, 2, 5, 6), g.Input("one", graph.Float32, 1, 3), []int{2, 2, 2},
			[]int{1, 2, 2}),
		"AdaptiveMaxPoolIndex(x, 0, 2)": adaptive(x, 0, 2),
		"Expected 2D or 3D tensor":      adaptive(x, 2),
	} {
		require.ErrorContains(t, err, says)
	}
}
