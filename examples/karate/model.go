package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// graphConvolution is a custom layer: a linear layer whose results each node exchanges with its
// neighbours.
type graphConvolution struct {
	linear   *nn.Linear
	from, to *graph.Node // int64 [edges]
	weight   *graph.Node // float32 [edges, 1], of edges
}

// Apply takes x, [nodes, in], and returns [nodes, out].
func (l *graphConvolution) Apply(p *nn.Pass, x *graph.Node) *graph.Node {
	h := l.linear.Apply(p, x)
	messages := ops.Mul(ops.Take(h, 0, l.from), l.weight)
	return ops.SegmentSum(messages, 0, l.to, x.Shape()[0])
}

// model is a network over the members of a club.
type model struct {
	graph         *graph.Graph
	from, to      *graph.Node // inputs: int64 [edges]
	member, label *graph.Node // inputs: int64 [known], members whose group is known
	loss          *graph.Node
	step          []*graph.Node
	group         *graph.Node // int64 [members]
}

func newModel() *model {
	const width = 16
	g := graph.New("karate")
	edges, known := g.Dim("edges"), g.Dim("known")
	m := &model{graph: g, from: g.Input("from", graph.Int64, edges), to: g.Input("to", graph.Int64, edges),
		member: g.Input("member", graph.Int64, known), label: g.Input("label", graph.Int64, known)}

	// An edge has the weight 1/√(friends of one · friends of the other), each member counting as its own friend.
	friends := ops.SegmentSum(ops.Full(g, graph.Float32, 1, edges), 0, m.to, members)
	share := ops.Rsqrt(friends)
	weight := ops.Unsqueeze(ops.Mul(ops.Take(share, 0, m.from), ops.Take(share, 0, m.to)), 1)
	convolution := func(name string, in, out int) nn.Layer {
		return &graphConvolution{nn.NewLinear(g, name, in, out), m.from, m.to, weight}
	}
	network := nn.Sequential(convolution("1", width, width), nn.Func(ops.Tanh), nn.Dropout(0.5),
		convolution("2", width, 2))
	traits := nn.NewEmbedding(g, "traits", members, width) // only the friends of members are known

	training := nn.Training(g)
	apply := func(p *nn.Pass) *graph.Node {
		return network.Apply(p, traits.Apply(p, ops.Iota(g, 0, members)))
	}
	m.loss = ops.CrossEntropy(ops.Take(apply(training), 0, m.member), m.label)
	m.step = append(optim.AdamW(0.01, optim.WeightDecay(0.05)).Minimize(m.loss), training.Updates()...)
	m.group = ops.ArgMax(apply(nn.Evaluation(g)), 1)
	return m
}

// checked is the model for `broadloom check ./examples/karate`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }
