package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// Steps of training and of evaluation, as in published programs.
var _ = add(
	softmaxOverFirst, encoderAndDecoder, returnsOfSteps, adaptiveAdjacency, speakersOfUtterances, softHistogram,
	sampledSoftmax, pairsOfViews,
	hypotheses, timeFirstNetwork, mixtureOfLayers, nearestNeighbours, pointInterpolation, bothPaddings, laplacians,
	ordinalRegression,
	survival, topicModel, ensembleForecast, mixup,
)

// Scores are compared along the first axis.
func softmaxOverFirst(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 16)
	s := ops.MatMul(x, ops.Transpose(x, 1, 2))
	ops.MatMul(ops.Softmax(s, 0), x) // want warning BL232
}

func encoderAndDecoder(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 32)
	p := nn.Training(g)
	h := nn.NewTransformerEncoder(g, "enc", 2, 32, 4).Apply(p, x)
	y := nn.NewTransformerDecoder(g, "dec", 1, 32, 4).ApplyTo(p, h, x)
	ops.CrossEntropy(ops.Reshape(testmodel.Linear(g, "out", y, 10), -1, 10),
		ops.Reshape(g.Input("y", graph.Int64, b, t), -1))
}

func returnsOfSteps(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	r, v := g.Input("r", graph.Float32, b, t), g.Input("v", graph.Float32, b, t)
	ret := ops.Flip(ops.CumSum(ops.Flip(r, 1), 1), 1)
	adv := ops.Sub(ret, v)
	ops.Div(ops.Sub(adv, ops.Mean(adv)), ops.Std(adv, 0))
	ops.Mean(ops.Mul(adv, ops.LogSoftmax(v, 1)))
}

func adaptiveAdjacency(g *graph.Graph) {
	n := g.Dim("n")
	e := g.Param("e", graph.Float32, 20, 8)
	x := g.Input("x", graph.Float32, n, g.Dim("t"), 20)
	a := ops.Softmax(ops.Relu(ops.MatMul(e, ops.Transpose(e, 0, 1))), 1)
	ops.MatMul(x, a)
	ops.Einsum("ntv,vw->ntw", x, a)
	ops.Einsum("ntv,wv->ntw", x, a)
}

// GE2E: utterances against the means of speakers.
func speakersOfUtterances(g *graph.Graph) {
	n, m := g.Dim("speakers"), g.Dim("utterances", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, n, m, 32)
	c := ops.Mean(x, 1)
	sim := ops.MatMul(ops.Reshape(x, -1, 32), ops.Transpose(c, 0, 1))
	ops.CrossEntropy(sim, ops.RepeatInterleave(ops.Iota(g, 0, n), 0, m))
	s := ops.Reshape(sim, n, m, n)
	ops.LogSoftmax(s, -1)
}

func softHistogram(g *graph.Graph) {
	b := g.Dim("batch")
	x := g.Input("x", graph.Float32, b, 64)
	centers := ops.Linspace(g, graph.Float32, 0, 1, 16)
	w := ops.Softmax(ops.Neg(ops.Square(ops.Sub(ops.Unsqueeze(x, -1), centers))), -1)
	ops.Mean(w, 1)
	ops.Sum(w, 1)
	ops.Sum(ops.Mul(w, ops.Unsqueeze(x, -1)), 1)
}

func sampledSoftmax(g *graph.Graph) {
	b, k := g.Dim("batch"), g.Dim("negatives")
	u, p, n := g.Input("u", graph.Float32, b, 16), g.Input("p", graph.Float32, b, 16),
		g.Input("n", graph.Float32, k, 16)
	logits := ops.Concat(1, ops.Sum(ops.Mul(u, p), 1, ops.KeepDims()), ops.MatMul(u, ops.Transpose(n, 0, 1)))
	ops.CrossEntropy(ops.Sub(logits, g.Input("q", graph.Float32, k.Plus(1))), ops.Zeros(g, graph.Int64, b))
}

func pairsOfViews(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 16), g.Input("y", graph.Float32, b, 16)
	z := ops.Concat(0, x, y)
	sim := ops.Div(ops.MatMul(z, ops.Transpose(z, 0, 1)), graph.Num(0.5))
	pos := ops.Concat(0, ops.Sum(ops.Mul(x, y), 1), ops.Sum(ops.Mul(x, y), 1))
	e := ops.Mul(ops.Exp(sim), ops.Sub(graph.Num(1), ops.Eye(g, graph.Float32, b.Times(2), b.Times(2))))
	ops.Mean(ops.Sub(ops.Log(ops.Sum(e, 1)), pos))
	ops.Concat(0, ops.Diagonal(sim, 0, 0, 1))
	w := g.Input("w", graph.Float32, b)
	ops.Mul(pos, ops.Tile(w, 2))
}

