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
	InProjWeight   *graph.Node // [width + 2·kvHeads·head, width]: those of queries, keys and values
	InProjBias     *graph.Node // as many, or nil
	OutProj        *Linear     // [width, width]
	heads, kvHeads int
	width, head    int // head is the width of one
	settings       settings
}

// NewMultiHeadAttention declares attention over values of the given width, which the heads divide
// among them, with the parameters name.in_proj_weight, [3·width, width], name.in_proj_bias,
// name.out_proj.weight and name.out_proj.bias, as PyTorch's MultiheadAttention with batch_first;
// they start as there. Options are [KVHeads], [Causal], [DropoutRate], [RotaryBase],
// [WeightInit] and [BiasInit] (of both projections), [NoBias] and [DType].
func NewMultiHeadAttention(g *graph.Graph, name string, width, heads int, opts ...Option) *MultiHeadAttention {
	l := &MultiHeadAttention{heads: heads, width: width}
	has := "KVHeads Causal DropoutRate RotaryBase WeightInit BiasInit NoBias DType"
	l.declared = declare(g, "MultiHeadAttention", name, opts, has, func(s *settings) {
		if l.kvHeads = s.kvHeads; l.kvHeads == 0 {
			l.kvHeads = heads
		}
		if heads < 1 || width < 1 || width%heads != 0 || l.kvHeads < 1 || heads%l.kvHeads != 0 {
			l.g, l.kind = g, "MultiHeadAttention"
			l.refuse(fmt.Sprintf("%d heads must divide a width of %d, and %d heads of keys and values must divide them", heads, width, l.kvHeads))
			l.heads, l.kvHeads, l.width = 1, 1, max(width, 1)
		}
		l.head = l.width / l.heads
		packed, in := graph.Dim(l.width+2*l.kvHeads*l.head), graph.Dim(l.width)
		l.InProjWeight = g.ParamInit("in_proj_weight", s.dtype, or(s.weight, XavierUniform()), packed, in)
		bias := or(s.bias, Zeros())
		out := []Option{DType(s.dtype), WeightInit(s.weight), BiasInit(bias)}
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

// Apply attends from each place of x, [batch, t, width], to its places: self-attention. It returns
// x's shape.
func (l *MultiHeadAttention) Apply(p *Pass, x *graph.Node) *graph.Node { return l.Attend(p, x, x, x) }

// Attend attends from query, [batch, t, width], to key and value, [batch, s, width], and returns
// [batch, t, width].
func (l *MultiHeadAttention) Attend(p *Pass, query, key, value *graph.Node, opts ...AttentionOption) *graph.Node {
	a := attendingOf(opts)
	args := []argument{{"query", query, "b t width"}, {"key", key, "b s width"}, {"value", value, "b s width"}}
	sizes := map[string]graph.Dim{"width": graph.Dim(l.width)}
	return l.apply(p, args, sizes, "b t width", func(in []*graph.Node) *graph.Node {
		for _, x := range in {
			if x.Rank() != 3 {
				return x // the contract refuses it
			}
		}
		if len(a.caches) > 1 || slices.Contains(a.caches, nil) || len(a.caches) == 1 && a.caches[0].Keys == nil {
			return unbuilt("Cached", "attention takes one cache, of its own NewCache", query)
		}
		from, end := 0, 0
		project := func(x *graph.Node, heads int) *graph.Node {
			from, end = end, end+heads*l.head
			return l.split(l.project(x, from, end), heads)
		}
		q, k, v := project(in[0], l.heads), project(in[1], l.kvHeads), project(in[2], l.kvHeads)
		first := graph.Num(0) // the place of the first query
		if len(a.caches) > 0 {
			first = a.caches[0].Length
		}
		if l.settings.rotary != 0 {
			q, k = rotate(q, l.settings.rotary, first), rotate(k, l.settings.rotary, first)
		}
		mask := a.mask
		if len(a.caches) > 0 {
			k, v = a.caches[0].append(p, k, v)
			mask = both(mask, notAfter(q, k, first))
		} else if l.settings.causal {
			mask = both(mask, notAfter(q, k, first))
		}
		y := attend(p, q, k, v, mask, l.settings.dropout)
		return l.OutProj.Apply(p, ops.Flatten(ops.Transpose(y, 1, 2), 2, 3))
	})
}

// project multiplies by some rows of the packed weight.
func (l *MultiHeadAttention) project(x *graph.Node, from, end int) *graph.Node {
	rows := func(w *graph.Node) *graph.Node { return ops.Slice(w, 0, graph.Dim(from), graph.Dim(end), 1) }
	if l.InProjBias == nil {
		return ops.Linear(x, rows(l.InProjWeight), nil)
	}
	return ops.Linear(x, rows(l.InProjWeight), rows(l.InProjBias))
}

// split makes [b, heads, t, head] of [b, t, heads·head].
func (l *MultiHeadAttention) split(x *graph.Node, heads int) *graph.Node {
	return ops.Transpose(ops.Unflatten(x, 2, graph.Dim(heads), graph.Dim(l.head)), 1, 2)
}

// attend is attention of q, [b, heads, t, head], to k and v, [b, kvHeads, s, head], with dropout in
// training.
func attend(p *Pass, q, k, v, mask *graph.Node, rate float64) *graph.Node {
	opts := []ops.AttentionOption{ops.AttentionMask(mask)}
	if q.Shape()[1] != k.Shape()[1] {
		opts = append(opts, ops.GroupedQuery())
	}
	if drops(p, q, rate) {
		opts = append(opts, ops.AttentionDropout(rate, p.Seed()))
	}
	return ops.ScaledDotProductAttention(q, k, v, opts...)
}

// notAfter is true where a key, [.., s, head], does not come after a query, [.., t, head], the
// first of which has the given place: [t, s].
func notAfter(q, k, first *graph.Node) *graph.Node {
	g, t, s := q.Graph(), q.Shape()[2], k.Shape()[2]
	return ops.LessEqual(ops.Iota(g, 1, 1, s), ops.Add(ops.Iota(g, 0, t, 1), first))
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
