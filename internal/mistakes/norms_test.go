package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Statistics of too few elements, and numbers made of a whole batch.
var _ = add(
	batchNormOfBatches, batchNormOfImages, standardScore, clippedGradients, tokenMean, focalScale, maskedPooling,
	sampleVariance,
	batchNormOfOne, batchNormAfterPooling, stdOfOne, stdOfBatch, klOfAll, qOfAll, maskOfAll, lossOfAll, varianceOfPairs,
	softmaxOverAll, scaledByItsOwn,
)

func batchNormOfBatches(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(2)), 16)
	ops.BatchNorm(x, nil, nil, 1e-5)
}

func batchNormOfImages(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 16, 8, 8)
	ops.BatchNorm(x, g.Param("gain", graph.Float32, 16), g.Param("bias", graph.Float32, 16), 1e-5)
}

// Values that are scaled by a number made of themselves.
func standardScore(g *graph.Graph) {
	t := g.Dim("steps", graph.AtLeast(2))
	gain, x := g.Input("gain", graph.Float32, t), g.Input("x", graph.Float32, t, 4)
	ops.Div(ops.Sub(gain, ops.Mean(gain)), ops.Add(ops.Std(gain, 1), graph.Num(1e-8)))
	ops.Div(ops.Sub(x, ops.Mean(x)), ops.Std(x, 0))
}

func clippedGradients(g *graph.Graph) {
	a, b := g.Param("a", graph.Float32, 64, 32), g.Param("b", graph.Float32, 64)
	length := ops.Sqrt(ops.Add(ops.Sum(ops.Square(a)), ops.Sum(ops.Square(b))))
	scale := ops.Minimum(graph.Num(1), ops.Div(graph.Num(5), length))
	ops.MulInPlace(a, scale)
	ops.MulInPlace(b, scale)
}

func tokenMean(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	logits, label := g.Input("logits", graph.Float32, b, 100, t), g.Input("label", graph.Int64, b, t)
	mask := g.Input("mask", graph.Float32, b, t)
	each := ops.CrossEntropy(logits, label, ops.EachLoss())
	ops.Div(ops.Sum(ops.Mul(each, mask)), ops.Sum(mask))
	ops.Sum(ops.Mul(each, ops.Div(mask, ops.Sum(mask))))
}

func focalScale(g *graph.Graph) {
	b := g.Dim("batch")
	logits, y := g.Input("logits", graph.Float32, b, 20), g.Input("y", graph.Float32, b, 20)
	loss := ops.BCEWithLogits(logits, y)
	ops.Mul(ops.Mul(graph.Num(0.25), ops.Pow(ops.Sub(graph.Num(1), ops.Exp(ops.Neg(loss))), graph.Num(2))), loss)
}

func maskedPooling(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	h, mask := g.Input("h", graph.Float32, b, t, 64), g.Input("mask", graph.Float32, b, t)
	ops.Div(ops.Sum(ops.Mul(h, ops.Unsqueeze(mask, -1)), 1), ops.ClampMin(ops.Sum(mask, 1, ops.KeepDims()), 1))
}

func sampleVariance(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 8, 8)
	ops.Var(x, 1, 1, 2)
	ops.Var(x, 0, 0)
}

func batchNormOfOne(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 16)
	ops.BatchNorm(x, nil, nil, 1e-5) // want error BL131 "Expected more than 1 value per channel when training"
}

func batchNormAfterPooling(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 16, g.Dim("h"), g.Dim("w"))
	ops.BatchNorm(ops.Mean(x, 2, 3, ops.KeepDims()), nil, nil, 1e-5) // want note BL401 "batch >= 2"
}

func stdOfOne(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 1, 16)
	ops.Std(x, 1, 0) // want warning BL211 "degrees of freedom is <= 0"
}

func stdOfBatch(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 16)
	ops.Std(x, 1, 0) // want note BL211 "batch >= 2" "graph.AtLeast(2)"
}

func varianceOfPairs(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 2)
	ops.Var(x, 2, 1) // want warning BL211
}

func klOfAll(g *graph.Graph) {
	b := g.Dim("batch")
	mu, log, mask := g.Input("mu", graph.Float32, b, 16), g.Input("log", graph.Float32, b, 16),
		g.Input("mask", graph.Float32, b)
	terms := ops.Sub(ops.Sub(ops.Add(graph.Num(1), log), ops.Square(mu)), ops.Exp(log))
	ops.Mul(ops.Mul(graph.Num(-0.5), ops.Sum(terms)), mask) // want note BL212 "Sum(terms) reduces all axes of terms"
}

func qOfAll(g *graph.Graph) {
	b := g.Dim("batch")
	q, action, target := g.Input("q", graph.Float32, b, 4), g.Input("action", graph.Float32, b, 4),
		g.Input("target", graph.Float32, b)
	taken := ops.Sum(ops.Mul(q, action))
	ops.Mean(ops.Square(ops.Sub(target, taken))) // want note BL212
}

func maskOfAll(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	h, mask := g.Input("h", graph.Float32, b, t, 64), g.Input("mask", graph.Float32, b, t)
	ops.Div(ops.Sum(ops.Mul(h, ops.Unsqueeze(mask, -1)), 1), ops.Sum(mask)) // want note BL212
}

func lossOfAll(g *graph.Graph) {
	b := g.Dim("batch")
	logits, label, weight := g.Input("logits", graph.Float32, b, 10), g.Input("label", graph.Int64, b),
		g.Input("weight", graph.Float32, b)
	ops.Mean(ops.Mul(ops.CrossEntropy(logits, label), weight)) // want note BL212 "CrossEntropy"
}

// A softmax by hand whose sum has no axis, and a standardization over all examples.
func softmaxOverAll(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 10)
	e := ops.Exp(x)
	ops.Div(e, ops.Sum(e))                                                    // want note BL212 "Sum(e) reduces all axes of e" "KeepDims(), to [batch, 1]"
	ops.Div(ops.Exp(x), ops.Sum(ops.Exp(x)))                                  // want note BL212
	ops.Div(ops.Sub(x, ops.Mean(x)), ops.Std(x, 0))                           // want note BL212
	ops.Div(ops.Sub(x, ops.Mean(x)), ops.Add(ops.Std(x, 1), graph.Num(1e-5))) // want note BL212
	d := ops.Sub(x, ops.Mean(x))
	ops.Mul(d, ops.Rsqrt(ops.Add(ops.Mean(ops.Square(d)), graph.Num(1e-5)))) // want note BL212 "reduces all axes"
	ops.Div(e, ops.Sum(e, 1, ops.KeepDims()))
}

// What is scaled by a number of its own, and what is averaged over all, is meant so.
func scaledByItsOwn(g *graph.Graph) {
	b, t := g.Dim("batch", graph.AtLeast(2)), g.Dim("steps", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, b, 10)
	norm := ops.Norm(x, 2)
	ops.Mul(x, ops.AtMost(ops.Div(graph.Num(1), ops.Add(norm, graph.Num(1e-6))), graph.Num(1)))
	ops.Div(x, norm)
	ops.Sub(x, ops.Mean(x))
	mask := g.Input("mask", graph.Float32, b, t)
	ops.Div(mask, ops.Sum(mask))
	advantage := g.Input("advantage", graph.Float32, b, t)
	ops.Div(ops.Sub(advantage, ops.Mean(advantage)), ops.Add(ops.Std(advantage, 1), graph.Num(1e-8)))
	weights := g.Input("weights", graph.Float32, b)
	ops.Div(ops.Exp(weights), ops.Sum(ops.Exp(weights)))
	ops.Softmax(x, 1)
}
