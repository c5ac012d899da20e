package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// Losses and layers that work along another axis than what they are given.
var _ = add(
	likelihoodAlongTime, entropyAlongTime, memoryOverExamples, gatesOverExamples, loopOverExamples,
	likelihoodAlongClasses, likelihoodOfPixels, likelihoodByTurns, memoryOverTime, sumsOverExamples,
	eachExampleByItself, learnedOnline,
)

// The softmax goes along time, and classes stand last.
func likelihoodAlongTime(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, y := g.Input("x", graph.Float32, b, t, 32), g.Input("y", graph.Int64, b, t)
	log := ops.LogSoftmax(testmodel.Linear(g, "out", x, 10), 1)
	ops.NLL(ops.Transpose(log, 1, 2), y)                          // want warning BL213 "picks a class along axis 1" "adds up to 1 along axis 1 of log" "along the axis of classes"
	ops.NLL(ops.Reshape(log, -1, 10), ops.Reshape(y, -1))         // want warning BL213
	ops.NLL(ops.Log(ops.Softmax(ops.Transpose(log, 1, 2), 2)), y) // want warning BL213
}

func entropyAlongTime(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 5, 8, 8), g.Input("y", graph.Int64, b, 8, 8)
	ops.CrossEntropy(ops.LogSoftmax(x, -1), y) // want warning BL213 "picks a class along axis 1" "along axis 3"
}

// Layers take examples first.
func memoryOverExamples(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("seq"), g.Dim("batch"), 32)
	h := nn.NewLSTM(g, "lstm", 32, 16).Apply(nn.Evaluation(g), x) // want warning BL233 "each example follows from the one before" "of size seq"
	testmodel.Linear(g, "out", h, 3)
}

func gatesOverExamples(g *graph.Graph) {
	x := ops.Transpose(g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 32), 0, 1)
	nn.NewGRU(g, "gru", 32, 16).Apply(nn.Evaluation(g), x) // want warning BL220 and warning BL233
}

// The axis of a loop is the first one.
func loopOverExamples(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	x, w := g.Input("x", graph.Float32, b, t, 16), g.Param("w", graph.Float32, 16, 16)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, t, 16)}, Over: []*graph.Node{x}}, cell(w)) // want warning BL233
}

func likelihoodAlongClasses(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, y := g.Input("x", graph.Float32, b, t, 32), g.Input("y", graph.Int64, b, t)
	log := ops.LogSoftmax(testmodel.Linear(g, "out", x, 10), -1)
	ops.NLL(ops.Transpose(log, 1, 2), y)
	ops.NLL(ops.Reshape(log, -1, 10), ops.Reshape(y, -1))
	ops.NLL(ops.LogSoftmax(ops.Transpose(log, 1, 2), 1), y, ops.EachLoss())
	ops.NLL(ops.Select(log, 1, 0), ops.Select(y, 1, 0))
	start := ops.LogSoftmax(ops.Squeeze(testmodel.Linear(g, "start", x, 1), -1), 1)
	ops.NLL(start, g.Input("first", graph.Int64, b))
}

func likelihoodOfPixels(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 5, 8, 8), g.Input("y", graph.Int64, b, 8, 8)
	ops.NLL(ops.LogSoftmax(x, 1), y)
	last := ops.LogSoftmax(ops.Permute(x, 0, 2, 3, 1), -1)
	ops.NLL(ops.Permute(last, 0, 3, 1, 2), y)
	ops.NLL(ops.Reshape(last, -1, 5), ops.Reshape(y, -1))
	ops.CrossEntropy(ops.Mul(x, ops.Softmax(x, 2)), y)
}

// Rows and columns get equal shares of each other before pairs are picked.
func likelihoodByTurns(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	log, match := g.Input("scores", graph.Float32, b, n, n), g.Input("match", graph.Int64, b, n)
	for range 3 {
		log = ops.LogSoftmax(ops.LogSoftmax(log, 1), 2)
	}
	ops.NLL(log, match)
	ops.NLL(ops.Transpose(log, 1, 2), match)
}

func memoryOverTime(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("seq"), g.Dim("batch"), 32)
	h := nn.NewLSTM(g, "lstm", 32, 16).Apply(nn.Evaluation(g), ops.Transpose(x, 0, 1))
	nn.NewGRU(g, "gru", 16, 16).Apply(nn.Evaluation(g), h)
	w := g.Param("w", graph.Float32, 32, 32)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, g.Dim("batch"), 32)}, Over: []*graph.Node{x}},
		cell(w))
	// Documents of sentences: one layer over words, and one over sentences.
	y := g.Input("y", graph.Float32, g.Dim("batch"), g.Dim("sentences"), g.Dim("words"), 32)
	words := nn.NewGRU(g, "words", 32, 16).Apply(nn.Evaluation(g), ops.Flatten(y, 0, 1))
	nn.NewGRU(g, "sentences", 16, 16).Apply(
		nn.Evaluation(g), ops.Reshape(ops.Mean(words, 1), g.Dim("batch"), g.Dim("sentences"), 16))
}

// What is summed over examples has no value for each.
func sumsOverExamples(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 16)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, g.Dim("t"), 16)}, Over: []*graph.Node{x}},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(c[0], x[0])}, nil
		})
}

func eachExampleByItself(g *graph.Graph) {
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 16), g.Param("w", graph.Float32, 16, 16)
	ops.Scan(ops.Loop{Over: []*graph.Node{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) {
		return nil, []*graph.Node{ops.Tanh(ops.MatMul(x[0], w))}
	})
}

// Weights are learned from one example after the other.
func learnedOnline(g *graph.Graph) {
	x, y := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 16),
		g.Input("y", graph.Float32, g.Dim("batch"), g.Dim("t"))
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 16)}, Over: []*graph.Node{x, y}},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			wrong := ops.Sub(x[1], ops.MatMul(x[0], c[0]))
			return []*graph.Node{ops.Add(c[0], ops.Mul(graph.Num(0.01), ops.MatMul(wrong, x[0])))}, []*graph.Node{wrong}
		})
}
