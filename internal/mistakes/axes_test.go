package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(
	softmaxByHandOfSquare, columnMeansOfSquare, advantageOfColumn, softmaxByHand, gramOfRows, squaredDistances,
	scaleOfChannels, biasOfChannels, temperatureOfPairs, biasOfFeatures, biasOfAsManyTokens, channelsLast,
	softmaxOverBatch, mixtureOverBatch, softmaxOverClasses, poolOverTime, instancesOfBags, contrastive,
	attentionOverBatch, attentionOfTimeFirst, attention, attentionOfOneSequence,
	positionsOfBatch, tableOfBatch, positionsOfTime, identityOfPairs, noiseOfInputs, onePositionForAll, decoderStep,
	lastStep,
	maskOnQueries, maskAddedToQueries, maskOnKeys, maskAddedToKeys, bothMasks,
	poolOverBatch, poolOverTokens, batchStatistics, meansOfAll, deviationAsFeature, positionsExpanded, headsOverBatch,
	attentionOverSecond,
	patchesByReshape, patchesByPermute,
)

// A softmax by hand of square scores, without KeepDims.
func softmaxByHandOfSquare(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 32, 32)
	e := ops.Exp(x)
	ops.Div(e, ops.Sum(e, 1)) // want warning BL230 "KeepDims()" "Unsqueeze(Sum(e, 1), -1) gives [32, 1]"
}

// The same of named sizes that are one.
func columnMeansOfSquare(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("adjacency", graph.Float32, g.Dim("graphs"), n, n)
	degree := ops.Sum(x, -1)
	row := ops.Select(degree, 0, 0)
	ops.Div(ops.Select(x, 0, 0), row) // want warning BL230
}

// What follows from a mistake is not reported.
func advantageOfColumn(g *graph.Graph) {
	t := g.Dim("T")
	x, returns := g.Input("x", graph.Float32, t, 4), g.Input("returns", graph.Float32, t)
	advantage := ops.Sub(returns, testmodel.Linear(g, "value", x, 1)) // want warning BL202
	ops.Mul(ops.Select(ops.LogSoftmax(testmodel.Linear(g, "policy", x, 2), 1), 1, 0), advantage)
}

// With KeepDims, and over the first axis.
func softmaxByHand(g *graph.Graph) {
	e := ops.Exp(g.Input("x", graph.Float32, 32, 32))
	ops.Div(e, ops.Sum(e, 1, ops.KeepDims()))
	ops.Div(e, ops.Sum(e, 0))
}

// The products of rows with each other, and a value for each row at either side.
func gramOfRows(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 8)
	norm := ops.Norm(x, 2, -1)
	gram := ops.MatMul(x, ops.Transpose(x, 0, 1))
	ops.Div(ops.Div(gram, norm), ops.Unsqueeze(norm, 1))
}

// Squared distances between two sets.
func squaredDistances(g *graph.Graph) {
	x, y := g.Input("x", graph.Float32, g.Dim("n"), 8), g.Input("y", graph.Float32, g.Dim("m"), 8)
	cross := ops.MatMul(x, ops.Transpose(y, 0, 1))
	ops.Add(ops.Sub(ops.Sum(ops.Square(x), 1, ops.KeepDims()), ops.Mul(graph.Num(2), cross)), ops.Sum(ops.Square(y), 1))
}

// A scale for each channel stands under the columns of an image.
func scaleOfChannels(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 16, 16, 16)
	ops.Mul(x, g.Param("scale", graph.Float32, 16)) // want warning BL231 "Reshape(scale, 16, 1, 1)"
}

// The same behind a convolution, of one-dimensional signals.
func biasOfChannels(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 3, 32)
	h := ops.Conv1D(x, g.Param("k", graph.Float32, 32, 3, 3), nil, ops.Padding(1))
	ops.Add(h, g.Param("bias", graph.Float32, 32)) // want warning BL231 "Unsqueeze(bias, -1) gives [32, 1]"
}

