package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Softmax and what is computed with its results, as in published programs.
var _ = add(
	crossCovariance, linearAttention, attentionRollout, randomWalk, hiddenMarkov, mutualInformationOfClusters,
	softConfusion, spatialExpectation,
	columnStochastic, sinkhornAttention, sinkhornOfPrototypes, timeSoftmaxThenLayer, softmaxMapThenConv, softMoE,
	expertChoice, netVLAD, softKMeans,
	gaussianMixture, dualSoftmax, capsules, kernelRegression, featureSoftmax, propagatedLabels, doubleAttention,
	hopfieldRetrieval,
)

// XCiT: features attend to features.
func crossCovariance(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	q, k, v := g.Input("q", graph.Float32, b, 8, n, 64), g.Input("k", graph.Float32, b, 8, n, 64),
		g.Input("v", graph.Float32, b, 8, n, 64)
	unit := func(x *graph.Node) *graph.Node { return ops.Normalize(x, 2, -2, 1e-6) }
	scores := ops.MatMul(ops.Transpose(unit(k), -2, -1), unit(q))
	ops.MatMul(v, ops.Softmax(scores, -2))
	turned := ops.MatMul(ops.Transpose(unit(q), -2, -1), unit(k))
	ops.Transpose(ops.MatMul(ops.Softmax(turned, -1), ops.Transpose(v, -2, -1)), -2, -1)
}

// Efficient attention: queries over features, keys over tokens.
func linearAttention(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	q, k, v := g.Input("q", graph.Float32, b, n, 64), g.Input("k", graph.Float32, b, n, 64),
		g.Input("v", graph.Float32, b, n, 64)
	context := ops.MatMul(ops.Transpose(ops.Softmax(k, 1), 1, 2), v)
	ops.MatMul(ops.Softmax(q, -1), context)
}

// Weights of layers are multiplied with each other: what reaches a token through all of them.
func attentionRollout(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x := g.Input("x", graph.Float32, b, t, 64)
	var all *graph.Node
	for _, name := range []string{"a", "b", "c"} {
		q, k := testmodel.Linear(g, name+"q", x, 64), testmodel.Linear(g, name+"k", x, 64)
		w := ops.Softmax(ops.MatMul(q, ops.Transpose(k, 1, 2)), -1)
		x = ops.Add(x, ops.MatMul(w, x))
		if w = ops.Add(ops.Mul(w, graph.Num(0.5)), ops.Mul(ops.Eye(g, graph.Float32, t, t), graph.Num(0.5))); all ==
			nil {
			all = w
		} else {
			all = ops.MatMul(w, all)
		}
	}
}

// A distribution over nodes after steps of a walk.
func randomWalk(g *graph.Graph) {
	n := g.Dim("nodes")
	h, start := g.Input("h", graph.Float32, n, 16), g.Input("start", graph.Float32, n)
	steps := ops.Softmax(ops.MatMul(h, ops.Transpose(h, 0, 1)), -1)
	p := ops.MatMul(start, steps)
	p = ops.MatMul(p, steps)
	ops.Log(p)
}

// Transition probabilities that an input gives, forward.
func hiddenMarkov(g *graph.Graph) {
	b := g.Dim("batch")
	transitions, emission, start := g.Input("transitions", graph.Float32, b, 6, 6),
		g.Input("emission", graph.Float32, b, 10, 6), g.Input("start", graph.Float32, b, 6)
	p := ops.Softmax(transitions, -1)
	alpha := ops.Unsqueeze(ops.Softmax(start, -1), 1)
	for i := range 3 {
		alpha = ops.Mul(ops.MatMul(alpha, p), ops.Exp(ops.Slice(emission, 1, graph.Dim(i), graph.Dim(i+1), 1)))
	}
}

