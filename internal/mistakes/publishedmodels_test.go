package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
)

// Parts of published models of many kinds.
var _ = add(
	multiHeadVariants, stateSpace, conditionalField, layerScaleAndPositions, swinWindows, weightsOfChannels, deepSets,
	filmLayer, lowRank, hyperNetwork,
	normalizingFlow, actorCritic, standardizedByHand, echoState,
)

// Queries, keys and values of one layer, with heads inside and outside.
func multiHeadVariants(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 64)
	all := ops.Permute(ops.Reshape(testmodel.Linear(g, "qkv", x, 192), b, t, 3, 8, 8), 2, 0, 3, 1, 4)
	qkv := ops.Unbind(all, 0)
	y := ops.Reshape(ops.Transpose(attend(qkv[0], qkv[1], qkv[2], nil), 1, 2), b, t, 64)
	flat := ops.Reshape(ops.Transpose(ops.Reshape(y, b, t, 8, 8), 1, 2), b.Times(8), t, 8)
	back := ops.Reshape(attend(flat, flat, flat, nil), b, 8, t, 8)
	ops.Reshape(ops.Permute(back, 0, 2, 1, 3), b, t, 64)
	// Time first, as in fairseq.
	z := g.Input("z", graph.Float32, t, b, 64)
	q := ops.Transpose(ops.Reshape(testmodel.Linear(g, "z", z, 64), t, b.Times(8), 8), 0, 1)
	ops.Reshape(ops.Transpose(attend(q, q, q, nil), 0, 1), t, b, 64)
}

// A selective state space, step by step.
func stateSpace(g *graph.Graph) {
	b, t := g.Dim("batch"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 16)
	delta, bs, cs := ops.Softplus(testmodel.Linear(g, "delta", x, 16)), testmodel.Linear(g, "b", x, 16),
		testmodel.Linear(g, "c", x, 16)
	a := ops.Neg(ops.Exp(g.Param("a", graph.Float32, 16, 16)))
	decay := ops.Exp(ops.Mul(ops.Unsqueeze(delta, -1), a))
	in := ops.Mul(ops.Mul(ops.Unsqueeze(delta, -1), ops.Unsqueeze(bs, 2)), ops.Unsqueeze(x, -1))
	_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, b, 16, 16)},
		Over: []*graph.Node{decay, in}, Axis: 1},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.Add(ops.Mul(x[0], c[0]), x[1])
			return []*graph.Node{h}, []*graph.Node{h}
		})
	y := ops.Sum(ops.Mul(all[0], ops.Unsqueeze(cs, 2)), -1)
	ops.Add(y, ops.Mul(x, g.Param("d", graph.Float32, 16)))
}

// A CRF: scores of tags and of transitions, of as many tags as steps.
func conditionalField(g *graph.Graph) {
	b := g.Dim("batch")
	x, mask := g.Input("x", graph.Float32, b, 9, 9), g.Input("mask", graph.Bool, b, 9)
	a := g.Param("a", graph.Float32, 9, 9)
	alpha := ops.Add(ops.Select(x, 1, 0), g.Param("start", graph.Float32, 9))
	for i := range 4 {
		step := ops.Add(ops.Add(ops.Unsqueeze(alpha, 2), a), ops.Unsqueeze(ops.Select(x, 1, graph.Dim(i+1)), 1))
		alpha = ops.Where(ops.Unsqueeze(ops.Select(mask, 1, graph.Dim(i+1)), 1), ops.LogSumExp(step, 1), alpha)
	}
	ops.LogSumExp(ops.Add(alpha, g.Param("end", graph.Float32, 9)), 1)
}

func layerScaleAndPositions(g *graph.Graph) {
	b := g.Dim("b")
	x := g.Input("x", graph.Float32, b, 64, 64)
	h := ops.Add(testmodel.Linear(g, "in", x, 64), g.Param("places", graph.Float32, 64, 64))
	y := ops.Mul(g.Param("scale", graph.Float32, 64), testmodel.Linear(g, "out", ops.Gelu(h), 64))
	mixed := ops.Transpose(testmodel.Linear(g, "tokens", ops.Transpose(ops.Add(h, y), 1, 2), 64), 1, 2)
	ops.Add(mixed, ops.Mul(y, g.Param("s2", graph.Float32, 64)))
}

