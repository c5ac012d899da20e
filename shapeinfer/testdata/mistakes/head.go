package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Joint asks one size to be two numbers.
//
//broadloom:model
func Joint() *graph.Graph {
	g := graph.New("head", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
	x := g.Input("x", graph.Float32, g.Dim("n"))
	y := g.Input("y", graph.Float32, 3)
	z := g.Input("z", graph.Float32, 4)
	ops.Mul(x, y)
	ops.Add(x, z)
	return g
}
