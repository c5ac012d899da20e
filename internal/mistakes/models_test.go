package mistakes_test

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// Models of many kinds, as people write them.
var _ = add(
	classifier, imageClassifier, uNet, selfAttention, groupedQueries, rotaryAttention, cachedAttention, recurrent,
	patches, windows,
	experts, imagesAndTexts, pixelShuffle, gatedConvolutions, pyramid, autoencoderOfImages, residualBlocks, tagger,
	ranking, deepQ,
	policyGradient, styleNorm, diffusionStep, bilinear, graphConvolution, mixtureDensity, sequenceToSequence,
	squeezeExcite,
)

func classifier(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 784), g.Input("y", graph.Int64, b)
	h := ops.Relu(testmodel.Linear(g, "a", x, 256))
	logits := testmodel.Linear(g, "b", ops.Dropout(h, 0.1, g.Input("seed", graph.Int64)), 10)
	right := ops.Cast(ops.Equal(ops.ArgMax(logits, 1), y), graph.Float32)
	ops.Mean(right)
	optim.Adam(1e-3).Minimize(ops.CrossEntropy(logits, y))
}

func conv(g *graph.Graph, name string, x *graph.Node, out int, opts ...ops.ConvOption) *graph.Node {
	in := x.Shape()[1]
	return ops.Conv2D(x, g.Param(name, graph.Float32, graph.Dim(out), in, 3, 3),
		g.Param(name+"/bias", graph.Float32, graph.Dim(out)),
		append(opts, ops.Padding(1))...)
}

func imageClassifier(g *graph.Graph) {
	n := g.Dim("n", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, n, 3, 32, 32)
	for i, wide := range []int{16, 32} {
		x = conv(g, fmt.Sprint("conv", i), x, wide)
		x, _, _ = ops.BatchNorm(x, nil, nil, 1e-5)
		x = ops.MaxPool2D(ops.Relu(x), 2, 2)
	}
	testmodel.Linear(g, "out", ops.Flatten(x, 1, -1), 10)
}

func uNet(g *graph.Graph) {
	n, h, w := g.Dim("n"), g.Dim("h", graph.MultipleOf(4)), g.Dim("w", graph.MultipleOf(4))
	x := g.Input("x", graph.Float32, n, 1, h, w)
	a := ops.Relu(conv(g, "a", x, 8))
	b := ops.Relu(conv(g, "b", ops.MaxPool2D(a, 2, 2), 16))
	c := ops.Relu(conv(g, "c", ops.MaxPool2D(b, 2, 2), 32))
	up := func(name string, x *graph.Node, out graph.Dim) *graph.Node {
		return ops.ConvTranspose2D(x, g.Param(name, graph.Float32, x.Shape()[1], out, 2, 2), nil, ops.Stride(2))
	}
	b = ops.Relu(conv(g, "d", ops.Concat(1, b, up("up1", c, 16)), 16))
	a = ops.Relu(conv(g, "e", ops.Concat(1, a, up("up2", b, 8)), 8))
	ops.BCEWithLogits(conv(g, "f", a, 1), g.Input("mask", graph.Float32, n, 1, h, w))
}

// heads splits the last axis into heads, which come before the sequence.
func heads(g *graph.Graph, name string, x *graph.Node, heads, wide int) *graph.Node {
	b, t := x.Shape()[0], x.Shape()[1]
	return ops.Transpose(ops.Reshape(testmodel.Linear(g, name, x, heads*wide), b, t, graph.Dim(heads), graph.Dim(wide)),
		1, 2)
}

func attend(q, k, v, mask *graph.Node) *graph.Node {
	scores := ops.Mul(ops.MatMul(q, ops.Transpose(k, -1, -2)), graph.Num(0.125))
	if mask != nil {
		scores = ops.MaskedFill(scores, mask, graph.Num(-1e9))
	}
	return ops.MatMul(ops.Softmax(scores, -1), v)
}

