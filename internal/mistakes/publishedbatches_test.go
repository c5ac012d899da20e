package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Examples that are compared, and axes whose names people give to examples too, as in published programs.
var _ = add(
	importanceWeighted, neuralProcess, audioPooling, audioAttention, pairsOfTwoSets, contrastiveOfSteps,
	contrastiveOfViews, predictiveCoding,
	nodesOfGraph, tableRows, setTransformer, perceiver, axialAttention, pointerNetwork, distanceWeighted,
	correctedSampling, duplicatesMasked,
	distancesOfTwoBatches, kernelTwoSample, energyDistance, barlow, batchHard, medianBandwidth, tokenWeighted,
	relativisticAverage, stableExp,
	momentumQueue, wassersteinSorted, rankLoss, listwise,
)

// IWAE: the samples of one example are weighted against each other.
func importanceWeighted(g *graph.Graph) {
	k, b := g.Dim("samples"), g.Dim("batch")
	log := g.Input("log", graph.Float32, k, b)
	w := ops.StopGradient(ops.Softmax(log, 0))
	ops.Neg(ops.Mean(ops.Sum(ops.Mul(w, log), 0)))
	ops.Neg(ops.Sum(ops.Mul(w, log)))
	z := g.Input("z", graph.Float32, b, k, 16)
	ops.Softmax(testmodel.Linear(g, "score", z, 4), 1)
}

// Several observations of each function are pooled.
func neuralProcess(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("samples"), 2)
	h := ops.Relu(testmodel.Linear(g, "a", x, 64))
	testmodel.Linear(g, "b", ops.Mean(h, 1), 32)
	y := g.Input("y", graph.Float32, g.Dim("b"), g.Dim("examples"), 8)
	testmodel.Linear(g, "c", ops.Mean(y, 1), 32)
}

// Waves of samples.
func audioPooling(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 2, g.Dim("samples"))
	testmodel.Linear(g, "out", ops.Mean(x, 2), 10)
	h := testmodel.Linear(g, "h", ops.Transpose(x, 1, 2), 64)
	ops.Softmax(h, 1)
	testmodel.Linear(g, "top", ops.Max(h, 1), 10)
}

func audioAttention(g *graph.Graph) {
	b, n := g.Dim("batch"), g.Dim("num_samples")
	x := g.Input("x", graph.Float32, b, n, 2)
	x = ops.Add(x, ops.Unsqueeze(ops.Sin(ops.Cast(ops.Iota(g, 0, n), graph.Float32)), 1))
	q := testmodel.Linear(g, "q", x, 16)
	ops.MatMul(ops.Softmax(ops.MatMul(q, ops.Transpose(q, 1, 2)), -1), x)
	y := g.Input("y", graph.Float32, b, 2, n)
	window := ops.HannWindow(g, graph.Float32, n, true)
	ops.Mul(y, window)
}

// Sets of a and of b elements.
func pairsOfTwoSets(g *graph.Graph) {
	x, y := g.Input("x", graph.Float32, g.Dim("a"), 8), g.Input("y", graph.Float32, g.Dim("b"), 8)
	log := ops.LogSoftmax(ops.MatMul(x, ops.Transpose(y, 0, 1)), 1)
	ops.NLL(log, g.Input("match", graph.Int64, g.Dim("a")))
}

// Each step of a sequence against the same step of other examples.
func contrastiveOfSteps(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 64)
	z, c := ops.Transpose(testmodel.Linear(g, "z", x, 32), 0, 1), ops.Transpose(testmodel.Linear(g, "c", x, 32), 0, 1)
	logits := ops.MatMul(z, ops.Transpose(c, 1, 2))
	ops.Neg(ops.Mean(ops.Diagonal(ops.LogSoftmax(logits, -1), 0, 1, 2)))
	ops.Neg(ops.Mean(ops.Log(ops.Diagonal(ops.Softmax(logits, -1), 0, 1, 2))))
}

