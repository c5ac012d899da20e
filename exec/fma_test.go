package exec_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A product and a sum in one primitive are rounded once: what remains of x² beside its rounded square is not 0.
func TestFMAIsRoundedOnce(t *testing.T) {
	op := &graph.Op{Name: "square_rest", Func: "Own", Doc: "what rounding takes of x².", Class: graph.Elementwise,
		MinIn: 1, MaxIn: 1, Infer: broadcast,
		Emit: func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
			square := e.Prim(graph.PrimMul, x[0], x[0])
			return e.Prim(graph.PrimFMA, x[0], x[0], e.Prim(graph.PrimNeg, square))
		}}
	const size = 40
	for _, c := range []struct {
		data any
		want float64
	}{
		{slices.Repeat([]float32{1 + 0x1p-20}, size), 0x1p-40},
		{slices.Repeat([]float64{1 + 0x1p-30}, size), 0x1p-60},
	} {
		g := graph.New("fma")
		x := g.Input("x", graph.Float32, size)
		if _, is := c.data.([]float64); is {
			x = g.Input("y", graph.Float64, size)
		}
		y := ops.Max(ops.Apply(op, nil, x))
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		res, err := p.NewSession().Run(t.Context(), exec.Feed{x: c.data})
		require.NoError(t, err)
		got, err := res.Scalar(y)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}