func swinWindows(g *graph.Graph) {
	n := g.Dim("windows", graph.MultipleOf(9))
	x, bias := g.Input("x", graph.Float32, n, 16, 64), g.Param("bias", graph.Float32, 4, 16, 16)
	q := heads(g, "q", x, 4, 16)
	scores := ops.Add(ops.MatMul(q, ops.Transpose(heads(g, "k", x, 4, 16), 2, 3)), bias)
	mask := g.Input("mask", graph.Float32, 9, 16, 16)
	ops.Softmax(ops.Add(ops.Reshape(scores, -1, 9, 4, 16, 16), ops.Unsqueeze(mask, 1)), -1)
}

func weightsOfChannels(g *graph.Graph) {
	b := g.Dim("b")
	x := g.Input("x", graph.Float32, b, 16, 16, 16)
	pooled := ops.Mean(x, 2, 3)
	s := ops.Sigmoid(testmodel.Linear(g, "up", ops.Relu(testmodel.Linear(g, "down", pooled, 4)), 16))
	ops.Mul(x, ops.Reshape(s, b, 16, 1, 1))
	ops.Mul(ops.Permute(x, 0, 2, 3, 1), ops.Reshape(s, b, 1, 1, 16))
}

func deepSets(g *graph.Graph) {
	x, mask := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("n"), 8),
		g.Input("mask", graph.Float32, g.Dim("batch"), g.Dim("n"), 1)
	h := ops.Mul(testmodel.Linear(g, "phi", x, 32), mask)
	h = ops.Sub(h, ops.Div(ops.Sum(h, 1, ops.KeepDims()), ops.Sum(mask, 1, ops.KeepDims())))
	testmodel.Linear(g, "rho", ops.Max(h, 1), 4)
}

func filmLayer(g *graph.Graph) {
	b := g.Dim("b")
	x, z := g.Input("x", graph.Float32, b, 32, 8, 8), g.Input("z", graph.Float32, b, 16)
	both := ops.Chunk(testmodel.Linear(g, "film", z, 64), 1, 2)
	ops.Add(ops.Mul(x, ops.Reshape(both[0], b, 32, 1, 1)), ops.Reshape(both[1], b, 32, 1, 1))
	normed, _, _ := ops.InstanceNorm(x, nil, nil, 1e-5)
	ops.Add(ops.Mul(normed, ops.Unsqueeze(ops.Unsqueeze(both[0], 2), 3)), ops.Unsqueeze(ops.Unsqueeze(both[1], 2), 3))
}

func lowRank(g *graph.Graph) {
	b, t := g.Dim("b"), g.Dim("t")
	x := g.Input("x", graph.Float32, b, t, 64)
	w, a, c := g.Param("w", graph.Float32, 64, 64), g.Param("a", graph.Float32, 4, 64),
		g.Param("c", graph.Float32, 64, 4)
	y := ops.Add(ops.Linear(x, w, nil), ops.Mul(ops.Linear(ops.Linear(x, a, nil), c, nil), graph.Num(2)))
	// DoRA: each column of the sum has a length that is learned.
	v := ops.Add(w, ops.MatMul(c, a))
	ops.Linear(y, ops.Mul(g.Param("m", graph.Float32, 1, 64), ops.Div(v, ops.Norm(v, 2, 0, ops.KeepDims()))), nil)
}

func hyperNetwork(g *graph.Graph) {
	b := g.Dim("b")
	x, z := g.Input("x", graph.Float32, b, g.Dim("n"), 8), g.Input("z", graph.Float32, b, 16)
	w := ops.Reshape(testmodel.Linear(g, "w", z, 64), b, 8, 8)
	ops.Relu(ops.Add(ops.MatMul(x, w), ops.Unsqueeze(testmodel.Linear(g, "b", z, 8), 1)))
	// Mixtures of filters, of the attention of each example.
	share := ops.Softmax(testmodel.Linear(g, "share", z, 4), 1)
	ops.Reshape(ops.MatMul(share, ops.Reshape(g.Param("k", graph.Float32, 4, 8, 8), 4, 64)), b, 8, 8)
}