// A temperature for each example divides columns of the products of two sets of examples.
func temperatureOfPairs(g *graph.Graph) {
	b := g.Dim("b")
	z1, z2 := g.Input("z1", graph.Float32, b, 128), g.Input("z2", graph.Float32, b, 128)
	temperature := g.Input("temperature", graph.Float32, b)
	logits := ops.Div(ops.MatMul(z1, ops.Transpose(z2, 0, 1)), temperature) // want warning BL231 "Unsqueeze(temperature, -1) gives [b, 1]"
	ops.CrossEntropy(logits, ops.Iota(g, 0, b))
}

// A bias of features, as many as examples.
func biasOfFeatures(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 32, 100)
	ops.Add(ops.MatMul(x, g.Param("w", graph.Float32, 100, 32)), g.Param("bias", graph.Float32, 32))
}

// As many tokens as features.
func biasOfAsManyTokens(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), 64, 64)
	h := ops.LayerNorm(x, g.Param("gain", graph.Float32, 64), nil, 1e-5)
	ops.Mul(ops.Add(h, g.Param("shift", graph.Float32, 64)), testmodel.Linear(g, "gate", x, 64))
}

// A bias of channels that stand last.
func channelsLast(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 3, 16, 16)
	h := ops.Conv2D(x, g.Param("k", graph.Float32, 16, 3, 3, 3), nil, ops.Padding(1))
	ops.Add(ops.Permute(h, 0, 2, 3, 1), g.Param("bias", graph.Float32, 16))
}

// Classes stand along axis 1.
func softmaxOverBatch(g *graph.Graph) {
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 20), g.Input("y", graph.Int64, n)
	p := ops.LogSoftmax(testmodel.Linear(g, "out", ops.Relu(testmodel.Linear(g, "h", x, 32)), 10), 0) // want warning BL232 "axis 1"
	ops.NLL(p, y)
}

// The weights of a mixture are normalised over the batch of sequences that stand second.
func mixtureOverBatch(g *graph.Graph) {
	s, b := g.Dim("seq"), g.Dim("bs")
	h := g.Input("h", graph.Float32, s, b, 256)
	pi := testmodel.Linear(g, "pi", h, 5)
	lp := ops.LogSoftmax(pi, -2) // want warning BL232
	ops.LogSumExp(lp, -1)
}

// As it is meant.
func softmaxOverClasses(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 20)
	ops.Softmax(testmodel.Linear(g, "out", x, 10), 1)
}

// A learned mean over time, with several heads, of sequences whose time stands first.
func poolOverTime(g *graph.Graph) {
	h := g.Input("h", graph.Float32, g.Dim("t"), g.Dim("b"), 64)
	a := ops.Softmax(testmodel.Linear(g, "score", h, 4), 0)
	ops.Sum(ops.Mul(ops.Unsqueeze(a, -1), ops.Unsqueeze(h, 2)), 0)
}

// A bag of instances, weighted by attention with several heads.
func instancesOfBags(g *graph.Graph) {
	h := g.Input("instances", graph.Float32, g.Dim("n"), 64)
	a := ops.Softmax(testmodel.Linear(g, "score", ops.Tanh(testmodel.Linear(g, "v", h, 32)), 4), 0)
	testmodel.Linear(g, "out", ops.MatMul(ops.Transpose(a, 0, 1), h), 2)
}

// Each example against all others, in both directions.
func contrastive(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 64), g.Input("y", graph.Float32, b, 64)
	logits := ops.MatMul(testmodel.Linear(g, "x", x, 16), ops.Transpose(testmodel.Linear(g, "y", y, 16), 0, 1))
	ops.Softmax(logits, 0)
	ops.Softmax(logits, 1)
}

// The layer expects time first.
func attentionOverBatch(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 64)
	xs := ops.Permute(x, 1, 0, 2)
	q, k, v := testmodel.Linear(g, "q", xs, 64), testmodel.Linear(g, "k", xs, 64), testmodel.Linear(g, "v", xs, 64)
	a := ops.Softmax(ops.MatMul(q, ops.Transpose(k, -1, -2)), -1) // want warning BL233
	ops.Mean(ops.MatMul(a, v), 1)
}