func contrastiveOfViews(g *graph.Graph) {
	b := g.Dim("batch")
	z := ops.Transpose(g.Input("z", graph.Float32, b, 2, 128), 0, 1)
	z = ops.Normalize(z, 2, -1, 1e-6)
	logits := ops.Div(ops.MatMul(z, ops.Transpose(z, 1, 2)), graph.Num(0.1))
	logits = ops.MaskedFill(logits, ops.Cast(ops.Eye(g, graph.Float32, b, b), graph.Bool), graph.Num(-1e9))
	ops.LogSoftmax(logits, -1)
	both := ops.Concat(0, ops.Select(z, 0, 0), ops.Select(z, 0, 1))
	all := ops.MatMul(both, ops.Transpose(both, 0, 1))
	ops.CrossEntropy(all, ops.Concat(0, ops.Add(ops.Iota(g, 0, b), ops.Size(g, graph.Int64, b)), ops.Iota(g, 0, b)))
}

// Predictions of each of some next steps, against those of all examples.
func predictiveCoding(g *graph.Graph) {
	b := g.Dim("batch")
	c, z := g.Input("c", graph.Float32, b, 256), g.Input("z", graph.Float32, 12, b, 512)
	for i := range 12 {
		pred := testmodel.Linear(g, "w"+string(rune('a'+i)), c, 512)
		total := ops.MatMul(ops.Select(z, 0, graph.Dim(i)), ops.Transpose(pred, 0, 1))
		ops.Sum(ops.Diagonal(ops.LogSoftmax(total, 1), 0, 0, 1))
		ops.ArgMax(ops.Softmax(total, 0), 0)
	}
}

// A graph of n nodes: which node is taken, of several kinds of steps.
func nodesOfGraph(g *graph.Graph) {
	n := g.Dim("n")
	x, near := g.Input("x", graph.Float32, n, 16), g.Input("near", graph.Float32, n, n)
	h := ops.Relu(ops.MatMul(near, testmodel.Linear(g, "in", x, 8)))
	log := ops.LogSoftmax(testmodel.Linear(g, "out", h, 4), 0)
	ops.Categorical(g.Input("seed", graph.Int64), log, 0)
	y := g.Input("y", graph.Float32, n, g.Dim("t"), 8)
	q := ops.Transpose(testmodel.Linear(g, "q", y, 8), 0, 1)
	ops.MatMul(ops.Softmax(ops.MatMul(q, ops.Transpose(q, 1, 2)), -1), q)
}

// Rows of a table attend to each other, for each of its columns.
func tableRows(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("rows"), 12, 64)
	q := ops.Transpose(testmodel.Linear(g, "q", x, 64), 0, 1)
	y := ops.Transpose(ops.MatMul(ops.Softmax(ops.MatMul(q, ops.Transpose(q, 1, 2)), -1), q), 0, 1)
	ops.MatMul(ops.Softmax(ops.MatMul(y, ops.Transpose(y, 1, 2)), -1), y)
}

func setTransformer(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n, 64)
	points := ops.Expand(g.Param("points", graph.Float32, 1, 16, 64), b, 16, 64)
	h := attend(points, x, x, nil)
	x = ops.Add(x, attend(x, h, h, nil))
	seeds := ops.Expand(g.Param("seeds", graph.Float32, 1, 4, 64), b, 4, 64)
	testmodel.Linear(g, "out", attend(seeds, x, x, nil), 10)
}

func perceiver(g *graph.Graph) {
	b := g.Dim("batch")
	x, pad := g.Input("x", graph.Float32, b, g.Dim("m"), 32), g.Input("pad", graph.Bool, b, g.Dim("m"))
	z := ops.Expand(g.Param("z", graph.Float32, 64, 32), b, 64, 32)
	for range 2 {
		z = ops.Add(z, attend(z, x, x, ops.Unsqueeze(pad, 1)))
		z = ops.Add(z, attend(z, z, z, nil))
	}
	queries := g.Input("queries", graph.Float32, b, g.Dim("o"), 32)
	attend(queries, z, z, nil)
}

func axialAttention(g *graph.Graph) {
	b, h, w := g.Dim("b"), g.Dim("h"), g.Dim("w")
	x := g.Input("x", graph.Float32, b, h, w, 32)
	rows := attend(x, x, x, nil)
	y := ops.Transpose(x, 1, 2)
	columns := ops.Transpose(attend(y, y, y, nil), 1, 2)
	ops.Add(rows, columns)
	flat := ops.Reshape(ops.Permute(x, 0, 2, 1, 3), b.Times(w), h, 32)
	ops.Permute(ops.Reshape(attend(flat, flat, flat, nil), b, w, h, 32), 0, 2, 1, 3)
}

