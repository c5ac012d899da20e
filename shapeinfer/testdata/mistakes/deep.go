package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// dense is a layer of a model of the user's own.
func dense(g *graph.Graph, name string, x *graph.Node, in, out graph.Dim) *graph.Node {
	w := g.Param(name, graph.Float32, in, out)
	return ops.Relu(ops.MatMul(x, w))
}

// Layers calls a function of the user's own for each layer, once with a wrong width.
//
//broadloom:model
func Layers() *graph.Graph {
	g := graph.New("deep")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 64)
	h := dense(g, "w1", x, 64, 32)
	h = dense(g, "w2", h, 32, 16)
	dense(g, "w3", h, 32, 10)
	return g
}
