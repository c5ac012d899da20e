package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Channels adds a bias for each channel along the wrong axis.
//
//broadloom:model
func Channels() *graph.Graph {
	g := graph.New("img")
	x := g.Input("x", graph.Float32, g.Dim("n"), 16, g.Dim("h"), g.Dim("w"))
	bias := g.Param("bias", graph.Float32, 16)
	ops.Add(x, bias)
	return g
}
