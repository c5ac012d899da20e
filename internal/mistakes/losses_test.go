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

var _ = add(softmaxTwice, softmaxByHandTwice, softmaxOfPixels, sigmoidTwice, likelihoodOfProbabilities,
	drawnFromProbabilities, probabilitiesThatAreMeant)

// A softmax as the last layer, and a loss that has one of its own.
func softmaxTwice(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 13), g.Input("y", graph.Int64, b)
	h := testmodel.Linear(g, "out", x, 3)
	probs := ops.Softmax(h, -1)
	optim.SGD(0.1).Minimize(ops.CrossEntropy(probs, y)) // want warning BL213 "probs are probabilities, computed by Softmax" "CrossEntropy(h, y)" "NLL(Log(probs), y)"
}

// The softmax is written by hand.
func softmaxByHandTwice(g *graph.Graph) {
	b := g.Dim("batch")
	h, y := g.Input("h", graph.Float32, b, 5), g.Input("y", graph.Int64, b)
	e := ops.Exp(h)
	p := ops.Div(e, ops.Sum(e, 1, ops.KeepDims()))
	ops.CrossEntropy(p, y) // want warning BL213 "p are probabilities, computed by exponentials divided by their sum" "CrossEntropy(h, y)"
	e = ops.Exp(ops.Sub(h, ops.Max(h, 1, ops.KeepDims())))
	ops.NLL(ops.Cast(ops.Div(e, ops.Unsqueeze(ops.Sum(e, 1), 1)), graph.Float64), y) // want warning BL213
}

// Elements are moved and converted in between, and labels are smoothed or probabilities themselves.
func softmaxOfPixels(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float16, b, 4, 4, 3), g.Input("y", graph.Int64, b, 4, 4)
	p := ops.Permute(ops.Cast(ops.Softmax(x, -1), graph.Float32), 0, 3, 1, 2)
	ops.CrossEntropy(p, y, ops.LabelSmoothing(0.1))                                                                    // want warning BL213 "p are probabilities"
	ops.CrossEntropy(ops.Slice(p, 2, 0, 2, 1), ops.Slice(y, 1, 0, 2, 1))                                               // want warning BL213
	ops.CrossEntropy(p, ops.Permute(ops.Softmax(ops.Cast(x, graph.Float32), -1), 0, 3, 1, 2), ops.LabelSmoothing(0.1)) // want warning BL213 "p are probabilities"
	ops.PolyCrossEntropy(ops.Reshape(p, b, 48), ops.Select(ops.Select(y, -1, 0), -1, 0), 1)                            // want warning BL213
}

// A sigmoid, and a loss that has one of its own.
func sigmoidTwice(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 13), g.Input("y", graph.Float32, b)
	h := ops.Squeeze(testmodel.Linear(g, "out", x, 1), 1)
	p := ops.Sigmoid(h)
	optim.SGD(0.1).Minimize(ops.BCEWithLogits(p, y)) // want warning BL213 "p are probabilities, computed by Sigmoid" "BCEWithLogits(h, y)" "BCE(p, y)"
	ops.MultiLabelSoftMargin(p, y)                   // want warning BL213
	ops.SigmoidFocal(p, y, 0.25, 2)                  // want warning BL213
}

// The logarithm was forgotten.
func likelihoodOfProbabilities(g *graph.Graph) {
	b := g.Dim("batch")
	h, y := g.Input("h", graph.Float32, b, 5), g.Input("y", graph.Int64, b)
	teacher := g.Input("teacher", graph.Float32, b, 5)
	ops.NLL(ops.Softmax(h, 1), y)                                          // want warning BL213 "logarithms of probabilities" "LogSoftmax instead of Softmax"
	ops.KLDiv(ops.Softmax(h, 1), ops.Softmax(teacher, 1), ops.BatchMean()) // want warning BL213 "KLDiv expects logarithms"
}

// Categorical draws by scores, not by probabilities.
func drawnFromProbabilities(g *graph.Graph) {
	h := g.Input("h", graph.Float32, g.Dim("batch"), 5)
	ops.Categorical(g.Input("seed", graph.Int64), ops.Softmax(h, 1), 1) // want warning BL213 "or Log(Softmax(h, 1))" "use Multinomial for probabilities"
}

// Probabilities as targets, as weights of attention, as what is compared, and as factors; and those of which the
// logarithm is taken.
func probabilitiesThatAreMeant(g *graph.Graph) {
	b, s := g.Dim("batch"), g.Dim("seq")
	h, y := g.Input("h", graph.Float32, b, 5), g.Input("y", graph.Int64, b)
	teacher := g.Input("teacher", graph.Float32, b, 5)
	soft := ops.Softmax(ops.Div(teacher, graph.Num(2)), 1)
	ops.CrossEntropy(h, soft)
	ops.KLDiv(ops.LogSoftmax(h, 1), soft, ops.BatchMean())
	ops.NLL(ops.Log(soft), y)
	ops.MSE(ops.Softmax(h, 1), soft)
	ops.BCE(ops.Sigmoid(h), soft)
	ops.BCEWithLogits(h, ops.Sigmoid(teacher))
	ops.CrossEntropy(ops.Mul(ops.Sigmoid(h), graph.Num(10)), y) // bounded scores
	ops.CrossEntropy(ops.LogSoftmax(h, 1), y)
	x := g.Input("x", graph.Float32, b, s, 8)
	seen := ops.MatMul(ops.Softmax(ops.MatMul(x, ops.Transpose(x, 1, 2)), -1), x)
	ops.CrossEntropy(ops.Mean(seen, 1), y)
	ops.CrossEntropy(ops.Softmax(h, 1), y).Silence(graph.CodeGivenProbabilities)
	e := ops.Exp(h)
	ops.CrossEntropy(ops.Div(e, graph.Num(8)), y)
	ops.CrossEntropy(ops.Log(ops.Div(e, ops.Sum(e, 1, ops.KeepDims()))), y)
	ops.BCEWithLogits(ops.Sigmoid(h), soft).Silence(graph.CodeGivenProbabilities)
}
