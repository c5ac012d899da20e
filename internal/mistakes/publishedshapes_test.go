package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Reshapes, and attention of other kinds, as in published programs.
var _ = add(
	stackedFrames, finalStates, finalStatesMixed, unpatchified, devicesInFront, depthIntoChannels, interleaved,
	hadamard, monarch, groupsOfChannels,
	unfoldedTokens, videoFrames, quantizedCodes, codesMixed, agentsOfTeams, expertsOfTokens, ringOfChunks,
	residualVector, crossAttentionFusion,
	coAttentionOfAnswers, memoryNetwork, neuralTuring, gatedAttention, multiQueryDecoder,
)

// Four frames of speech become one.
func stackedFrames(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t", graph.MultipleOf(4))
	x := g.Input("x", graph.Float32, b, t, 80)
	ops.Reshape(x, b, t.FloorDiv(4), 320)
}

// States of two layers and two directions.
func finalStates(g *graph.Graph) {
	b := g.Dim("batch")
	h := g.Input("h", graph.Float32, 4, b, 64)
	top := ops.Select(ops.Reshape(h, 2, 2, b, 64), 0, 1)
	ops.Reshape(ops.Transpose(top, 0, 1), b, 128)
	ops.Concat(1, ops.Select(h, 0, 2), ops.Select(h, 0, 3))
}

func finalStatesMixed(g *graph.Graph) {
	b := g.Dim("batch")
	h := g.Input("h", graph.Float32, 2, b, 64)
	ops.Reshape(h, b, 128) // want warning BL205 "Transpose(h, 0, 1)"
}

func unpatchified(g *graph.Graph) {
	n := g.Dim("n")
	x := ops.Reshape(g.Input("x", graph.Float32, n, 196, 768), n, 14, 14, 16, 16, 3)
	ops.Reshape(ops.Einsum("nhwpqc->nchpwq", x), n, 3, 224, 224)
}

func devicesInFront(g *graph.Graph) {
	b := g.Dim("batch", graph.MultipleOf(8))
	x := g.Input("x", graph.Float32, b, 32, 32, 3)
	y := ops.Reshape(x, 8, b.FloorDiv(8), 32, 32, 3)
	ops.Reshape(y, b, 32, 32, 3)
	ops.Reshape(g.Input("y", graph.Int64, b), b.FloorDiv(8), 8)
}

func depthIntoChannels(g *graph.Graph) {
	b, h := g.Dim("b"), g.Dim("h")
	x := g.Input("x", graph.Float32, b, 16, 4, h, h)
	ops.Reshape(ops.Conv2D(ops.Reshape(x, b, 64, h, h), g.Param("k", graph.Float32, 64, 64, 1, 1), nil), b, 16, 4, h, h)
}

func interleaved(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x, y := g.Input("x", graph.Float32, b, t, 32), g.Input("y", graph.Float32, b, t, 32)
	both := ops.Reshape(ops.Stack(2, x, y), b, t.Times(2), 32)
	ops.Select(ops.Reshape(both, b, t, 2, 32), 2, 1)
	// Returns, states and actions as three tokens of a step.
	z := ops.Permute(ops.Stack(1, x, y, x), 0, 2, 1, 3)
	ops.Permute(ops.Reshape(ops.Reshape(z, b, t.Times(3), 32), b, t, 3, 32), 0, 2, 1, 3)
}

func hadamard(g *graph.Graph) {
	b := g.Dim("b")
	x := g.Input("x", graph.Float32, b, 16)
	for h := 1; h < 16; h *= 2 {
		y := ops.Reshape(x, b, graph.Dim(16/(2*h)), 2, graph.Dim(h))
		u, v := ops.Select(y, 2, 0), ops.Select(y, 2, 1)
		x = ops.Reshape(ops.Stack(2, ops.Add(u, v), ops.Sub(u, v)), b, 16)
	}
}

func monarch(g *graph.Graph) {
	b := g.Dim("b")
	x := ops.Reshape(g.Input("x", graph.Float32, b, 512), b, 16, 32)
	y := ops.Einsum("bki,kij->bkj", x, g.Param("l", graph.Float32, 16, 32, 32))
	z := ops.Einsum("bjk,jkl->bjl", ops.Transpose(y, 1, 2), g.Param("r", graph.Float32, 32, 16, 16))
	ops.Reshape(ops.Transpose(z, 1, 2), b, 512)
}

func groupsOfChannels(g *graph.Graph) {
	b, h, w := g.Dim("b"), g.Dim("h"), g.Dim("w")
	x := g.Input("x", graph.Float32, b, 32, h, w)
	y := ops.Reshape(x, b, 8, 4, h, w)
	mean := ops.Mean(y, 2, 3, 4, ops.KeepDims())
	y = ops.Reshape(ops.Div(ops.Sub(y, mean), ops.Add(ops.Std(y, 0, 2, 3, 4, ops.KeepDims()), graph.Num(1e-5))), b, 32,
		h, w)
	ops.Add(ops.Mul(y, g.Param("gain", graph.Float32, 32, 1, 1)), g.Param("bias", graph.Float32, 32, 1, 1))
	ops.Reshape(x, b, 8, -1)
}

