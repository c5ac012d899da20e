package mistakes

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Leaf writes a weight inside the program that is differentiated.
//
//broadloom:model
func Leaf() *graph.Graph {
	g := graph.New("train")
	w := g.Param("w", graph.Float32, 784, 128)
	d := g.Input("d", graph.Float32, 784, 128)
	w1 := ops.SubInPlace(w, d)
	loss := ops.Sum(ops.Square(w1))
	autodiff.Grad(loss, []*graph.Node{w})
	return g
}