func selfAttention(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x, pad := g.Input("x", graph.Float32, b, t, 512), g.Input("pad", graph.Bool, b, t)
	q, k, v := heads(g, "q", x, 8, 64), heads(g, "k", x, 8, 64), heads(g, "v", x, 8, 64)
	y := attend(q, k, v, ops.Reshape(pad, b, 1, 1, t))
	y = testmodel.Linear(g, "out", ops.Reshape(ops.Transpose(y, 1, 2), b, t, -1), 512)
	x = ops.LayerNorm(ops.Add(x, y), g.Param("gain", graph.Float32, 512), g.Param("bias", graph.Float32, 512), 1e-5)
	ops.Add(x, testmodel.Linear(g, "down", ops.Gelu(testmodel.Linear(g, "up", x, 2048)), 512))
}

func groupedQueries(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x := g.Input("x", graph.Float32, b, t, 512)
	q, k, v := heads(g, "q", x, 8, 64), heads(g, "k", x, 2, 64), heads(g, "v", x, 2, 64)
	y := attend(q, ops.RepeatInterleave(k, 1, 4), ops.RepeatInterleave(v, 1, 4), nil)
	ops.Reshape(ops.Transpose(y, 1, 2), b, t, 512)
}

func rotaryAttention(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	x := g.Input("x", graph.Float32, b, t, 512)
	rate := ops.Exp(ops.Mul(ops.Cast(ops.Iota(g, 0, 32), graph.Float32), graph.Num(-0.28)))
	angle := ops.Mul(ops.Unsqueeze(ops.Cast(ops.Iota(g, 0, t), graph.Float32), 1), rate)
	turn := func(x *graph.Node) *graph.Node {
		half := ops.Chunk(x, -1, 2)
		cos, sin := ops.Cos(angle), ops.Sin(angle)
		return ops.Concat(-1, ops.Sub(ops.Mul(half[0], cos), ops.Mul(half[1], sin)),
			ops.Add(ops.Mul(half[0], sin), ops.Mul(half[1], cos)))
	}
	at := ops.Iota(g, 0, t)
	future := ops.Less(ops.Unsqueeze(at, 1), at)
	attend(turn(heads(g, "q", x, 8, 64)), turn(heads(g, "k", x, 8, 64)), heads(g, "v", x, 8, 64), future)
}

func cachedAttention(g *graph.Graph) {
	b, past := g.Dim("batch"), g.Dim("past")
	x := g.Input("x", graph.Float32, b, 1, 512)
	keys, values := g.Input("keys", graph.Float32, b, 8, past, 64), g.Input("values", graph.Float32, b, 8, past, 64)
	k, v := ops.Concat(2, keys, heads(g, "k", x, 8, 64)), ops.Concat(2, values, heads(g, "v", x, 8, 64))
	ops.Flatten(ops.Transpose(attend(heads(g, "q", x, 8, 64), k, v, nil), 1, 2), 2, 3)
}

func recurrent(g *graph.Graph) {
	b := g.Dim("batch")
	x := g.Input("x", graph.Float32, b, 5, 16)
	h, c := g.Input("h", graph.Float32, b, 32), g.Input("c", graph.Float32, b, 32)
	w, u := g.Param("w", graph.Float32, 128, 16), g.Param("u", graph.Float32, 128, 32)
	var all []*graph.Node
	for i := range 5 {
		gates := ops.Chunk(ops.Add(ops.Linear(ops.Select(x, 1, graph.Dim(i)), w, nil), ops.Linear(h, u, nil)), 1, 4)
		c = ops.Add(ops.Mul(ops.Sigmoid(gates[0]), c), ops.Mul(ops.Sigmoid(gates[1]), ops.Tanh(gates[2])))
		h = ops.Mul(ops.Sigmoid(gates[3]), ops.Tanh(c))
		all = append(all, h)
	}
	testmodel.Linear(g, "out", ops.Stack(1, all...), 10)
}

func patches(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 3, 224, 224)
	p := ops.Conv2D(x, g.Param("patch", graph.Float32, 192, 3, 16, 16), nil, ops.Stride(16))
	p = ops.Transpose(ops.Flatten(p, 2, 3), 1, 2)
	class := ops.Expand(g.Param("class", graph.Float32, 1, 1, 192), n, 1, 192)
	p = ops.Add(ops.Concat(1, class, p), g.Param("place", graph.Float32, 1, 197, 192))
	testmodel.Linear(g, "head", ops.Select(p, 1, 0), 1000)
}

