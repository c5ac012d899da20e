package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Graphs of nodes, probabilities and losses, as in published programs.
var _ = add(
	graphPooling, messagePassing, edgeSoftmax, triangleUpdate, molecules, particleFilter, modelEnsemble, metaLearning,
	distillation, labelSpreading,
	centreLoss, angularMargin, focalLoss, lovasz,
)

// DiffPool, and a loss of edges.
func graphPooling(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x, near := g.Input("x", graph.Float32, b, n, 16), g.Input("near", graph.Float32, b, n, n)
	s := ops.Softmax(testmodel.Linear(g, "s", ops.MatMul(near, x), 5), -1)
	z := ops.MatMul(ops.Transpose(s, 1, 2), x)
	ops.MatMul(ops.MatMul(ops.Transpose(s, 1, 2), near), s)
	ops.Norm(ops.Sub(near, ops.MatMul(s, ops.Transpose(s, 1, 2))), 2)
	ops.Mean(ops.Sum(ops.Mul(ops.Neg(s), ops.Log(s)), -1))
	testmodel.Linear(g, "out", ops.Mean(z, 1), 3)
}

func messagePassing(g *graph.Graph) {
	n, e := g.Dim("n"), g.Dim("e")
	x, from, to, edge := g.Input("x", graph.Float32, n, 16), g.Input("from", graph.Int64, e),
		g.Input("to", graph.Int64, e), g.Input("edge", graph.Float32, e, 4)
	m := ops.Relu(testmodel.Linear(g, "m", ops.Concat(1, ops.IndexSelect(x, 0, from), ops.IndexSelect(x, 0, to), edge),
		16))
	x = ops.Add(x, ops.SegmentSum(m, 0, to, n))
	degree := ops.ClampMin(ops.SegmentSum(ops.OnesLike(to), 0, to, n), 1)
	x = ops.Div(x, ops.Unsqueeze(ops.Cast(degree, graph.Float32), 1))
	ops.LogSoftmax(testmodel.Linear(g, "node", x, 4), 0)
	testmodel.Linear(g, "out", ops.Mean(x, 0), 2)
}

func edgeSoftmax(g *graph.Graph) {
	n, e := g.Dim("n"), g.Dim("e")
	x, from, to := g.Input("x", graph.Float32, n, 16), g.Input("from", graph.Int64, e), g.Input("to", graph.Int64, e)
	score := testmodel.Linear(g, "a", ops.Concat(1, ops.IndexSelect(x, 0, from), ops.IndexSelect(x, 0, to)), 4)
	w := ops.SegmentSoftmax(score, 0, to, n)
	ops.SegmentSum(ops.Mul(ops.Unsqueeze(w, -1), ops.Unsqueeze(ops.IndexSelect(x, 0, from), 1)), 0, to, n)
}

// AlphaFold: pairs by way of a third.
func triangleUpdate(g *graph.Graph) {
	n := g.Dim("n")
	z := g.Input("z", graph.Float32, n, n, 32)
	a, b := testmodel.Linear(g, "a", z, 16), testmodel.Linear(g, "b", z, 16)
	ops.Einsum("ikc,jkc->ijc", a, b)
	ops.Einsum("kic,kjc->ijc", a, b)
	q, bias := testmodel.Linear(g, "q", z, 16), testmodel.Linear(g, "bias", z, 1)
	scores := ops.Add(ops.MatMul(q, ops.Transpose(q, 1, 2)), ops.Transpose(bias, 0, 2))
	ops.MatMul(ops.Softmax(scores, -1), q)
}

func molecules(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x, h := g.Input("x", graph.Float32, b, n, 3), g.Input("h", graph.Float32, b, n, 8)
	apart := ops.Sub(ops.Unsqueeze(x, 2), ops.Unsqueeze(x, 1))
	d := ops.Sum(ops.Square(apart), -1, ops.KeepDims())
	rbf := ops.Exp(ops.Neg(ops.Square(ops.Sub(ops.Sqrt(d), ops.Linspace(g, graph.Float32, 0, 5, 8)))))
	m := ops.Mul(testmodel.Linear(g, "f", rbf, 8), ops.Unsqueeze(h, 1))
	ops.Sum(m, 2)
	ops.Add(x, ops.Mean(ops.Mul(apart, testmodel.Linear(g, "w", m, 1)), 2))
	ops.Sub(x, ops.Mean(x, 1, ops.KeepDims()))
}

