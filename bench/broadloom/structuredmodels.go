package broadloom

import (
	"math"

	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// folding is the mean of squares of the updates that aligned sequences and pairs of their places give each other.
func folding(in leaves) node {
	norm := func(x node, name string) node { return in.layerNorm(x, "g"+name, "c"+name, 0) }
	attend := func(x, pairs node, name string) node {
		x = norm(x, name)
		if pairs == nil {
			pairs = x
		}
		s := x.Shape()
		qkv := ops.Reshape(ops.Linear(x, in["qkv"+name], nil), s[0], s[1], 3, suite.FoldHeads, suite.FoldWidth)
		parts := ops.Unbind(ops.Permute(qkv, 2, 0, 3, 1, 4), 0)
		bias := ops.Permute(ops.Linear(pairs, in["pair"+name], nil), 2, 0, 1)
		y := ops.ScaledDotProductAttention(parts[0], parts[1], parts[2], ops.AttentionMask(bias))
		y = ops.Flatten(ops.Transpose(y, 1, 2), 2, 3)
		gate := ops.Sigmoid(in.linear(x, "gate"+name, "bgate"+name))
		return in.linear(ops.Mul(y, gate), "out"+name, "bout"+name)
	}
	layers := func(x node, name string) node {
		x = ops.Relu(in.linear(norm(x, name), "w"+name, "b"+name))
		return in.linear(x, "v"+name, "d"+name)
	}
	x, z := in["x"], in["z"]
	x = ops.Add(x, attend(x, z, "row"))
	x = ops.Add(x, layers(x, "rows"))
	sides := ops.Chunk(in.linear(norm(x, "outer"), "sides", "bsides"), -1, 2)
	outer := ops.Flatten(ops.Einsum("sic,sjd->ijcd", sides[0], sides[1]), 2, 3)
	outer = ops.Div(outer, graph.Num(float64(x.Shape()[0])))
	z = ops.Add(z, in.linear(outer, "outer", "bouter"))
	t := norm(z, "triangle")
	ab := ops.Chunk(ops.Mul(ops.Sigmoid(in.linear(t, "open", "bopen")), in.linear(t, "ab", "bab")), -1, 2)
	product := in.linear(norm(ops.Einsum("ikc,jkc->ijc", ab[0], ab[1]), "product"), "product", "bproduct")
	z = ops.Add(z, ops.Mul(product, ops.Sigmoid(in.linear(t, "passes", "bpasses"))))
	z = ops.Add(z, attend(z, nil, "start"))
	z = ops.Add(z, layers(z, "pairs"))
	return ops.Add(ops.Mean(ops.Square(x)), ops.Mean(ops.Square(z)))
}

// fourier is the distance between functions and the results of layers on their frequencies.
func fourier(in leaves) node {
	const modes = suite.FourierModes
	// times multiplies complex numbers, pairs along the last axis, and adds up channels.
	times := func(x, w node) node {
		re, im := ops.Select(x, -1, 0), ops.Select(x, -1, 1)
		wre, wim := ops.Select(w, -1, 0), ops.Select(w, -1, 1)
		product := func(x, w node) node { return ops.Einsum("bixy,ioxy->boxy", x, w) }
		return ops.Stack(-1, ops.Sub(product(re, wre), product(im, wim)), ops.Add(product(re, wim), product(im, wre)))
	}
	z := ops.Conv2D(in["x"], in["lift"], in["blift"])
	for i := range suite.FourierLayers {
		s := z.Shape()
		of := ops.Narrow(ops.RFFT2(z), 3, 0, modes)
		low := times(ops.Narrow(of, 2, 0, modes), in[numbered("low", i)])
		high := times(ops.Narrow(of, 2, s[2]-modes, modes), in[numbered("high", i)])
		out := ops.Concat(2, ops.Pad(low, 2, 0, s[2]-2*modes, 0), high)
		out = ops.IRFFT2(ops.Pad(out, 3, 0, s[3]/2+1-modes, 0), ops.FFTSizes(s[2], s[3]))
		z = ops.Gelu(ops.Add(out, in.numberedConv(z, "", i)))
	}
	return ops.MSE(in.conv(z, "last", "blast"), in["y"])
}

// splines is the cross-entropy of layers that add up splines of each element, computed by Cox and de Boor's recursion.
func splines(in leaves) node {
	z := in["x"]
	for i := 0; in[numbered("base", i)] != nil; i++ {
		at, knots := ops.Unsqueeze(z, 2), in[numbered("knots", i)]
		last := knots.Shape()[1]
		from := func(first, end graph.Dim) node { return ops.Slice(knots, 1, first, last+end, 1) }
		bases := ops.Cast(ops.And(ops.GreaterEqual(at, from(0, -1)), ops.Less(at, from(1, 0))), graph.Float32)
		for k := graph.Dim(1); k <= suite.SplineOrder; k++ {
			count := bases.Shape()[2]
			rising := ops.Div(ops.Sub(at, from(0, -k-1)), ops.Sub(from(k, -1), from(0, -k-1)))
			falling := ops.Div(ops.Sub(from(k+1, 0), at), ops.Sub(from(k+1, 0), from(1, -k)))
			bases = ops.Add(ops.Mul(rising, ops.Narrow(bases, 2, 0, count-1)),
				ops.Mul(falling, ops.Narrow(bases, 2, 1, count-1)))
		}
		spline := ops.Linear(ops.Flatten(bases, 1, 2), ops.Flatten(in[numbered("spline", i)], 1, 2), nil)
		z = ops.Add(ops.Linear(ops.Silu(z), in[numbered("base", i)], nil), spline)
	}
	return ops.CrossEntropy(z, in["t"])
}

// capsules is the margin loss of vectors for classes, which agree with those of places.
func capsules(in leaves) node {
	squash := func(x node) node {
		square := ops.Sum(ops.Square(x), -1, ops.KeepDims())
		root := ops.Sqrt(ops.Add(square, graph.Num(1e-8)))
		return ops.Mul(x, ops.Div(square, ops.Mul(ops.Add(square, graph.Num(1.0)), root)))
	}
	votes := in["votes"]
	width := votes.Shape()[3]
	z := ops.Conv2D(ops.Relu(ops.Conv2D(in["x"], in["w0"], in["b0"])), in["w1"], in["b1"], ops.Stride(2))
	s := z.Shape()
	z = ops.Permute(ops.Reshape(z, s[0], s[1]/width, width, s[2], s[3]), 0, 1, 3, 4, 2)
	z = squash(ops.Flatten(z, 1, 3))
	said := ops.Einsum("bid,ciod->bcio", z, votes)
	logits := ops.Zeros(z.Graph(), graph.Float32, said.Shape()[:3]...)
	var out node
	for step := range suite.RoutingSteps {
		share := ops.Softmax(logits, 1)
		out = squash(ops.Sum(ops.Mul(ops.Unsqueeze(share, -1), said), 2))
		if step < suite.RoutingSteps-1 {
			logits = ops.Add(logits, ops.Sum(ops.Mul(said, ops.Unsqueeze(out, 2)), -1))
		}
	}
	length := ops.Sqrt(ops.Add(ops.Sum(ops.Square(out), -1), graph.Num(1e-8)))
	own := ops.OneHot(in["t"], length.Shape()[1], graph.Float32)
	short := ops.Square(ops.Relu(ops.Sub(graph.Num(0.9), length)))
	long := ops.Mul(graph.Num(0.5), ops.Square(ops.Relu(ops.Sub(length, graph.Num(0.1)))))
	return ops.Mean(ops.Sum(ops.Add(ops.Mul(own, short), ops.Mul(ops.Sub(graph.Num(1.0), own), long)), 1))
}

// nowcast is the distance between the next image and the prediction of a recurrent convolution.
func nowcast(in leaves) node {
	x := in["x"].Shape()
	zero := ops.Zeros(in["x"].Graph(), graph.Float32, x[0], in["last"].Shape()[1], x[3], x[4])
	final, _ := ops.Scan(ops.Loop{Carry: []node{zero, zero}, Over: []node{in["x"]}, Axis: 1},
		func(carry, x []node) (next, out []node) {
			parts := ops.Chunk(in.conv(ops.Concat(1, x[0], carry[0]), "w", "b", ops.Padding(1)), 1, 4)
			c := ops.Add(ops.Mul(ops.Sigmoid(parts[1]), carry[1]), ops.Mul(ops.Sigmoid(parts[0]), ops.Tanh(parts[2])))
			return []node{ops.Mul(ops.Sigmoid(parts[3]), ops.Tanh(c)), c}, nil
		})
	return ops.MSE(in.conv(final[0], "last", "blast"), in["y"])
}

// tagger is the negative logarithm of the likelihood of tags among all sequences of tags.
func tagger(in leaves) node {
	words, t, follows := in["words"], in["t"], in["follows"]
	g := words.Graph()
	width, _ := words.Shape()[1].Int()
	y := nn.NewLSTM(g, "lstm", int(width), int(width), nn.Bidirectional()).Apply(
		nn.Training(g), ops.Embedding(in["x"], words))
	scores := in.linear(y, "head", "bias")
	length := t.Shape()[1]
	pairs := ops.Stack(-1, ops.Narrow(t, 1, 0, length-1), ops.Narrow(t, 1, 1, length-1))
	own := ops.Add(ops.Sum(ops.Gather(scores, 2, ops.Unsqueeze(t, 2)), 1, 2),
		ops.Sum(ops.GatherND(follows, pairs, 0), 1))
	rest := ops.Narrow(scores, 1, 1, length-1)
	all, _ := ops.Scan(ops.Loop{Carry: []node{ops.Select(scores, 1, 0)}, Over: []node{rest}, Axis: 1},
		func(carry, x []node) (next, out []node) {
			return []node{ops.Add(ops.LogSumExp(ops.Add(ops.Unsqueeze(carry[0], 2), follows), 1), x[0])}, nil
		})
	return ops.Mean(ops.Sub(ops.LogSumExp(all[0], 1), own))
}

// molecules is the distance of a property and places from the predictions of layers whose atoms exchange messages and
// move.
func molecules(in leaves) node {
	x, h := in["x"], in["h"]
	s := h.Shape()
	for i := range suite.MoleculeLayers {
		apart := ops.Sub(ops.Unsqueeze(x, 2), ops.Unsqueeze(x, 1))
		square := ops.Sum(ops.Square(apart), -1, ops.KeepDims())
		own, other := ops.Expand(ops.Unsqueeze(h, 2), s[0], s[1], s[1], s[2]),
			ops.Expand(ops.Unsqueeze(h, 1), s[0], s[1], s[1], s[2])
		m := ops.Silu(in.numberedLinear(ops.Concat(-1, own, other, square), "edge", "bedge", i))
		m = ops.Silu(in.numberedLinear(m, "tell", "btell", i))
		pull := ops.Linear(ops.Silu(in.numberedLinear(m, "pull", "bpull", i)), in[numbered("far", i)], nil)
		x = ops.Add(x, ops.Mean(ops.Mul(apart, pull), 2))
		z := ops.Silu(in.numberedLinear(ops.Concat(-1, h, ops.Sum(m, 2)), "node", "bnode", i))
		h = ops.Add(h, in.numberedLinear(z, "next", "bnext", i))
	}
	return ops.Add(ops.MSE(in.linear(ops.Sum(h, 1), "head", "bias"), in["y"]), ops.MSE(x, in["to"]))
}

// transport is the cost of moving points to others by a plan that Sinkhorn's steps find.
func transport(in leaves) node {
	side := func(name string) node { return ops.Normalize(in.linear(in[name], "w", "b"), 2, -1, 1e-12) }
	x, y := side("x"), side("y")
	cost := ops.Sub(graph.Num(1.0), ops.MatMul(x, ops.Transpose(y, 0, 1)))
	scores := ops.Div(ops.Neg(cost), graph.Num(suite.TransportSmooth))
	n, m := cost.Shape()[0], cost.Shape()[1]
	g := cost.Graph()
	start := []node{ops.Zeros(g, graph.Float32, n, 1), ops.Zeros(g, graph.Float32, 1, m)}
	final := ops.Fori(suite.TransportSteps, start, func(_ node, carry []node) []node {
		a := ops.Neg(ops.LogSumExp(ops.Add(scores, carry[1]), 1, ops.KeepDims()))
		return []node{a, ops.Neg(ops.LogSumExp(ops.Add(scores, a), 0, ops.KeepDims()))}
	})
	plan := ops.Exp(ops.Add(ops.Add(scores, final[0]), final[1]))
	return ops.Sum(ops.Mul(plan, cost))
}

// policy is the clipped surrogate of a policy, with the error of the value estimates and the entropy.
func policy(in leaves) node {
	net := func(name string) node {
		z := in["x"]
		for i := range 2 {
			z = ops.Tanh(in.numberedLinear(z, name+"w", name+"b", i))
		}
		return in.numberedLinear(z, name+"w", name+"b", 2)
	}
	deviation := ops.Exp(in["deviation"])
	logProb := ops.Sum(ops.NormalLogProb(in["move"], net("p"), deviation), -1)
	ratio := ops.Exp(ops.Sub(logProb, in["before"]))
	gain := ops.Div(ops.Sub(in["gain"], ops.Mean(in["gain"])), ops.Add(ops.Std(in["gain"], 1), graph.Num(1e-8)))
	clipped := ops.Clamp(ratio, 1-suite.PolicyClip, 1+suite.PolicyClip)
	surrogate := ops.Mean(ops.Minimum(ops.Mul(ratio, gain), ops.Mul(clipped, gain)))
	worth := ops.MSE(ops.Squeeze(net("v"), -1), in["worth"])
	entropy := ops.Sum(ops.Add(ops.Log(deviation), graph.Num(0.5+0.5*math.Log(2*math.Pi))))
	return ops.Sub(ops.Sub(ops.Mul(worth, graph.Num(0.5)), surrogate), ops.Mul(entropy, graph.Num(suite.PolicyEntropy)))
}

// hashed is the distance between colours and the predictions of layers from the table entries at the corners of the
// points' cells.
func hashed(in leaves) node {
	x := in["x"]
	corner := ops.Iota(x.Graph(), 0, 8)
	corners := ops.Stack(-1, ops.BitAnd(ops.ShiftRight(corner, graph.Num(2)), graph.Num(1)),
		ops.BitAnd(ops.ShiftRight(corner, graph.Num(1)), graph.Num(1)), ops.BitAnd(corner, graph.Num(1)))
	isFar := ops.Equal(corners, graph.Num(1))
	var parts []node
	for i := range suite.HashLevels {
		table := in[numbered("table", i)]
		cells := math.Floor(16 * math.Pow(suite.HashFinest/16, float64(i)/(suite.HashLevels-1)))
		at := ops.Mul(x, graph.Num(cells))
		cell := ops.Floor(at)
		share := ops.Unsqueeze(ops.Sub(at, cell), 1)
		keys := ops.Unbind(ops.Add(ops.Unsqueeze(ops.Cast(cell, graph.Int64), 1), corners), -1)
		key := ops.BitXor(ops.BitXor(keys[0], ops.Mul(keys[1], graph.Num(2654435761))),
			ops.Mul(keys[2], graph.Num(805459861)))
		key = ops.Remainder(key, graph.Num(suite.HashEntries))
		weight := ops.Prod(ops.Where(isFar, share, ops.Sub(graph.Num(1.0), share)), -1, ops.KeepDims())
		parts = append(parts, ops.Sum(ops.Mul(ops.Embedding(key, table), weight), 1))
	}
	z := ops.Concat(-1, parts...)
	for i := range 2 {
		z = ops.Relu(in.numberedLinear(z, "w", "b", i))
	}
	return ops.MSE(ops.Sigmoid(in.numberedLinear(z, "w", "b", 2)), in["y"])
}
