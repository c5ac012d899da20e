package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Two views of one memory with the same strides are two operands where the size of each
// decides in the run whether it is repeated.
func TestViewsWhoseRepetitionIsDecidedInTheRun(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
	n, m := g.Dim("n"), g.Dim("m")
	x := g.Input("x", graph.Float32, m)
	v := ops.AsStrided(x, graph.Shape{2, n}, []graph.Dim{0, 1}, 0)
	y := ops.Add(v, x)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	feed := exec.Feed{x: exec.Array{Shape: []int{2}, Data: []float32{1, 10}}}
	for size, want := range map[int][]float32{1: {2, 11, 2, 11}, 2: {2, 20, 2, 20}} {
		r, err := p.NewSession(exec.Size("n", size)).Run(context.Background(), feed)
		require.NoError(t, err)
		require.Equal(t, want, arrayOf(t, r, y).Data)
	}
}
