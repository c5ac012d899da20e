package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Norm forgets to keep the axis of the mean.
//
//broadloom:model
func Norm() *graph.Graph {
	g := graph.New("norm")
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("feat"))
	m := ops.Mean(x, 1)
	ops.Sub(x, m)
	return g
}
