package broadloom

import (
	"math"

	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// luong is the cross-entropy of a recurrent decoder whose states attend to an encoder's outputs at all places.
func luong(in leaves) node {
	x, c := in["x"], suite.SmallLuong
	g := x.Graph()
	p := nn.Training(g)
	memory, state := nn.NewLSTM(g, "encoder", c.Width, c.Hidden).ApplyFrom(p, ops.Embedding(x, in["source"]))
	cell := nn.NewLSTMCell(g, "decoder", c.Width+c.Hidden, c.Hidden)
	said := ops.Zeros(g, graph.Float32, x.Shape()[0], graph.Dim(c.Hidden))
	carry := []node{ops.Select(state[0], 0, 0), ops.Select(state[1], 0, 0), said}
	target := ops.Embedding(in["y"], in["target"])
	_, outs := ops.Scan(ops.Loop{Carry: carry, Over: []node{target}, Axis: 1},
		func(carry, x []node) (next, out []node) {
			next = cell.ApplyFrom(p, ops.Concat(-1, x[0], carry[2]), carry[:2]...)
			query := ops.Unsqueeze(ops.Linear(next[0], in["general"], nil), 1)
			weights := ops.Softmax(ops.MatMul(query, ops.Transpose(memory, 1, 2)), -1)
			context := ops.Squeeze(ops.MatMul(weights, memory), 1)
			said := ops.Tanh(ops.Linear(ops.Concat(-1, context, next[0]), in["combine"], nil))
			return []node{next[0], next[1], said}, []node{said}
		})
	return tokenLoss(in.linear(outs[0], "head", "bias"), in["t"])
}

// language is the cross-entropy of recurrent layers that continue from the final states of the text before, and the
// writes of the new final states.
func language(in leaves) (results, updates []node) {
	x, c := in["x"], suite.SmallLanguage
	g := x.Graph()
	layers := nn.NewLSTM(g, "lstm", c.Width, c.Hidden, nn.Layers(c.Layers))
	y, final := layers.ApplyFrom(nn.Training(g), ops.Embedding(x, in["tokens"]), in["h"], in["c"])
	updates = []node{ops.CopyInPlace(in["h"], final[0]), ops.CopyInPlace(in["c"], final[1])}
	return []node{tokenLoss(in.linear(y, "head", "bias"), in["t"])}, updates
}

// attended goes through numbered pre-norm blocks, which attend as said to queries, keys and values, each [batch, heads,
// length, 64].
func (in leaves) attended(z node, layers int, attend func(i int, q, k, v node) node) node {
	for i := range layers {
		q, k, v := heads(in.numberedLinear(in.layerNorm(z, "g1_", "c1_", i), "wqkv", "bqkv", i))
		y := ops.Flatten(ops.Transpose(attend(i, q, k, v), 1, 2), 2, 3)
		z = ops.Add(z, in.numberedLinear(y, "wo", "bo", i))
		z = ops.Add(z, in.feedForward(in.layerNorm(z, "g2_", "c2_", i), "1_", "2_", i))
	}
	return z
}

// performer is the cross-entropy of blocks in which random features of queries and keys approximate the exponentials of
// their products.
func performer(in leaves) node {
	features := func(x node) node {
		x = ops.Mul(x, graph.Num(math.Pow(suite.HeadWidth, -0.25)))
		half := ops.Mul(ops.Sum(ops.Square(x), -1, ops.KeepDims()), graph.Num(0.5))
		return ops.Mul(ops.Exp(ops.Sub(ops.Linear(x, in["directions"], nil), half)),
			graph.Num(1/math.Sqrt(suite.RandomFeatures)))
	}
	z := in.attended(ops.Embedding(in["x"], in["tokens"]), suite.SmallPerformer.Layers, func(_ int, q, k, v node) node {
		q, k = features(q), features(k)
		sums := ops.Einsum("bhlf,bhf->bhl", q, ops.Sum(k, -2))
		y := ops.Einsum("bhlf,bhfd->bhld", q, ops.Einsum("bhlf,bhld->bhfd", k, v))
		return ops.Div(y, ops.Unsqueeze(ops.Add(sums, graph.Num(1e-6)), -1))
	})
	return tokenLoss(in.linear(z, "head", "bias"), in["t"])
}

// retNet is the cross-entropy of blocks whose attention fades with distances, by another rate in each head.
func retNet(in leaves) node {
	z, c := ops.Embedding(in["x"], in["tokens"]), suite.SmallRetNet
	g, length := z.Graph(), z.Shape()[1]
	distance := ops.Cast(ops.Sub(ops.Iota(g, 0, length, 1), ops.Iota(g, 0, length)), graph.Float32)
	head := ops.Cast(ops.Iota(g, 0, graph.Dim(c.Heads), 1, 1), graph.Float32)
	rate := ops.Log(ops.Sub(graph.Num(1.0), ops.Exp2(ops.Sub(graph.Num(-5.0), head))))
	fade := ops.Exp(ops.Mul(rate, distance))
	fade = ops.Where(ops.GreaterEqual(distance, graph.Num(0)), fade, graph.Num(0.0))
	for i := range c.Layers {
		n := in.layerNorm(z, "g1_", "c1_", i)
		q, k, v := heads(in.numberedLinear(n, "wqkv", "bqkv", i))
		q, k = nn.Rotary(q, suite.RotaryBase, graph.Num(0)), nn.Rotary(k, suite.RotaryBase, graph.Num(0))
		scores := ops.Mul(ops.MatMul(q, ops.Transpose(k, -1, -2)), graph.Num(1/math.Sqrt(suite.HeadWidth)))
		y := ops.MatMul(ops.Mul(scores, fade), v)
		y = ops.Flatten(ops.Transpose(ops.RMSNorm(y, nil, suite.NormEpsilon), 1, 2), 2, 3)
		y = ops.Mul(y, ops.Silu(ops.Linear(n, in[numbered("gate", i)], nil)))
		z = ops.Add(z, in.numberedLinear(y, "wo", "bo", i))
		n = in.layerNorm(z, "g2_", "c2_", i)
		h := ops.Mul(ops.Silu(in.numberedLinear(n, "w1_", "b1_", i)), ops.Linear(n, in[numbered("w3_", i)], nil))
		z = ops.Add(z, in.numberedLinear(h, "w2_", "b2_", i))
	}
	return tokenLoss(in.linear(z, "head", "bias"), in["t"])
}

// perceiver is the cross-entropy of a few vectors that look at a long sequence and then at each other.
func perceiver(in leaves) node {
	x := in["x"]
	head := func(x node) node { return ops.Transpose(ops.Unflatten(x, -1, -1, suite.HeadWidth), 1, 2) }
	latents := in["latents"].Shape()
	z := ops.Expand(in["latents"], x.Shape()[0], latents[0], latents[1])
	q := head(in.linear(ops.LayerNorm(z, in["gl"], in["cl"], suite.NormEpsilon), "wq", "bq"))
	both := ops.Chunk(in.linear(ops.LayerNorm(x, in["gx"], in["cx"], suite.NormEpsilon), "wkv", "bkv"), -1, 2)
	y := ops.ScaledDotProductAttention(q, head(both[0]), head(both[1]))
	z = ops.Add(z, in.linear(ops.Flatten(ops.Transpose(y, 1, 2), 2, 3), "wc", "bc"))
	z = in.attended(z, suite.SmallPerceiver.Layers, func(_ int, q, k, v node) node {
		return ops.ScaledDotProductAttention(q, k, v)
	})
	return ops.CrossEntropy(in.linear(ops.Mean(z, 1), "head", "bias"), in["t"])
}

// temporal is the cross-entropy of residual blocks of dilated causal convolutions.
func temporal(in leaves) node {
	z, c := in["x"], suite.SmallTemporal
	for i := range c.Layers {
		y := z
		for _, part := range []string{"a", "b"} {
			w := ops.WeightNorm(in[numbered("v"+part, i)], in[numbered("l"+part, i)], 0)
			y = ops.Pad(y, 2, graph.Dim((c.Kernel-1)<<i), 0, 0)
			y = ops.Relu(ops.Conv1D(y, w, in[numbered("b"+part, i)], ops.Dilation(1<<i)))
		}
		if wp := in[numbered("wp", i)]; wp != nil {
			z = ops.Conv1D(z, wp, in[numbered("bp", i)])
		}
		z = ops.Relu(ops.Add(z, y))
	}
	return ops.CrossEntropy(ops.Conv1D(z, in["last"], in["blast"]), in["t"])
}
