package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A size that a mistake has left unknown causes no further messages, wherever it is used.
func TestSizesThatAMistakeLeftUnknown(t *testing.T) {
	for name, follow := range map[string]func(g *graph.Graph, bad, whole *graph.Node) *graph.Node{
		"full": func(g *graph.Graph, bad, _ *graph.Node) *graph.Node {
			return ops.Zeros(g, graph.Float32, bad.Shape()...)
		},
		"full like": func(_ *graph.Graph, bad, _ *graph.Node) *graph.Node { return ops.FullLike(bad, 1) },
		"iota":      func(g *graph.Graph, bad, _ *graph.Node) *graph.Node { return ops.Iota(g, 0, bad.Shape()...) },
		"one hot": func(g *graph.Graph, bad, _ *graph.Node) *graph.Node {
			return ops.OneHot(g.Input("i", graph.Int64, 2), bad.Shape()[0], graph.Float32)
		},
		"expand": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node {
			return ops.Expand(ops.Sum(whole, 0), bad.Shape()...)
		},
		"reshape": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node {
			return ops.Reshape(whole, bad.Shape()[0], -1)
		},
		"slice": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node {
			return ops.Slice(whole, 0, 0, bad.Shape()[0], 1)
		},
		"tile": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node { return ops.Tile(whole, bad.Shape()[0], 1) },
		"dropout": func(g *graph.Graph, bad, _ *graph.Node) *graph.Node {
			return ops.Dropout(bad, 0.5, g.Input("seed", graph.Int64))
		},
		"attention": func(_ *graph.Graph, bad, _ *graph.Node) *graph.Node {
			x := ops.Unsqueeze(bad, 0)
			return ops.ScaledDotProductAttention(x, x, x, ops.Causal())
		},
		"carried": func(_ *graph.Graph, bad, _ *graph.Node) *graph.Node {
			return ops.Fori(3, []*graph.Node{bad}, keep)[0]
		},
		"fori": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node {
			return ops.Fori(bad.Shape()[0], []*graph.Node{whole}, keep)[0]
		},
		"scan": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node {
			last, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{whole}, Length: bad.Shape()[0]},
				func(c, _ []*graph.Node) (next, out []*graph.Node) { return c, nil })
			return last[0]
		},
		"while": func(_ *graph.Graph, bad, whole *graph.Node) *graph.Node {
			last, _ := ops.While(bad.Shape()[0], []*graph.Node{whole}, func(c []*graph.Node) *graph.Node {
				return ops.Any(c[0], ops.AllAxes())
			}, keep)
			return last[0]
		},
	} {
		g := graph.New("sizes")
		bad := ops.Add(g.Input("x", graph.Float32, g.Dim("n"), 4), g.Input("y", graph.Float32, 2, 4))
		require.True(t, bad.Shape()[0].IsUnknown())
		require.Len(t, g.Mistakes(), 1)
		y := follow(g, bad, g.Input("whole", graph.Float32, 4, 4))
		ops.Exp(y)
		require.Len(t, g.Mistakes(), 1, "%s: %v", name, g.Err())
	}
}

func keep(_ *graph.Node, carry []*graph.Node) []*graph.Node { return carry }

// Without an earlier mistake, an unknown number of steps is reported.
func TestNumbersOfStepsThatAreNotKnown(t *testing.T) {
	g := graph.New("steps")
	x := g.Input("x", graph.Float32, 2)
	ops.Fori(graph.UnknownDim, []*graph.Node{x}, keep)
	require.ErrorContains(t, g.Err(), "n, the number of steps, is not known when the loop is built")
}