func unfoldedTokens(g *graph.Graph) {
	b, h, w := g.Dim("b"), g.Dim("h"), g.Dim("w")
	x := g.Input("x", graph.Float32, b, h.Times(w), 64)
	image := ops.Permute(ops.Reshape(x, b, h, w, 64), 0, 3, 1, 2)
	ops.Transpose(ops.Reshape(image, b, 64, h.Times(w)), 1, 2)
	ops.Transpose(ops.Flatten(ops.MaxPool2D(image, 1, 1), 2, 3), 1, 2)
}

func videoFrames(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, 3, t, 16, 16)
	frames := ops.Reshape(ops.Transpose(x, 1, 2), b.Times(t), 3, 16, 16)
	h := ops.Reshape(conv(g, "c", frames, 8), b, t, 8, 16, 16)
	attend(ops.Flatten(h, 2, 4), ops.Flatten(h, 2, 4), ops.Flatten(h, 2, 4), nil)
}

// A codebook: the channels of each place are looked up.
func quantizedCodes(g *graph.Graph) {
	b := g.Dim("b")
	z, table := g.Input("z", graph.Float32, b, 64, 8, 8), g.Param("table", graph.Float32, 512, 64)
	last := ops.Permute(z, 0, 2, 3, 1)
	flat := ops.Reshape(last, -1, 64)
	d := ops.Sub(ops.Add(ops.Sum(ops.Square(flat), 1, ops.KeepDims()), ops.Sum(ops.Square(table), 1)),
		ops.Mul(graph.Num(2), ops.MatMul(flat, ops.Transpose(table, 0, 1))))
	q := ops.Reshape(ops.Embedding(ops.ArgMin(d, 1), table), b, 8, 8, 64)
	ops.Permute(ops.Add(last, ops.StopGradient(ops.Sub(q, last))), 0, 3, 1, 2)
}

func codesMixed(g *graph.Graph) {
	z := g.Input("z", graph.Float32, g.Dim("b"), 64, 16, 16)
	ops.Reshape(z, -1, 64) // want warning BL205
}

func agentsOfTeams(g *graph.Graph) {
	t, n := g.Dim("t"), g.Dim("n")
	x, alive := g.Input("x", graph.Float32, t, n, 5, 16), g.Input("alive", graph.Float32, t, n, 5, 1)
	v := ops.Reshape(testmodel.Linear(g, "v", ops.Reshape(x, t.Times(n).Times(5), 16), 1), t, n, 5, 1)
	mean := ops.Div(ops.Sum(ops.Mul(v, alive)), ops.Sum(alive))
	ops.Mul(ops.Sub(v, mean), alive)
	ops.Sum(ops.Mul(ops.Abs(testmodel.Linear(g, "w", ops.Flatten(x, 2, 3), 5)), ops.Squeeze(v, -1)), 2)
}

// Tokens are sent to experts by one-hot tables.
func expertsOfTokens(g *graph.Graph) {
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 32)
	gates := ops.Softmax(testmodel.Linear(g, "gate", x, 4), -1)
	_, first := ops.TopK(gates, 1, 1, true)
	chosen := ops.OneHot(ops.Squeeze(first, -1), 4, graph.Float32)
	place := ops.Mul(ops.Sub(ops.CumSum(chosen, 0), graph.Num(1)), chosen)
	ops.Sum(ops.Mul(ops.Mean(gates, 0), ops.Mean(chosen, 0)))
	kept := ops.Mul(chosen, ops.Cast(ops.Less(place, graph.Num(8)), graph.Float32))
	slots := ops.Mul(ops.Unsqueeze(kept, 2), ops.OneHot(ops.Cast(place, graph.Int64), 8, graph.Float32))
	in := ops.Einsum("nec,nd->ecd", slots, x)
	ops.Einsum("nec,ecd->nd", ops.Mul(slots, ops.Unsqueeze(gates, 2)), in)
}

func ringOfChunks(g *graph.Graph) {
	b, c := g.Dim("b"), g.Dim("chunks")
	x := g.Input("x", graph.Float32, b, c.Times(64), 32)
	y := ops.Reshape(x, b, c, 64, 32)
	local := ops.Softmax(ops.MatMul(y, ops.Transpose(y, 2, 3)), -1)
	ops.Reshape(ops.MatMul(local, y), b, c.Times(64), 32)
	before := ops.Roll(y, 1, 1)
	both := ops.Concat(2, before, y)
	ops.MatMul(ops.Softmax(ops.MatMul(y, ops.Transpose(both, 2, 3)), -1), both)
}

