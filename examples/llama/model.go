package main

import (
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// model continues a text by one token.
type model struct {
	settings
	graph       *graph.Graph
	text        *graph.Node // input: int64 [1, new], the tokens that follow those of the last run
	temperature *graph.Node // input: how bold the choice is; 0 takes the likeliest token
	logits      *graph.Node // [1, tokens], of the next token
	chosen      *graph.Node // int64 [1]
	updates     []*graph.Node
	caches      []*nn.KVCache
}

// newModel builds the graph. Parameters are named like the tensors of llama.cpp's files, but for attention's: see
// [fileName] and [fileParts].
func newModel(s settings) *model {
	g := graph.New("llama")
	m := &model{settings: s, graph: g}
	m.text = g.Input("text", graph.Int64, 1, g.Dim("new", graph.AtLeast(1)))
	m.temperature = g.Input("temperature", graph.Float32)
	p := nn.Evaluation(g)
	tokens := nn.NewEmbedding(g, "token_embd", s.tokens, s.width)
	x := tokens.Apply(p, m.text)
	for i := range s.layers {
		g.Scope("blk."+strconv.Itoa(i), func() { x = m.block(p, x) })
	}
	last := nn.NewRMSNorm(g, "output_norm", s.width, nn.Epsilon(s.epsilon)).Apply(p, ops.Select(x, 1, -1))
	if s.isTied {
		m.logits = ops.MatMul(last, ops.Transpose(tokens.Weight, 0, 1))
	} else {
		m.logits = nn.NewLinear(g, "output", s.width, s.tokens, nn.NoBias()).Apply(p, last)
	}
	// The argmax of logits plus Gumbel noise is a sample from their softmax.
	noise := ops.Neg(ops.Log(ops.Neg(ops.Log(ops.Uniform(p.Seed(), graph.Float32, m.logits.Shape()...)))))
	m.chosen = ops.ArgMax(ops.Add(m.logits, ops.Mul(noise, m.temperature)), 1)
	m.updates = p.Updates()
	return m
}

// block is one layer: attention and a gated network, each of the normalized input and added to it.
func (m *model) block(p *nn.Pass, x *graph.Node) *graph.Node {
	g, width := m.graph, m.width
	norm := func(name string, x *graph.Node) *graph.Node {
		return nn.NewRMSNorm(g, name, width, nn.Epsilon(m.epsilon)).Apply(p, x)
	}
	linear := func(name string, in, out int, x *graph.Node) *graph.Node {
		return nn.NewLinear(g, name, in, out, nn.NoBias()).Apply(p, x)
	}
	attention := nn.NewMultiHeadAttention(g, "attn", width, m.heads, nn.KVHeads(m.kvHeads), nn.Causal(),
		nn.RotaryBase(m.base), nn.RotaryInterleaved(), nn.NoBias())
	cache := attention.NewCache("cache", 1, m.longest)
	m.caches = append(m.caches, cache)
	n := norm("attn_norm", x)
	x = ops.Add(x, attention.Attend(p, n, n, n, nn.Cached(cache)))
	n = norm("ffn_norm", x)
	gated := ops.Mul(ops.Silu(linear("ffn_gate", width, m.inner, n)), linear("ffn_up", width, m.inner, n))
	return ops.Add(x, linear("ffn_down", m.inner, width, gated))
}

// fileName is the tensor of a parameter.
func fileName(param string) string {
	return strings.Replace(param, ".attn.out_proj.", ".attn_output.", 1)
}

// fileParts are the tensors of which a parameter consists.
func fileParts(param string) []string {
	block, isPacked := strings.CutSuffix(param, ".attn.in_proj_weight")
	if !isPacked {
		return nil
	}
	return []string{block + ".attn_q.weight", block + ".attn_k.weight", block + ".attn_v.weight"}
}

// checked is the model for `broadloom check ./examples/llama`.
//
//broadloom:model
func checked() *graph.Graph {
	return newModel(settings{layers: 2, width: 64, inner: 192, heads: 4, kvHeads: 2, tokens: 768, longest: 256,
		base: 10_000, epsilon: 1e-5, isTied: true}).graph
}
