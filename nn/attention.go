package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// MultiHeadAttention is attention with several heads (Vaswani and others, Attention Is All You
// Need, 2017, section 3.2).
type MultiHeadAttention struct {
	declared
	// [width + 2·kvHeads·head, width], of queries, keys and values; nil if their widths differ
	InProjWeight *graph.Node
	// with [KeyWidth] or [ValueWidth], those of queries, keys and values: [width, width], [kvHeads·head, its width];
	// else
	ProjWeights [3]*graph.Node
	// nil
	projections          []Weighted  // of which these are the weights
	InProjBias           *graph.Node // as many, or nil
	BiasK, BiasV         *graph.Node // [1, 1, kvHeads·head] with [BiasKV], or nil
	OutProj              *Linear     // [width, width]
	heads, kvHeads       int
	width, head          int // head is the width of one
	keyWidth, valueWidth graph.Dim
	settings             settings
}

// NewMultiHeadAttention declares attention over values of the given width, which is divided among the heads. The
// parameters name.in_proj_weight, [3·width, width], name.in_proj_bias, name.out_proj.weight and name.out_proj.bias
// and their initial values are those of PyTorch's MultiheadAttention with batch_first. If [KeyWidth] or [ValueWidth]
// differs from width, name.q_proj_weight, k_proj_weight and v_proj_weight replace the first. [BiasKV] adds
// name.bias_k and name.bias_v. Other options are [ZeroAttn], [KVHeads], [Causal], [DropoutRate], [RotaryBase],
// [RotaryInterleaved], [WeightInit] and [BiasInit] (for both projections), [NoBias], [WeightNorm] and [SpectralNorm]
// (for all weights or those that are named, such as in_proj_weight and out_proj.weight), [Int8Weights], [Int4Weights],
// [Uint8Weights], [Uint4Weights] and [DType].
func NewMultiHeadAttention(g *graph.Graph, name string, width, heads int, opts ...Option) *MultiHeadAttention {
	l := &MultiHeadAttention{heads: heads, width: width}
	has := "KeyWidth ValueWidth BiasKV ZeroAttn KVHeads Causal DropoutRate RotaryBase RotaryInterleaved WeightInit BiasInit NoBias WeightNorm SpectralNorm Int8Weights Int4Weights Uint8Weights Uint4Weights DType"
	l.declared = declare(g, "MultiHeadAttention", name, opts, has, func(s *settings) {
		if l.kvHeads = s.kvHeads; l.kvHeads == 0 {
			l.kvHeads = heads
		}
		if heads < 1 || width < 1 || width%heads != 0 || l.kvHeads < 1 || heads%l.kvHeads != 0 {
			s.layer.refuse(
				fmt.Sprintf("%d heads must divide the width %d, and %d heads of keys and values must divide the heads",
					heads, width, l.kvHeads))
			l.heads, l.kvHeads, l.width = 1, 1, max(width, 1)
		}
		if s.rotaryInterleaved && s.rotary == 0 {
			s.layer.refuse("RotaryInterleaved is for RotaryBase")
		}
		l.head = l.width / l.heads
		packed := l.newProjections(g, s)
		bias := or(s.bias, Zeros())
		out := []Option{DType(s.dtype), WeightInit(s.weight), BiasInit(bias), s.normedAs("out_proj.weight"),
			s.heldAlike()}
		if s.noBias {
			out = append(out, NoBias())
		} else {
			l.InProjBias = g.ParamInit("in_proj_bias", s.dtype, bias, packed)
		}
		l.OutProj = NewLinear(g, "out_proj", l.width, l.width, out...)
		l.settings = *s
	})
	return l
}