func particleFilter(g *graph.Graph) {
	b, k := g.Dim("batch"), g.Dim("particles")
	x, log := g.Input("x", graph.Float32, b, k, 4), g.Input("log", graph.Float32, b, k)
	w := ops.Softmax(log, 1)
	ops.Sum(ops.Mul(ops.Unsqueeze(w, -1), x), 1)
	ops.Div(graph.Num(1), ops.Sum(ops.Square(w), 1))
	steps := ops.Div(ops.Add(ops.Cast(ops.Iota(g, 0, k), graph.Float32),
		ops.Uniform(g.Input("seed", graph.Int64), graph.Float32, b, 1)),
		ops.Cast(ops.Size(g, graph.Int64, k), graph.Float32))
	at := ops.SearchSorted(ops.CumSum(w, 1), steps, false)
	ops.TakeAlongAxis(x, 1,
		ops.Expand(ops.Unsqueeze(ops.Minimum(at, ops.Sub(ops.Size(g, graph.Int64, k), graph.Num(1))), -1), b, k, 4))
}

func modelEnsemble(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 16), g.Input("y", graph.Float32, b, 1)
	h := ops.Einsum("bi,eio->ebo", x, g.Param("w", graph.Float32, 5, 16, 2))
	parts := ops.Chunk(ops.Add(h, ops.Unsqueeze(g.Param("bias", graph.Float32, 5, 2), 1)), 2, 2)
	ops.GaussianNLL(parts[0], ops.Expand(y, 5, b, 1), ops.Exp(parts[1]))
	ops.Mean(ops.Var(parts[0], 1, 0))
	ops.LogSumExp(parts[0], 0)
}

// Prototypes of classes, by a few examples of each.
func metaLearning(g *graph.Graph) {
	q := g.Dim("queries")
	support, query, label := g.Input("support", graph.Float32, 5, g.Dim("shots"), 64),
		g.Input("query", graph.Float32, q, 64), g.Input("label", graph.Int64, q)
	prototypes := ops.Mean(testmodel.Linear(g, "f", support, 32), 1)
	ops.CrossEntropy(ops.Neg(ops.CDist(testmodel.Linear(g, "h", query, 32), prototypes, 2)), label)
	weights := ops.Softmax(
		ops.MatMul(ops.Normalize(query, 2, 1, 1e-6),
			ops.Transpose(ops.Normalize(ops.Flatten(support, 0, 1), 2, 1, 1e-6), 0, 1)), 1)
	ops.Sum(ops.Reshape(weights, q, 5, -1), 2)
}

func distillation(g *graph.Graph) {
	b := g.Dim("batch")
	s, t, y := g.Input("s", graph.Float32, b, 10), g.Input("t", graph.Float32, b, 10), g.Input("y", graph.Int64, b)
	ops.KLDiv(ops.LogSoftmax(ops.Div(s, graph.Num(4)), 1), ops.Softmax(ops.Div(t, graph.Num(4)), 1), ops.BatchMean())
	ops.CrossEntropy(s, y)
	// DIST: classes over the batch too.
	p, q := ops.Softmax(s, 1), ops.Softmax(t, 1)
	centred := func(x *graph.Node, axis int) *graph.Node {
		return ops.Sub(x, ops.Mean(x, ops.Axis(axis), ops.KeepDims()))
	}
	ops.Mean(ops.CosineSimilarity(centred(p, 1), centred(q, 1), 1, 1e-8))
	ops.Mean(ops.CosineSimilarity(ops.Transpose(centred(p, 0), 0, 1), ops.Transpose(centred(q, 0), 0, 1), 1, 1e-8))
	ops.MatMul(p, ops.Transpose(p, 0, 1))
	ops.MatMul(ops.Transpose(p, 0, 1), p)
}

