package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A program may go on to read sizes of a value that could not be built: the mistake is still reported.
func TestSizesCanBeReadBehindAMistake(t *testing.T) {
	g := graph.New("model")
	x := g.Input("x", graph.Float32, 8, 3)
	h := ops.Tanh(ops.Vander(x, 3, false))
	require.False(t, h.Judged())
	y := ops.Reshape(h, h.Shape()[0], h.Shape()[1])
	require.Len(t, g.Mistakes(), 1)
	require.ErrorContains(t, g.Err(), "Vander(x, 3, false)")
	require.NoError(t, y.Err())
}

// A program may go on to build values with the dtype of one that could not be built: only that mistake is reported.
func TestWhatIsBuiltLikeAMistakeStaysSilent(t *testing.T) {
	g := graph.New("model")
	x := g.Input("x", graph.Float32, 8, 3)
	bad := ops.Einsum("ij,jk->il", x, x)
	require.Equal(t, graph.InvalidDType, bad.DType())
	for _, y := range []*graph.Node{ops.Zeros(g, bad.DType(), 3), g.Scalar(bad.DType(), 1),
		g.Input("like", bad.DType(), 3), ops.Cast(x, bad.DType()),
		ops.Cond(g.Input("is", graph.Bool), func() []*graph.Node { return []*graph.Node{x} }, func() []*graph.Node {
			return []*graph.Node{bad}
		})[0]} {
		require.NoError(t, y.Err())
		require.False(t, y.Judged())
		require.NoError(t, ops.Exp(y).Err())
	}
	require.Len(t, g.Mistakes(), 1)

	g = graph.New("other")
	require.ErrorContains(t, ops.Zeros(g, graph.InvalidDType, 3).Err(), "dtype(0) is not a dtype")
}