func hypotheses(g *graph.Graph) {
	b := g.Dim("batch")
	lp, prev := g.Input("lp", graph.Float32, b, 5, 100), g.Input("prev", graph.Float32, b, 5)
	all := ops.Add(ops.Unsqueeze(prev, 2), ops.LogSoftmax(lp, -1))
	v, i := ops.TopK(ops.Reshape(all, b, 500), 5, 1, true)
	src := ops.FloorDiv(i, graph.Num(100))
	hyp := g.Input("hyp", graph.Int64, b, 5, 12)
	ops.TakeAlongAxis(hyp, 1, ops.Expand(ops.Unsqueeze(src, -1), b, 5, 12))
	ops.Sub(v, ops.Max(v, 1, ops.KeepDims()))
	flat := ops.Reshape(hyp, b.Times(5), 12)
	ops.Equal(flat, ops.RepeatInterleave(g.Input("gold", graph.Int64, b, 12), 0, 5))
}

func timeFirstNetwork(g *graph.Graph) {
	t, b := g.Dim("t"), g.Dim("b")
	x := g.Input("x", graph.Float32, t, b, 16)
	w := g.Param("w", graph.Float32, 16, 16)
	_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, b, 16)}, Over: []*graph.Node{x}},
		cell(w))
	h := all[0]
	a := ops.Softmax(testmodel.Linear(g, "a", h, 1), 0)
	ops.Sum(ops.Mul(a, h), 0)
	ops.CrossEntropy(ops.Flatten(testmodel.Linear(g, "o", h, 5), 0, 1),
		ops.Flatten(g.Input("y", graph.Int64, t, b), 0, 1))
}

func mixtureOfLayers(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 12, 64)
	w := ops.Softmax(g.Param("mix", graph.Float32, 12), 0)
	ops.Sum(ops.Mul(x, ops.Unsqueeze(w, -1)), 1)
	ops.MatMul(w, x)
	ops.Einsum("l,bld->bd", w, x)
}

func nearestNeighbours(g *graph.Graph) {
	q, n := g.Dim("q"), g.Dim("n", graph.AtLeast(5))
	x, bank, y := g.Input("x", graph.Float32, q, 16), g.Input("bank", graph.Float32, n, 16),
		g.Input("y", graph.Int64, n)
	s, i := ops.TopK(ops.MatMul(x, ops.Transpose(bank, 0, 1)), 5, 1, true)
	votes := ops.Mul(ops.Unsqueeze(ops.Softmax(s, 1), -1), ops.OneHot(ops.Take(y, 0, i), 10, graph.Float32))
	ops.ArgMax(ops.Sum(votes, 1), 1)
}

func pointInterpolation(g *graph.Graph) {
	b, n := g.Dim("batch"), g.Dim("n")
	pts, q := g.Input("pts", graph.Float32, b, n, 3), g.Input("q", graph.Float32, b, g.Dim("m"), 3)
	d := ops.CDist(q, pts, 2)
	w := ops.Reciprocal(ops.Add(d, graph.Num(1e-8)))
	w = ops.Div(w, ops.Sum(w, 2, ops.KeepDims()))
	ops.MatMul(w, pts)
	ops.Add(ops.Mean(ops.Min(d, 1)), ops.Mean(ops.Min(d, 2)))
	ops.MatMul(ops.Softmax(ops.Neg(d), -1), pts)
}

func bothPaddings(g *graph.Graph) {
	b := g.Dim("batch")
	x, keep := g.Input("x", graph.Float32, b, 8, 8), g.Input("keep", graph.Bool, b, 8)
	a := ops.MaskedFill(x, ops.Not(ops.Unsqueeze(keep, 1)), graph.Num(-1e30))
	p := ops.Softmax(a, -1)
	ops.MaskedFill(p, ops.Not(ops.Unsqueeze(keep, 2)), graph.Num(0))
	ops.Softmax(ops.Add(ops.MaskedFill(x, ops.Unsqueeze(keep, 2), graph.Num(-1e9)),
		ops.Unsqueeze(ops.Mul(ops.Cast(ops.Not(keep), graph.Float32), graph.Num(-1e9)), 1)), -1)
}

