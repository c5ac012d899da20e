package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Threads divide the rows that are gathered into ranges of indices. An index out of range is reported whichever range
// it is in.
func TestThreadsTakeRows(t *testing.T) {
	const outer, size, inner, count = 3, 700, 40, 1001
	table := make([]float32, outer*size*inner)
	for i := range table {
		table[i] = float32(i)
	}
	long, short := make([]int64, count), make([]int32, count)
	for i := range long {
		long[i] = int64(i * 7919 % size)
		short[i] = int32(long[i])
	}
	want := make([]float32, outer*count*inner)
	for o := range outer {
		for i, at := range long {
			copy(want[(o*count+i)*inner:], table[(o*size+int(at))*inner:][:inner])
		}
	}
	g := graph.New("taken")
	x, i, j := g.Input("x", graph.Float32, outer, size, inner), g.Input("i", graph.Int64, count),
		g.Input("j", graph.Int32, count)
	a, b := ops.IndexSelect(x, 1, i), ops.IndexSelect(x, 1, j)
	prog, err := exec.Compile(g, exec.Outputs(a, b))
	require.NoError(t, err)
	for _, threads := range []int{1, 2, 3} {
		s := prog.NewSession(exec.Threads(threads))
		feed := exec.Feed{x: exec.Array{Shape: []int{outer, size, inner}, Data: table}, i: long, j: short}
		got := run(t, s, []*graph.Node{a, b}, feed)
		require.Equal(t, want, got[0])
		require.Equal(t, want, got[1])
		for _, at := range []int{0, 255, 256, 1000} {
			old := long[at]
			long[at] = size
			_, err := s.Run(context.Background(), feed)
			require.ErrorContains(t, err, "index out of range in self")
			require.ErrorContains(t, err, "is 700")
			long[at] = old
		}
	}
}
