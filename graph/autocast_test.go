package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestAutocast expects PyTorch's dtypes of what is built within, around and after Autocast.
func TestAutocast(t *testing.T) {
	g := graph.New("autocast")
	x, w := g.Input("x", graph.Float32, 2, 3), g.Param("w", graph.Float32, 3, 3)
	wide := g.Input("wide", graph.Float64, 3, 3)
	g.Autocast(graph.BFloat16, func() {
		y := ops.MatMul(x, w)
		require.Equal(t, graph.BFloat16, y.DType())
		require.Equal(t, graph.Float32, ops.Add(y, x).DType(), "the wider dtype of two")
		require.Equal(t, graph.BFloat16, ops.Relu(y).DType(), "the dtype of the operand")
		require.Equal(t, graph.Float32, ops.MSE(y, y).DType(), "a loss")
		require.Equal(t, graph.Float64, ops.MatMul(wide, wide).DType(), "Float64 is not lowered")
		require.Equal(t, graph.BFloat16, ops.Mul(y, graph.Num(2)).DType(), "a number has no dtype")
		g.Autocast(graph.Float32, func() { require.Equal(t, graph.Float32, ops.MatMul(x, w).DType(), "off") })
		g.Autocast(graph.Float16, func() { require.Equal(t, graph.Float16, ops.MatMul(y, w).DType(), "the inner one") })
		require.Equal(t, graph.BFloat16, ops.MatMul(x, w).DType(), "the outer one again")
	})
	require.Equal(t, graph.Float32, ops.MatMul(x, w).DType())
	g.Autocast(graph.BFloat16, nil)
	require.NoError(t, g.Err())
}

// TestAutocastEndsWithAPanic expects a graph to be as it was after a panic that the user recovers from.
func TestAutocastEndsWithAPanic(t *testing.T) {
	g := graph.New("panic")
	x := g.Input("x", graph.Float32, 2, 2)
	require.Panics(t, func() { g.Autocast(graph.BFloat16, func() { panic("the user's") }) })
	require.Equal(t, graph.Float32, ops.MatMul(x, x).DType())
}

func TestAutocastToAnotherDType(t *testing.T) {
	for _, to := range []graph.DType{graph.Int8, graph.Float64, graph.Float8E4M3FN, graph.InvalidDType} {
		g := graph.New("refused")
		x := g.Input("x", graph.Float32, 2, 2)
		g.Autocast(to, func() { require.Equal(t, graph.Float32, ops.MatMul(x, x).DType()) })
		require.ErrorContains(t, g.Err(), "autocast_test.go")
		require.ErrorContains(t, g.Err(), "Autocast lowers operations to BFloat16 or Float16, not to")
	}
}
