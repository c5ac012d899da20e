package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// Results that are larger than their operands: tables that are meant, and columns that meet
// rows by accident.
var _ = add(
	causalMask, lengthMask, paddedKeys, frequencies, pairwiseDistances, cosineSimilarities, sameLabels, attentionScores,
	quantiles,
	scheduledSquare, outerOfProducts,
	advantages, accuracy, importance, bellmanTarget, segmentation, temperatures, noiseContrast, weightedExamples,
)

func causalMask(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	scores := g.Input("scores", graph.Float32, b, 8, t, t)
	at := ops.Iota(g, 0, t)
	future := ops.Less(ops.Unsqueeze(at, 1), at)
	ops.Softmax(ops.MaskedFill(scores, future, graph.Num(-1e9)), -1)
}

func lengthMask(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, n := g.Input("x", graph.Float32, b, t, 32), g.Input("n", graph.Int64, b)
	inside := ops.Less(ops.Iota(g, 0, t), ops.Unsqueeze(n, 1))
	ops.Where(ops.Unsqueeze(inside, -1), x, graph.Num(0))
}

func paddedKeys(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, n := g.Input("x", graph.Float32, b, t, 32), g.Input("n", graph.Int64, b)
	y, ids := g.Input("y", graph.Float32, b, g.Dim("words"), 32), g.Input("ids", graph.Int64, b, g.Dim("words"))
	padding := ops.Not(ops.LengthMask(n, t))
	nn.NewEncoderDecoder(g, "", 1, 1, 32, 4).ApplyTo(nn.Evaluation(g), x, y,
		nn.SourceKeyPadding(padding), nn.MemoryKeyPadding(padding), nn.KeyPadding(ops.Equal(ids, graph.Num(0))))
}

func frequencies(g *graph.Graph) {
	t := g.Dim("seq")
	x := g.Input("x", graph.Float32, g.Dim("batch"), t, 64)
	rate := ops.Exp(ops.Mul(ops.Cast(ops.Iota(g, 0, 32), graph.Float32), graph.Num(-0.28)))
	angle := ops.Mul(ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, t), graph.Float32), 1), rate)
	ops.Add(x, ops.Concat(1, ops.Sin(angle), ops.Cos(angle)))
}

func pairwiseDistances(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 3)
	length := ops.Sum(ops.Square(x), 1)
	ops.Sub(ops.Add(ops.Unsqueeze(length, 1), length), ops.Mul(graph.Num(2), ops.MatMul(x, ops.Transpose(x, 0, 1))))
	ops.Sum(ops.Square(ops.Sub(ops.Unsqueeze(x, 1), x)), -1)
}

func cosineSimilarities(g *graph.Graph) {
	n := g.Dim("n")
	a, b := g.Input("a", graph.Float32, n, 64), g.Input("b", graph.Float32, n, 64)
	lengths := ops.Mul(ops.Norm(a, 2, 1, ops.KeepDims()), ops.Transpose(ops.Norm(b, 2, 1, ops.KeepDims()), 0, 1))
	ops.Div(ops.MatMul(a, ops.Transpose(b, 0, 1)), lengths)
}

func sameLabels(g *graph.Graph) {
	label := g.Input("label", graph.Int64, g.Dim("batch"))
	ops.Equal(ops.Reshape(label, -1, 1), label)
}

func attentionScores(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	query, key := g.Input("query", graph.Float32, b, t, 16), g.Input("key", graph.Float32, b, t, 16)
	v := g.Param("v", graph.Float32, 16, 1)
	both := ops.Tanh(ops.Add(ops.Unsqueeze(query, 2), ops.Unsqueeze(key, 1)))
	ops.Softmax(ops.Squeeze(ops.MatMul(both, v), -1), -1)
}

func quantiles(g *graph.Graph) {
	b := g.Dim("batch")
	now, then := g.Input("now", graph.Float32, b, 51), g.Input("then", graph.Float32, b, 51)
	each := ops.Sub(ops.Unsqueeze(then, 1), ops.Unsqueeze(now, 2))
	ops.Mean(ops.Sum(ops.Abs(each), 1))
}

