package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// score is a helper function that gives its result a name.
func score(x, w *graph.Node) *graph.Node {
	y := ops.MatMul(x, w)
	return y
}

// TestOperandsOfOneHelperAreToldApart has calls whose operands one line of a helper function has made.
func TestOperandsOfOneHelperAreToldApart(t *testing.T) {
	build := func() (a, b, w, v *graph.Node) {
		g := graph.New("alike")
		return g.Input("a", graph.Float32, 8, 1, 4), g.Input("b", graph.Float32, 8, 4),
			g.Param("w", graph.Float32, 4, 3), g.Param("v", graph.Float32, 4, 3)
	}
	a, b, w, _ := build()
	target := score(b, w)
	output := score(ops.Reshape(b, 1, 8, 4), w)
	ops.MSE(output, target)
	report := shapeinfer.Check(a.Graph()).String()
	require.Contains(t, report, "warning BL210: MSE(output, target): Using a target size (torch.Size([8, 3]))")
	require.Contains(t, report, "output   [ 1, 8, 3 ]   MatMul(")
	require.Contains(t, report, "Squeeze(output, 0) gives [8, 3]")

	a, b, w, v := build()
	ops.Concat(0, score(b, w), score(ops.Reshape(a, 2, 4, 4), v))
	require.Contains(t, shapeinfer.Check(a.Graph()).String(),
		"Concat(0, score(b, w), score(ops.Reshape(a, 2, 4, 4), v)):")

	a, b, w, _ = build()
	ops.Add(score(b, w), score(b, w.Graph().Param("a parameter of another width", graph.Float32, 4, 2)))
	require.Contains(t, shapeinfer.Check(a.Graph()).String(), "Add(score(b, w), score(b, w.Graph().Param(\"a parameter of…)):")

	a, b, w, v = build()
	ops.Add(score(b, w), ops.Relu(score(a, v))).Silence(graph.CodeMutualExpand)
	y := score(b, w)
	ops.Add(y, w)
	require.Contains(t, shapeinfer.Check(a.Graph()).String(), "Add(y, w)", "a value that stands alone keeps its name")
}
