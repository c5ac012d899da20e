package importer

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"Attention": attention, "ai.onnx.preview.FlexAttention": func(c *call) []node {
			if c.given("score_mod") || c.given("prob_mod") {
				refuse(
					"it has bodies that change the scores, which is not supported: write the attention with other operators")
			}
			return attention(c)
		},
		"RotaryEmbedding": func(c *call) []node { return []node{rotary(c)} },
		"CausalConvWithState": func(c *call) []node {
			y, next := ops.CausalConv1D(c.in(0), c.in(1), c.at(2), c.at(3))
			if c.text("activation", "none") != "none" {
				y = ops.Silu(y)
			}
			return []node{y, next}
		},
		"LinearAttention": linearAttention,
	})
}

// heads makes [batch, length, heads·width] the form [batch, heads, length, width].
func heads(x node, n int) node {
	if x.Rank() == 4 {
		return x
	}
	return ops.Permute(ops.Unflatten(x, 2, graph.Dim(n), -1), 0, 2, 1, 3)
}

func joined(x node) node { return ops.Flatten(ops.Permute(x, 0, 2, 1, 3), 2, 3) }

func attention(c *call) []node {
	t, flat := c.in(0).DType(), c.in(0).Rank() == 3
	wide := t
	if t.Bits() < 32 {
		wide = graph.Float32
	}
	q, k, v := heads(c.in(0), c.int("q_num_heads", 1)), heads(c.in(1), c.int("kv_num_heads", 1)),
		heads(c.in(2), c.int("kv_num_heads", 1))
	past := graph.Dim(0)
	if key := c.at(4); key != nil {
		past = key.Shape()[2]
		k, v = ops.Concat(2, key, k), ops.Concat(2, c.in(5), v)
	}
	results := []node{nil, k, v, nil}
	scale := c.float("scale", 1/math.Sqrt(float64(c.size(q, 3))))
	q, k, v = ops.Cast(q, wide), ops.Cast(k, wide), ops.Cast(v, wide)
	bias := attentionBias(c, wide, q.Shape()[2], k.Shape()[2], past)
	capped := c.float("softcap", 0)
	if !c.wants(3) && capped == 0 {
		opts := []ops.AttentionOption{ops.AttentionScale(scale), ops.GroupedQuery()}
		if bias != nil {
			opts = append(opts, ops.AttentionMask(bias))
		}
		results[0] = ops.ScaledDotProductAttention(q, k, v, opts...)
	} else {
		shared := graph.Dim(c.size(q, 1) / c.size(k, 1))
		k, v = ops.RepeatInterleave(k, 1, shared), ops.RepeatInterleave(v, 1, shared)
		stages := []node{ops.Mul(ops.MatMul(q, ops.Transpose(k, 2, 3)), graph.Num(scale))}
		scores := stages[0]
		if capped > 0 {
			scores = ops.Softcap(scores, capped)
		}
		stages = append(stages, scores)
		if bias != nil {
			scores = ops.Add(scores, bias)
		}
		weights := ops.Softmax(scores, -1)
		if bias != nil {
			weights = ops.Where(ops.Equal(ops.Max(scores, -1, ops.KeepDims()), graph.Num(math.Inf(-1))), graph.Num(0),
				weights)
		}
		stages = append(stages, scores, weights)
		results[3] = ops.Cast(stages[c.int("qk_matmul_output_mode", 0)], t)
		results[0] = ops.MatMul(weights, v)
	}
	results[0] = ops.Cast(results[0], t)
	if flat {
		results[0] = joined(results[0])
	}
	return results
}

// attentionBias is what is added to scores, -Inf where a query does not see a key; nil where nothing is.
func attentionBias(c *call, t graph.DType, queries, keys, past graph.Dim) (bias node) {
	add := func(x node) {
		if bias == nil {
			bias = x
		} else {
			bias = ops.Add(bias, x)
		}
	}
	hidden := func(seen node) { add(ops.Where(seen, ops.Zeros(c.g, t), ops.Full(c.g, t, math.Inf(-1)))) }
	if mask := c.at(3); mask != nil {
		missing := keys.Minus(mask.Shape()[mask.Rank()-1])
		if mask.DType() == graph.Bool {
			hidden(ops.Cast(ops.Pad(ops.Cast(mask, graph.Int32), -1, 0, missing, 0), graph.Bool))
		} else {
			add(ops.Cast(ops.Pad(mask, -1, 0, missing, math.Inf(-1)), t))
		}
	}
	row := ops.Add(ops.Iota(c.g, 0, queries, 1), c.length(past))
	column := ops.Iota(c.g, 0, keys)
	if filled := c.at(6); filled != nil {
		filled = ops.Reshape(filled, -1, 1, 1, 1)
		row = ops.Add(row, ops.Sub(filled, c.length(queries)))
		hidden(ops.Less(column, filled))
	}
	if c.int("is_causal", 0) == 1 {
		hidden(ops.LessEqual(column, row))
	}
	if n := c.int("left_window_size", -1); n >= 0 {
		hidden(ops.LessEqual(ops.Sub(row, column), whole(n)))
	}
	if n := c.int("right_window_size", -1); n >= 0 {
		hidden(ops.LessEqual(ops.Sub(column, row), whole(n)))
	}
	return bias
}

func rotary(c *call) node {
	x, cos, sin := c.in(0), c.in(1), c.in(2)
	flat := x.Rank() == 3
	x = heads(x, c.int("num_heads", 1))
	if at := c.at(3); at != nil {
		cos, sin = ops.Take(cos, 0, at), ops.Take(sin, 0, at)
	}
	y := ops.RotaryEmbedding(x, ops.Unsqueeze(cos, 1), ops.Unsqueeze(sin, 1), c.int("interleaved", 0) == 1)
	if flat {
		y = joined(y)
	}
	return y
}

// linearAttention is computed in Float32, and has a past state of another dtype.
func linearAttention(c *call) []node {
	t, out := c.in(0).DType(), c.in(0).DType()
	queryHeads, keyHeads := c.int("q_num_heads", 1), c.int("kv_num_heads", 1)
	wide := func(x node) node { return ops.Cast(x, graph.Float32) }
	q, k, v := wide(heads(c.in(0), queryHeads)), wide(heads(c.in(1), keyHeads)), wide(heads(c.in(2), keyHeads))
	var opts []ops.LinearAttentionOption
	if past := c.at(3); past != nil {
		opts, out = append(opts, ops.LinearState(wide(past))), past.DType()
	}
	if decay := c.at(4); decay != nil {
		opts = append(opts, ops.LinearDecay(wide(heads(decay, keyHeads))))
	}
	if beta := c.at(5); beta != nil {
		opts = append(opts, ops.LinearBeta(wide(ops.Unsqueeze(ops.Transpose(beta, 1, 2), -1))))
	}
	if scale := c.float("scale", 0); scale != 0 {
		opts = append(opts, ops.LinearScale(scale))
	}
	y, last := ops.LinearAttention(q, k, v, opts...)
	return []node{ops.Cast(joined(y), t), ops.Cast(last, out)}
}
