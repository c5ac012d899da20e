package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// requireReference compares what a program computes of the inputs' values with what the evaluator does.
func requireReference(t *testing.T, outputs []*graph.Node, in map[*graph.Node]reference.Value, tolerance float64) {
	t.Helper()
	want, err := reference.Eval(outputs, in)
	require.NoError(t, err)
	p, err := exec.Compile(outputs[0].Graph(), exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(t, err)
	feed := exec.Feed{}
	for x, v := range in {
		feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	got, err := p.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	for i, n := range outputs {
		have := arrayOf(t, got, n)
		require.Equal(t, want[i].Shape, have.Shape, "%d: %s", i, graph.Describe(n))
		require.InDeltaSlice(t, want[i].Floats(), reference.Value{DType: n.DType(), Shape: have.Shape, Data: have.Data}.Floats(), tolerance, "%d: %s", i, graph.Describe(n))
	}
}
