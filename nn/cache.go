package nn

import (
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// KVCache holds the keys and values of past positions, so that a program that generates text computes each position
// once.
type KVCache struct {
	Keys, Values *graph.Node // [batch, kvHeads, longest, head], state
	Length       *graph.Node // Int64 scalar, state: the number of positions filled
}

// NewCache declares a cache for a number of sequences of at most the given length, as the state name.keys, name.values
// and name.length. Apply attention with it in an evaluation pass,
//
//	y := attention.Attend(pass, x, x, x, nn.Cached(cache))
//
// to the positions after those of the last run, x being [batch, t, width], and give [Pass.Updates] to the program. A
// query attends to itself and to earlier positions. Set the length to 0 (exec.Session.SetParam) to start new sequences.
// A run that would exceed the longest length is an error, and does not change the length. Within
// [graph.Graph.Autocast] a cache has the dtype of the keys and values, which takes half of the memory. Attention to a
// cache that was declared outside, in Float32, is computed in Float32 there.
func (l *MultiHeadAttention) NewCache(name string, batch, longest int) *KVCache {
	c := &KVCache{}
	if l.g == nil {
		return c
	}
	l.g.Scope(name, func() {
		shape := graph.Shape{graph.Dim(batch), graph.Dim(l.kvHeads), graph.Dim(longest), graph.Dim(l.head)}
		dtype := l.g.Autocasted(l.settings.dtype)
		c.Keys = l.g.State("keys", dtype, Zeros(), shape...)
		c.Values = l.g.State("values", dtype, Zeros(), shape...)
		c.Length = l.g.State("length", graph.Int64, Zeros())
	})
	return c
}

// NewCaches declares a cache for the self-attention of each layer, as [MultiHeadAttention.NewCache]
// does, named name.0 and so on. Apply the stack with Cached(caches...).
func (t *Transformer) NewCaches(name string, batch, longest int) (caches []*KVCache) {
	for i, l := range t.Layers {
		if l.SelfAttn != nil {
			caches = append(caches, l.SelfAttn.NewCache(name+"."+strconv.Itoa(i), batch, longest))
		}
	}
	return caches
}

// EmptyCaches returns empty caches that are not state, for text that is generated within one run by a loop that carries
// them ([CacheValues], [CachesOf]).
func (t *Transformer) EmptyCaches(batch, longest graph.Dim) (caches []*KVCache) {
	for _, l := range t.Layers {
		if a := l.SelfAttn; a != nil && a.g != nil {
			room := func() *graph.Node { // each of its own, since a pass tells what it stores by the nodes
				dtype := a.g.Autocasted(a.settings.dtype)
				return ops.Zeros(a.g, dtype, batch, graph.Dim(a.kvHeads), longest, graph.Dim(a.head))
			}
			caches = append(caches, &KVCache{room(), room(), ops.Zeros(a.g, graph.Int64)})
		}
	}
	return caches
}

// CacheValues lists the keys, the values and the length of each cache as the pass has left them, for a loop to carry.
func CacheValues(p *Pass, caches ...*KVCache) (values []*graph.Node) {
	for _, c := range caches {
		if c != nil {
			values = append(values, p.Value(c.Keys), p.Value(c.Values), p.Value(c.Length))
		}
	}
	return values
}

// CachesOf makes caches from the values of [CacheValues] that the body of a loop receives. A body uses a separate pass,
// because it returns what a step stores to the next step:
//
//	final, _ := ops.While(100, append([]*graph.Node{word}, nn.CacheValues(pass, caches...)...), goesOn,
//		func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
//			step, caches := nn.Evaluation(g), nn.CachesOf(carry[1:]...)
//			next := choose(blocks.ApplyTo(step, embedding.Apply(step, carry[0]), nil, nn.Cached(caches...)))
//			return append([]*graph.Node{next}, nn.CacheValues(step, caches...)...)
//		})
func CachesOf(values ...*graph.Node) (caches []*KVCache) {
	for ; len(values) >= 3; values = values[3:] {
		caches = append(caches, &KVCache{values[0], values[1], values[2]})
	}
	return caches
}

// inDTypeOfCache builds attention to a cache. Within [graph.Graph.Autocast], that to a cache of Float32 is computed in
// Float32: lowering keys and values would convert all of the cache at each step.
func inDTypeOfCache(caches []*KVCache, q, mask **graph.Node, build func()) {
	if len(caches) == 0 {
		build()
		return
	}
	g, t := caches[0].Keys.Graph(), caches[0].Keys.DType()
	if t != graph.Float32 || g.Autocasted(t) == t {
		build()
		return
	}
	g.Autocast(t, func() {
		*q = ops.Cast(*q, t)
		if m := *mask; m != nil && m.Judged() && m.DType().IsHalf() {
			*mask = ops.Cast(m, t)
		}
		build()
	})
}

// append stores keys and values, [batch, kvHeads, t, head], behind those that are there, and
// returns all.
func (c *KVCache) append(p *Pass, k, v *graph.Node) (keys, values *graph.Node) {
	g, t, longest := c.Keys.Graph(), k.Shape()[2], c.Keys.Shape()[2]
	length := p.Value(c.Length)
	// The new length is looked up among those that there can be: a greater one ends the run. The places depend on it,
	// so that it does where a program does not store it.
	after := ops.Add(length, ops.Size(g, graph.Int64, t)).Named(c.Length.Name() + " after the step")
	after = ops.Take(ops.Iota(g, 0, longest.Plus(1)), 0, after)
	places := ops.Minimum(ops.Add(ops.Iota(g, 0, t), length), ops.Sub(after, graph.Num(1)))
	store := func(state, x *graph.Node) *graph.Node {
		return p.Write(state, ops.IndexCopy(p.Value(state), 2, places, ops.Cast(x, state.DType())))
	}
	keys, values = store(c.Keys, k), store(c.Values, v)
	p.Write(c.Length, after)
	return keys, values
}
