package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestWritesByIndexMoveOperandsOnce writes a few rows into many: the rows are read and written once, whatever is named
// by how many indices.
func TestWritesByIndexMoveOperandsOnce(t *testing.T) {
	g := graph.New("put")
	x, index, src := g.Input("x", graph.Float32, 1000, 500), g.Input("i", graph.Int64, 10),
		g.Input("src", graph.Float32, 10, 500)
	for name, y := range map[string]*graph.Node{
		"rows":     ops.IndexCopy(x, 0, index, src),
		"elements": ops.IndexPut(x, []*graph.Node{index, index}, ops.Select(src, 1, 0)),
	} {
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		stats, err := p.Stats(nil)
		require.NoError(t, err)
		require.Less(t, stats.Moved, 4_200_000, name)
	}
}

// TestLastOfSeveralStays writes elements of all sizes, in rows of one and of several, along the first axis and behind a
// batch. The last of several has the gradient.
func TestLastOfSeveralStays(t *testing.T) {
	for _, dt := range []graph.DType{graph.Bool, graph.Uint8, graph.Float16, graph.Int32, graph.Float32, graph.Float64,
		graph.Uint64} {
		g := graph.New("put")
		x, index, src := g.Input("x", graph.Float64, 2, 3, 2), g.Input("i", graph.Int64, 3),
			g.Input("src", graph.Float64, 2, 3, 2)
		part := func(n *graph.Node) *graph.Node { return ops.Cast(n, dt) }
		y := ops.IndexCopy(part(x), 1, index, part(src))
		column := func(n *graph.Node) *graph.Node { return ops.Select(ops.Select(part(n), 0, 0), 1, 0) }
		z := ops.IndexCopy(column(x), 0, index, column(src))
		wanted := []*graph.Node{ops.Cast(y, graph.Float64), ops.Cast(z, graph.Float64)}
		if dt.IsFloat() {
			wanted = append(wanted, autodiff.Grad(ops.Sum(ops.Cast(y, graph.Float64)), []*graph.Node{x, src})...)
		}
		p, err := exec.Compile(g, exec.Outputs(wanted...), exec.OnWarning(nil))
		require.NoError(t, err)
		out, err := p.NewSession().Run(t.Context(), exec.Feed{index: []int64{2, 0, 2},
			x:   exec.Array{Shape: []int{2, 3, 2}, Data: make([]float64, 12)},
			src: exec.Array{Shape: []int{2, 3, 2}, Data: []float64{0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0}}})
		require.NoError(t, err)
		for i, want := range [][]float64{{1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0}, {1, 0, 1},
			{0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0}, {0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1}}[:len(wanted)] {
			require.Equal(t, want, arrayOf(t, out, wanted[i]).Data, "%s: result %d", dt, i)
		}
	}
}
