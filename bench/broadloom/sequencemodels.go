package broadloom

import (
	"math"

	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// llama is the logits of a decoder with rotary positions, root-mean-square norms and gated layers.
func llama(p *nn.Pass, x node, c suite.Sizes, caches []*nn.KVCache) node {
	g := p.Graph()
	z := nn.NewEmbedding(g, "tokens", c.Tokens, c.Width).Apply(p, x)
	for i := range c.Layers {
		name := numbered("layers.", i)
		linear := func(part string, in, out int, x node) node {
			return nn.NewLinear(g, name+"."+part, in, out, nn.NoBias()).Apply(p, x)
		}
		attention := nn.NewMultiHeadAttention(g, name+".attn", c.Width, c.Heads,
			nn.KVHeads(c.KVHeads), nn.Causal(), nn.RotaryBase(suite.RotaryBase), nn.NoBias())
		var cached []nn.AttentionOption
		if caches != nil {
			cached = append(cached, nn.Cached(caches[i]))
		}
		n := nn.NewRMSNorm(g, name+".norm1", c.Width).Apply(p, z)
		z = ops.Add(z, attention.Attend(p, n, n, n, cached...))
		n = nn.NewRMSNorm(g, name+".norm2", c.Width).Apply(p, z)
		n = ops.Mul(ops.Silu(linear("gate", c.Width, c.Hidden, n)), linear("up", c.Width, c.Hidden, n))
		z = ops.Add(z, linear("down", c.Hidden, c.Width, n))
	}
	z = nn.NewRMSNorm(g, "norm", c.Width).Apply(p, z)
	return nn.NewLinear(g, "head", c.Width, c.Tokens, nn.NoBias()).Apply(p, z)
}

// llamaTraining is its cross-entropy.
func llamaTraining(in leaves) node {
	logits := llama(nn.Training(in["x"].Graph()), in["x"], suite.SmallLlama, nil)
	return tokenLoss(logits, in["t"])
}

// tokenLoss is the cross-entropy of logits, [batch, length, tokens].
func tokenLoss(logits, t node) node {
	return ops.CrossEntropy(ops.Flatten(logits, 0, 1), ops.Flatten(t, 0, 1))
}

// llamaCached is the logits of places after those with cached keys and values, and the writes to the cache.
func llamaCached(in leaves) (results, updates []node) {
	p := nn.Evaluation(in["x"].Graph())
	var caches []*nn.KVCache
	for i := range suite.LargerLlama.Layers {
		// How many places there are is fed, so that each call is for the same one.
		length := ops.Add(in["place"], graph.Num(0))
		caches = append(caches,
			&nn.KVCache{Keys: in[numbered("keys", i)], Values: in[numbered("values", i)], Length: length})
	}
	logits := llama(p, in["x"], suite.LargerLlama, caches)
	return []node{ops.Select(logits, 1, -1)}, p.Updates()
}

// bert is the cross-entropy of masked places of sequences of different lengths.
func bert(in leaves) node {
	x, c := in["x"], suite.SmallBERT
	g := x.Graph()
	p := nn.Training(g)
	tokens := nn.NewEmbedding(g, "tokens", c.Tokens, c.Width)
	z := nn.NewPositions(g, "positions", c.Longest, c.Width).Apply(p, tokens.Apply(p, x))
	z = nn.NewLayerNorm(g, "norm", c.Width).Apply(p, z)
	encoder := nn.NewTransformerEncoder(g, "encoder", c.Layers, c.Width, c.Heads,
		nn.FeedForward(c.Hidden), nn.Activation(ops.Gelu), nn.DropoutRate(0))
	z = encoder.ApplyTo(p, z, nil, nn.Mask(within(in["lengths"], x.Shape()[1], 1, 1)))
	z = ops.GatherND(z, ops.Unsqueeze(in["places"], -1), 1)
	z = ops.Gelu(nn.NewLinear(g, "dense", c.Width, c.Width).Apply(p, z))
	z = nn.NewLayerNorm(g, "last", c.Width).Apply(p, z)
	return tokenLoss(ops.Linear(z, tokens.Weight, in["bias"]), in["t"])
}

// within says which places are in sequences of some lengths, [batch, …, longest] with the given axes between.
func within(lengths node, longest graph.Dim, between ...graph.Dim) node {
	shape := append(graph.Shape{lengths.Shape()[0]}, between...)
	return ops.Less(ops.Iota(lengths.Graph(), 0, longest), ops.Reshape(lengths, append(shape, 1)...))
}

// t5 is the cross-entropy of a decoder that reads an encoder's outputs. Attention knows only the distances of places.
func t5(in leaves) node {
	encoded := t5Part(in, "encoder", in["x"], nil)
	decoded := t5Part(in, "decoder", in["y"], encoded)
	return tokenLoss(ops.Linear(decoded, in["tokens"], nil), in["t"])
}

// t5Part is the encoder, or with memory the decoder.
func t5Part(in leaves, part string, x, memory node) node {
	z := ops.Embedding(x, in["tokens"])
	length := x.Shape()[1]
	distances := ops.Permute(ops.Embedding(buckets(x.Graph(), length, memory == nil), in[part+"_distances"]), 2, 0, 1)
	self := []ops.AttentionOption{ops.AttentionScale(1), ops.AttentionMask(distances)}
	if memory != nil {
		self = append(self, ops.Causal())
	}
	for i := range suite.SmallT5.Layers {
		of := func(name string) node { return in[part+numbered("_"+name, i)] }
		attend := func(kind string, memory node, opts ...ops.AttentionOption) {
			n := ops.RMSNorm(z, of(kind+"norm"), suite.NormEpsilon)
			if memory == nil {
				memory = n
			}
			head := func(x, w node) node {
				return ops.Transpose(ops.Unflatten(ops.Linear(x, w, nil), 2, -1, suite.HeadWidth), 1, 2)
			}
			y := ops.ScaledDotProductAttention(head(n, of(kind+"q")), head(memory, of(kind+"k")),
				head(memory, of(kind+"v")), opts...)
			z = ops.Add(z, ops.Linear(ops.Flatten(ops.Transpose(y, 1, 2), 2, 3), of(kind+"o"), nil))
		}
		attend("self_", nil, self...)
		if memory != nil {
			attend("cross_", memory, ops.AttentionScale(1))
		}
		n := ops.RMSNorm(z, of("norm"), suite.NormEpsilon)
		z = ops.Add(z, ops.Linear(ops.Relu(ops.Linear(n, of("wi"), nil)), of("wo"), nil))
	}
	return ops.RMSNorm(z, in[part+"_last"], suite.NormEpsilon)
}

// buckets are the buckets of the distances of all pairs of places, [length, length]. Half of them are for small
// distances, one each; the rest are for greater ones by their logarithms. With both, half of all are for later places.
func buckets(g *graph.Graph, length graph.Dim, both bool) node {
	distance := ops.Sub(ops.Iota(g, 0, length), ops.Iota(g, 0, length, 1))
	count, first := suite.Buckets, graph.Num(0)
	if both {
		count /= 2
		first = ops.Mul(ops.Cast(ops.Greater(distance, graph.Num(0)), graph.Int64), graph.Num(count))
		distance = ops.Abs(distance)
	} else {
		distance = ops.Maximum(ops.Neg(distance), graph.Num(0))
	}
	exact := count / 2
	far := ops.Log(ops.Div(ops.Cast(ops.Maximum(distance, graph.Num(1)), graph.Float32), graph.Num(float64(exact))))
	far = ops.Mul(far, graph.Num(float64(count-exact)/math.Log(float64(suite.FarAway)/float64(exact))))
	large := ops.Minimum(ops.Add(ops.Cast(far, graph.Int64), graph.Num(exact)), graph.Num(count-1))
	return ops.Add(ops.Where(ops.Less(distance, graph.Num(exact)), distance, large), first)
}

// mixture is the cross-entropy of layers of experts; each token goes to a few of them.
func mixture(layer func(n, chosen, weights, w1, w2 node) node) func(in leaves) node {
	return func(in leaves) node {
		z := in["x"]
		for i := range suite.SmallMixture.Layers {
			of := func(name string) node { return in[numbered(name, i)] }
			n := ops.RMSNorm(z, of("norm"), suite.NormEpsilon)
			weights, chosen := ops.TopK(ops.Softmax(ops.Linear(n, of("router"), nil), -1),
				graph.Dim(suite.SmallMixture.Chosen), -1, true)
			weights = ops.Div(weights, ops.Sum(weights, -1, ops.KeepDims()))
			z = ops.Add(z, layer(n, chosen, weights, of("w1_"), of("w2_")))
		}
		return ops.CrossEntropy(in.linear(z, "head", "bias"), in["t"])
	}
}

// everyExpert computes all experts for all tokens, and adds up those that are chosen.
func everyExpert(n, chosen, weights, w1, w2 node) node {
	h := ops.Silu(ops.Einsum("td,edf->etf", n, w1))
	each := ops.Einsum("etf,efd->etd", h, w2)
	combine := ops.Sum(ops.Mul(ops.OneHot(chosen, w1.Shape()[0], graph.Float32), ops.Unsqueeze(weights, -1)), 1)
	return ops.Einsum("te,etd->td", combine, each)
}

// chosenExperts gives each expert capacity for some more tokens than its share, and computes the tokens that are routed
// to it.
func chosenExperts(n, chosen, weights, w1, w2 node) node {
	g, experts := n.Graph(), w1.Shape()[0]
	tokens, _ := n.Shape()[0].Int()
	each, _ := chosen.Shape()[1].Int()
	room := graph.Dim(float64(tokens*each) / float64(experts) * suite.CapacityOver)
	flat := ops.Flatten(chosen, 0, 1)
	before := ops.Sub(ops.CumSum(ops.OneHot(flat, experts, graph.Int64), 0), graph.Num(1))
	place := ops.Squeeze(ops.Gather(before, 1, ops.Unsqueeze(flat, 1)), 1)
	none := experts.Times(room) // the place of what finds no room
	slot := ops.Where(ops.Less(place, graph.Num(int(room))), ops.Add(ops.Mul(flat, graph.Num(int(room))), place),
		graph.Num(int(none)))
	given := ops.IndexAdd(ops.Zeros(g, n.DType(), none+1, n.Shape()[1]), 0, slot,
		ops.RepeatInterleave(n, 0, graph.Dim(each)))
	given = ops.Reshape(ops.Narrow(given, 0, 0, none), experts, room, n.Shape()[1])
	y := ops.Flatten(ops.MatMul(ops.Silu(ops.MatMul(given, w1)), w2), 0, 1)
	y = ops.Reshape(ops.Embedding(slot, ops.Pad(y, 0, 0, 1, 0)), n.Shape()[0], graph.Dim(each), n.Shape()[1])
	return ops.Sum(ops.Mul(y, ops.Unsqueeze(weights, -1)), 1)
}

// translator is the cross-entropy of a recurrent decoder that attends to an encoder's outputs at all places in each
// step.
func translator(in leaves) node {
	x, c := in["x"], suite.SmallTranslator
	g := x.Graph()
	p := nn.Training(g)
	source := nn.NewEmbedding(g, "source", c.Tokens, c.Width).Apply(p, x)
	target := nn.NewEmbedding(g, "target", c.Tokens, c.Width).Apply(p, in["y"])
	memory, state := nn.NewLSTM(g, "encoder", c.Width, c.Hidden).ApplyPadded(p, source, in["lengths"])
	keys := nn.NewLinear(g, "keys", c.Hidden, c.Hidden, nn.NoBias()).Apply(p, memory)
	query := nn.NewLinear(g, "query", c.Hidden, c.Hidden, nn.NoBias())
	energy := nn.NewLinear(g, "energy", c.Hidden, 1, nn.NoBias())
	cell := nn.NewLSTMCell(g, "decoder", c.Width+c.Hidden, c.Hidden)
	seen := within(in["lengths"], x.Shape()[1])
	carry := []node{ops.Select(state[0], 0, 0), ops.Select(state[1], 0, 0)}
	_, outs := ops.Scan(ops.Loop{Carry: carry, Over: []node{target}, Axis: 1},
		func(carry, x []node) (next, out []node) {
			scores := ops.Squeeze(
				energy.Apply(p, ops.Tanh(ops.Add(keys, ops.Unsqueeze(query.Apply(p, carry[0]), 1)))), -1)
			weights := ops.Softmax(ops.Where(seen, scores, graph.Num(math.Inf(-1))), -1)
			context := ops.Squeeze(ops.MatMul(ops.Unsqueeze(weights, 1), memory), 1)
			next = cell.ApplyFrom(p, ops.Concat(-1, x[0], context), carry...)
			return next, []node{ops.Concat(-1, next[0], context)}
		})
	return tokenLoss(nn.NewLinear(g, "head", 2*c.Hidden, c.Tokens).Apply(p, outs[0]), in["t"])
}
