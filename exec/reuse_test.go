package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A value that a kernel keeps for its next stage, which writes it in place, lies in memory from the
// first stage on: it must not take over that of an operand which the next stage reads again.
func TestValuesKeptForAWriteInPlaceTakeOverNothingReadLater(t *testing.T) {
	second := func(sub func(x, y *graph.Node) *graph.Node) any {
		g := graph.New("kept")
		x, v, c := g.Input("x", graph.Float64, 2, 3), g.Input("v", graph.Float64, 2), g.Input("c", graph.Float64, 3)
		a := ops.Cosh(ops.MatMul(v, x))
		y := ops.Mul(ops.Mean(sub(ops.Atan2(c, a), a)), ops.Sum(a))
		dx := autodiff.Grad(y, []*graph.Node{x})[0]
		ddx := autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0]
		p, err := Compile(g, Outputs(dx, ddx))
		require.NoError(t, err)
		out, err := p.NewSession().Run(context.Background(),
			Feed{x: Array{Shape: []int{2, 3}, Data: []float64{0.5, 1.25, -0.25, 0.75, 0.1, 0.2}},
				v: Array{Shape: []int{2}, Data: []float64{0.5, 1}},
				c: Array{Shape: []int{3}, Data: []float64{2, 3, 4}}})
		require.NoError(t, err)
		return ArrayOf(t, out, ddx).Data
	}
	require.InDeltaSlice(t, second(ops.Sub), second(ops.SubInPlace), 1e-12)
}
