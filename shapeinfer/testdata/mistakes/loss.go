package mistakes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// Loss compares a column with a row.
//
//broadloom:model
func Loss() *graph.Graph {
	g := graph.New("loss")
	batch := g.Dim("batch")
	h := g.Input("h", graph.Float32, batch, 16)
	y := g.Input("y", graph.Float32, batch)
	pred := nn.NewLinear(g, "out", 16, 1).Apply(nn.Training(g), h)
	diff := ops.Sub(pred, y)
	ops.Mean(ops.Square(diff))
	return g
}