// Time first, and brought behind the batch.
func attentionOfTimeFirst(g *graph.Graph) {
	x := ops.Transpose(g.Input("x", graph.Float32, g.Dim("t"), g.Dim("n"), 64), 0, 1)
	ops.MatMul(ops.Softmax(ops.MatMul(x, ops.Transpose(x, -1, -2)), -1), x)
}

// Attention with several heads.
func attention(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 64)
	heads := func(name string) *graph.Node {
		return ops.Transpose(ops.Reshape(testmodel.Linear(g, name, x, 64), b, t, 8, 8), 1, 2)
	}
	scores := ops.MatMul(heads("q"), ops.Transpose(heads("k"), -1, -2))
	ops.MatMul(ops.Softmax(scores, -1), heads("v"))
}

// A sequence without a batch.
func attentionOfOneSequence(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 64)
	ops.MatMul(ops.Softmax(ops.MatMul(x, ops.Transpose(x, 0, 1)), -1), x)
}

// Positions are counted by the number of examples.
func positionsOfBatch(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	ids := g.Input("ids", graph.Int64, b, t)
	h := ops.Embedding(ids, g.Param("words", graph.Float32, 1000, 64))
	at := ops.Unsqueeze(ops.Iota(g, 0, b), 1)
	ops.Add(h, ops.Embedding(at, g.Param("places", graph.Float32, 512, 64))) // want warning BL234 "axis 1, of size t"
}

// A table of positions whose time stands first, and examples that stand first.
func tableOfBatch(g *graph.Graph) {
	b := g.Dim("B", graph.AtMost(5000))
	x := g.Input("x", graph.Float32, b, g.Dim("T"), 512)
	pe := g.Param("pe", graph.Float32, 5000, 1, 512)
	ops.Add(x, ops.Slice(pe, 0, 0, b, 1)) // want warning BL234
}

// As it is meant: a table, and waves.
func positionsOfTime(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t", graph.AtMost(512))
	x := g.Input("x", graph.Float32, b, t, 64)
	x = ops.Add(x, ops.Slice(g.Param("places", graph.Float32, 512, 64), 0, 0, t, 1))
	at := ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, t), graph.Float32), 1)
	waves := ops.Sin(ops.Mul(at, g.Param("rates", graph.Float32, 64)))
	ops.Add(x, waves)
}

// The identity tells pairs of examples apart, and gives no example anything of its own: the noise of a Gaussian
// process, the signs of SigLIP's loss, a kernel of several widths without its diagonal, and the nodes of a graph that
// are their own neighbours.
func identityOfPairs(g *graph.Graph) {
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 6), g.Input("y", graph.Float32, n, 6)
	one := ops.Eye(g, graph.Float32, n, n)
	kernel := ops.Exp(ops.Neg(ops.Square(ops.CDist(x, x, 2))))
	ops.Cholesky(ops.Add(kernel, ops.Mul(one, ops.Exp(g.Param("noise", graph.Float32)))))
	ops.LogSigmoid(ops.Mul(ops.Sub(ops.Mul(graph.Num(2), one), graph.Num(1)), ops.MatMul(x, ops.Transpose(y, 0, 1))))
	widths := ops.Div(ops.Unsqueeze(ops.CDist(x, y, 2), 2), ops.Linspace(g, graph.Float32, 1, 4, 4))
	ops.Sub(ops.Sum(ops.Exp(ops.Neg(widths)), 2), ops.Mul(one, graph.Num(4)))
	ops.Add(g.Input("adjacency", graph.Float32, n, n), one)
}

