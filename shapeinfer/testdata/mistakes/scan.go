package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Column adds a column of a matrix to the matrix itself.
//
//broadloom:model
func Column() *graph.Graph {
	g := graph.New("scan")
	x := g.Input("x", graph.Float32, 3, 3).Mutable()
	c := ops.Slice(x, 1, 0, 1, 1)
	ops.AddInPlace(x, c)
	return g
}
