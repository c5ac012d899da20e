package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Axis sums over an axis that does not exist.
//
//broadloom:model
func Axis() *graph.Graph {
	g := graph.New("agg")
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("feat"))
	ops.Sum(x, 2)
	return g
}