// Noise for each element of an input, and classes that are drawn for each example, by a seed that no input gives.
func noiseOfInputs(g *graph.Graph) {
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 6)
	seed := g.Scalar(graph.Int64, 3)
	ops.Add(x, ops.Normal(seed, graph.Float32, batch, 6))
	ops.Mul(x, ops.Bernoulli(g.State("seed", graph.Int64, nil), ops.Full(g, graph.Float32, 0.5, batch, 6)))
	ops.CrossEntropy(x, ops.Categorical(seed, x, 1))
}

// One row of a table for all positions.
func onePositionForAll(g *graph.Graph) {
	t := g.Dim("T", graph.AtMost(599))
	x := g.Input("x", graph.Float32, g.Dim("B"), t, 512)
	pe := g.Param("pe", graph.Float32, 1, 600, 512)
	ops.Add(x, ops.Select(pe, 1, t)) // want warning BL235 "Slice(pe, 1, 0, T, 1)"
}

// The next step of a decoder, behind t others.
func decoderStep(g *graph.Graph) {
	t := g.Dim("t", graph.AtMost(511))
	x, past := g.Input("x", graph.Float32, g.Dim("b"), 1, 64), g.Input("past", graph.Float32, g.Dim("b"), t, 64)
	x = ops.Add(x, ops.Select(g.Param("pe", graph.Float32, 512, 64), 0, t))
	ops.Concat(1, past, x)
}

// The last step of each sequence.
func lastStep(g *graph.Graph) {
	t := g.Dim("t")
	x := g.Input("x", graph.Float32, g.Dim("b"), t, 64)
	ops.Sub(x, ops.Unsqueeze(ops.Select(x, 1, t.Minus(1)), 1))
}

// A mask of keys that stands under queries.
func maskOnQueries(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	scores := g.Input("scores", graph.Float32, b, 8, n, n)
	ids := g.Input("ids", graph.Int64, b, n)
	mask := ops.Unsqueeze(ops.Unsqueeze(ops.NotEqual(ids, graph.Num(0)), 1), 3)
	masked := ops.MaskedFill(scores, ops.Not(mask), graph.Num(-1e9)) // want warning BL236 "gives [b, 1, 1, n]"
	ops.Softmax(masked, -1)
}

// As it is meant.
func maskOnKeys(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	scores := g.Input("scores", graph.Float32, b, 8, n, n)
	mask := ops.Unsqueeze(ops.Unsqueeze(g.Input("mask", graph.Bool, b, n), 1), 1)
	ops.Softmax(ops.MaskedFill(scores, mask, graph.Num(-1e9)), -1)
}

// Queries and keys that are no words.
func bothMasks(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	scores := g.Input("scores", graph.Float32, b, 8, n, n)
	mask := g.Input("mask", graph.Bool, b, n)
	keys, queries := ops.Reshape(mask, b, 1, 1, n), ops.Reshape(mask, b, 1, n, 1)
	ops.Softmax(ops.MaskedFill(ops.MaskedFill(scores, keys, graph.Num(-1e9)), queries, graph.Num(-1e9)), -1)
}

// The same, added.
func maskAddedToQueries(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n, 16)
	scores := ops.MatMul(x, ops.Transpose(x, 1, 2))
	keep := ops.Unsqueeze(ops.Cast(g.Input("keep", graph.Bool, b, n), graph.Float32), 2)
	masked := ops.Add(scores, ops.Mul(ops.Sub(graph.Num(1), keep), graph.Num(-1e9))) // want warning BL236
	ops.MatMul(ops.Softmax(masked, -1), x)
}

// As it is meant.
func maskAddedToKeys(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n, 16)
	scores := ops.MatMul(x, ops.Transpose(x, 1, 2))
	keep := ops.Unsqueeze(ops.Cast(g.Input("keep", graph.Bool, b, n), graph.Float32), 1)
	ops.Softmax(ops.Add(scores, ops.Mul(ops.Sub(graph.Num(1), keep), graph.Num(-1e9))), -1)
}

