package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Residual adds an image to its convolution without padding, which is smaller.
//
//broadloom:model
func Residual() *graph.Graph {
	g := graph.New("res")
	x := g.Input("x", graph.Float32, g.Dim("n"), 16, g.Dim("h"), g.Dim("w"))
	k := g.Param("k", graph.Float32, 16, 16, 3, 3)
	y := ops.Conv2D(x, k, nil)
	ops.Add(y, x)
	return g
}

// Halved adds two halves of an image whose sizes agree for even sizes only.
//
//broadloom:model
func Halved() *graph.Graph {
	g := graph.New("res")
	x := g.Input("x", graph.Float32, g.Dim("n"), 16, g.Dim("h"), 32)
	k := g.Param("k", graph.Float32, 16, 16, 3, 3)
	y := ops.Conv2D(x, k, nil, ops.Stride(2), ops.Padding(1))
	ops.Add(y, ops.AvgPool2D(x, 2, 2))
	return g
}
