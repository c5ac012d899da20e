package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func TestScan(t *testing.T) {
	g := graph.New("prefix")
	x := g.Input("x", graph.Float64, g.Dim("t"), 2)
	final, sums := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float64, 2)}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			sum := ops.Add(carry[0], x[0])
			return []*graph.Node{sum}, []*graph.Node{sum}
		})
	prog, err := exec.Compile(g, exec.Outputs(final[0], sums[0]))
	require.NoError(t, err)
	t.Log(prog)
	s := prog.NewSession()
	r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 5, 6}}})
	require.NoError(t, err)
	a, err := r.Array(final[0])
	require.NoError(t, err)
	require.Equal(t, []float64{9, 12}, a.Data)
	a, err = r.Array(sums[0])
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2, 4, 6, 9, 12}, a.Data)
}
