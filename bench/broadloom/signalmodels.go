package broadloom

import (
	"math"

	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// mamba is the cross-entropy of layers whose state of each channel fades, takes up and gives back as the input says.
func mamba(in leaves) node {
	z := ops.Embedding(in["x"], in["tokens"])
	for i := range suite.SmallMamba.Layers {
		z = ops.Add(z, selective(in, i, ops.RMSNorm(z, in[numbered("norm", i)], suite.NormEpsilon)))
	}
	z = ops.RMSNorm(z, in["norm"], suite.NormEpsilon)
	return tokenLoss(ops.Linear(z, in["head"], nil), in["t"])
}

// selective is a layer on z, [batch, length, width]: a causal convolution of each channel, and the loop over its state,
// with gates.
func selective(in leaves, i int, z node) node {
	of := func(name string) node { return in[numbered(name, i)] }
	both := ops.Chunk(ops.Linear(z, of("in"), nil), -1, 2)
	x, gate := both[0], both[1]
	x, _ = ops.CausalConv1D(ops.Transpose(x, 1, 2), of("conv"), of("bconv"), nil)
	x = ops.Silu(ops.Transpose(x, 1, 2))
	n := graph.Dim(suite.SmallMamba.StateLen)
	parts := ops.SplitSizes(ops.Linear(x, of("parts"), nil), -1, of("step").Shape()[1], n, n)
	step := ops.Softplus(ops.Linear(parts[0], of("step"), of("bstep")))
	a := ops.Neg(ops.Exp(of("loga")))
	begin := ops.Zeros(z.Graph(), z.DType(), z.Shape()[0], x.Shape()[2], n)
	_, outs := ops.Scan(ops.Loop{Carry: []node{begin}, Over: []node{x, step, parts[1], parts[2]}, Axis: 1},
		func(carry, now []node) (next, out []node) {
			x, step, b, c := now[0], ops.Unsqueeze(now[1], -1), ops.Unsqueeze(now[2], 1), ops.Unsqueeze(now[3], 1)
			state := ops.Add(ops.Mul(ops.Exp(ops.Mul(step, a)), carry[0]),
				ops.Mul(ops.Mul(step, b), ops.Unsqueeze(x, -1)))
			return []node{state}, []node{ops.Sum(ops.Mul(state, c), -1)}
		})
	y := ops.Add(outs[0], ops.Mul(x, of("skip")))
	return ops.Linear(ops.Mul(y, ops.Silu(gate)), of("out"), nil)
}

// wave is the cross-entropy of gated dilated convolutions. Each adds to the next one's input and to the result.
func wave(in leaves) node {
	c, g := suite.SmallWave, in["x"].Graph()
	p := nn.Training(g)
	convolve := func(name string, x node, out, kernel int, opts ...nn.Option) node {
		return nn.NewConv1D(g, name, c.Width, out, kernel, opts...).Apply(p, x)
	}
	z := ops.Transpose(nn.NewEmbedding(g, "tokens", c.Tokens, c.Width).Apply(p, in["x"]), 1, 2)
	var sum node
	for i := range c.Layers {
		past := ops.Pad(z, 2, graph.Dim((c.Kernel-1)<<i), 0, 0)
		halves := ops.Chunk(convolve(numbered("dilated.", i), past, 2*c.Width, c.Kernel, nn.Dilation(1<<i)), 1, 2)
		h := ops.Mul(ops.Tanh(halves[0]), ops.Sigmoid(halves[1]))
		skip := convolve(numbered("skip.", i), h, c.Width, 1)
		if i > 0 {
			skip = ops.Add(sum, skip)
		}
		sum = skip
		if i < c.Layers-1 {
			z = ops.Add(z, convolve(numbered("residual.", i), h, c.Width, 1))
		}
	}
	y := convolve("middle", ops.Relu(sum), c.Width, 1)
	y = convolve("last", ops.Relu(y), c.Tokens, 1)
	return ops.CrossEntropy(y, in["t"])
}

// recognizer is the loss of letters, at any places, by convolutions and recurrent layers on spectra.
func recognizer(in leaves) node {
	x, c := in["x"], suite.SmallRecognizer
	g := x.Graph()
	p := nn.Training(g)
	z := ops.Relu(nn.NewConv2D(g, "conv1", 1, c.Width, 3, nn.Stride(2), nn.Padding(1)).Apply(p, x))
	z = ops.Relu(nn.NewConv2D(g, "conv2", c.Width, c.Width, 3, nn.Stride(2), nn.Padding(1)).Apply(p, z))
	z = ops.Flatten(ops.Transpose(z, 1, 2), 2, 3) // [batch, steps, channels·frequencies]
	z = nn.NewLSTM(g, "lstm", c.Width*suite.Mels/4, c.Hidden, nn.Layers(c.Layers), nn.Bidirectional()).Apply(p, z)
	logits := nn.NewLinear(g, "head", 2*c.Hidden, c.Tokens).Apply(p, z)
	steps, _ := logits.Shape()[1].Int()
	all := ops.Full(g, graph.Int64, float64(steps), x.Shape()[0])
	return ops.CTC(ops.Transpose(ops.LogSoftmax(logits, -1), 0, 1), in["letters"], all, in["lengths"])
}

// conformer is the cross-entropy of blocks: half of a feed-forward part, attention, convolution along the sequence, the
// other half.
func conformer(in leaves) (results, updates []node) {
	z, c := in["x"], suite.SmallConformer
	g := z.Graph()
	p := nn.Training(g)
	for i := range c.Layers {
		name := numbered("blocks.", i) + "."
		norm := func(part string) *nn.Norm { return nn.NewLayerNorm(g, name+part, c.Width) }
		half := func(part string) {
			h := nn.NewLinear(g, name+part+".up", c.Width, c.Hidden).Apply(p, norm(part+".norm").Apply(p, z))
			h = nn.NewLinear(g, name+part+".down", c.Hidden, c.Width).Apply(p, ops.Silu(h))
			z = ops.Add(z, ops.Mul(h, graph.Num(0.5)))
		}
		half("first")
		z = ops.Add(z, nn.NewMultiHeadAttention(g, name+"attention", c.Width, c.Heads).Apply(
			p, norm("attention.norm").Apply(p, z)))
		h := ops.Transpose(norm("conv.norm").Apply(p, z), 1, 2)
		h = ops.GLU(nn.NewConv1D(g, name+"conv.expand", c.Width, 2*c.Width, 1).Apply(p, h), 1)
		h = nn.NewConv1D(g, name+"conv.depth", c.Width, c.Width, c.Kernel, nn.Padding(c.Kernel/2),
			nn.Groups(c.Width)).Apply(p, h)
		h = ops.Silu(nn.NewBatchNorm(g, name+"conv.batch", c.Width).Apply(p, h))
		h = nn.NewConv1D(g, name+"conv.shrink", c.Width, c.Width, 1).Apply(p, h)
		z = ops.Add(z, ops.Transpose(h, 1, 2))
		half("second")
		z = norm("norm").Apply(p, z)
	}
	loss := tokenLoss(nn.NewLinear(g, "head", c.Width, c.Tokens).Apply(p, z), in["t"])
	return []node{loss}, p.Updates()
}

// relative is the cross-entropy of a decoder that sees its past and compares queries with keys and with distances.
func relative(in leaves) node {
	c, z := suite.SmallRelative, ops.Embedding(in["x"], in["tokens"])
	g, shape := z.Graph(), z.Shape()
	length, past := shape[1], graph.Dim(c.Longest)
	keys := length.Plus(past)
	head := func(x node) node { return ops.Transpose(ops.Unflatten(x, -1, -1, suite.HeadWidth), -2, -3) }
	sines := distanceSines(g, keys, graph.Dim(c.Width))
	for i := range c.Layers {
		of := func(name string) node { return in[numbered(name, i)] }
		all := ops.Concat(1, of("memory"), z)
		q := ops.Unflatten(ops.Linear(z, of("q"), nil), 2, -1, suite.HeadWidth) // [batch, length, heads, width]
		k, v := head(ops.Linear(all, of("k"), nil)), head(ops.Linear(all, of("v"), nil))
		r := head(ops.Linear(sines, of("r"), nil))
		content := ops.MatMul(ops.Transpose(ops.Add(q, of("u")), 1, 2), ops.Transpose(k, -1, -2))
		places := ops.MatMul(ops.Transpose(ops.Add(q, of("w")), 1, 2), ops.Transpose(r, -1, -2))
		scores := ops.Mul(ops.Add(content, shifted(places)), graph.Num(1/math.Sqrt(suite.HeadWidth)))
		isSeen := ops.LessEqual(ops.Iota(g, 0, keys), ops.Add(ops.Iota(g, 0, length, 1), graph.Num(c.Longest)))
		weights := ops.Softmax(ops.Where(isSeen, scores, graph.Num(math.Inf(-1))), -1)
		y := ops.Flatten(ops.Transpose(ops.MatMul(weights, v), 1, 2), 2, 3)
		z = ops.LayerNorm(ops.Add(z, ops.Linear(y, of("o"), nil)), of("g1_"), of("c1_"), suite.NormEpsilon)
		h := ops.Linear(ops.Relu(ops.Linear(z, of("w1_"), of("b1_"))), of("w2_"), of("b2_"))
		z = ops.LayerNorm(ops.Add(z, h), of("g2_"), of("c2_"), suite.NormEpsilon)
	}
	return tokenLoss(ops.Linear(z, in["tokens"], nil), in["t"])
}

// distanceSines are sines and cosines of the distances n-1, …, 0, [n, width].
func distanceSines(g *graph.Graph, n, width graph.Dim) node {
	distance := ops.Cast(ops.Sub(graph.Num(int(n-1)), ops.Iota(g, 0, n, 1)), graph.Float32)
	rate := ops.Exp(ops.Mul(ops.Cast(ops.Iota(g, 0, width/2), graph.Float32),
		graph.Num(-2*math.Log(10000)/float64(width))))
	angle := ops.Mul(distance, rate)
	return ops.Concat(-1, ops.Sin(angle), ops.Cos(angle))
}

// shifted moves row i of the last two axes, [queries, keys], so that the element for a distance moves to the key at
// that distance from query i: rows become one element longer, and are read one element late.
func shifted(x node) node {
	shape := x.Shape()
	last := len(shape) - 1
	rows, columns := shape[last-1], shape[last]
	x = ops.Reshape(ops.Pad(x, -1, 1, 0, 0),
		append(shape[:last-1:last-1], columns.Plus(1), rows)...).Silence(graph.CodeAxisMixing)
	return ops.Reshape(ops.Narrow(x, -2, 1, columns), shape...).Silence(graph.CodeAxisMixing)
}
