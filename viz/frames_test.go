package viz_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// A layer of a transformer is one cluster, with all that its parts add to each other.
func TestTransformerLayerIsOneCluster(t *testing.T) {
	for name, opts := range map[string][]nn.Option{"before": {nn.NormFirst()}, "behind": nil} {
		g := graph.New(name)
		x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 16)
		nn.NewTransformerEncoderLayer(g, "layer", 16, 4, opts...).Apply(nn.Evaluation(g), x).Named("out")
		require.Equal(t, 1, strings.Count(string(dotOf(t, viz.Graph(g))), ">layer</font>"))
	}
}

// Where a scope is left and entered again, parameters, and what is computed of them alone, stand in the cluster that
// reads them.
func TestParametersStandBesideTheirUsers(t *testing.T) {
	g := graph.New("block")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	var up, down *nn.Linear
	g.Scope("block", func() { up, down = nn.NewLinear(g, "up", 4, 8), nn.NewLinear(g, "down", 8, 4) })
	pass := nn.Evaluation(g)
	down.Apply(pass, ops.Relu(up.Apply(pass, x))).Named("out")
	dot := string(dotOf(t, viz.Graph(g)))
	require.Equal(t, 2, strings.Count(dot, ">block</font>"))
	second := dot[strings.LastIndex(dot, ">block</font>"):]
	for _, word := range []string{"<b>weight</b>", "<b>bias</b>", "<b>transpose</b>", "<b>matmul</b>"} {
		require.Equal(t, 1, strings.Count(second, word), word)
	}
}