func pointerNetwork(g *graph.Graph) {
	b, n, t := g.Dim("batch"), g.Dim("n"), g.Dim("t")
	e, d := g.Input("e", graph.Float32, b, n, 64), g.Input("d", graph.Float32, b, t, 64)
	u := ops.Tanh(ops.Add(ops.Unsqueeze(testmodel.Linear(g, "w1", e, 64), 1),
		ops.Unsqueeze(testmodel.Linear(g, "w2", d, 64), 2)))
	scores := ops.Squeeze(testmodel.Linear(g, "v", u, 1), -1)
	log := ops.LogSoftmax(scores, -1)
	ops.NLL(ops.Transpose(log, 1, 2), g.Input("y", graph.Int64, b, t))
}

// A loss that weights distances by their softmax, along the batch.
func distanceWeighted(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 32), g.Input("y", graph.Float32, b, 32)
	d := ops.CDist(x, y, 2)
	ops.Mean(ops.Sum(ops.Mul(ops.Softmax(ops.Neg(d), 0), d), 0))
	loss := ops.Mean(ops.Square(ops.Sub(x, y)), 1, ops.KeepDims())
	ops.Sum(ops.Mul(ops.StopGradient(ops.Softmax(loss, 0)), loss))
}

// Items of a batch are negatives, whose scores are corrected by how often they are drawn.
func correctedSampling(g *graph.Graph) {
	b := g.Dim("batch")
	user, item, chance := g.Input("user", graph.Float32, b, 32), g.Input("item", graph.Float32, b, 32),
		g.Input("chance", graph.Float32, b)
	scores := ops.Sub(ops.MatMul(user, ops.Transpose(item, 0, 1)), ops.Log(chance))
	ops.CrossEntropy(scores, ops.Iota(g, 0, b))
}

func duplicatesMasked(g *graph.Graph) {
	b := g.Dim("batch")
	q, d, bad := g.Input("q", graph.Float32, b, 32), g.Input("d", graph.Float32, b, 32), g.Input("bad", graph.Bool, b)
	id := g.Input("id", graph.Int64, b)
	scores := ops.MaskedFill(ops.MatMul(q, ops.Transpose(d, 0, 1)), bad, graph.Num(-1e9))
	same := ops.Equal(ops.Unsqueeze(id, 1), id)
	one := ops.Cast(ops.Eye(g, graph.Float32, b, b), graph.Bool)
	ops.CrossEntropy(ops.MaskedFill(scores, ops.And(same, ops.Not(one)), graph.Num(-1e9)), ops.Iota(g, 0, b))
}

// Squared distances between two batches of as many.
func distancesOfTwoBatches(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 16), g.Input("y", graph.Float32, b, 16)
	xx, yy := ops.Sum(ops.Square(x), 1, ops.KeepDims()), ops.Sum(ops.Square(y), 1)
	ops.Sub(ops.Add(xx, yy), ops.Mul(graph.Num(2), ops.MatMul(x, ops.Transpose(y, 0, 1))))
	ops.Sub(ops.Add(ops.Unsqueeze(ops.Sum(ops.Square(x), 1), 1), yy),
		ops.Mul(graph.Num(2), ops.MatMul(x, ops.Transpose(y, 0, 1))))
}

func kernelTwoSample(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 16), g.Input("y", graph.Float32, b, 16)
	xx, yy, xy := ops.MatMul(x, ops.Transpose(x, 0, 1)), ops.MatMul(y, ops.Transpose(y, 0, 1)),
		ops.MatMul(x, ops.Transpose(y, 0, 1))
	rx, ry := ops.Expand(ops.Unsqueeze(ops.Diagonal(xx, 0, 0, 1), 0), b, b),
		ops.Expand(ops.Unsqueeze(ops.Diagonal(yy, 0, 0, 1), 0), b, b)
	k := func(a, b, c *graph.Node) *graph.Node {
		return ops.Exp(ops.Mul(graph.Num(-0.5), ops.Sub(ops.Add(ops.Transpose(a, 0, 1), b), ops.Mul(graph.Num(2), c))))
	}
	ops.Sub(ops.Add(ops.Mean(k(rx, rx, xx)), ops.Mean(k(ry, ry, yy))), ops.Mul(graph.Num(2), ops.Mean(k(rx, ry, xy))))
}

