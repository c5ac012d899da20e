package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Signals, fields, images and kernels, as in published programs.
var _ = add(
	ctcAligned, wavelet, griffin, beamformer, equivariant, neuralODE, sdeStep, physicsLoss, conditionalBatchNorm,
	stylegan, discriminatorDeviation,
	patchContrast, dinoCentre, maskedAutoencoder, tokenMerging, registers, mixtureOfSoftmaxes, adaptiveComputation,
	convexUpsampling, correlationVolume,
	costVolume, nerf, splines, kernelAttention, performer, ridge,
)

func ctcAligned(g *graph.Graph) {
	t, b := g.Dim("t"), g.Dim("b")
	x := g.Input("x", graph.Float32, t, b, 40)
	log := ops.LogSoftmax(testmodel.Linear(g, "out", x, 30), 2)
	ops.CTC(log, g.Input("y", graph.Int64, b, 12), g.Input("in", graph.Int64, b), g.Input("len", graph.Int64, b))
	ops.ArgMax(ops.Transpose(log, 0, 1), -1)
}

func wavelet(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n", graph.MultipleOf(8))
	x := g.Input("x", graph.Float32, b, n)
	for range 3 {
		pairs := ops.Reshape(x, b, -1, 2)
		low, high := ops.Add(ops.Select(pairs, 2, 0), ops.Select(pairs, 2, 1)),
			ops.Sub(ops.Select(pairs, 2, 0), ops.Select(pairs, 2, 1))
		ops.Reshape(ops.Stack(2, low, high), b, -1)
		x = low
	}
}

// Linear recurrences whose gates depend on the input.
func griffin(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 32)
	r := ops.Sigmoid(testmodel.Linear(g, "r", x, 32))
	log := ops.Mul(ops.Mul(graph.Num(-8), ops.Softplus(g.Param("a", graph.Float32, 32))), r)
	ops.LinearRecurrence(
		ops.Exp(log), ops.Mul(ops.Sqrt(ops.Sub(graph.Num(1), ops.Exp(ops.Mul(log, graph.Num(2))))), x), 1)
}

func beamformer(g *graph.Graph) {
	b, f, t := g.Dim("b"), g.Dim("f"), g.Dim("t")
	x, mask := g.Input("x", graph.Float32, b, f, 4, t), g.Input("mask", graph.Float32, b, f, t)
	weighted := ops.Mul(x, ops.Unsqueeze(mask, 2))
	psd := ops.Div(ops.MatMul(weighted, ops.Transpose(x, 2, 3)), ops.Reshape(ops.Sum(mask, 2), b, f, 1, 1))
	noise := ops.Div(ops.MatMul(ops.Sub(x, weighted), ops.Transpose(x, 2, 3)),
		ops.Reshape(ops.Sum(ops.Sub(graph.Num(1), mask), 2), b, f, 1, 1))
	ratio := ops.Solve(ops.Add(noise, ops.Eye(g, graph.Float32, 4, 4)), psd)
	w := ops.Select(ops.Div(ops.Mul(ratio, graph.Num(1)),
		ops.Reshape(ops.Sum(ops.Diagonal(ratio, 0, 2, 3), 2), b, f, 1, 1)), 3, 0)
	ops.Einsum("bfc,bfct->bft", w, x)
}

func equivariant(g *graph.Graph) {
	b := g.Dim("b")
	s, v := g.Input("s", graph.Float32, b, 16), g.Input("v", graph.Float32, b, 16, 3)
	mixed := ops.Einsum("bci,cd->bdi", v, g.Param("w", graph.Float32, 16, 16))
	norm := ops.Norm(mixed, 2, -1)
	gates := ops.Chunk(testmodel.Linear(g, "g", ops.Concat(1, s, norm), 32), 1, 2)
	ops.Add(s, gates[0])
	ops.Mul(mixed, ops.Unsqueeze(gates[1], -1))
	ops.Sum(ops.Mul(v, mixed), -1)
}