// newProjections declares the weights of queries, keys and values, and the key and the value of [BiasKV]. It returns
// the rows of all weights.
func (l *MultiHeadAttention) newProjections(g *graph.Graph, s *settings) (packed graph.Dim) {
	in, each := graph.Dim(l.width), graph.Dim(l.kvHeads*l.head)
	packed = in.Plus(each.Times(2))
	l.keyWidth, l.valueWidth = in, in
	if s.keyWidth != nil {
		l.keyWidth = graph.Dim(*s.keyWidth)
	}
	if s.valueWidth != nil {
		l.valueWidth = graph.Dim(*s.valueWidth)
	}
	weight := func(name string, rows, columns graph.Dim) *graph.Node {
		w := s.newNamedWeight(g, name, XavierUniform(), 0, rows, columns)
		l.projections = append(l.projections, w)
		return w.Weight
	}
	if l.keyWidth == in && l.valueWidth == in {
		l.InProjWeight = weight("in_proj_weight", packed, in)
	} else {
		l.ProjWeights = [3]*graph.Node{weight("q_proj_weight", in, in), weight("k_proj_weight", each, l.keyWidth),
			weight("v_proj_weight", each, l.valueWidth)}
	}
	if s.biasKV {
		l.BiasK = g.ParamInit("bias_k", s.dtype, or(s.bias, XavierNormal()), 1, 1, each)
		l.BiasV = g.ParamInit("bias_v", s.dtype, or(s.bias, XavierNormal()), 1, 1, each)
	}
	return packed
}

// Apply attends from each position of x, [batch, t, width], to the positions of x: self-attention. It returns x's
// shape.
func (l *MultiHeadAttention) Apply(p *Pass, x *graph.Node) *graph.Node { return l.Attend(p, x, x, x) }

// Attend attends from query, [batch, t, width], to key and value, [batch, s, width] or of [KeyWidth] and [ValueWidth],
// and returns [batch, t, width].
func (l *MultiHeadAttention) Attend(p *Pass, query, key, value *graph.Node, opts ...AttentionOption) *graph.Node {
	return l.attend("Attend", p, query, key, value, attendingOf(opts), nil)
}

// AttendWithWeights is Attend that also returns the attention weights, as PyTorch's MultiheadAttention does with
// need_weights: their mean over the heads, [batch, t, s], or with [EachHead] those of each head, [batch, heads, t, s].
// In training, dropout has been applied to them. Unlike Attend, it needs memory for the matrix of all weights.
func (l *MultiHeadAttention) AttendWithWeights(p *Pass, query, key, value *graph.Node, opts ...AttentionOption) (y,
	weights *graph.Node) {
	a := attendingOf(opts)
	y = l.attend("AttendWithWeights", p, query, key, value, a, &weights)
	switch {
	case weights == nil:
		weights = y // a refusal
	case !a.eachHead:
		weights = ops.Mean(weights, 1)
	}
	return y, weights
}

// attend is Attend and AttendWithWeights; weights receives those of each head, unless it is nil.
func (l *MultiHeadAttention) attend(fn string, p *Pass, query, key, value *graph.Node, a attending,
	weights **graph.Node) *graph.Node {
	args := []argument{{"query", query, "b t width"}, {"key", key, "b s key_width"},
		{"value", value, "b s value_width"}}
	sizes := map[string]graph.Dim{"width": graph.Dim(l.width), "key_width": l.keyWidth, "value_width": l.valueWidth}
	if a.padding != nil {
		form := "b s"
		if len(a.caches) == 1 && a.caches[0] != nil && a.caches[0].Keys != nil {
			form, sizes["longest"] = "b longest", a.caches[0].Keys.Shape()[2]
		}
		args = append(args, argument{"KeyPadding", a.padding, form})
	}
	return l.apply(p, args, sizes, "b t width", func(in []*graph.Node) *graph.Node {
		if refusal := l.refuse(fn, in, &a, weights); refusal != nil {
			return refusal
		}
		rows := make([]rowsOf, len(l.projections))
		for i := range rows {
			rows[i] = l.projections[i].rowsIn(p)
		}
		q, k, v := l.project(rows, in[0], 0), l.project(rows, in[1], 1), l.project(rows, in[2], 2)
		first := graph.Num(0) // the place of the first query
		if len(a.caches) > 0 {
			first = a.caches[0].Length
		}
		if s := l.settings; s.rotary != 0 {
			q, k = rotate(q, s.rotary, first, s.rotaryInterleaved), rotate(k, s.rotary, first, s.rotaryInterleaved)
		}
		if len(a.caches) > 0 {
			k, v = a.caches[0].append(p, k, v)
		}
		var y *graph.Node
		inDTypeOfCache(a.caches, &q, &a.mask, func() {
			k, v, mask := l.masked(q, k, v, first, a)
			y = attend(p, q, k, v, mask, l.settings.dropout, weights)
		})
		return l.OutProj.Apply(p, ops.Flatten(ops.Transpose(y, 1, 2), 2, 3))
	})
}

