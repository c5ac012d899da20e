package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Grow writes a matrix into a vector.
//
//broadloom:model
func Grow() *graph.Graph {
	g := graph.New("upd")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	w := g.Param("w", graph.Float32, 4, 10)
	b := g.Param("b", graph.Float32, 10)
	h := ops.MatMul(x, w)
	ops.AddInPlace(b, h)
	return g
}