func neuralODE(g *graph.Graph) {
	b := g.Dim("batch")
	x, w := g.Input("x", graph.Float32, b, 8), g.Param("w", graph.Float32, 8, 8)
	f := func(y, t *graph.Node) *graph.Node { return ops.Tanh(ops.Add(ops.MatMul(y, w), t)) }
	ops.Fori(10, []*graph.Node{x}, func(i *graph.Node, c []*graph.Node) []*graph.Node {
		t := ops.Mul(ops.Cast(i, graph.Float32), graph.Num(0.1))
		k1 := f(c[0], t)
		k2 := f(ops.Add(c[0], ops.Mul(k1, graph.Num(0.05))), ops.Add(t, graph.Num(0.05)))
		return []*graph.Node{ops.Add(c[0], ops.Mul(k2, graph.Num(0.1)))}
	})
}

func sdeStep(g *graph.Graph) {
	b := g.Dim("batch")
	x, t := g.Input("x", graph.Float32, b, 3, 8, 8), g.Input("t", graph.Float32, b)
	beta := ops.Add(graph.Num(0.1), ops.Mul(t, graph.Num(19.9)))
	drift := ops.Mul(ops.Mul(graph.Num(-0.5), ops.Reshape(beta, b, 1, 1, 1)), x)
	noise := ops.NormalLike(g.Input("seed", graph.Int64), x)
	ops.Add(ops.Add(x, drift), ops.Mul(ops.Reshape(ops.Sqrt(beta), b, 1, 1, 1), noise))
	weight := ops.Square(ops.Sub(graph.Num(1), ops.Exp(ops.Neg(t))))
	ops.Mean(ops.Mul(weight, ops.Mean(ops.Square(ops.Sub(x, noise)), 1, 2, 3)))
}

func physicsLoss(g *graph.Graph) {
	n := g.Dim("n")
	xt := g.Input("xt", graph.Float32, n, 2)
	u := testmodel.Linear(g, "out", ops.Tanh(testmodel.Linear(g, "in", xt, 32)), 1)
	x, t := ops.Slice(xt, 1, 0, 1, 1), ops.Slice(xt, 1, 1, 2, 1)
	ops.Mean(ops.Square(ops.Sub(ops.Mul(u, x), ops.Sin(t))))
	grid := g.Input("grid", graph.Float32, g.Dim("b"), 64, 64)
	laplacian := ops.Sub(
		ops.Add(ops.Add(ops.Roll(grid, 1, 1), ops.Roll(grid, 1, -1)),
			ops.Add(ops.Roll(grid, 2, 1), ops.Roll(grid, 2, -1))), ops.Mul(grid, graph.Num(4)))
	k := ops.Add(ops.Square(ops.Unsqueeze(ops.FFTFreq(g, graph.Float32, 64, 1), 1)),
		ops.Square(ops.FFTFreq(g, graph.Float32, 64, 1)))
	ops.Mul(laplacian, ops.Exp(ops.Neg(k)))
	ops.Mul(grid, ops.FFTFreq(g, graph.Float32, 64, 1))
}

func conditionalBatchNorm(g *graph.Graph) {
	b := g.Dim("b", graph.AtLeast(2))
	x, y := g.Input("x", graph.Float32, b, 16, 16, 16), g.Input("y", graph.Int64, b)
	h, _, _ := ops.BatchNorm(x, nil, nil, 1e-5)
	gain, bias := ops.Embedding(y, g.Param("gain", graph.Float32, 10, 16)),
		ops.Embedding(y, g.Param("bias", graph.Float32, 10, 16))
	ops.Add(ops.Mul(h, ops.Reshape(gain, b, 16, 1, 1)), ops.Reshape(bias, b, 16, 1, 1))
}

// Filters of each example, in groups.
func stylegan(g *graph.Graph) {
	b := g.Dim("b")
	x, style := g.Input("x", graph.Float32, b, 16, 8, 8),
		testmodel.Linear(g, "style", g.Input("z", graph.Float32, b, 32), 16)
	w := ops.Mul(ops.Unsqueeze(g.Param("w", graph.Float32, 16, 16, 3, 3), 0), ops.Reshape(style, b, 1, 16, 1, 1))
	w = ops.Mul(w, ops.Rsqrt(ops.Add(ops.Sum(ops.Square(w), 2, 3, 4, ops.KeepDims()), graph.Num(1e-8))))
	ops.Reshape(w, b.Times(16), 16, 3, 3)
	y := ops.Reshape(conv(g, "c", ops.Mul(x, ops.Reshape(style, b, 16, 1, 1)), 16), b, 16, 8, 8)
	ops.Add(y, ops.Mul(g.Param("strength", graph.Float32, 1),
		ops.Normal(g.Input("seed", graph.Int64), graph.Float32, b, 1, 8, 8)))
}