func normalizingFlow(g *graph.Graph) {
	b := g.Dim("batch")
	x := g.Input("x", graph.Float32, b, 8)
	parts := ops.Chunk(x, 1, 2)
	st := ops.Chunk(testmodel.Linear(g, "st", parts[0], 8), 1, 2)
	s := ops.Tanh(st[0])
	z := ops.Concat(1, parts[0], ops.Add(ops.Mul(parts[1], ops.Exp(s)), st[1]))
	log := ops.Sum(ops.Sub(ops.Mul(graph.Num(-0.5), ops.Square(z)), graph.Num(0.92)), 1)
	ops.Neg(ops.Mean(ops.Add(log, ops.Sum(s, 1))))
	mask := ops.Remainder(ops.Iota(g, 0, 8), graph.Num(2))
	ops.Mul(x, ops.Cast(mask, graph.Float32))
}

func actorCritic(g *graph.Graph) {
	b := g.Dim("batch", graph.AtLeast(2))
	seen, action, gain, old := g.Input("seen", graph.Float32, b, 8), g.Input("action", graph.Float32, b, 2),
		g.Input("gain", graph.Float32, b), g.Input("old", graph.Float32, b)
	value := ops.Squeeze(testmodel.Linear(g, "v", seen, 1), -1)
	mean, log := testmodel.Linear(g, "mu", seen, 2), g.Param("log", graph.Float32, 2)
	each := ops.Sum(ops.NormalLogProb(action, mean, ops.Exp(log)), -1)
	advantage := ops.Sub(gain, ops.StopGradient(value))
	advantage = ops.Div(ops.Sub(advantage, ops.Mean(advantage)), ops.Add(ops.Std(advantage, 1), graph.Num(1e-8)))
	ratio := ops.Exp(ops.Sub(each, old))
	ops.Neg(ops.Mean(ops.Minimum(ops.Mul(ratio, advantage), ops.Mul(ops.Clamp(ratio, 0.8, 1.2), advantage))))
	ops.MSE(value, gain)
	ops.Div(ops.Sum(ops.Square(ops.Sub(gain, value))), ops.Sum(ops.Square(ops.Sub(gain, ops.Mean(gain)))))
}

func standardizedByHand(g *graph.Graph) {
	b := g.Dim("batch", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, b, 16, 16, 16)
	mean, deviation := ops.Mean(x, 0, 2, 3, ops.KeepDims()), ops.Std(x, 1, 0, 2, 3, ops.KeepDims())
	y := ops.Div(ops.Sub(x, mean), deviation)
	ops.Add(ops.Mul(y, g.Param("gain", graph.Float32, 1, 16, 1, 1)), g.Param("bias", graph.Float32, 1, 16, 1, 1))
	// Weight standardization, and batch renormalization.
	w := g.Param("w", graph.Float32, 16, 16, 3, 3)
	w = ops.Div(ops.Sub(w, ops.Mean(w, 1, 2, 3, ops.KeepDims())), ops.Std(w, 1, 1, 2, 3, ops.KeepDims()))
	h := ops.Conv2D(y, w, nil, ops.Padding(1))
	r := ops.Div(ops.Std(h, 1, 0, 2, 3, ops.KeepDims()), g.Param("s", graph.Float32, 1, 16, 1, 1))
	ops.Mul(ops.Div(ops.Sub(h, ops.Mean(h, 0, 2, 3, ops.KeepDims())), deviation),
		ops.StopGradient(ops.Clamp(r, 0.3, 3)))
	// Per-channel means of all images.
	ops.Sub(x, g.Param("mean", graph.Float32, 16, 1, 1))
	ops.Sub(ops.Permute(x, 0, 2, 3, 1), g.Param("last", graph.Float32, 16))
}

func echoState(g *graph.Graph) {
	x := g.Input("x", graph.Float32, g.Dim("t"), 4)
	w, in := g.Param("w", graph.Float32, 64, 64), g.Param("in", graph.Float32, 64, 4)
	_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 64)}, Over: []*graph.Node{x}},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.Add(ops.Mul(c[0], graph.Num(0.7)),
				ops.Mul(ops.Tanh(ops.Add(ops.MatMul(w, c[0]), ops.MatMul(in, x[0]))), graph.Num(0.3)))
			return []*graph.Node{h}, []*graph.Node{h}
		})
	s := all[0]
	ops.Solve(ops.Add(ops.MatMul(ops.Transpose(s, 0, 1), s), ops.Eye(g, graph.Float32, 64, 64)),
		ops.MatMul(ops.Transpose(s, 0, 1), x))
}
