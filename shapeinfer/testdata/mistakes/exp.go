package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Repeated writes into a value that is repeated without being stored.
//
//broadloom:model
func Repeated() *graph.Graph {
	g := graph.New("exp")
	row := g.Param("row", graph.Float32, 1, 10)
	v := ops.Expand(row, 32, 10)
	ops.AddInPlace(v, graph.Num(1))
	return g
}