func discriminatorDeviation(g *graph.Graph) {
	b, h := g.Dim("b", graph.AtLeast(2)), graph.Dim(8)
	x := g.Input("x", graph.Float32, b, 16, h, h)
	s := ops.Mean(ops.Std(x, 0, 0))
	y := ops.Concat(1, x, ops.Expand(ops.Reshape(s, 1, 1, 1, 1), b, 1, h, h))
	conv(g, "c", y, 16)
}

// Places of one image against those of the same.
func patchContrast(g *graph.Graph) {
	b := g.Dim("b")
	q, k := g.Input("q", graph.Float32, b, 64, 32), g.Input("k", graph.Float32, b, 64, 32)
	positive := ops.Sum(ops.Mul(q, k), -1, ops.KeepDims())
	negative := ops.MatMul(q, ops.Transpose(k, 1, 2))
	negative = ops.MaskedFill(negative, ops.Cast(ops.Eye(g, graph.Float32, 64, 64), graph.Bool), graph.Num(-10))
	logits := ops.Concat(2, positive, negative)
	ops.CrossEntropy(ops.Reshape(ops.Div(logits, graph.Num(0.07)), -1, 65), ops.Zeros(g, graph.Int64, b.Times(64)))
}

func dinoCentre(g *graph.Graph) {
	b := g.Dim("batch")
	s, t := testmodel.Linear(g, "s", g.Input("x", graph.Float32, b, 32), 64),
		testmodel.Linear(g, "t", g.Input("y", graph.Float32, b, 32), 64)
	centre := g.Param("centre", graph.Float32, 1, 64)
	q := ops.StopGradient(ops.Softmax(ops.Div(ops.Sub(t, centre), graph.Num(0.04)), -1))
	ops.Mean(ops.Sum(ops.Mul(ops.Neg(q), ops.LogSoftmax(ops.Div(s, graph.Num(0.1)), -1)), -1))
	ops.CopyInPlace(centre,
		ops.Add(ops.Mul(centre, graph.Num(0.9)), ops.Mul(ops.Mean(t, 0, ops.KeepDims()), graph.Num(0.1))))
}

func maskedAutoencoder(g *graph.Graph) {
	n, l := g.Dim("n"), graph.Dim(64)
	x, noise := g.Input("x", graph.Float32, n, l, 32), g.Input("noise", graph.Float32, n, l)
	order := ops.ArgSort(noise, 1, false)
	back := ops.ArgSort(order, 1, false)
	kept := ops.TakeAlongAxis(x, 1, ops.Expand(ops.Unsqueeze(ops.Slice(order, 1, 0, 16, 1), -1), n, 16, 32))
	tokens := ops.Concat(1, kept, ops.Expand(g.Param("token", graph.Float32, 1, 1, 32), n, 48, 32))
	y := ops.TakeAlongAxis(tokens, 1, ops.Expand(ops.Unsqueeze(back, -1), n, l, 32))
	y = ops.Add(y, g.Param("places", graph.Float32, 1, 64, 32))
	mask := ops.Cast(ops.GreaterEqual(back, graph.Num(16)), graph.Float32)
	ops.Div(ops.Sum(ops.Mul(ops.Mean(ops.Square(ops.Sub(y, x)), -1), mask)), ops.Sum(mask))
}

func tokenMerging(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t", graph.MultipleOf(2))
	x := g.Input("x", graph.Float32, b, t, 32)
	m := ops.Normalize(x, 2, -1, 1e-6)
	pairs := ops.Reshape(m, b, t.FloorDiv(2), 2, 32)
	scores := ops.MatMul(ops.Select(pairs, 2, 0), ops.Transpose(ops.Select(pairs, 2, 1), 1, 2))
	ops.Max(scores, -1)
	ops.ArgMax(scores, -1)
}