func residualVector(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	rest := g.Input("x", graph.Float32, b, t, 16)
	for _, name := range []string{"a", "b"} {
		table := g.Param(name, graph.Float32, 128, 16)
		d := ops.CDist(ops.Reshape(rest, -1, 16), table, 2)
		rest = ops.Sub(rest, ops.Reshape(ops.Embedding(ops.ArgMin(d, 1), table), b, t, 16))
	}
}

func crossAttentionFusion(g *graph.Graph) {
	b := g.Dim("b")
	x, y := g.Input("x", graph.Float32, b, g.Dim("s"), 32), g.Input("y", graph.Float32, b, g.Dim("t"), 32)
	scores := ops.MatMul(testmodel.Linear(g, "q", x, 16), ops.Transpose(testmodel.Linear(g, "k", y, 16), 1, 2))
	ops.MatMul(ops.Softmax(scores, -1), testmodel.Linear(g, "vy", y, 16))
	ops.MatMul(ops.Softmax(ops.Transpose(scores, 1, 2), -1), testmodel.Linear(g, "vx", x, 16))
}

// QANet and BiDAF: from the context to the question, and back.
func coAttentionOfAnswers(g *graph.Graph) {
	b := g.Dim("b")
	c, q := g.Input("c", graph.Float32, b, g.Dim("n"), 32), g.Input("q", graph.Float32, b, g.Dim("m"), 32)
	s := ops.MatMul(c, ops.Transpose(q, 1, 2))
	rows, columns := ops.Softmax(s, 2), ops.Softmax(s, 1)
	ops.MatMul(rows, q)
	ops.MatMul(ops.MatMul(rows, ops.Transpose(columns, 1, 2)), c)
	best := ops.Softmax(ops.Max(s, 2), 1)
	ops.MatMul(ops.Unsqueeze(best, 1), c)
}

func memoryNetwork(g *graph.Graph) {
	b := g.Dim("b")
	story, query := g.Input("story", graph.Int64, b, g.Dim("sentences"), 6), g.Input("query", graph.Int64, b, 6)
	embed := func(x *graph.Node, name string) *graph.Node {
		return ops.Sum(ops.Embedding(x, g.Param(name, graph.Float32, 100, 32)), -2)
	}
	u := embed(query, "q")
	for _, name := range []string{"1", "2"} {
		m, c := embed(story, "m"+name), embed(story, "c"+name)
		p := ops.Softmax(ops.Sum(ops.Mul(m, ops.Unsqueeze(u, 1)), -1), 1)
		u = ops.Add(u, ops.Sum(ops.Mul(ops.Unsqueeze(p, -1), c), 1))
	}
}

// A memory is read and written by weights over its rows.
func neuralTuring(g *graph.Graph) {
	b := g.Dim("b")
	memory, key, add, erase := g.Input("memory", graph.Float32, b, 20, 8), g.Input("key", graph.Float32, b, 8),
		g.Input("add", graph.Float32, b, 8), g.Input("erase", graph.Float32, b, 8)
	w := ops.Softmax(ops.CosineSimilarity(memory, ops.Unsqueeze(key, 1), 2, 1e-6), 1)
	ops.Squeeze(ops.MatMul(ops.Unsqueeze(w, 1), memory), 1)
	memory = ops.Mul(memory, ops.Sub(graph.Num(1), ops.Mul(ops.Unsqueeze(w, 2), ops.Unsqueeze(erase, 1))))
	ops.Add(memory, ops.Mul(ops.Unsqueeze(w, 2), ops.Unsqueeze(add, 1)))
	shift := ops.Softmax(testmodel.Linear(g, "shift", key, 3), -1)
	ops.Add(ops.Mul(ops.Roll(w, 1, 1), ops.Slice(shift, 1, 0, 1, 1)), ops.Mul(w, ops.Slice(shift, 1, 1, 2, 1)))
}

func gatedAttention(g *graph.Graph) {
	n := g.Dim("n")
	h := g.Input("h", graph.Float32, n, 64)
	a := testmodel.Linear(
		g, "w", ops.Mul(ops.Tanh(testmodel.Linear(g, "v", h, 32)), ops.Sigmoid(testmodel.Linear(g, "u", h, 32))), 1)
	a = ops.Softmax(ops.Transpose(a, 1, 0), 1)
	testmodel.Linear(g, "out", ops.MatMul(a, h), 1)
}

func multiQueryDecoder(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 64)
	q, k, v := ops.Reshape(testmodel.Linear(g, "q", x, 64), b, t, 8, 8), testmodel.Linear(g, "k", x, 8),
		testmodel.Linear(g, "v", x, 8)
	w := ops.Softmax(ops.Einsum("bqhd,bkd->bhqk", q, k), -1)
	ops.Reshape(ops.Einsum("bhqk,bkd->bqhd", w, v), b, t, 64)
}
