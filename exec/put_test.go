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

// TestElementsArePutIntoValuesThatNothingElseReads puts elements into a computed value. Its memory is the result's, but
// not where the value is read later.
func TestElementsArePutIntoValuesThatNothingElseReads(t *testing.T) {
	const size, count = 100_000, 5000
	for _, read := range []bool{false, true} {
		g := graph.New("put")
		x, index, src := g.Input("x", graph.Float32, size), g.Input("i", graph.Int64, count),
			g.Input("src", graph.Float32, count)
		value := ops.Neg(x)
		y := ops.IndexPut(value, []*graph.Node{index}, src)
		wanted := []*graph.Node{y}
		if read {
			wanted = append(wanted, ops.Sub(value, y))
		}
		p, err := exec.Compile(g, exec.Outputs(wanted...))
		require.NoError(t, err)
		stats, err := p.Stats(nil)
		require.NoError(t, err)
		if !read {
			require.Less(t, stats.Peak, 4*(size+4*count), "one value and the indices")
		}
		feed := exec.Feed{}
		data, at, put := make([]float32, size), make([]int64, count), make([]float32, count)
		want, difference := make([]float32, size), make([]float32, size)
		for i := range data {
			data[i], want[i] = float32(i), -float32(i)
		}
		for i := range at {
			at[i], put[i] = int64(i*37%size), float32(i)
			want[at[i]] = put[i]
		}
		for i := range data {
			difference[i] = -data[i] - want[i]
		}
		feed[x], feed[index], feed[src] = data, at, put
		out, err := p.NewSession().Run(t.Context(), feed)
		require.NoError(t, err)
		require.Equal(t, want, arrayOf(t, out, y).Data)
		if read {
			require.Equal(t, difference, arrayOf(t, out, wanted[1]).Data)
		}
		at[4321] = size
		_, err = p.NewSession().Run(t.Context(), feed)
		require.ErrorContains(t, err, "[4321] is 100000")
	}
}