// IIC: the joint distribution of the clusters of two views of examples.
func mutualInformationOfClusters(g *graph.Graph) {
	n := g.Dim("n")
	x, y := ops.Softmax(g.Input("x", graph.Float32, n, 10), 1), ops.Softmax(g.Input("y", graph.Float32, n, 10), 1)
	p := ops.MatMul(ops.Transpose(x, 0, 1), y)
	p = ops.Div(ops.Add(p, ops.Transpose(p, 0, 1)), graph.Num(2))
	p = ops.Div(p, ops.Sum(p))
	rows, columns := ops.Sum(p, 1, ops.KeepDims()), ops.Sum(p, 0, ops.KeepDims())
	ops.Neg(ops.Sum(ops.Mul(p, ops.Sub(ops.Sub(ops.Log(p), ops.Log(rows)), ops.Log(columns)))))
}

// How often a class is taken for another one, by probabilities.
func softConfusion(g *graph.Graph) {
	b := g.Dim("batch")
	logits, labels := g.Input("logits", graph.Float32, b, 10), g.Input("labels", graph.Int64, b)
	ops.MatMul(ops.Transpose(ops.OneHot(labels, 10, graph.Float32), 0, 1), ops.Softmax(logits, 1))
	ops.Einsum("bi,bj->ij", ops.Softmax(logits, 1), ops.Softmax(logits, 1))
}

// The mean position of a heat map, along one axis after the other.
func spatialExpectation(g *graph.Graph) {
	heat := g.Input("heat", graph.Float32, g.Dim("b"), 17, 48, 64)
	p := ops.SoftmaxOver(heat, 2, 3)
	at := ops.Linspace(g, graph.Float32, -1, 1, 64)
	ops.Sum(ops.MatMul(p, at), -1)
	flat := ops.Reshape(ops.Softmax(ops.Flatten(heat, 2, 3), -1), g.Dim("b"), 17, 48, 64)
	ops.Sum(ops.MatMul(flat, at), -1)
	ops.MatMul(ops.Sum(flat, -2), at)
}

// Columns that sum to 1 move mass and keep it.
func columnStochastic(g *graph.Graph) {
	b := g.Dim("batch")
	logits, mass := g.Input("logits", graph.Float32, b, 12, 12), g.Input("mass", graph.Float32, b, 12, 1)
	ops.MatMul(ops.Softmax(logits, 1), mass)
}

// Sinkformer: weights that sum to 1 along both axes.
func sinkhornAttention(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), 32)
	log := ops.MatMul(testmodel.Linear(g, "q", x, 32), ops.Transpose(testmodel.Linear(g, "k", x, 32), 1, 2))
	for range 3 {
		log = ops.LogSoftmax(ops.LogSoftmax(log, -1), -2)
	}
	ops.MatMul(ops.Exp(log), testmodel.Linear(g, "v", x, 32))
}

// SwAV: prototypes are shared equally among the examples of a batch.
func sinkhornOfPrototypes(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), 128)
	log := ops.Div(testmodel.Linear(g, "prototypes", x, 300), graph.Num(0.05))
	for range 3 {
		log = ops.LogSoftmax(ops.LogSoftmax(log, 0), 1)
	}
	q := ops.StopGradient(ops.Exp(log))
	ops.Neg(ops.Mean(ops.Sum(ops.Mul(q, ops.LogSoftmax(testmodel.Linear(g, "other", x, 300), 1)), 1)))
}

// Weights along time for each channel, and a layer over channels.
func timeSoftmaxThenLayer(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), 12)
	testmodel.Linear(g, "mix", ops.Softmax(x, 1), 8)
}

// A map that sums to 1 over the columns of an image goes through a convolution.
func softmaxMapThenConv(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), 3, 16, 40)
	conv(g, "c", ops.Softmax(x, -1), 8)
	conv(g, "d", ops.Softmax(x, 1), 8)
}