func laplacians(g *graph.Graph) {
	n := g.Dim("n")
	adj, x := g.Input("adj", graph.Float32, n, n), g.Input("x", graph.Float32, n, 8)
	a := ops.Add(adj, ops.Eye(g, graph.Float32, n, n))
	d := ops.Sum(a, 1)
	ops.MatMul(ops.Div(a, ops.Unsqueeze(d, 1)), x)
	ops.MatMul(ops.Mul(ops.DiagEmbed(ops.Rsqrt(d), 0), a), x)
	ops.Sub(ops.DiagEmbed(d, 0), a)
	m := ops.Sum(d)
	b := ops.Sub(adj, ops.Div(ops.Outer(d, d), m))
	s := ops.Softmax(testmodel.Linear(g, "c", x, 4), -1)
	ops.Trace(ops.MatMul(ops.MatMul(ops.Transpose(s, 0, 1), b), s))
}

func ordinalRegression(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := testmodel.Linear(g, "s", g.Input("x", graph.Float32, b, 8), 1), g.Input("y", graph.Int64, b)
	cuts := g.Param("cuts", graph.Float32, 4)
	logits := ops.Sub(x, cuts)
	target := ops.Cast(ops.Greater(ops.Unsqueeze(y, 1), ops.Iota(g, 0, 4)), graph.Float32)
	ops.BCEWithLogits(logits, target)
}

func survival(g *graph.Graph) {
	b := g.Dim("batch")
	r, t, e := testmodel.Linear(g, "s", g.Input("x", graph.Float32, b, 8), 1), g.Input("t", graph.Float32, b),
		g.Input("e", graph.Float32, b)
	order := ops.ArgSort(t, 0, true)
	r = ops.Take(ops.Squeeze(r, -1), 0, order)
	ops.Neg(ops.Div(ops.Sum(ops.Mul(ops.Sub(r, ops.LogCumSumExp(r, 0)), ops.Take(e, 0, order))), ops.Sum(e)))
	risk := ops.Cast(ops.GreaterEqual(ops.Unsqueeze(t, 0), ops.Unsqueeze(t, 1)), graph.Float32)
	ops.MatMul(risk, ops.Exp(r))
	comparable := ops.And(ops.Less(ops.Unsqueeze(t, 1), t), ops.Greater(ops.Unsqueeze(e, 1), graph.Num(0)))
	ops.Sum(ops.Cast(ops.And(comparable, ops.Greater(ops.Unsqueeze(r, 1), r)), graph.Float32))
}

func topicModel(g *graph.Graph) {
	b, v := g.Dim("batch"), graph.Dim(50)
	x := g.Input("counts", graph.Float32, b, v)
	theta := ops.Softmax(testmodel.Linear(g, "t", x, 50), -1)
	beta := ops.Softmax(g.Param("beta", graph.Float32, 50, v), -1)
	ops.Neg(ops.Mean(ops.Sum(ops.Mul(x, ops.Log(ops.MatMul(theta, beta))), 1)))
}

func ensembleForecast(g *graph.Graph) {
	b, m := g.Dim("batch"), g.Dim("members")
	x, y := g.Input("x", graph.Float32, b, m), g.Input("y", graph.Float32, b)
	ops.Sub(ops.Mean(ops.Abs(ops.Sub(x, ops.Unsqueeze(y, 1))), 1),
		ops.Mul(graph.Num(0.5), ops.Mean(ops.Abs(ops.Sub(ops.Unsqueeze(x, 2), ops.Unsqueeze(x, 1))), 1, 2)))
	pit := ops.Mean(ops.Cast(ops.LessEqual(x, ops.Unsqueeze(y, -1)), graph.Float32), 1)
	ops.Histc(pit, 10, 0, 1)
}

func mixup(g *graph.Graph) {
	b := g.Dim("batch", graph.AtLeast(2))
	x, y, lam := g.Input("x", graph.Float32, b, 3, 8, 8), g.Input("y", graph.Int64, b), g.Input("lam", graph.Float32)
	perm := ops.Permutation(g.Input("seed", graph.Int64), b)
	mixed := ops.Add(ops.Mul(x, lam), ops.Mul(ops.Take(x, 0, perm), ops.Sub(graph.Num(1), lam)))
	logits := testmodel.Linear(g, "out", ops.Flatten(mixed, 1, -1), 10)
	ops.Add(ops.Mul(lam, ops.CrossEntropy(logits, y)),
		ops.Mul(ops.Sub(graph.Num(1), lam), ops.CrossEntropy(logits, ops.Take(y, 0, perm))))
	half := ops.Reshape(ops.Stack(0, x, ops.Flip(x, 3)), b.Times(2), 3, 8, 8)
	views := ops.Reshape(testmodel.Linear(g, "v", ops.Flatten(half, 1, -1), 10), 2, b, 10)
	ops.KLDiv(ops.LogSoftmax(ops.Select(views, 0, 0), -1), ops.Softmax(ops.Select(views, 0, 1), -1), ops.BatchMean())
}
