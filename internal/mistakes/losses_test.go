package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

var _ = add(
	regression, regressionByHand, columnAgainstRow,
)

// A network with one output, whose target is brought to its shape.
func regression(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 13), g.Input("y", graph.Float32, b)
	pred := testmodel.Linear(g, "out", ops.Relu(testmodel.Linear(g, "hidden", x, 64)), 1)
	optim.SGD(0.1).Minimize(ops.MSE(pred, ops.Unsqueeze(y, 1)))
}

// The same by hand.
func regressionByHand(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 13), g.Input("y", graph.Float32, b)
	pred := ops.Squeeze(testmodel.Linear(g, "out", x, 1), 1)
	optim.Adam(0.1).Minimize(ops.Mean(ops.Square(ops.Sub(pred, y))))
}

// The column of a network's outputs meets the row of targets.
func columnAgainstRow(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 13), g.Input("y", graph.Float32, b)
	pred := testmodel.Linear(g, "out", x, 1)
	diff := ops.Sub(pred, y) // want warning BL202 "Squeeze(pred, -1) gives [batch]"
	ops.Mean(ops.Square(diff))
}