// Slots take mixtures of all tokens, and tokens mixtures of what slots give.
func softMoE(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("b"), g.Dim("m"), 64)
	phi := g.Param("phi", graph.Float32, 64, 4, 2)
	logits := ops.Einsum("bmd,dnp->bmnp", x, phi)
	dispatch := ops.Softmax(logits, 1)
	combine := ops.SoftmaxOver(logits, 2, 3)
	xs := ops.Einsum("bmd,bmnp->bnpd", x, dispatch)
	ys := ops.Einsum("bnpd,nde->bnpe", xs, g.Param("w", graph.Float32, 4, 64, 64))
	ops.Einsum("bnpd,bmnp->bmd", ys, combine)
	n := g.Dim("n")
	y := g.Input("y", graph.Float32, n, 64)
	one := ops.MatMul(y, g.Param("phi1", graph.Float32, 64, 8))
	slots := ops.MatMul(ops.Transpose(ops.Softmax(one, 0), 0, 1), y)
	ops.MatMul(ops.Softmax(one, 1), slots)
}

// Experts choose tokens.
func expertChoice(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(16)), 64)
	s := ops.Softmax(testmodel.Linear(g, "gate", x, 8), -1)
	weights, index := ops.TopK(ops.Transpose(s, 0, 1), 16, 1, true)
	tokens := ops.Index(x, index)
	ops.Mul(tokens, ops.Unsqueeze(weights, -1))
}

// Residuals to the centres of clusters, by soft assignment.
func netVLAD(g *graph.Graph) {
	b := g.Dim("b")
	x := g.Input("x", graph.Float32, b, 64, 7, 7)
	a := ops.Conv2D(x, g.Param("k", graph.Float32, 16, 64, 1, 1), nil)
	p := ops.Softmax(ops.Reshape(a, b, 16, 49), 1)
	flat := ops.Reshape(x, b, 64, 49)
	sums := ops.MatMul(p, ops.Transpose(flat, 1, 2))
	vlad := ops.Sub(sums, ops.Mul(ops.Sum(p, 2, ops.KeepDims()), g.Param("centres", graph.Float32, 16, 64)))
	ops.Normalize(ops.Flatten(ops.Normalize(vlad, 2, 2, 1e-6), 1, 2), 2, 1, 1e-6)
}

// Soft assignment to centres that are given.
func softKMeans(g *graph.Graph) {
	x, centres := g.Input("x", graph.Float32, g.Dim("n"), 8), g.Input("centres", graph.Float32, g.Dim("k"), 8)
	p := ops.Softmax(ops.Neg(ops.Square(ops.CDist(x, centres, 2))), 1)
	next := ops.Div(ops.MatMul(ops.Transpose(p, 0, 1), x), ops.Unsqueeze(ops.Sum(p, 0), 1))
	p = ops.Softmax(ops.Neg(ops.Square(ops.CDist(x, next, 2))), 1)
	ops.Div(ops.Einsum("nk,nd->kd", p, x), ops.Unsqueeze(ops.Sum(p, 0), 1))
}

// A step of expectation and maximization, by the logarithm of responsibilities.
func gaussianMixture(g *graph.Graph) {
	x, mu, log := g.Input("x", graph.Float32, g.Dim("n"), 3), g.Input("mu", graph.Float32, 5, 3),
		g.Input("log", graph.Float32, 5)
	each := ops.Sub(log, ops.Sum(ops.Square(ops.Sub(ops.Unsqueeze(x, 1), mu)), -1))
	r := ops.Exp(ops.LogSoftmax(each, 1))
	count := ops.Sum(r, 0)
	ops.Div(ops.MatMul(ops.Transpose(r, 0, 1), x), ops.Unsqueeze(count, -1))
	ops.Log(ops.Div(count, ops.Sum(count)))
	ops.Mean(ops.LogSumExp(each, 1))
}

// LoFTR, and the loss of images and texts with both directions as a prior.
func dualSoftmax(g *graph.Graph) {
	b := g.Dim("b")
	x, y := g.Input("x", graph.Float32, b, g.Dim("l"), 64), g.Input("y", graph.Float32, b, g.Dim("s"), 64)
	sim := ops.Einsum("nlc,nsc->nls", x, y)
	confidence := ops.Mul(ops.Softmax(sim, 1), ops.Softmax(sim, 2))
	ops.Max(confidence, 2)
	z, w := g.Input("z", graph.Float32, b, 32), g.Input("w", graph.Float32, b, 32)
	pairs := ops.MatMul(z, ops.Transpose(w, 0, 1))
	prior := ops.Mul(pairs, ops.Softmax(ops.Div(pairs, graph.Num(100)), 0))
	ops.Neg(ops.Mean(ops.Diagonal(ops.LogSoftmax(prior, -1), 0, 0, 1)))
}

