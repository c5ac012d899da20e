package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Count adds fractions to whole numbers in place.
//
//broadloom:model
func Count() *graph.Graph {
	g := graph.New("cnt")
	n := g.Param("n", graph.Int64, 10)
	x := g.Input("x", graph.Float32, 10)
	ops.AddInPlace(n, x)
	return g
}
