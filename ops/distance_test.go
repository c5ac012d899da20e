package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

func TestLossesOfDifferences(t *testing.T) {
	g := graph.New("losses")
	x, target := g.Input("x", graph.Float64, 4), g.Input("target", graph.Float64, 4)
	in := feeds{x: reference.Of([]float64{0, 1, -2, 400}, 4), target: reference.Of([]float64{0, 0.5, 1, 1}, 4)}
	each := ops.EachLoss()
	requireClose(t, []float64{0, 0.25, 9, 159201}, value(t, in, ops.MSE(x, target, each)).Floats(), 1e-14, "mse")
	requireClose(t, []float64{0, 0.5, 3, 399}, value(t, in, ops.L1(x, target, each)).Floats(), 1e-14, "l1")
	requireClose(t, []float64{0, 0.125, 4, 796}, value(t, in, ops.Huber(x, target, 2, each)).Floats(), 1e-14, "huber")
	requireClose(t, []float64{0, 0.0625, 2, 398}, value(t, in, ops.SmoothL1(x, target, 2, each)).Floats(), 1e-14,
		"smooth l1")
	requireClose(t, []float64{0.6931471805599453, 0.8132616875182228, 2.1269280110429727, 0},
		value(t, in, ops.BCEWithLogits(x, target, each)).Floats(), 1e-14, "bce")
	require.Equal(t, []float64{402.5}, value(t, in, ops.L1(x, target, ops.SumLoss())).Data)
	require.Equal(t, []float64{402.5 / 4}, value(t, in, ops.SmoothL1(x, target, 0)).Data)
}

// TestEqualGreatestDifferences expects the whole gradient of each of the greatest differences, as in PyTorch; a norm
// shares it.
func TestEqualGreatestDifferences(t *testing.T) {
	g := graph.New("distances")
	x, y := g.Input("x", graph.Float64, 2, 3), g.Input("y", graph.Float64, 1, 3)
	in := feeds{x: reference.Of([]float64{0, 0, 0, 5, 1, 1}, 2, 3), y: reference.Of([]float64{1, -1, 0.5}, 1, 3)}
	dx := autodiff.Grad(ops.Sum(ops.CDist(x, y, math.Inf(1))), []*graph.Node{x})[0]
	requireClose(t, []float64{-1, 1, 0, 1, 0, 0}, value(t, in, dx).Floats(), 0, "cdist")
	dx = autodiff.Grad(ops.Sum(ops.PDist(ops.Slice(x, 1, 1, 3, 1), math.Inf(1))), []*graph.Node{x})[0]
	requireClose(t, []float64{0, -1, -1, 0, 1, 1}, value(t, in, dx).Floats(), 0, "pdist")
}

// TestCurvatureWhereAnEstimateIsRight expects the second derivative of a parabola in its lowest
// point too, where the magnitude of the difference has none.
func TestCurvatureWhereAnEstimateIsRight(t *testing.T) {
	g := graph.New("losses")
	x, target := g.Input("x", graph.Float64, 3), g.Input("target", graph.Float64, 3)
	in := feeds{x: reference.Of([]float64{1, 1.25, 9}, 3), target: reference.Of([]float64{1, 1, 1}, 3)}
	for name, loss := range map[string]*graph.Node{
		"huber": ops.Huber(x, target, 2, ops.SumLoss()), "smooth l1": ops.SmoothL1(x, target, 1, ops.SumLoss())} {
		dx := autodiff.Grad(loss, []*graph.Node{x})[0]
		curvature := autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0]
		requireClose(t, []float64{1, 1, 0}, value(t, in, curvature).Floats(), 1e-14, name)
	}
}

func TestLossesOfProbabilities(t *testing.T) {
	g := graph.New("losses")
	x, target := g.Input("x", graph.Float64, 4), g.Input("target", graph.Float64, 4)
	in := feeds{x: reference.Of([]float64{0, 1, 0.5, 0.25}, 4), target: reference.Of([]float64{1, 1, 0, 0.5}, 4)}
	bce := ops.BCE(x, target, ops.EachLoss())
	requireClose(t, []float64{100, 0, math.Ln2, 0.8369882167858358}, value(t, in, bce).Floats(), 1e-14, "bce")
	dx := autodiff.Grad(ops.Sum(bce), []*graph.Node{x})[0]
	requireClose(t, []float64{-1e12, 0, 2, -0.25 / 0.1875}, value(t, in, dx).Floats(), 1e-14,
		"its gradient is finite at the ends")
	requireClose(t, []float64{0, -1, 0, 0.5 * (-math.Ln2 - 0.25)},
		value(t, in, ops.KLDiv(x, target, ops.EachLoss())).Floats(), 1e-14, "kl_div")
	in[x] = reference.Of([]float64{0, 1, 0.5, 1.25}, 4)
	_, err := reference.Eval([]*graph.Node{bce}, in)
	require.ErrorContains(t, err, "all elements of input should be between 0 and 1")
}
