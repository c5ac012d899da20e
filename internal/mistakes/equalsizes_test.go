package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(normOfFeatures, normOfSignals, softmaxOverQueries, softmaxOfColumns, competingSlots,
	softmaxOverQueriesOfEinsum, coAttention)

// A batch normalization takes channels on axis 1; behind a linear layer they stand last.
func normOfFeatures(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b", graph.AtLeast(2)), 64, 8)
	h := testmodel.Linear(g, "in", x, 64)
	nn.NewBatchNorm(g, "norm", 64).Apply(nn.Training(g), h) // want warning BL231 "norm.weight is aligned with axis 1 of h, but could also belong to axis 2" "Transpose(h, 1, 2) gives [b, 64, 64]"
}

// Behind a convolution they stand on axis 1.
func normOfSignals(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b", graph.AtLeast(2)), 8, 64)
	h := ops.Conv1D(x, g.Param("k", graph.Float32, 64, 8, 3), nil, ops.Padding(1))
	nn.NewBatchNorm(g, "norm", 64).Apply(nn.Training(g), h)
}

// The softmax works along queries, and the product sums keys.
func softmaxOverQueries(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 32)
	q, k, v := testmodel.Linear(g, "q", x, 16), testmodel.Linear(g, "k", x, 16), testmodel.Linear(g, "v", x, 16)
	scores := ops.MatMul(q, ops.Transpose(k, 1, 2))
	ops.MatMul(ops.Softmax(scores, 1), v) // want warning BL237 "Softmax(scores, -1) gives weights for axis 2"
}

// Scores with the keys first, and weights that are turned for the product.
func softmaxOfColumns(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 32)
	q, k, v := testmodel.Linear(g, "q", x, 16), testmodel.Linear(g, "k", x, 16), testmodel.Linear(g, "v", x, 16)
	scores := ops.MatMul(k, ops.Transpose(q, 1, 2))
	ops.MatMul(ops.Transpose(ops.Softmax(scores, 1), 1, 2), v)
}

// Slots compete for what they sum (Locatello and others, Object-Centric Learning with Slot Attention, 2020).
func competingSlots(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 32)
	slots := g.Param("slots", graph.Float32, 5, 16)
	k, v := testmodel.Linear(g, "k", x, 16), testmodel.Linear(g, "v", x, 16)
	w := ops.Softmax(ops.MatMul(slots, ops.Transpose(k, 1, 2)), 1)
	w = ops.Div(w, ops.Sum(w, 2, ops.KeepDims()))
	ops.MatMul(w, v)
}

// The same by an einsum, behind dropout.
func softmaxOverQueriesOfEinsum(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 4, 8)
	seed := g.Input("seed", graph.Int64)
	scores := ops.Einsum("bqhd,bkhd->bhqk", x, x)
	weights := ops.Dropout(ops.Softmax(scores, -2), 0.1, seed) // want warning BL237 "Softmax(scores, -1) gives weights for axis 3"
	ops.Einsum("bhqk,bkhd->bqhd", weights, x)
}

// Each of two sequences attends to the other.
func coAttention(g *graph.Graph) {
	batch := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, batch, g.Dim("s"), 8), g.Input("y", graph.Float32, batch, g.Dim("t"), 8)
	scores := ops.MatMul(x, ops.Transpose(y, 1, 2))
	ops.MatMul(ops.Softmax(scores, 2), y)
	ops.MatMul(ops.Transpose(ops.Softmax(scores, 1), 1, 2), x)
	ops.Einsum("bst,bsd->btd", ops.Softmax(scores, 1), x)
}
