package main

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const (
	width  = 96
	heads  = 4
	layers = 3
)

// network returns, for characters [batch, t], logits of the next ones: [batch, t, characters].
type network struct {
	embedding *nn.Embedding
	blocks    *nn.Transformer
	head      *nn.Linear
}

func newNetwork(g *graph.Graph, characters int) *network {
	return &network{
		embedding: nn.NewEmbedding(g, "embedding", characters, width, nn.WeightInit(nn.Normal(0.02))),
		blocks: nn.NewTransformerEncoder(g, "blocks", layers, width, heads,
			nn.Causal(), nn.NormFirst(), nn.RotaryBase(10_000), nn.FeedForward(4*width), nn.Activation(ops.Gelu)),
		head: nn.NewLinear(g, "head", width, characters),
	}
}

func (n *network) Apply(p *nn.Pass, x *graph.Node, opts ...nn.AttentionOption) *graph.Node {
	return n.head.Apply(p, n.blocks.ApplyTo(p, n.embedding.Apply(p, x), nil, opts...))
}

// model is a network with the results of a training step, an evaluation and a writing step.
type model struct {
	graph      *graph.Graph
	text, next *graph.Node // inputs: int64 [batch, t]
	loss       *graph.Node // of training
	step       []*graph.Node
	testLoss   *graph.Node // of evaluation

	prompt      *graph.Node // input: int64 [1, t], characters that follow those of the last run
	temperature *graph.Node // input: how bold the choice is
	chosen      *graph.Node // int64 [1]: a character to follow them
	writing     []*graph.Node
	caches      []*nn.KVCache
}

// newModel builds the programs; steps is the number of training steps, and longest the maximum number of
// characters that the writer looks back.
func newModel(characters, steps, longest int) *model {
	g := graph.New("chars")
	batch, t := g.Dim("batch"), g.Dim("t", graph.AtLeast(1))
	m := &model{graph: g, text: g.Input("text", graph.Int64, batch, t), next: g.Input("next", graph.Int64, batch, t)}
	net := newNetwork(g, characters)
	loss := func(p *nn.Pass) *graph.Node {
		logits := net.Apply(p, m.text)
		return ops.CrossEntropy(ops.Flatten(logits, 0, 1), ops.Flatten(m.next, 0, 1))
	}

	training := nn.Training(g)
	m.loss = loss(training).Named("loss")
	params := optim.Trainable(g)
	grads, _ := optim.ClipNorm(autodiff.Grad(m.loss, params), 1)
	rate := optim.WarmUp(steps/20+1, 0.01, optim.Cosine(3e-3, 1e-4, steps))
	m.step = append(optim.AdamW(rate, optim.WeightDecay(0.01)).Updates(params, grads), training.Updates()...)
	m.testLoss = loss(nn.Evaluation(g)).Named("testLoss")

	m.write(net, longest)
	return m
}

// write builds the program that chooses the next character. It computes each position once: keys and
// values of earlier positions are in caches.
func (m *model) write(net *network, longest int) {
	g := m.graph
	m.prompt = g.Input("prompt", graph.Int64, 1, g.Dim("new", graph.AtLeast(1)))
	m.temperature = g.Input("temperature", graph.Float32)
	m.caches = net.blocks.NewCaches("cache", 1, longest)
	pass := nn.Evaluation(g)
	logits := ops.Select(net.Apply(pass, m.prompt, nn.Cached(m.caches...)), 1, -1)
	// The argmax of logits plus Gumbel noise is a sample from their softmax.
	noise := ops.Neg(ops.Log(ops.Neg(ops.Log(ops.Uniform(pass.Seed(), graph.Float32, logits.Shape()...)))))
	m.chosen = ops.ArgMax(ops.Add(ops.Div(logits, m.temperature), noise), 1)
	m.writing = pass.Updates()
}

// checked is the model for `broadloom check ./examples/chars`.
//
//broadloom:model
func checked() *graph.Graph { return newModel(60, 100, 128).graph }
