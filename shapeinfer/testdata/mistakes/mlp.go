package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Bias adds a bias of the wrong width.
//
//broadloom:model
func Bias() *graph.Graph {
	g := graph.New("mlp")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 784)
	w1 := g.Param("w1", graph.Float32, 784, 128)
	b1 := g.Param("b1", graph.Float32, 120)
	xw := ops.MatMul(x, w1)
	h := ops.Relu(ops.Add(xw, b1))
	ops.Mean(h, 1)
	return g
}

// Turned multiplies by a weight that stands the wrong way round.
//
//broadloom:model
func Turned() *graph.Graph {
	g := graph.New("mlp")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 784)
	w1 := g.Param("w1", graph.Float32, 128, 784)
	ops.MatMul(x, w1)
	return g
}