func labelSpreading(g *graph.Graph) {
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 8), g.Input("y", graph.Float32, n, 3)
	w := ops.Exp(ops.Neg(ops.CDist(x, x, 2)))
	d := ops.Rsqrt(ops.Sum(w, 1))
	s := ops.Mul(ops.Mul(ops.Unsqueeze(d, 1), w), d)
	ops.Add(ops.Mul(graph.Num(0.9), ops.MatMul(s, y)), ops.Mul(graph.Num(0.1), y))
	ops.Solve(ops.Sub(ops.Eye(g, graph.Float32, n, n), ops.Mul(graph.Num(0.9), s)), y)
}

func centreLoss(g *graph.Graph) {
	b := g.Dim("batch")
	x, y, centres := g.Input("x", graph.Float32, b, 32), g.Input("y", graph.Int64, b),
		g.Param("centres", graph.Float32, 10, 32)
	d := ops.Sub(ops.Add(ops.Sum(ops.Square(x), 1, ops.KeepDims()),
		ops.Transpose(ops.Sum(ops.Square(centres), 1, ops.KeepDims()), 0, 1)),
		ops.Mul(graph.Num(2), ops.MatMul(x, ops.Transpose(centres, 0, 1))))
	mask := ops.Equal(ops.Unsqueeze(y, 1), ops.Iota(g, 0, 10))
	ops.Div(ops.Sum(ops.Mul(d, ops.Cast(mask, graph.Float32))), ops.Cast(ops.Size(g, graph.Int64, b), graph.Float32))
}

func angularMargin(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := ops.Normalize(g.Input("x", graph.Float32, b, 32), 2, 1, 1e-6), g.Input("y", graph.Int64, b)
	w := ops.Normalize(g.Param("w", graph.Float32, 10, 32), 2, 1, 1e-6)
	cos := ops.Linear(x, w, nil)
	margin := ops.Cos(ops.Add(ops.Acos(ops.Clamp(cos, -0.99, 0.99)), graph.Num(0.5)))
	one := ops.OneHot(y, 10, graph.Float32)
	ops.CrossEntropy(ops.Mul(ops.Add(ops.Mul(one, margin), ops.Mul(ops.Sub(graph.Num(1), one), cos)), graph.Num(30)), y)
	// MagFace and ElasticFace: a margin for each example.
	each := ops.Normal(g.Input("seed", graph.Int64), graph.Float32, b, 1)
	ops.CrossEntropy(ops.Mul(ops.Sub(cos, ops.Mul(one, each)), graph.Num(30)), y)
}

func focalLoss(g *graph.Graph) {
	b := g.Dim("batch")
	x, y, alpha := g.Input("x", graph.Float32, b, 10), g.Input("y", graph.Int64, b), g.Param("alpha", graph.Float32, 10)
	log := ops.LogSoftmax(x, 1)
	picked := ops.Squeeze(ops.Gather(log, 1, ops.Unsqueeze(y, 1)), 1)
	ops.Mean(ops.Mul(ops.Mul(ops.Neg(ops.Pow(ops.Sub(graph.Num(1), ops.Exp(picked)), graph.Num(2))), picked),
		ops.Take(alpha, 0, y)))
	each := ops.CrossEntropy(x, y, ops.EachLoss())
	ops.Mean(ops.Mul(ops.Square(ops.Sub(graph.Num(1), ops.Exp(ops.Neg(each)))), each))
}

func lovasz(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 64), g.Input("y", graph.Float32, b, 64)
	errors := ops.Sub(graph.Num(1), ops.Mul(x, ops.Sub(ops.Mul(y, graph.Num(2)), graph.Num(1))))
	sorted, order := ops.Sort(errors, 1, true)
	truth := ops.TakeAlongAxis(y, 1, order)
	total := ops.Sum(truth, 1, ops.KeepDims())
	jaccard := ops.Sub(graph.Num(1), ops.Div(
		ops.Sub(total, ops.CumSum(truth, 1)), ops.Add(total, ops.CumSum(ops.Sub(graph.Num(1), truth), 1))))
	ops.Mean(
		ops.Sum(ops.Mul(ops.Relu(sorted), ops.Concat(1, ops.Slice(jaccard, 1, 0, 1, 1), ops.Diff(jaccard, 1, 1))), 1))
}
