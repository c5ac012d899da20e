package mistakes

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Saved overwrites a value that a gradient needs.
//
//broadloom:model
func Saved() *graph.Graph {
	g := graph.New("net")
	x := g.Param("x", graph.Float32, 2, 3)
	y := ops.Exp(x)
	z := ops.AddInPlace(y, graph.Num(1))
	loss := ops.Sum(ops.Square(z))
	autodiff.Grad(loss, []*graph.Node{x})
	return g
}
