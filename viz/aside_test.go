package viz_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/viz"
)

// How random numbers are made of a seed is one card, also in a small picture and inside of a layer. viz.Limit(0) shows
// it.
func TestDrawsOfRandomNumbersAreCards(t *testing.T) {
	g := graph.New("dropout")
	x, pass := g.Input("x", graph.Float32, g.Dim("batch"), 3, 8), nn.Training(g)
	y := nn.NewMultiHeadAttention(g, "attention", 8, 2, nn.DropoutRate(0.2)).Apply(pass, x)
	nn.Dropout(0.1).Apply(pass, y).Named("out")
	dot := graphDOT(t, g)
	require.Equal(t, 2, strings.Count(dot, "<b>random</b>"))
	require.NotContains(t, dot, "<b>random_bits</b>")
	require.Contains(t, dot, "<b>random_state</b>")
	require.Contains(t, dot, "bool&#91;batch,3,8&#93;")
	require.Contains(t, graphDOT(t, g, viz.Limit(0)), "<b>random_bits</b>")
}

// images is a convolutional network with batch normalization.
func images() (g *graph.Graph, loss *graph.Node) {
	g = graph.New("images")
	x, label := g.Input("x", graph.Float32, g.Dim("batch"), 3, 8, 8), g.Input("label", graph.Int64, g.Dim("batch"))
	pass := nn.Training(g)
	for _, name := range []string{"first", "second"} {
		g.Scope(name, func() {
			x = nn.NewConv2D(g, "conv", 3, 3, 3, nn.Padding(1)).Apply(pass, x)
			x = ops.Relu(nn.NewBatchNorm(g, "norm", 3).Apply(pass, x))
		})
	}
	return g, ops.CrossEntropy(ops.Mean(x, -1, -2), label).Named("loss")
}

// In a picture of many boxes, running statistics are one card of their layer.
func TestUpdatesOfStateAreCards(t *testing.T) {
	g, loss := images()
	require.Contains(t, graphDOT(t, g), "<b>running_mean</b>", "a small picture shows the steps")
	optim.SGD(0.1).Minimize(loss)
	dot := graphDOT(t, g)
	require.Equal(t, 2, strings.Count(dot, "<b>state</b>"))
	require.NotContains(t, dot, "<b>running_mean</b>")
	require.Contains(t, dot, "<b>standardize</b>")
}

// What no edge joins to its layer, such as the count of batches, stands with the layer, and not at the top.
func TestLooseBoxesStandInTheirLayer(t *testing.T) {
	g, _ := images()
	plain := string(runDot(t, []byte(graphDOT(t, g)), "plain"))
	height := func(n *graph.Node) float64 {
		place := regexp.MustCompile(`(?m)^node n0*` + strconv.Itoa(n.ID()) + ` \S+ (\S+)`).FindStringSubmatch(plain)
		require.NotNil(t, place, n.Name())
		y, err := strconv.ParseFloat(place[1], 64)
		require.NoError(t, err)
		return y
	}
	count := g.ByName("second.norm.num_batches_tracked")
	require.Less(t, height(count), height(g.ByName("second.conv.weight")), "it is below the convolution")
}
