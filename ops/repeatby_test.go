package ops_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestRepeatInterleaveBy lengthens rows by counts that are fed, 0 among them, and adds up the gradients of copies.
func TestRepeatInterleaveBy(t *testing.T) {
	g := graph.New("lengths")
	n := g.Dim("n", graph.AtLeast(0))
	x, counts := g.Input("x", graph.Float32, n, 2), g.Input("counts", graph.Int32, n)
	y, many := ops.RepeatInterleaveBy(x, 0, counts, 6, graph.Num(-1))
	weights := ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, 6), graph.Float32), 1)
	dx := autodiff.Grad(ops.Sum(ops.Mul(y, weights)), []*graph.Node{x})[0]
	prog, err := exec.Compile(g, exec.Outputs(y, many, dx))
	require.NoError(t, err)
	s := prog.NewSession()
	for _, c := range []struct {
		x      []float32
		counts []int32
		y, dx  []float32
		many   int64
	}{
		{[]float32{1, 2, 3, 4, 5, 6}, []int32{2, 0, 3}, []float32{1, 2, 1, 2, 5, 6, 5, 6, 5, 6, -1, -1},
			[]float32{1, 1, 0, 0, 9, 9}, 5},
		{[]float32{1, 2, 3, 4}, []int32{0, 6}, []float32{3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4},
			[]float32{0, 0, 15, 15}, 6},
		{[]float32{}, []int32{}, []float32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, []float32{}, 0},
	} {
		r, err := s.Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{len(c.counts), 2}, Data: c.x},
				counts: exec.Array{Shape: []int{len(c.counts)}, Data: c.counts}})
		require.NoError(t, err)
		for node, want := range map[*graph.Node]any{y: c.y, dx: c.dx, many: []int64{c.many}} {
			got, err := r.Array(node)
			require.NoError(t, err)
			require.Equal(t, want, got.Data)
		}
	}
	for want, bad := range map[string][]int32{
		"RepeatInterleaveBy(x, 0, counts, 6, -1): there are more slices than the given size, 6: found 7": {3, 4},
		"RepeatInterleaveBy(x, 0, counts, 6, -1): a count must not be negative: found -1":                {2, -1},
	} {
		_, err := s.Run(context.Background(), exec.Feed{x: make([]float32, 4), counts: bad})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "repeatby_test.go")
	}
}

func TestRepeatInterleaveByMessages(t *testing.T) {
	g := graph.New("lengths")
	x, counts, c4 := g.Input("x", graph.Float32, g.Dim("n"), 3), g.Input("counts", graph.Int64, g.Dim("n")),
		g.Input("c4", graph.Int64, 4)
	call := func(x, counts node, axis int, size graph.Dim, fill node) node {
		y, _ := ops.RepeatInterleaveBy(x, axis, counts, size, fill)
		return y
	}
	for want, y := range map[string]node{
		"RepeatInterleaveBy(x, 1, c4, 9, 0): repeat_interleave: there are 4 counts, but 3 slices along axis 1": call(
			x, c4, 1, 9, graph.Num(0)),
		"repeat_interleave: repeats has to be Long or Int tensor": call(x, x, 0, 9, graph.Num(0)),
		"repeat_interleave only accept 1D vector as repeat": call(
			x, ops.Unsqueeze(counts, 0), 0, 9, graph.Num(0)),
		"repeat_interleave: the fill must be a number or a scalar of dtype float32": call(x, counts, 0, 9, counts),
		"repeat_interleave: a scalar has no axis to repeat along": call(
			ops.Sum(x), counts, 0, 9, graph.Num(0)),
		"Dimension out of range": call(x, counts, 3, 9, graph.Num(0)),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "repeatby_test.go")
	}
}