func energyDistance(g *graph.Graph) {
	n, m := g.Dim("n"), g.Dim("m")
	x, y := g.Input("x", graph.Float32, n), g.Input("y", graph.Float32, m)
	ops.Mean(ops.Abs(ops.Sub(ops.Unsqueeze(x, 1), y)))
	ops.Mean(ops.Abs(ops.Sub(ops.Unsqueeze(x, 1), x)))
	z := g.Input("z", graph.Float32, n)
	ops.Mean(ops.Abs(ops.Sub(ops.Unsqueeze(x, 1), ops.Unsqueeze(z, 0))))
}

func barlow(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(2))
	x, y := g.Input("x", graph.Float32, n, 128), g.Input("y", graph.Float32, n, 128)
	unit := func(z *graph.Node) *graph.Node { return ops.Div(ops.Sub(z, ops.Mean(z, 0)), ops.Std(z, 1, 0)) }
	c := ops.MatMul(ops.Transpose(unit(x), 0, 1), unit(y))
	off := ops.Square(ops.Sub(c, ops.Eye(g, graph.Float32, 128, 128)))
	ops.Sum(off)
	// VICReg.
	z := ops.Sub(x, ops.Mean(x, 0))
	cov := ops.MatMul(ops.Transpose(z, 0, 1), z)
	ops.Sub(ops.Sum(ops.Square(cov)), ops.Sum(ops.Square(ops.Diagonal(cov, 0, 0, 1))))
	ops.Mean(ops.Relu(ops.Sub(graph.Num(1), ops.Sqrt(ops.Add(ops.Var(x, 1, 0), graph.Num(1e-4))))))
}

func batchHard(g *graph.Graph) {
	b := g.Dim("batch")
	x, id := ops.Normalize(g.Input("x", graph.Float32, b, 32), 2, 1, 1e-6), g.Input("id", graph.Int64, b)
	d := ops.CDist(x, x, 2)
	same := ops.Equal(ops.Unsqueeze(id, 0), ops.Unsqueeze(id, 1))
	far := ops.Max(ops.Mul(d, ops.Cast(same, graph.Float32)), 1)
	greatest := ops.Max(d, 1, ops.KeepDims())
	near := ops.Min(ops.Add(d, ops.Mul(greatest, ops.Cast(same, graph.Float32))), 1)
	ops.Mean(ops.Relu(ops.Add(ops.Sub(far, near), graph.Num(0.3))))
	triples := ops.Add(ops.Sub(ops.Unsqueeze(d, 2), ops.Unsqueeze(d, 1)), graph.Num(0.2))
	ops.Mean(ops.Relu(triples))
}

func medianBandwidth(g *graph.Graph) {
	x, y := g.Input("x", graph.Float32, g.Dim("n"), 4), g.Input("y", graph.Float32, g.Dim("m"), 4)
	d := ops.Square(ops.CDist(x, x, 2))
	width := ops.Mean(d)
	ops.Exp(ops.Neg(ops.Div(d, width)))
	ops.Exp(ops.Neg(ops.Div(ops.Square(ops.CDist(x, y, 2)), width)))
}

func tokenWeighted(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	logits, y, mask := g.Input("logits", graph.Float32, b, t, 50), g.Input("y", graph.Int64, b, t),
		g.Input("mask", graph.Float32, b, t)
	each := ops.CrossEntropy(ops.Transpose(logits, 1, 2), y, ops.EachLoss())
	ops.Mean(ops.Div(ops.Sum(ops.Mul(each, mask), 1), ops.Sum(mask, 1)))
	ops.Div(ops.Sum(ops.Mul(each, mask)), ops.Sum(mask))
}