func windows(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 56, 56, 96)
	w := ops.Permute(ops.Reshape(x, n, 8, 7, 8, 7, 96), 0, 1, 3, 2, 4, 5)
	w = ops.Reshape(w, -1, 49, 96)
	y := ops.Permute(ops.Reshape(w, n, 8, 8, 7, 7, 96), 0, 1, 3, 2, 4, 5)
	ops.Add(x, ops.Reshape(y, n, 56, 56, 96))
}

func experts(g *graph.Graph) {
	b := g.Dim("tokens")
	x := g.Input("x", graph.Float32, b, 64)
	share := ops.Softmax(testmodel.Linear(g, "gate", x, 4), -1)
	h := ops.Relu(ops.Einsum("bd,edh->beh", x, g.Param("up", graph.Float32, 4, 64, 128)))
	y := ops.Einsum("beh,ehd->bed", h, g.Param("down", graph.Float32, 4, 128, 64))
	ops.Add(x, ops.Sum(ops.Mul(y, ops.Unsqueeze(share, -1)), 1))
}

func imagesAndTexts(g *graph.Graph) {
	b := g.Dim("batch")
	unit := func(x *graph.Node) *graph.Node { return ops.Div(x, ops.Norm(x, 2, 1, ops.KeepDims())) }
	image, text := unit(g.Input("image", graph.Float32, b, 128)), unit(g.Input("text", graph.Float32, b, 128))
	logits := ops.Mul(ops.MatMul(image, ops.Transpose(text, 0, 1)), ops.Exp(g.Param("heat", graph.Float32)))
	label := ops.Iota(g, 0, b)
	ops.Add(ops.CrossEntropy(logits, label), ops.CrossEntropy(ops.Transpose(logits, 0, 1), label))
}

func pixelShuffle(g *graph.Graph) {
	n, h, w := g.Dim("n"), g.Dim("h"), g.Dim("w")
	x := g.Input("x", graph.Float32, n, 12, h, w)
	y := ops.Permute(ops.Reshape(x, n, 3, 2, 2, h, w), 0, 1, 4, 2, 5, 3)
	ops.L1(ops.Reshape(y, n, 3, h.Times(2), w.Times(2)), g.Input("y", graph.Float32, n, 3, h.Times(2), w.Times(2)))
}

func gatedConvolutions(g *graph.Graph) {
	n, t := g.Dim("n"), g.Dim("t")
	x := g.Input("x", graph.Float32, n, 16, t)
	for i, step := range []int{1, 2, 4} {
		y := ops.Conv1D(ops.Pad(x, 2, graph.Dim(step), 0, 0), g.Param(fmt.Sprint("w", i), graph.Float32, 32, 16, 2),
			nil, ops.Dilation(step))
		x = ops.Add(x, ops.GLU(y, 1))
	}
}

func pyramid(g *graph.Graph) {
	n, h, w := g.Dim("n"), g.Dim("h", graph.MultipleOf(2)), g.Dim("w", graph.MultipleOf(2))
	fine := g.Input("fine", graph.Float32, n, 8, h, w)
	coarse := ops.AvgPool2D(fine, 2, 2)
	ops.Add(fine, ops.RepeatInterleave(ops.RepeatInterleave(coarse, 2, 2), 3, 2))
}

func autoencoderOfImages(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 1, 28, 28)
	h := ops.Relu(testmodel.Linear(g, "a", ops.Flatten(x, 1, -1), 128))
	mu, log := testmodel.Linear(g, "mu", h, 16), testmodel.Linear(g, "log", h, 16)
	z := ops.Add(mu, ops.Mul(ops.Exp(ops.Mul(log, graph.Num(0.5))),
		ops.Normal(g.Input("seed", graph.Int64), graph.Float32, n, 16)))
	y := ops.Reshape(testmodel.Linear(g, "b", z, 784), n, 1, 28, 28)
	fit := ops.BCEWithLogits(y, x, ops.SumLoss())
	kl := ops.Mul(graph.Num(-0.5), ops.Sum(ops.Sub(ops.Sub(ops.Add(log, graph.Num(1)), ops.Square(mu)), ops.Exp(log))))
	optim.Adam(1e-3).Minimize(ops.Div(ops.Add(fit, kl), graph.Num(64)))
}