func registers(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 32)
	class := ops.Expand(g.Param("class", graph.Float32, 1, 32), b, 1, 32)
	all := ops.Concat(1, class, ops.Expand(g.Param("registers", graph.Float32, 4, 32), b, 4, 32), x)
	w := ops.Softmax(ops.MatMul(all, ops.Transpose(all, 1, 2)), -1)
	y := ops.MatMul(w, all)
	ops.Slice(ops.Select(w, 1, 0), 1, 5, t.Plus(5), 1)
	ops.Select(y, 1, 0)
}

func mixtureOfSoftmaxes(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 32)
	prior := ops.Softmax(testmodel.Linear(g, "prior", x, 3), -1)
	each := ops.Softmax(
		testmodel.Linear(g, "out", ops.Reshape(ops.Tanh(testmodel.Linear(g, "latent", x, 96)), b, t, 3, 32), 100), -1)
	p := ops.Sum(ops.Mul(each, ops.Unsqueeze(prior, -1)), 2)
	ops.NLL(ops.Reshape(ops.Log(p), -1, 100), ops.Reshape(g.Input("y", graph.Int64, b, t), -1))
	ops.Einsum("btk,btkv->btv", prior, each)
}

func adaptiveComputation(g *graph.Graph) {
	b := g.Dim("batch")
	x, w := g.Input("x", graph.Float32, b, 16), g.Param("w", graph.Float32, 16, 16)
	h, all, rest := x, ops.Mul(x, graph.Num(0)), ops.Ones(g, graph.Float32, b, 1)
	for i := range 3 {
		h = ops.Tanh(ops.MatMul(h, w))
		p := ops.Mul(rest, ops.Sigmoid(testmodel.Linear(g, "halt"+string(rune('a'+i)), h, 1)))
		all, rest = ops.Add(all, ops.Mul(p, h)), ops.Sub(rest, p)
	}
	ops.Add(all, ops.Mul(rest, h))
}

// RAFT: each fine place is a mixture of nine coarse ones.
func convexUpsampling(g *graph.Graph) {
	n, h, w := g.Dim("n"), g.Dim("h"), g.Dim("w")
	flow, mask := g.Input("flow", graph.Float32, n, 2, h, w), g.Input("mask", graph.Float32, n, 576, h, w)
	p := ops.Softmax(ops.Reshape(mask, n, 1, 9, 8, 8, h, w), 2)
	near := ops.Reshape(ops.Im2Col(ops.Mul(flow, graph.Num(8)), 3, 3, ops.Padding(1)), n, 2, 9, 1, 1, h, w)
	up := ops.Permute(ops.Sum(ops.Mul(p, near), 2), 0, 1, 4, 2, 5, 3)
	ops.Reshape(up, n, 2, h.Times(8), w.Times(8))
}

func correlationVolume(g *graph.Graph) {
	b, h, w := g.Dim("b"), g.Dim("h"), g.Dim("w")
	x, y := g.Input("x", graph.Float32, b, 32, h, w), g.Input("y", graph.Float32, b, 32, h, w)
	c := ops.MatMul(ops.Transpose(ops.Flatten(x, 2, 3), 1, 2), ops.Flatten(y, 2, 3))
	ops.Reshape(c, b, h, w, 1, h, w)
	ops.Reshape(c, b.Times(h).Times(w), 1, h, w)
	p := ops.Softmax(ops.Div(c, graph.Num(5.6)), -1)
	ops.MatMul(p, ops.Transpose(ops.Flatten(y, 2, 3), 1, 2))
}

func costVolume(g *graph.Graph) {
	b, h, w := g.Dim("b"), g.Dim("h"), g.Dim("w")
	cost := g.Input("cost", graph.Float32, b, 48, h, w)
	p := ops.Softmax(ops.Neg(cost), 1)
	ops.Sum(ops.Mul(p, ops.Reshape(ops.Cast(ops.Iota(g, 0, 48), graph.Float32), 1, 48, 1, 1)), 1)
	ops.Squeeze(ops.MatMul(ops.Permute(p, 0, 2, 3, 1),
		ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, 48), graph.Float32), 1)), -1)
}

