package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Flat flattens images into the wrong number of features.
//
//broadloom:model
func Flat() *graph.Graph {
	g := graph.New("flat")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 3, 8, 8)
	ops.Reshape(x, batch, 190)
	return g
}