func residualBlocks(g *graph.Graph) {
	n, h, w := g.Dim("n", graph.AtLeast(2)), g.Dim("h"), g.Dim("w")
	x := g.Input("x", graph.Float32, n, 16, h, w)
	for i := range 2 {
		y := ops.Relu(conv(g, fmt.Sprint("a", i), x, 16))
		x = ops.Relu(ops.Add(x, conv(g, fmt.Sprint("b", i), y, 16)))
	}
	down := conv(g, "down", x, 32, ops.Stride(2))
	short := ops.Conv2D(x, g.Param("short", graph.Float32, 32, 16, 1, 1), nil, ops.Stride(2))
	testmodel.Linear(g, "out", ops.Mean(ops.Relu(ops.Add(down, short)), 2, 3), 10)
}

func tagger(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	word, tag := g.Input("word", graph.Int64, b, t), g.Input("tag", graph.Int64, b, t)
	x := ops.Embedding(word, g.Param("table", graph.Float32, 5000, 64))
	logits := testmodel.Linear(g, "out", x, 17)
	ops.CrossEntropy(ops.Reshape(logits, -1, 17), ops.Reshape(tag, -1))
	ops.CrossEntropy(ops.Transpose(logits, 1, 2), tag, ops.IgnoreIndex(0))
}

func ranking(g *graph.Graph) {
	b := g.Dim("batch")
	user, good, bad := g.Input("user", graph.Int64, b), g.Input("good", graph.Int64, b),
		g.Input("bad", graph.Int64, b, 20)
	table := g.Param("table", graph.Float32, 1000, 32)
	u := ops.Embedding(user, g.Param("users", graph.Float32, 500, 32))
	of := func(item *graph.Node) *graph.Node { return ops.Embedding(item, table) }
	positive := ops.Sum(ops.Mul(u, of(good)), 1, ops.KeepDims())
	negative := ops.Sum(ops.Mul(ops.Unsqueeze(u, 1), of(bad)), 2)
	ops.Neg(ops.Mean(ops.LogSigmoid(ops.Sub(positive, negative))))
}

func deepQ(g *graph.Graph) {
	b := g.Dim("batch")
	s, next := g.Input("s", graph.Float32, b, 4), g.Input("next", graph.Float32, b, 4)
	action, reward, done := g.Input("action", graph.Int64, b), g.Input("reward", graph.Float32, b),
		g.Input("done", graph.Float32, b)
	q := ops.Squeeze(ops.Gather(testmodel.Linear(g, "q", s, 2), 1, ops.Unsqueeze(action, 1)), 1)
	future := ops.Max(testmodel.Linear(g, "target", next, 2), 1)
	want := ops.Add(reward, ops.Mul(ops.Mul(graph.Num(0.99), ops.Sub(graph.Num(1), done)), future))
	ops.SmoothL1(q, ops.StopGradient(want), 1)
}

func policyGradient(g *graph.Graph) {
	t := g.Dim("steps", graph.AtLeast(2))
	seen, action, gain := g.Input("seen", graph.Float32, t, 4), g.Input("action", graph.Int64, t),
		g.Input("gain", graph.Float32, t)
	old := g.Input("old", graph.Float32, t)
	log := ops.LogSoftmax(testmodel.Linear(g, "policy", seen, 2), -1)
	ratio := ops.Exp(ops.Sub(ops.Squeeze(ops.Gather(log, 1, ops.Unsqueeze(action, 1)), 1), old))
	advantage := ops.Div(ops.Sub(gain, ops.Mean(gain)), ops.Add(ops.Std(gain, 1), graph.Num(1e-8)))
	clipped := ops.Clamp(ratio, 0.8, 1.2)
	entropy := ops.Neg(ops.Mean(ops.Sum(ops.Mul(ops.Exp(log), log), -1)))
	ops.Sub(ops.Neg(ops.Mean(ops.Minimum(ops.Mul(ratio, advantage), ops.Mul(clipped, advantage)))),
		ops.Mul(graph.Num(0.01), entropy))
}