func relativisticAverage(g *graph.Graph) {
	b := g.Dim("batch")
	real, fake := testmodel.Linear(g, "d", g.Input("real", graph.Float32, b, 16), 1),
		testmodel.Linear(g, "e", g.Input("fake", graph.Float32, b, 16), 1)
	ops.BCEWithLogits(ops.Sub(real, ops.Mean(fake)), ops.OnesLike(real))
	ops.BCEWithLogits(ops.Sub(fake, ops.Mean(real)), ops.ZerosLike(real))
}

func stableExp(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 10)
	e := ops.Exp(ops.Sub(x, ops.Max(x)))
	ops.Div(e, ops.Sum(e, 1, ops.KeepDims()))
}

func momentumQueue(g *graph.Graph) {
	b, k := g.Dim("batch"), g.Dim("k")
	q, key, queue := g.Input("q", graph.Float32, b, 32), g.Input("key", graph.Float32, b, 32),
		g.Input("queue", graph.Float32, 32, k)
	positive := ops.Einsum("nc,nc->n", q, key)
	logits := ops.Concat(1, ops.Unsqueeze(positive, -1), ops.Einsum("nc,ck->nk", q, queue))
	ops.CrossEntropy(ops.Div(logits, graph.Num(0.07)), ops.Full(g, graph.Int64, 0, b))
}

func wassersteinSorted(g *graph.Graph) {
	b := g.Dim("batch")
	x, y, at := g.Input("x", graph.Float32, b, 32), g.Input("y", graph.Float32, b, 32),
		g.Param("at", graph.Float32, 32, 50)
	px, _ := ops.Sort(ops.MatMul(x, at), 0, false)
	py, _ := ops.Sort(ops.MatMul(y, at), 0, false)
	ops.Mean(ops.Square(ops.Sub(px, py)))
	u, _ := ops.Sort(g.Input("u", graph.Float32, b), 0, false)
	ops.Mul(u, ops.Cast(ops.Iota(g, 0, b), graph.Float32))
}

func rankLoss(g *graph.Graph) {
	b := g.Dim("batch")
	s, y := g.Input("s", graph.Float32, b), g.Input("y", graph.Float32, b)
	apart, order := ops.Sub(ops.Unsqueeze(s, 1), s), ops.Sign(ops.Sub(ops.Unsqueeze(y, 1), y))
	ops.Mean(ops.Relu(ops.Sub(graph.Num(1), ops.Mul(order, apart))))
	// Cox: who was at risk at each time.
	risk := ops.Cast(ops.GreaterEqual(y, ops.Unsqueeze(y, 1)), graph.Float32)
	ops.Sum(ops.Mul(g.Input("event", graph.Float32, b), ops.Sub(s, ops.Log(ops.Sum(ops.Mul(risk, ops.Exp(s)), 1)))))
}

func listwise(g *graph.Graph) {
	b, n := g.Dim("batch"), g.Dim("n")
	s, y := g.Input("s", graph.Float32, b, n), g.Input("y", graph.Float32, b, n)
	ops.Neg(ops.Sum(ops.Mul(ops.Softmax(y, 1), ops.LogSoftmax(s, 1)), 1))
	sorted, _ := ops.Sort(s, 1, true)
	ops.Sub(ops.LogCumSumExp(ops.Flip(sorted, 1), 1), sorted)
	gain, discount := ops.Sub(ops.Exp2(y), graph.Num(1)),
		ops.Log2(ops.Add(ops.Cast(ops.Iota(g, 0, n), graph.Float32), graph.Num(2)))
	ops.Sum(ops.Div(gain, discount), 1)
	// NeuralSort: a row for each rank.
	apart := ops.Sum(ops.Abs(ops.Sub(ops.Unsqueeze(s, 2), ops.Unsqueeze(s, 1))), 2)
	scale := ops.Sub(ops.Add(ops.Cast(ops.Size(g, graph.Int64, n), graph.Float32), graph.Num(1)),
		ops.Mul(graph.Num(2), ops.Cast(ops.Add(ops.Iota(g, 0, n), graph.Num(1)), graph.Float32)))
	ops.MatMul(ops.Softmax(ops.Sub(ops.Mul(ops.Unsqueeze(s, 1), ops.Unsqueeze(scale, 1)), ops.Unsqueeze(apart, 1)), -1),
		ops.Unsqueeze(s, 2))
}
