package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/oracle"
	"github.com/broadloom/broadloom/ops"
)

func TestLossesOfDifferences(t *testing.T) {
	g := graph.New("losses")
	x, target := g.Input("x", graph.Float64, 4), g.Input("target", graph.Float64, 4)
	in := feeds{x: oracle.Of([]float64{0, 1, -2, 400}, 4), target: oracle.Of([]float64{0, 0.5, 1, 1}, 4)}
	each := ops.EachLoss()
	requireClose(t, []float64{0, 0.25, 9, 159201}, value(t, in, ops.MSE(x, target, each)).Floats(), 1e-14, "mse")
	requireClose(t, []float64{0, 0.5, 3, 399}, value(t, in, ops.L1(x, target, each)).Floats(), 1e-14, "l1")
	requireClose(t, []float64{0, 0.125, 4, 796}, value(t, in, ops.Huber(x, target, 2, each)).Floats(), 1e-14, "huber")
	requireClose(t, []float64{0, 0.0625, 2, 398}, value(t, in, ops.SmoothL1(x, target, 2, each)).Floats(), 1e-14, "smooth l1")
	requireClose(t, []float64{0.6931471805599453, 0.8132616875182228, 2.1269280110429727, 0}, value(t, in, ops.BCEWithLogits(x, target, each)).Floats(), 1e-14, "bce")
	require.Equal(t, []float64{402.5}, value(t, in, ops.L1(x, target, ops.SumLoss())).Data)
	require.Equal(t, []float64{402.5 / 4}, value(t, in, ops.SmoothL1(x, target, 0)).Data)
}