// The mean of examples in place of that of tokens.
func poolOverBatch(g *graph.Graph) {
	h := g.Input("h", graph.Float32, g.Dim("batch"), g.Dim("seq"), 64)
	pooled := ops.Mean(ops.Relu(testmodel.Linear(g, "up", h, 32)), 0) // want warning BL232 "axis 1, of size seq"
	testmodel.Linear(g, "out", pooled, 3)
}

// As it is meant.
func poolOverTokens(g *graph.Graph) {
	h := g.Input("h", graph.Float32, g.Dim("batch"), g.Dim("seq"), 64)
	testmodel.Linear(g, "out", ops.Mean(h, 1), 3)
}

// Batch normalization by hand.
func batchStatistics(g *graph.Graph) {
	x := testmodel.Linear(g, "in", g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 64), 32)
	mean := ops.Mean(x, 0)
	y := ops.Sub(x, mean)
	testmodel.Linear(g, "out", ops.Div(y, ops.Sqrt(ops.Add(ops.Mean(ops.Square(y), 0), graph.Num(1e-5)))), 3)
}

// A loss for each step, of all examples.
func meansOfAll(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 8), g.Input("y", graph.Float32, b, t, 8)
	steps := ops.Mean(ops.Square(ops.Sub(testmodel.Linear(g, "out", x, 8), y)), 0, 2)
	ops.Sum(ops.Mul(steps, ops.Full(g, graph.Float32, 0.5, t)))
}

// The deviation of a batch as another feature of each example.
func deviationAsFeature(g *graph.Graph) {
	b, t := g.Dim("batch", graph.AtLeast(2)), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 8)
	deviation := ops.Mean(ops.Std(x, 1, 0), 1, ops.KeepDims())
	testmodel.Linear(g, "out", ops.Concat(2, x, ops.Expand(deviation, b, t, 1)), 3)
}

// Positions counted by examples, and repeated for each token.
func positionsExpanded(g *graph.Graph) {
	b, t := g.Dim("batch_size"), g.Dim("length")
	h := ops.Embedding(g.Input("ids", graph.Int64, b, t), g.Param("words", graph.Float32, 1000, 64))
	at := ops.Expand(ops.Unsqueeze(ops.Iota(g, 0, b), 1), b, t)
	ops.Add(ops.Embedding(at, g.Param("places", graph.Float32, 512, 64)), h) // want warning BL234
}

// Attention of several heads between examples instead of words.
func headsOverBatch(g *graph.Graph) {
	s, b := g.Dim("seq"), g.Dim("batch")
	x := ops.Transpose(g.Input("x", graph.Float32, b, s, 64), 0, 1)
	heads := func(name string) *graph.Node {
		return ops.Transpose(ops.Reshape(testmodel.Linear(g, name, x, 64), s, b, 8, 8), 1, 2)
	}
	scores := ops.Mul(ops.MatMul(heads("q"), ops.Transpose(heads("k"), 2, 3)), graph.Num(0.35))
	ops.MatMul(ops.Softmax(scores, 3), heads("v")) // want warning BL233
}

// A sequence whose time stands first, given to attention that expects examples first.
func attentionOverSecond(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("T"), g.Dim("B"), 64)
	q, k := testmodel.Linear(g, "q", x, 64), testmodel.Linear(g, "k", x, 64)
	ops.Softmax(ops.Einsum("xid,xjd->xij", q, k), -1) // want warning BL233
}

// An image is cut into patches by a reshape alone: each patch has some rows and a part of the next.
func patchesByReshape(g *graph.Graph) {
	x := g.Input("image", graph.Float32, g.Dim("batch"), 3, 224, 224)
	ops.Reshape(x, g.Dim("batch"), 196, 768) // want warning BL205
}

func patchesByPermute(g *graph.Graph) {
	x := g.Input("image", graph.Float32, g.Dim("batch"), 3, 224, 224)
	x = ops.Permute(ops.Reshape(x, g.Dim("batch"), 3, 14, 16, 14, 16), 0, 2, 4, 3, 5, 1)
	ops.Reshape(x, g.Dim("batch"), 196, 768)
}
