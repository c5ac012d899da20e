package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

func TestScanIsAPrefixSum(t *testing.T) {
	g := graph.New("prefix")
	x := g.Input("x", graph.Float64, g.Dim("t"), 2)
	final, sums := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float64, 2)}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			sum := ops.Add(carry[0], x[0])
			return []*graph.Node{sum}, []*graph.Node{sum}
		})
	require.NoError(t, g.Err())
	got, err := reference.Eval([]*graph.Node{final[0], sums[0]}, map[*graph.Node]reference.Value{x: reference.Of([]float64{1, 2, 3, 4, 5, 6}, 3, 2)})
	require.NoError(t, err)
	require.Equal(t, []float64{9, 12}, got[0].Data)
	require.Equal(t, []float64{1, 2, 4, 6, 9, 12}, got[1].Data)
}
