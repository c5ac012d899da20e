package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestRanges compares what functions of new values give with what PyTorch and NumPy do.
func TestRanges(t *testing.T) {
	g := graph.New("ranges")
	x, y := g.Input("x", graph.Float64, 2), g.Input("y", graph.Float64, 3)
	in := feeds{x: reference.Of([]float64{2, 3}, 2), y: reference.Of([]float64{-1, 0, 5}, 3)}
	n := graph.Dim(3)
	grid := ops.Meshgrid(x, y)
	row, column := ops.TrilIndices(g, 3, 3, -1)
	up, across := ops.TriuIndices(g, 2, 3, 1)
	for name, c := range map[string]struct {
		y     node
		want  []float64
		shape []int
	}{
		"arange":      {ops.Arange(g, graph.Int64, 1, 10, 3), []float64{1, 4, 7}, []int{3}},
		"arange down": {ops.Arange(g, graph.Float32, 1, -1, -0.5), []float64{1, 0.5, 0, -0.5}, []int{4}},
		"arange none": {ops.Arange(g, graph.Int32, 3, 1, 1), []float64{}, []int{0}},
		"linspace":    {ops.Linspace(g, graph.Float64, -1, 1, 5), []float64{-1, -0.5, 0, 0.5, 1}, []int{5}},
		"linspace 1":  {ops.Linspace(g, graph.Float64, 7, 9, 1), []float64{7}, []int{1}},
		"linspace 10": {ops.Select(ops.Linspace(g, graph.Float32, 0, 0.1, 10), 0, -1),
			[]float64{float64(float32(0.1))}, []int{}},
		"logspace":      {ops.Logspace(g, graph.Float64, 0, 2, n, 10), []float64{1, 10, 100}, []int{3}},
		"eye":           {ops.Eye(g, graph.Float32, 2, 3), []float64{1, 0, 0, 0, 1, 0}, []int{2, 3}},
		"tri":           {ops.Tri(g, graph.Int32, 2, 3, 1), []float64{1, 1, 0, 1, 1, 1}, []int{2, 3}},
		"ones":          {ops.Ones(g, graph.Int64, 2), []float64{1, 1}, []int{2}},
		"ones like":     {ops.OnesLike(y), []float64{1, 1, 1}, []int{3}},
		"grid 0":        {grid[0], []float64{2, 2, 2, 3, 3, 3}, []int{2, 3}},
		"grid 1":        {grid[1], []float64{-1, 0, 5, -1, 0, 5}, []int{2, 3}},
		"diagonal":      {ops.DiagEmbed(x, 0), []float64{2, 0, 0, 3}, []int{2, 2}},
		"diagonal 1":    {ops.DiagEmbed(x, 1), []float64{0, 2, 0, 0, 0, 3, 0, 0, 0}, []int{3, 3}},
		"diagonal -1":   {ops.DiagEmbed(ops.Unsqueeze(x, 0), -1), []float64{0, 0, 0, 2, 0, 0, 0, 3, 0}, []int{1, 3, 3}},
		"vander":        {ops.Vander(x, 3, false), []float64{4, 2, 1, 9, 3, 1}, []int{2, 3}},
		"vander rising": {ops.Vander(x, 3, true), []float64{1, 2, 4, 1, 3, 9}, []int{2, 3}},
		"tril rows":     {row, []float64{1, 2, 2}, []int{3}},
		"tril columns":  {column, []float64{0, 0, 1}, []int{3}},
		"triu rows":     {up, []float64{0, 0, 1}, []int{3}},
		"triu columns":  {across, []float64{1, 2, 2}, []int{3}},
	} {
		t.Run(name, func(t *testing.T) {
			got := value(t, in, c.y)
			require.Equal(t, c.shape, append([]int{}, got.Shape...))
			requireClose(t, c.want, got.Floats(), 1e-15, name)
		})
	}
	requireGradients(t, in, ops.DiagEmbed(x, -1), x)
	requireGradients(t, in, ops.Vander(x, 4, false), x)
	requireMistake(t, ops.Arange(g, graph.Int64, 0, 1, 0), "there is no range from 0 to 1 with step 0 in int64")
	requireMistake(t, ops.Linspace(g, graph.Bool, 0, 1, 3), "Linspace needs a numeric dtype, not bool")
	requireMistake(t, ops.Meshgrid(grid[0])[0], "a grid needs vectors, but Meshgrid(x, y) has shape [2, 3]")
}

// TestAssertStopsTheRun expects the message, the line of the call and the place.
func TestAssertStopsTheRun(t *testing.T) {
	g := graph.New("assert")
	x := g.Input("x", graph.Float64, g.Dim("n"))
	y := ops.Exp(ops.Assert(x, ops.Less(x, graph.Num(2.)), "x has left its range"))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Equal(t, 1, prog.Kernels(), "it is part of the kernel")
	s := prog.NewSession()
	_, err = s.Run(t.Context(), exec.Feed{x: []float64{0, 1}})
	require.NoError(t, err)
	_, err = s.Run(t.Context(), exec.Feed{x: []float64{0, 1, 7}})
	require.ErrorContains(t, err, "x has left its range")
	require.ErrorContains(t, err, "ranges_test.go")
	require.ErrorContains(t, err, "7")
}
