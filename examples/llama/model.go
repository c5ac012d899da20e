package main

import (
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// model is a Llama. It has two programs, which share its parameters and caches: one reads a text of any length, and one
// a single token. The latter multiplies vectors, and so reads weights of 8 and 4 bits as they are.
type model struct {
	settings
	graph         *graph.Graph
	temperature   *graph.Node // input: how bold the choice is; 0 takes the likeliest token
	tokens        *nn.Embedding
	blocks        []block
	norm          *nn.Norm
	output        *nn.Linear // nil if it is the table of tokens
	prompt, token continuation
}

// continuation is a text continued by one token.
type continuation struct {
	text    *graph.Node // input: int64 [1, new], the tokens that follow those of the last run
	logits  *graph.Node // [1, tokens], of the next token
	chosen  *graph.Node // int64 [1]
	updates []*graph.Node
}

// block is one layer: attention and a gated network, each of the normalized input and added to it.
type block struct {
	attentionNorm, networkNorm *nn.Norm
	attention                  *nn.MultiHeadAttention
	cache                      *nn.KVCache
	gate, up, down             *nn.Linear
}

// newModel builds the graph. Parameters are named like the tensors of llama.cpp's files, but for attention's: see
// [fileName] and [fileParts].
func newModel(s settings) *model {
	g := graph.New("llama")
	m := &model{settings: s, graph: g, temperature: g.Input("temperature", graph.Float32)}
	m.tokens = nn.NewEmbedding(g, "token_embd", s.tokens, s.width, s.held["token_embd"].option())
	for i := range s.layers {
		name := "blk." + strconv.Itoa(i)
		g.Scope(name, func() { m.blocks = append(m.blocks, newBlock(g, s, name)) })
	}
	m.norm = nn.NewRMSNorm(g, "output_norm", s.width, nn.Epsilon(s.epsilon))
	if !s.isTied {
		m.output = nn.NewLinear(g, "output", s.width, s.tokens, nn.NoBias(), s.held["output"].option())
	}
	m.prompt = m.continued(g.Input("text", graph.Int64, 1, g.Dim("new", graph.AtLeast(1))))
	m.token = m.continued(g.Input("token", graph.Int64, 1, 1))
	return m
}

func newBlock(g *graph.Graph, s settings, name string) (b block) {
	linear := func(layer string, in, out int) *nn.Linear {
		return nn.NewLinear(g, layer, in, out, nn.NoBias(), s.held[name+"."+layer].option())
	}
	norm := func(name string) *nn.Norm { return nn.NewRMSNorm(g, name, s.width, nn.Epsilon(s.epsilon)) }
	b.attentionNorm, b.networkNorm = norm("attn_norm"), norm("ffn_norm")
	b.attention = nn.NewMultiHeadAttention(g, "attn", s.width, s.heads, nn.KVHeads(s.kvHeads), nn.Causal(),
		nn.RotaryBase(s.base), nn.RotaryInterleaved(), nn.NoBias(), s.held[name+".attn"].option())
	b.cache = b.attention.NewCache("cache", 1, s.longest)
	b.gate, b.up = linear("ffn_gate", s.width, s.inner), linear("ffn_up", s.width, s.inner)
	b.down = linear("ffn_down", s.inner, s.width)
	return b
}

// continued continues a text behind that in the caches.
func (m *model) continued(text *graph.Node) continuation {
	p := nn.Evaluation(m.graph)
	x := m.tokens.Apply(p, text)
	for _, b := range m.blocks {
		n := b.attentionNorm.Apply(p, x)
		x = ops.Add(x, b.attention.Attend(p, n, n, n, nn.Cached(b.cache)))
		n = b.networkNorm.Apply(p, x)
		x = ops.Add(x, b.down.Apply(p, ops.Mul(ops.Silu(b.gate.Apply(p, n)), b.up.Apply(p, n))))
	}
	last, c := m.norm.Apply(p, ops.Select(x, 1, -1)), continuation{text: text}
	if m.output == nil {
		c.logits = ops.MatMul(last, ops.Transpose(m.tokens.WeightIn(p), 0, 1))
	} else {
		c.logits = m.output.Apply(p, last)
	}
	// The argmax of logits plus Gumbel noise is a sample from their softmax.
	noise := ops.Neg(ops.Log(ops.Neg(ops.Log(ops.Uniform(p.Seed(), graph.Float32, c.logits.Shape()...)))))
	c.chosen = ops.ArgMax(ops.Add(c.logits, ops.Mul(noise, m.temperature)), 1)
	c.updates = p.Updates()
	return c
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