// Dynamic routing, of votes that a layer gives and of votes that are given.
func capsules(g *graph.Graph) {
	b := g.Dim("b")
	u := g.Input("u", graph.Float32, b, 32, 8)
	made := ops.Einsum("bid,ijde->bije", u, g.Param("w", graph.Float32, 32, 10, 8, 16))
	for _, votes := range []*graph.Node{made, g.Input("votes", graph.Float32, b, 32, 10, 16)} {
		logits := ops.Mul(ops.Sum(votes, -1), graph.Num(0))
		for range 3 {
			c := ops.Softmax(logits, 2)
			s := ops.Einsum("bij,bije->bje", c, votes)
			norm := ops.Sum(ops.Square(s), -1, ops.KeepDims())
			v := ops.Mul(ops.Div(norm, ops.Add(norm, graph.Num(1))), ops.Div(s, ops.Sqrt(norm)))
			logits = ops.Add(logits, ops.Einsum("bije,bje->bij", votes, v))
		}
	}
}

func kernelRegression(g *graph.Graph) {
	x, y, at := g.Input("x", graph.Float32, g.Dim("n"), 1), g.Input("y", graph.Float32, g.Dim("n"), 1),
		g.Input("at", graph.Float32, g.Dim("m"), 1)
	w := ops.Softmax(ops.Mul(ops.Square(ops.Sub(at, ops.Transpose(x, 0, 1))), graph.Num(-0.5)), 1)
	ops.MatMul(w, y)
	turned := ops.Softmax(ops.Mul(ops.Square(ops.Sub(x, ops.Transpose(at, 0, 1))), graph.Num(-0.5)), 0)
	ops.MatMul(ops.Transpose(turned, 0, 1), y)
}

// A softmax over features of an input, which products then sum over tokens.
func featureSoftmax(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	k, v := g.Input("k", graph.Float32, b, n, 16), g.Input("v", graph.Float32, b, n, 32)
	p := ops.Softmax(k, -1)
	ops.Einsum("bnk,bnv->bkv", p, v)
	ops.MatMul(ops.Transpose(p, 1, 2), v)
}

// Labels spread along the edges of a graph of similar examples.
func propagatedLabels(g *graph.Graph) {
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 16), g.Input("y", graph.Float32, n, 3)
	t := ops.Softmax(ops.Neg(ops.CDist(x, x, 2)), 0)
	y = ops.MatMul(t, y)
	ops.Div(y, ops.Sum(y, 1, ops.KeepDims()))
}

// A2-Nets: features are gathered into maps, and given out again.
func doubleAttention(g *graph.Graph) {
	b := g.Dim("b")
	x := g.Input("x", graph.Float32, b, 32, 8, 8)
	a := ops.Reshape(ops.Conv2D(x, g.Param("a", graph.Float32, 16, 32, 1, 1), nil), b, 16, 64)
	maps := ops.Softmax(ops.Reshape(ops.Conv2D(x, g.Param("b", graph.Float32, 12, 32, 1, 1), nil), b, 12, 64), -1)
	vectors := ops.Softmax(ops.Reshape(ops.Conv2D(x, g.Param("c", graph.Float32, 12, 32, 1, 1), nil), b, 12, 64), 1)
	ops.MatMul(ops.MatMul(a, ops.Transpose(maps, 1, 2)), vectors)
}

// A pattern is looked up among stored ones, columns first.
func hopfieldRetrieval(g *graph.Graph) {
	stored, state := g.Input("stored", graph.Float32, 64, g.Dim("patterns")),
		g.Input("state", graph.Float32, 64, g.Dim("queries"))
	for range 3 {
		state = ops.MatMul(stored, ops.Softmax(ops.MatMul(ops.Transpose(stored, 0, 1), state), 0))
	}
}
