package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestValuesThatPyTorchLeavesOpen has the values of package ops where PyTorch's depend on the
// processor or end its process.
func TestValuesThatPyTorchLeavesOpen(t *testing.T) {
	g := graph.New("open")
	n := g.Dim("n")
	f, i, j := g.Input("f", graph.Float64, n), g.Input("i", graph.Int64, n), g.Input("j", graph.Int32, n)
	feed := exec.Feed{f: vec(math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, -2.7),
		i: vec[int64](math.MinInt64, 1<<32+5, -1, 7, 0, 1),
		j: vec[int32](math.MinInt32, 5, -1, 7, 0, 1)}
	for _, c := range []struct {
		y    *graph.Node
		want any
	}{
		{ops.Cast(f, graph.Int64), []int64{0, math.MaxInt64, math.MinInt64, math.MaxInt64, math.MinInt64, -2}},
		{ops.Cast(f, graph.Int32), []int32{0, math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, -2}},
		{ops.Cast(i, graph.Int32), []int32{0, 5, -1, 7, 0, 1}},
		{ops.FloorDiv(i, graph.Num(-1)), []int64{math.MinInt64, -(1<<32 + 5), 1, -7, 0, -1}},
		{ops.FloorDiv(j, graph.Num(-1)), []int32{math.MinInt32, -5, 1, -7, 0, -1}},
		{ops.Remainder(j, graph.Num(-1)), []int32{0, 0, 0, 0, 0, 0}},
		{ops.Abs(j), []int32{math.MinInt32, 5, 1, 7, 0, 1}},
	} {
		out, err := compute(t, c.y, feed)
		require.NoError(t, err)
		require.Equal(t, c.want, out.Data, "%s", graph.Describe(c.y))
	}
}

// TestWriteThroughFlip writes into the reversed view of a parameter.
func TestWriteThroughFlip(t *testing.T) {
	g := graph.New("flip")
	x, y := g.Param("x", graph.Float32, 4), g.Input("y", graph.Float32, 4)
	write := ops.AddInPlace(ops.Flip(x, 0), y)
	prog, err := exec.Compile(g, exec.Outputs(ops.Sum(y)), exec.Updates(write))
	require.NoError(t, err)
	s := prog.NewSession()
	require.NoError(t, s.SetParam(x, vec[float32](1, 2, 3, 4)))
	_, err = s.Run(t.Context(), exec.Feed{y: vec[float32](10, 20, 30, 40)})
	require.NoError(t, err)
	got, err := s.Param(x)
	require.NoError(t, err)
	require.Equal(t, []float32{41, 32, 23, 14}, got.Data)
}
