package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A normalization without parameters may be over an axis of a size that only a run tells.
func TestNormalizationOverANamedSize(t *testing.T) {
	g := graph.New("named")
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, g.Dim("b"), n)
	y := nn.NewLayerNorm(g, "l", n, nn.NoAffine()).Apply(nn.Training(g), x)
	require.NoError(t, shapeinfer.Check(g).Err())
	require.Equal(t, x.Shape(), y.Shape())
}

// A wrong size of a layer is reported once, by its name, at the line of the layer; what the layer is applied to reports
// nothing more.
func TestSizesOfLayersThatAreNone(t *testing.T) {
	type node = *graph.Node
	sequences := func(g *graph.Graph) node { return g.Input("x", graph.Float32, g.Dim("b"), g.Dim("t"), 6) }
	images := func(g *graph.Graph) node { return g.Input("x", graph.Float32, g.Dim("b"), 6, 8, 8) }
	rows := func(g *graph.Graph) node { return g.Input("x", graph.Float32, g.Dim("b"), 6) }
	indices := func(g *graph.Graph) node { return g.Input("x", graph.Int64, g.Dim("b"), 6) }
	for want, build := range map[string]func(g *graph.Graph, p *nn.Pass) node{
		`NewLinear(g, "l", …): out is -4, which is no size`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewLinear(g, "l", 6, -4).Apply(p, rows(g))
		},
		`NewLinear(g, "l", …): in is -4, which is no size`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewLinear(g, "l", -4, 6, nn.WeightNorm(0)).Apply(p, rows(g))
		},
		`NewLinear(g, "l", …): out is n, which cannot be the size of a parameter`: func(g *graph.Graph,
			p *nn.Pass) node {
			return nn.NewLinear(g, "l", 6, g.Dim("n"), nn.SpectralNorm(1)).Apply(p, rows(g))
		},
		`NewLinear(g, "l", …): out is none: the size is too large for an int64`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewLinear(g, "l", 6, g.Dim("n")+1).Apply(p, rows(g))
		},
		`NewBilinear(g, "l", …): in2 is -6, which`: func(g *graph.Graph, p *nn.Pass) node {
			x := rows(g)
			return nn.NewBilinear(g, "l", 6, -6, 2).ApplyTo(p, x, x)
		},
		`NewConv2D(g, "l", …): out is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewConv2D(g, "l", 6, -4, 3, nn.Groups(2)).Apply(p, images(g))
		},
		`NewConvTranspose2D(g, "l", …): in is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewConvTranspose2D(g, "l", -4, 4, 3).Apply(p, images(g))
		},
		`NewConv2D(g, "l", …): kernel is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewConv2D(g, "l", 6, 4, -3).Apply(p, images(g))
		},
		`NewConvLSTMCell(g, "l", …): hidden is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewConvLSTMCell(g, "l", 6, -4, 3).Apply(p, images(g))
		},
		`NewLSTM(g, "l", …): hidden is -1, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewLSTM(g, "l", 6, -1, nn.ProjSize(2), nn.Bidirectional(), nn.Layers(2)).Apply(p, sequences(g))
		},
		`NewGRU(g, "l", …): in is -6, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewGRU(g, "l", -6, 4).Apply(p, sequences(g))
		},
		`NewLSTMCell(g, "l", …): hidden is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewLSTMCell(g, "l", 6, -4).Apply(p, rows(g))
		},
		`NewEmbedding(g, "l", …): width is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewEmbedding(g, "l", 6, -4, nn.PaddingIndex(0)).Apply(p, indices(g))
		},
		`NewEmbeddingBag(g, "l", …): rows is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewEmbeddingBag(g, "l", -3, 4).Apply(p, indices(g))
		},
		`NewPositions(g, "l", …): longest is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewPositions(g, "l", -3, 6).Apply(p, sequences(g))
		},
		`NewPRelu(g, "l", …): slopes is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewPRelu(g, "l", -3).Apply(p, images(g))
		},
		`NewBatchNorm(g, "l", …): channels is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewBatchNorm(g, "l", -3).Apply(p, images(g))
		},
		`NewInstanceNorm(g, "l", …): channels is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewInstanceNorm(g, "l", -3, nn.TrackRunningStats()).Apply(p, images(g))
		},
		`NewLayerNorm(g, "l", …): size is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewLayerNorm(g, "l", -3).Apply(p, rows(g))
		},
		`NewRMSNorm(g, "l", …): size is -3, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewRMSNorm(g, "l", -3).Apply(p, rows(g))
		},
		`NewGroupNorm(g, "l", …): channels is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewGroupNorm(g, "l", 2, -4).Apply(p, images(g))
		},
		`NewMultiHeadAttention(g, "l", …): 2 heads must divide the width -4`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewMultiHeadAttention(g, "l", -4, 2).OutProj.Weight
		},
		`NewTransformerDecoderLayer(g, "l", …): width is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewTransformerDecoderLayer(g, "l", -4, 2).Linear1.Apply(p, rows(g))
		},
		`NewTransformerEncoderLayer(g, "l", …): FeedForward is -1, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewTransformerEncoderLayer(g, "l", 6, 2, nn.FeedForward(-1)).Apply(p, sequences(g))
		},
		`NewTransformerEncoder(g, "l.layers.0", …): width is -4, which`: func(g *graph.Graph, p *nn.Pass) node {
			return nn.NewTransformerEncoder(g, "l", 3, -4, 2, nn.NormFirst()).Layers[0].Linear1.Weight
		},
		`NewTransformerEncoder(g, "l.layers.0", …): 4 heads must divide the width 6`: func(g *graph.Graph,
			p *nn.Pass) node {
			return nn.NewTransformerEncoder(g, "l", 3, 6, 4).Apply(p, sequences(g))
		},
	} {
		g := graph.New("sizes")
		ops.Exp(build(g, nn.Training(g)))
		r := shapeinfer.Check(g)
		require.Len(t, r.Errors, 1, "%s", r)
		require.ErrorContains(t, r.Err(), want)
		require.ErrorContains(t, r.Err(), "size_test.go:")
	}
}
