package importer

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// attend is attention of heads, [batch, heads, length, width], of which several may share keys. seen is what a query
// sees, and bias is added to scores; both may be nil.
func (c *call) attend(q, k, v, seen, bias node) node {
	scale := c.float("scale", 0)
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(c.size(q, 3)))
	}
	if limit := c.float("softcap", 0); limit > 0 {
		shared := graph.Dim(c.size(q, 1) / c.size(k, 1))
		k, v = ops.RepeatInterleave(k, 1, shared), ops.RepeatInterleave(v, 1, shared)
		scores := ops.Softcap(ops.Mul(ops.MatMul(q, ops.Transpose(k, 2, 3)), graph.Num(scale)), limit)
		if bias != nil {
			scores = ops.Add(scores, bias)
		}
		if seen != nil {
			scores = ops.Where(seen, scores, graph.Num(math.Inf(-1)))
		}
		return joined(ops.MatMul(ops.Softmax(scores, -1), v))
	}
	opts := []ops.AttentionOption{ops.AttentionScale(scale), ops.GroupedQuery()}
	if seen != nil {
		opts = append(opts, ops.AttentionMask(seen))
	}
	if bias != nil {
		opts = append(opts, ops.AttentionMask(bias))
	}
	return joined(ops.ScaledDotProductAttention(q, k, v, opts...))
}

// groupedAttention is GroupQueryAttention: queries, keys and values of a step, or all three in one, behind a past of
// keys and values that grows by the step's. Where sequences have different lengths, it must be the first step.
func groupedAttention(c *call) []node {
	n, groups := c.int("num_heads", 1), c.int("kv_num_heads", 1)
	if c.has(9) || c.has(11) || c.int("smooth_softmax", 0) == 1 {
		refuse("it has its own positions, sinks or softmax: export the model without them")
	}
	q, k, v := c.in(0), c.at(1), c.at(2)
	if k == nil {
		each := c.size(q, 2) / (n + 2*groups)
		parts := ops.SplitSizes(q, 2, graph.Dim(n*each), graph.Dim(groups*each), graph.Dim(groups*each))
		q, k, v = parts[0], parts[1], parts[2]
	}
	q, k, v = heads(q, n), heads(k, groups), heads(v, groups)
	length, past := q.Shape()[2], graph.Dim(0)
	if c.has(3) {
		past = c.in(3).Shape()[2]
	}
	total := past.Plus(length)
	filled := ops.Add(ops.Cast(c.in(5), graph.Int64), whole(1))
	if past != 0 {
		isWhole := ops.Equal(filled, c.length(total))
		if !past.IsConst() {
			isWhole = ops.Or(isWhole, ops.Equal(c.length(past), whole(0)))
		}
		filled = ops.Assert(filled, isWhole, "GroupQueryAttention: sequences of different lengths have a past")
	}
	if c.int("do_rotary", 0) == 1 {
		at := ops.Add(ops.Iota(c.g, 0, length), c.length(past))
		cos, sin := ops.Take(c.in(7), 0, at), ops.Take(c.in(8), 0, at)
		interleaved := c.int("rotary_interleaved", 0) == 1
		q, k = ops.RotaryEmbedding(q, cos, sin, interleaved), ops.RotaryEmbedding(k, cos, sin, interleaved)
	}
	if c.has(3) {
		k, v = ops.Concat(2, c.in(3), k), ops.Concat(2, c.in(4), v)
	}
	row := ops.Add(ops.Iota(c.g, 0, length, 1), c.length(past))
	column := ops.Iota(c.g, 0, total)
	seen := ops.And(ops.LessEqual(column, row), ops.Less(column, ops.Reshape(filled, -1, 1, 1, 1)))
	if window := c.int("local_window_size", -1); window >= 0 {
		seen = ops.And(seen, ops.Less(ops.Sub(row, column), whole(window)))
	}
	return []node{c.attend(q, k, v, seen, c.at(10)), k, v}
}

// multiHeadAttention is MultiHeadAttention: queries, keys and values with their biases, a mask of keys, a bias of
// scores, and a past.
func multiHeadAttention(c *call) []node {
	n := c.int("num_heads", 1)
	q, k, v := c.in(0), c.at(1), c.at(2)
	if k == nil || v == nil || q.Rank() != 3 {
		refuse("its queries, keys and values are in one operand: export the model without ONNX Runtime's optimisations")
	}
	if b := c.at(3); b != nil {
		parts := ops.Chunk(b, 0, 3)
		q = ops.Add(q, parts[0])
		if k.Rank() == 3 {
			k, v = ops.Add(k, parts[1]), ops.Add(v, parts[2])
		}
	}
	q, k, v = heads(q, n), heads(k, n), heads(v, n)
	past := graph.Dim(0)
	if c.has(6) {
		past = c.in(6).Shape()[2]
		k, v = ops.Concat(2, c.in(6), k), ops.Concat(2, c.in(7), v)
	}
	bias := c.at(5)
	if c.has(4) {
		hidden := c.hiddenPlaces(c.in(4), k.Shape()[2])
		if bias != nil {
			hidden = ops.Add(hidden, bias)
		}
		bias = hidden
	}
	var seen node
	if c.int("unidirectional", 0) == 1 {
		row := ops.Add(ops.Iota(c.g, 0, q.Shape()[2], 1), c.length(past))
		seen = ops.LessEqual(ops.Iota(c.g, 0, k.Shape()[2]), row)
	}
	return []node{c.attend(q, k, v, seen, bias), k, v}
}

// turnedPositions is ONNX Runtime's RotaryEmbedding, whose positions are the second operand: one where a sequence
// begins, or one for each place.
func turnedPositions(c *call) node {
	x, at := c.in(0), c.in(1)
	flat := x.Rank() == 3
	width := c.int("rotary_embedding_dim", 0)
	n := c.int("num_heads", 0)
	if flat && n == 0 {
		n = c.size(x, 2) / (2 * c.size(c.in(2), 1))
	}
	x = heads(x, n)
	if at.Rank() == 1 {
		at = ops.Add(ops.Iota(c.g, 1, 1, x.Shape()[2]), at)
	}
	cos, sin := ops.Unsqueeze(ops.Take(c.in(2), 0, at), 1), ops.Unsqueeze(ops.Take(c.in(3), 0, at), 1)
	if scale := c.float("scale", 1); scale != 1 || width != 0 && graph.Dim(width) != c.in(2).Shape()[1].Times(2) {
		refuse("it has a scale, or a width that is not that of its tables")
	}
	y := ops.RotaryEmbedding(x, cos, sin, c.int("interleaved", 0) == 1)
	if flat {
		y = joined(y)
	}
	return y
}