// refuse returns the refusal of options that attention does not take, or nil. Values that the contract refuses are
// returned as they are. It adds KeyPadding, the fourth of in, to the mask.
func (l *MultiHeadAttention) refuse(fn string, in []*graph.Node, a *attending, weights **graph.Node) *graph.Node {
	query := in[0]
	for _, x := range in[:3] {
		if x.Rank() != 3 {
			return x // the contract refuses it
		}
	}
	if len(a.caches) > 1 || slices.Contains(a.caches, nil) || len(a.caches) == 1 && a.caches[0].Keys == nil {
		return unbuilt("Cached", "attention takes one cache, made by its own NewCache", query)
	}
	if a.memory.isGiven() || a.source.isGiven() {
		return unbuilt(
			fn,
			"MemoryMask and MemoryKeyPadding are for decoder layers, and SourceMask and SourceKeyPadding for an EncoderDecoder: use Mask and KeyPadding for attention",
			query)
	}
	if len(in) > 3 {
		if in[3].Rank() != 2 {
			return query // the contract refuses it
		}
		if refusal := a.hide(in[3]); refusal != nil {
			return refusal
		}
	}
	if a.eachHead && weights == nil {
		return unbuilt(fn, "EachHead is for AttendWithWeights", query)
	}
	return nil
}

// masked returns keys and values, with those that all queries see behind them, and which of them each query sees; first
// is the place of the first query.
func (l *MultiHeadAttention) masked(q, k, v, first *graph.Node, a attending) (keys, values *graph.Node,
	mask []ops.AttentionOption) {
	switch isCausal := len(a.caches) > 0 || l.settings.causal; {
	case l.BiasK != nil || l.settings.zeroAttn:
		if isCausal {
			a.mask = both(a.mask, notAfter(q, k, first))
		}
		k, v, a.mask = l.withMore(k, v, a.mask)
	case isCausal && a.mask == nil:
		a.mask = notAfter(q, k, first)
	case isCausal:
		return k, v, []ops.AttentionOption{ops.AttentionMask(a.mask), ops.CausalFrom(first)}
	}
	return k, v, []ops.AttentionOption{ops.AttentionMask(a.mask)}
}

// project makes queries (0), keys (1) or values (2) of x, [b, t, its width], by rows of the packed weight or by a
// weight of their own: [b, heads, t, head].
func (l *MultiHeadAttention) project(weights []rowsOf, x *graph.Node, part int) *graph.Node {
	heads, from := l.heads, graph.Dim(0)
	if part > 0 {
		heads, from = l.kvHeads, graph.Dim((l.heads+(part-1)*l.kvHeads)*l.head)
	}
	first, count, bias := from, graph.Dim(heads*l.head), l.InProjBias
	if len(weights) > 1 {
		first = 0
	}
	weight := weights[min(part, len(weights)-1)](first, count)
	if bias != nil {
		bias = ops.Narrow(bias, 0, from, count)
	}
	return l.split(ops.Linear(x, weight, bias), heads)
}