func nerf(g *graph.Graph) {
	r, s := g.Dim("rays"), g.Dim("samples")
	density, rgb, depth := g.Input("density", graph.Float32, r, s), g.Input("rgb", graph.Float32, r, s, 3),
		g.Input("depth", graph.Float32, r, s)
	step := ops.Concat(1, ops.Diff(depth, 1, 1), ops.Full(g, graph.Float32, 1e10, r, 1))
	alpha := ops.Sub(graph.Num(1), ops.Exp(ops.Neg(ops.Mul(ops.Relu(density), step))))
	through := ops.CumProd(ops.Concat(1, ops.Ones(g, graph.Float32, r, 1), ops.Sub(graph.Num(1), alpha)), 1)
	w := ops.Mul(alpha, ops.Slice(through, 1, 0, s, 1))
	ops.Sum(ops.Mul(ops.Unsqueeze(w, -1), rgb), 1)
	ops.Sum(ops.Mul(w, depth), 1)
	mid := ops.Mul(graph.Num(0.5), ops.Add(depth, ops.Unsqueeze(ops.Sum(w, 1), 1)))
	testmodel.Linear(g, "out", ops.Mean(testmodel.Linear(g, "in", ops.Unsqueeze(mid, -1), 16), 1), 3)
}

// Bases of splines for each input of a layer.
func splines(g *graph.Graph) {
	b := g.Dim("batch")
	x, grid := ops.Unsqueeze(g.Input("x", graph.Float32, b, 8), -1), g.Param("grid", graph.Float32, 8, 12)
	low, high := ops.Slice(grid, 1, 0, 11, 1), ops.Slice(grid, 1, 1, 12, 1)
	bases := ops.Cast(ops.And(ops.GreaterEqual(x, low), ops.Less(x, high)), graph.Float32)
	y := ops.Einsum("big,iog->bo", bases, g.Param("coef", graph.Float32, 8, 4, 11))
	ops.Add(y, testmodel.Linear(g, "base", ops.Silu(ops.Squeeze(x, -1)), 4))
}

// Attention by features that are not negative, divided by the sum of its weights.
func kernelAttention(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n, 32)
	f := func(name string) *graph.Node {
		return ops.Add(ops.Elu(testmodel.Linear(g, name, x, 16), 1), graph.Num(1))
	}
	q, k, v := f("q"), f("k"), testmodel.Linear(g, "v", x, 32)
	z := ops.Reciprocal(ops.Einsum("bnd,bd->bn", q, ops.Sum(k, 1)))
	ops.Einsum("bnd,bde,bn->bne", q, ops.Einsum("bnd,bne->bde", k, v), z)
	ops.Einsum("bnd,bde->bne", x, ops.Einsum("bnd,bne->bde", ops.Softmax(x, 1), v))
}

func performer(g *graph.Graph) {
	b, n := g.Dim("b"), g.Dim("n")
	x := g.Input("x", graph.Float32, b, n, 32)
	at := ops.MatMul(x, g.Param("w", graph.Float32, 32, 64))
	half := ops.Mul(graph.Num(0.5), ops.Sum(ops.Square(x), -1, ops.KeepDims()))
	k := ops.Exp(ops.Sub(ops.Sub(at, half), ops.Max(at, 1, 2, ops.KeepDims())))
	ops.Div(k, ops.Sum(k, -1, ops.KeepDims()))
	causal := ops.CumSum(ops.Mul(ops.Unsqueeze(k, -1), ops.Unsqueeze(x, 2)), 1)
	ops.Einsum("bnm,bnmd->bnd", k, causal)
}

func ridge(g *graph.Graph) {
	n := g.Dim("n")
	x, y, w := g.Input("x", graph.Float32, n, 8), g.Input("y", graph.Float32, n), g.Input("w", graph.Float32, n)
	xt := ops.Transpose(x, 0, 1)
	weighted := ops.Mul(xt, w)
	beta := ops.Solve(ops.Add(ops.MatMul(weighted, x), ops.Eye(g, graph.Float32, 8, 8)), ops.MatMul(weighted, y))
	p := ops.Sigmoid(ops.MatMul(x, beta))
	ops.MatMul(ops.Mul(xt, ops.Mul(p, ops.Sub(graph.Num(1), p))), x)
	hat := ops.MatMul(x, ops.Solve(ops.MatMul(xt, x), xt))
	ops.Div(ops.Sub(y, ops.MatMul(hat, y)), ops.Sub(graph.Num(1), ops.Diagonal(hat, 0, 0, 1)))
}
