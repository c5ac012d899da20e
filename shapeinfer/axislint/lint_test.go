package axislint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/axislint"
)

// Layers that are alike are written out once, however many weights are followed through them.
func TestFindWritesCompositesOnce(t *testing.T) {
	written := 0
	layer := &graph.Op{Name: "layer", Func: "Layer", Doc: "x twice.", Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node {
			written++
			return ops.Add(in[0], in[0])
		},
	}
	g := graph.New("weights")
	y := g.Input("x", graph.Float32, 8, 9)
	for range 5 {
		y = ops.Apply(layer, nil, ops.Softmax(y, 0))
	}
	require.NoError(t, g.Err())
	built := written
	axislint.Find(g, func(graph.Code) bool { return true })
	require.LessOrEqual(t, written-built, 2) // a flow of all axes, and those of weights
}