func styleNorm(g *graph.Graph) {
	n := g.Dim("n")
	x, style := g.Input("x", graph.Float32, n, 32, 16, 16), g.Input("style", graph.Float32, n, 64)
	mean, deviation := ops.Mean(x, 2, 3, ops.KeepDims()), ops.Std(x, 1, 2, 3, ops.KeepDims())
	both := ops.Chunk(ops.Unsqueeze(ops.Unsqueeze(style, -1), -1), 1, 2)
	ops.Add(ops.Mul(ops.Div(ops.Sub(x, mean), ops.Add(deviation, graph.Num(1e-5))), both[0]), both[1])
}

func diffusionStep(g *graph.Graph) {
	n := g.Dim("n")
	x, noise, step := g.Input("x", graph.Float32, n, 3, 32, 32), g.Input("noise", graph.Float32, n, 3, 32, 32),
		g.Input("step", graph.Int64, n)
	kept := ops.Reshape(ops.Embedding(step, g.Input("schedule", graph.Float32, 1000, 1)), n, 1, 1, 1)
	mixed := ops.Add(ops.Mul(ops.Sqrt(kept), x), ops.Mul(ops.Sqrt(ops.Sub(graph.Num(1), kept)), noise))
	shift := ops.Unsqueeze(
		ops.Unsqueeze(testmodel.Linear(g, "time", ops.Embedding(step, g.Param("table", graph.Float32, 1000, 64)), 8),
			-1), -1)
	h := ops.Silu(ops.Add(conv(g, "in", mixed, 8), shift))
	ops.MSE(conv(g, "out", h, 3), noise)
}

func bilinear(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 32), g.Input("y", graph.Float32, b, 16)
	w := g.Param("w", graph.Float32, 32, 16)
	ops.Add(ops.Sum(ops.Mul(ops.MatMul(x, w), y), 1), ops.Einsum("bi,ij,bj->b", x, w, y))
}

func graphConvolution(g *graph.Graph) {
	n := g.Dim("nodes")
	x, near := g.Input("x", graph.Float32, n, 16), g.Input("near", graph.Float32, n, n)
	scale := ops.Rsqrt(ops.ClampMin(ops.Sum(near, 1), 1))
	near = ops.Mul(ops.Mul(near, ops.Unsqueeze(scale, 1)), ops.Unsqueeze(scale, 0))
	ops.LogSoftmax(testmodel.Linear(g, "out", ops.Relu(ops.MatMul(near, testmodel.Linear(g, "in", x, 8))), 4), -1)
}

func mixtureDensity(g *graph.Graph) {
	b := g.Dim("batch")
	x, y := g.Input("x", graph.Float32, b, 8), g.Input("y", graph.Float32, b, 1)
	share, mu, log := ops.LogSoftmax(testmodel.Linear(g, "share", x, 5), -1), testmodel.Linear(g, "mu", x, 5),
		testmodel.Linear(g, "log", x, 5)
	z := ops.Div(ops.Sub(y, mu), ops.Exp(log))
	each := ops.Sub(ops.Sub(share, log), ops.Mul(graph.Num(0.5), ops.Square(z)))
	ops.Neg(ops.Mean(ops.LogSumExp(each, -1)))
}

func sequenceToSequence(g *graph.Graph) {
	b, s, t := g.Dim("batch"), g.Dim("source"), g.Dim("target")
	x, y := g.Input("x", graph.Float32, b, s, 256), g.Input("y", graph.Float32, b, t, 256)
	pad := g.Input("pad", graph.Bool, b, s)
	mixed := attend(heads(g, "q", y, 4, 64), heads(g, "k", x, 4, 64), heads(g, "v", x, 4, 64),
		ops.Unsqueeze(ops.Unsqueeze(pad, 1), 1))
	ops.Add(y, ops.Reshape(ops.Transpose(mixed, 1, 2), b, t, 256))
}

func squeezeExcite(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("n"), 64, g.Dim("h"), g.Dim("w"))
	s := testmodel.Linear(g, "up", ops.Relu(testmodel.Linear(g, "down", ops.Mean(x, 2, 3), 4)), 64)
	ops.Mul(x, ops.Unsqueeze(ops.Unsqueeze(ops.Sigmoid(s), -1), -1))
}
