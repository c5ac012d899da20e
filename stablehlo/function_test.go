package stablehlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/xla"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/stablehlo"
)

// What is computed by functions of Go has a form of XLA's own, or is refused at the user's line.
func TestFunctions(t *testing.T) {
	g := graph.New("functions")
	x, b := g.Input("x", graph.Float64, 2, 3, 3), g.Input("b", graph.Float64, 3, 2)
	a := ops.Add(ops.MatMul(x, ops.Transpose(x, 1, 2)), ops.Eye(g, graph.Float64, 3, 3))
	l := ops.Cholesky(a)
	roots := []*graph.Node{l, ops.SolveTriangular(l, b), ops.SolveTriangular(a, b, ops.UpperTriangle(), ops.TransposedSystem()),
		ops.SolveTriangular(a, b, ops.UnitDiagonal()), ops.ArgSort(x, 1, true)}
	fed := map[*graph.Node]reference.Value{x: waves(graph.Float64, 2, 3, 3), b: waves(graph.Float64, 3, 2)}
	want, err := reference.Eval(roots, fed)
	require.NoError(t, err)
	m, err := stablehlo.Export(g, stablehlo.Outputs(roots...))
	require.NoError(t, err)
	o := xla.Do(t, []xla.Program{{Name: "functions", Text: m.String(), Runs: []xla.Run{{{Value: fed[x]}, {Value: fed[b]}}}}})[0]
	require.Empty(t, o.Error)
	for i, v := range want {
		assert.InDeltaSlice(t, v.Floats(), o.Results[0][i].Floats(), 1e-10)
	}
	_, err = stablehlo.Export(g, stablehlo.Outputs(ops.Det(x)))
	assert.ErrorContains(t, err, "Det(x) has no form in StableHLO")
	assert.ErrorContains(t, err, "function_test.go:")
}