// withMore adds the keys and values of [BiasKV] and [ZeroAttn] behind those that there are, [b, kvHeads, s, head],
// which a mask lets pass.
func (l *MultiHeadAttention) withMore(k, v, mask *graph.Node) (keys, values, wider *graph.Node) {
	batch, before := k.Shape()[0], k.Shape()[2]
	if l.BiasK != nil {
		more := func(x, bias *graph.Node) *graph.Node {
			return ops.Concat(2, x,
				ops.Expand(l.split(bias, l.kvHeads), batch, graph.Dim(l.kvHeads), 1, graph.Dim(l.head)))
		}
		k, v = more(k, l.BiasK), more(v, l.BiasV)
	}
	if l.settings.zeroAttn {
		k, v = ops.Pad(k, 2, 0, 1, 0), ops.Pad(v, 2, 0, 1, 0)
	}
	count := k.Shape()[2].Minus(before)
	if count == 0 || mask == nil || !mask.Judged() {
		return k, v, mask
	}
	shape := slices.Clone(mask.Shape())
	if len(shape) == 0 {
		shape = graph.Shape{1}
	}
	shape[len(shape)-1] = before
	passes := 0.0 // what is added to scores
	if mask.DType() == graph.Bool {
		passes = 1
	}
	return k, v, ops.Pad(ops.Expand(mask, shape...), -1, 0, count, passes)
}

// split makes [b, heads, t, head] of [b, t, heads·head].
func (l *MultiHeadAttention) split(x *graph.Node, heads int) *graph.Node {
	return ops.Transpose(ops.Unflatten(x, 2, graph.Dim(heads), graph.Dim(l.head)), 1, 2)
}

// attend is attention of q, [b, heads, t, head], to k and v, [b, kvHeads, s, head], with options that hide keys and
// dropout in training. Unless weights is nil, it receives the weights, [b, heads, t, s].
func attend(p *Pass, q, k, v *graph.Node, opts []ops.AttentionOption, rate float64, weights **graph.Node) *graph.Node {
	if q.Shape()[1] != k.Shape()[1] {
		opts = append(opts, ops.GroupedQuery())
	}
	if drops(p, q, rate) {
		opts = append(opts, ops.AttentionDropout(rate, p.Seed()))
	}
	if weights == nil {
		return ops.ScaledDotProductAttention(q, k, v, opts...)
	}
	*weights = ops.AttentionWeights(q, k, opts...)
	if heads, shared := q.Shape()[1], v.Shape()[1]; heads != shared {
		v = ops.RepeatInterleave(v, 1, heads.DividedBy(shared))
	}
	return ops.MatMul(*weights, v)
}

// notAfter is true where a key, [.., s, head], does not come after a query, [.., t, head], the
// first of which has the given place: [t, s].
func notAfter(q, k, first *graph.Node) *graph.Node {
	g, t, s := q.Graph(), q.Shape()[2], k.Shape()[2]
	return ops.LessEqual(ops.Iota(g, 1, 1, s), ops.Add(ops.Iota(g, 0, t, 1), first))
}

// hide adds padding, [batch, keys], to what the mask hides. It returns a refusal, or nil.
func (a *attending) hide(padding *graph.Node) (refusal *graph.Node) {
	isBool := padding.DType() == graph.Bool
	if !isBool && !padding.DType().IsFloat() {
		return unbuilt("KeyPadding", fmt.Sprintf(
			"padding is Bool, true where a key is padding, and %s is %s: where it is 1 for what counts, ops.Equal(%s, graph.Num(0))",
			padding.Called(), padding.DType(), padding.Called()), padding)
	}
	padding = ops.Unsqueeze(ops.Unsqueeze(padding, 1), 1)
	switch {
	case isBool:
		a.mask = both(a.mask, ops.Not(padding))
	case a.mask == nil:
		a.mask = padding
	case a.mask.Judged() && a.mask.DType() == graph.Bool:
		a.mask = both(padding, a.mask)
	default:
		a.mask = ops.Add(a.mask, padding)
	}
	return nil
}

// both is a mask and one of Bool.
func both(mask, other *graph.Node) *graph.Node {
	switch {
	case mask == nil:
		return other
	case mask.Judged() && mask.DType() == graph.Bool:
		return ops.And(mask, other)
	}
	return ops.Where(other, mask, graph.Num(math.Inf(-1)))
}
