package modelprogram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/cmd/broadloom/modelprogram"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// What rules of gradients make and nothing reads is no result: it was the convolutions and norms of a network once
// more.
func TestLeftOversOfGradientsAreNoRoots(t *testing.T) {
	g := graph.New("network")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 1, 8, 8)
	net := nn.Sequential(nn.NewConv2D(g, "conv", 1, 4, 3, nn.Padding(1)), nn.Func(ops.Relu), nn.MaxPool2D(2),
		nn.Flatten(),
		nn.NewLinear(g, "fc", 64, 8), nn.NewLayerNorm(g, "norm", 8))
	loss := ops.Mean(net.Apply(nn.Training(g), x)).Named("loss")
	slopes := autodiff.Grad(loss, g.Params())
	outputs, updates, err := modelprogram.Roots(g)
	require.NoError(t, err)
	require.Empty(t, updates)
	require.ElementsMatch(t, append(slopes, loss), outputs)

	optim.SGD(0.1).Minimize(loss)
	outputs, updates, err = modelprogram.Roots(g)
	require.NoError(t, err)
	require.Len(t, updates, len(g.Params()))
	require.Subset(t, append(slopes, loss), outputs)
}

// What nothing reads in the body of a loop is no result: loops that do not use the number of the step, and
// gradients of loops, which make more than they need.
func TestBodiesOfLoopsHaveNoRoots(t *testing.T) {
	type nodes = []*graph.Node
	for name, build := range map[string]func(g *graph.Graph) *graph.Node{
		"While": func(g *graph.Graph) *graph.Node {
			w := g.Param("w", graph.Float32)
			last, _ := ops.While(9, nodes{w}, func(c nodes) *graph.Node { return ops.Less(c[0], graph.Num(9)) },
				func(_ *graph.Node, c nodes) nodes { return nodes{ops.Add(c[0], w)} })
			return last[0]
		},
		"Cond": func(g *graph.Graph) *graph.Node {
			w := g.Param("w", graph.Float32)
			return ops.Cond(ops.Less(w, graph.Num(9)), func() nodes { return nodes{ops.Mul(w, w)} }, func() nodes {
				return nodes{ops.Neg(w)}
			})[0]
		},
		"LSTM": func(g *graph.Graph) *graph.Node {
			x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("time"), 3)
			return ops.Sum(nn.NewLSTM(g, "lstm", 3, 4, nn.Bidirectional()).Apply(nn.Training(g), x))
		},
		"Scan in Scan": func(g *graph.Graph) *graph.Node {
			w, x := g.Param("w", graph.Float32), g.Input("x", graph.Float32, g.Dim("n"), 3)
			scan := func(c, x *graph.Node, body func(c, x *graph.Node) *graph.Node) *graph.Node {
				last, _ := ops.Scan(ops.Loop{Carry: nodes{c}, Over: nodes{x}}, func(c, x nodes) (next, out nodes) {
					return nodes{body(c[0], x[0])}, nil
				})
				return last[0]
			}
			return scan(w, x, func(c, row *graph.Node) *graph.Node {
				return scan(c, row, func(c, x *graph.Node) *graph.Node { return ops.Tanh(ops.Mul(ops.Add(c, x), w)) })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New(name)
			loss := build(g)
			if outputs, _, err := modelprogram.Roots(g); name == "While" { // whose condition is a final value too
				require.NoError(t, err)
				require.Equal(t, nodes{loss}, outputs)
			}
			_, err := modelprogram.Compile(g)
			require.NoError(t, err)
			optim.Adam(0.1).Minimize(loss)
			_, err = modelprogram.Compile(g)
			require.NoError(t, err)
		})
	}
}
