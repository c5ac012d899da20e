package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// Sizes that are names of numbers.
var _ = add(
	namedAutoencoder, namedChannels, namedHeads, namedTable,
	statedWidth, batchForLatent, vectorOfChannels, widthOfAnother, bareNumber,
)

func namedAutoencoder(g *graph.Graph) {
	b, latent := g.Dim("batch"), g.Dim("latent", graph.Exactly(32))
	x := g.Input("x", graph.Float32, b, 784)
	mu, log := testmodel.Linear(g, "mu", x, latent), testmodel.Linear(g, "log", x, latent)
	z := ops.Add(mu, ops.Mul(ops.Exp(ops.Mul(log, graph.Num(0.5))), g.Input("noise", graph.Float32, b, latent)))
	optim.Adam(1e-3).Minimize(ops.BCEWithLogits(testmodel.Linear(g, "out", z, 784), x))
}

func namedChannels(g *graph.Graph) {
	n, c := g.Dim("n"), g.Dim("c", graph.Exactly(16))
	x := g.Input("x", graph.Float32, n, c, 16, 16)
	y := ops.Conv2D(x, g.Param("k", graph.Float32, c, c, 3, 3), g.Param("bias", graph.Float32, c), ops.Padding(1))
	y = ops.GroupNorm(y, 4, g.Param("gain", graph.Float32, c), nil, 1e-5)
	ops.Add(x, ops.Mul(y, ops.Reshape(g.Param("scale", graph.Float32, c), c, 1, 1)))
	ops.Reshape(x, n, 4, -1, 16, 16)
	testmodel.Linear(g, "head", ops.Mean(x, 2, 3), 10)
}

func namedHeads(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq")
	heads, each := g.Dim("heads", graph.Exactly(8)), g.Dim("each", graph.Exactly(8))
	x := g.Input("x", graph.Float32, b, t, heads.Times(each))
	split := func(name string) *graph.Node {
		return ops.Transpose(ops.Reshape(testmodel.Linear(g, name, x, heads.Times(each)), b, t, heads, each), 1, 2)
	}
	scores := ops.MatMul(split("query"), ops.Transpose(split("key"), -1, -2))
	mixed := ops.MatMul(ops.Softmax(scores, -1), split("value"))
	ops.Add(x, ops.Reshape(ops.Transpose(mixed, 1, 2), b, t, heads.Times(each)))
}

func namedTable(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("seq", graph.AtMost(512))
	vocab, width := g.Dim("vocab", graph.Exactly(1000)), g.Dim("width", graph.Exactly(64))
	table := g.Param("table", graph.Float32, vocab, width)
	token := g.Input("token", graph.Int64, b, t)
	x := ops.Add(ops.Embedding(token, table), ops.Slice(g.Param("place", graph.Float32, 512, width), 0, 0, t, 1))
	logits := ops.Linear(ops.LayerNorm(x, nil, nil, 1e-5), table, nil)
	ops.CrossEntropy(ops.Transpose(logits, 1, 2), token)
}

// The batch and the latent size are both 32 in every configuration.
func batchForLatent(g *graph.Graph) {
	batch, latent := g.Dim("batch", graph.Exactly(32)), g.Dim("latent", graph.Exactly(32))
	x, e := g.Input("x", graph.Float32, batch, 100), g.Input("e", graph.Float32, batch, 64)
	z := ops.Concat(1, testmodel.Linear(g, "z", x, latent), e)
	ops.MatMul(z, g.Param("decode", graph.Float32, batch.Plus(64), 128)) // want error BL102 "latent+64" "batch+64"
}

func vectorOfChannels(g *graph.Graph) {
	c := g.Dim("c", graph.Exactly(16))
	x := g.Input("x", graph.Float32, g.Dim("n"), c, 16, 16)
	ops.Mul(x, g.Param("scale", graph.Float32, c)) // want error BL102 "Reshape(scale, c, 1, 1)"
}

func widthOfAnother(g *graph.Graph) {
	in, out := g.Dim("in", graph.Exactly(64)), g.Dim("out", graph.Exactly(64))
	x := g.Input("x", graph.Float32, g.Dim("batch"), in)
	y := testmodel.Linear(g, "y", x, out)
	ops.Add(x, y) // want error BL102 "g.Equal(in, out)"
}

func statedWidth(g *graph.Graph) {
	in, out := g.Dim("in", graph.Exactly(64)), g.Dim("out", graph.Exactly(64))
	g.Equal(in, out)
	x := g.Input("x", graph.Float32, g.Dim("batch"), in)
	ops.Add(x, testmodel.Linear(g, "y", x, out))
}

func bareNumber(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("width", graph.Exactly(64)))
	ops.Add(x, g.Param("bias", graph.Float32, 64)) // want error BL102 "nothing says that they are equal"
}
