package exec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// deep is a residual network with its gradient.
func deep(t testing.TB, layers int) (*exec.Program, *graph.Node) {
	g := graph.New("deep")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 64)
	h := x
	for i := range layers {
		g.Scope(fmt.Sprint("block", i), func() { h = ops.Add(h, ops.Tanh(testmodel.Linear(g, "linear", h, 64))) })
	}
	loss := ops.Mean(ops.Square(h))
	prog, err := exec.Compile(g, exec.Outputs(append(autodiff.Grad(loss, g.Params()), loss)...))
	require.NoError(t, err)
	return prog, x
}

// The plan needs little more memory than the values that are alive at once.
func TestPlanIsTight(t *testing.T) {
	prog, _ := deep(t, 12)
	for _, batch := range []int{1, 7, 64, 1000} {
		s, err := prog.Stats(map[string]int{"batch": batch})
		require.NoError(t, err)
		require.LessOrEqual(t, float64(s.Peak), 1.15*float64(s.Live)+4096, "batch %d", batch)
		require.Less(t, s.Moved, s.Unfused)
		require.GreaterOrEqual(t, s.Flops, (3*12-1)*2*64*64*batch,
			"three products a layer, but for the gradient of the input")
	}
	_, err := prog.Stats(nil)
	require.ErrorContains(t, err, "batch")
}

func TestProfileTable(t *testing.T) {
	prog, x := deep(t, 2)
	data := make([]float32, 8*64)
	p, err := prog.NewSession().Profile(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{8, 64}, Data: data}}, 3)
	require.NoError(t, err)
	table := p.String()
	require.Contains(t, table, "GFLOP/s")
	require.Contains(t, table, "matmul")
	require.Contains(t, table, "stats_test.go:")
	require.Contains(t, table, "the gradient of Tanh at stats_test.go:")
}