func scheduledSquare(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 16, 16)
	row := ops.Cast(ops.Iota(g, 0, 16), graph.Float32)
	ops.Add(x, ops.Mul(ops.Unsqueeze(row, -1), row))
}

func outerOfProducts(g *graph.Graph) {
	b, m := g.Dim("batch"), g.Dim("m")
	x, y := g.Input("x", graph.Float32, b), g.Input("y", graph.Float32, m)
	ops.Mul(ops.Unsqueeze(x, 1), y)
}

func advantages(g *graph.Graph) {
	t := g.Dim("steps")
	seen, gains := g.Input("seen", graph.Float32, t, 4), g.Input("gains", graph.Float32, t)
	value := testmodel.Linear(g, "value", ops.Tanh(testmodel.Linear(g, "hidden", seen, 64)), 1)
	ops.Sub(gains, ops.StopGradient(value)) // want warning BL202 "Squeeze(StopGradient(value), -1)"
}

func accuracy(g *graph.Graph) {
	b := g.Dim("batch")
	logits, label := g.Input("logits", graph.Float32, b, 10), g.Input("label", graph.Int64, b, 1)
	right := ops.Equal(ops.ArgMax(logits, 1), label) // want warning BL202 "Squeeze(label, -1) gives [batch]"
	ops.Mean(ops.Cast(right, graph.Float32))
}

func importance(g *graph.Graph) {
	b, h, w := g.Dim("batch"), g.Dim("h"), g.Dim("w")
	weight, err := g.Input("weight", graph.Float32, b), g.Input("err", graph.Float32, b, h, w, 3)
	column := ops.Reshape(weight, b, 1, 1, 1)
	ops.Mul(column, ops.Mean(ops.Square(err), -1)) // want warning BL202
}

func bellmanTarget(g *graph.Graph) {
	b := g.Dim("batch")
	reward, done, next := g.Input("reward", graph.Float32, b, 1), g.Input("done", graph.Float32, b),
		g.Input("next", graph.Float32, b, 6)
	future := ops.Mul(ops.Sub(graph.Num(1), done), ops.Max(next, 1))
	ops.Add(reward, ops.Mul(graph.Num(0.99), future)) // want warning BL202 "Squeeze(reward, -1)"
}

func segmentation(g *graph.Graph) {
	b, h, w := g.Dim("batch"), g.Dim("h"), g.Dim("w")
	logits, mask := g.Input("logits", graph.Float32, b, 1, h, w), g.Input("mask", graph.Float32, b, h, w)
	p := ops.Sigmoid(logits)
	ops.Sum(ops.Mul(p, mask)) // want warning BL202 "Squeeze(p, 1) gives [batch, h, w]"
}

func temperatures(g *graph.Graph) {
	b := g.Dim("batch")
	score, heat := g.Input("score", graph.Float32, b, 1), g.Input("heat", graph.Float32, b)
	ops.Div(score, heat) // want warning BL202
}

func noiseContrast(g *graph.Graph) {
	b := g.Dim("batch")
	x := g.Input("x", graph.Float32, b, 64)
	of := ops.LogSigmoid(testmodel.Linear(g, "of", x, 1))
	noise := ops.Sum(ops.LogSigmoid(ops.Neg(testmodel.Linear(g, "noise", x, 25))), 1)
	ops.Add(of, noise) // want warning BL202 "Squeeze(of, -1)"
}

func weightedExamples(g *graph.Graph) {
	b := g.Dim("batch")
	logits, label := g.Input("logits", graph.Float32, b, 10), g.Input("label", graph.Int64, b)
	weight := g.Input("weight", graph.Float32, b, 1)
	each := ops.CrossEntropy(logits, label, ops.EachLoss())
	ops.Mul(each, weight) // want warning BL202 "Squeeze(weight, -1)"
}
