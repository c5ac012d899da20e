package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// model is a generator and a discriminator with a training step for each.
type model struct {
	graph             *graph.Graph
	real              *graph.Node // input: float32 [batch, 2]
	discriminatorLoss *graph.Node
	discriminatorStep []*graph.Node
	generatorLoss     *graph.Node
	drawn             *graph.Node // float32 [batch, 2]: the generator's points
	generatorStep     []*graph.Node
}

// perceptron declares a network with two hidden layers.
func perceptron(g *graph.Graph, name string, in, out int) nn.Layer {
	const width = 96
	leaky := nn.Func(func(x *graph.Node) *graph.Node { return ops.LeakyRelu(x, 0.2) })
	return nn.Sequential(
		nn.NewLinear(g, name+".1", in, width), leaky, nn.NewLinear(g, name+".2", width, width), leaky,
		nn.NewLinear(g, name+".3", width, out))
}

func newModel(steps int) *model {
	const noise = 8
	g := graph.New("gan")
	batch := g.Dim("batch")
	m := &model{graph: g, real: g.Input("real", graph.Float32, batch, 2)}
	generator, discriminator := perceptron(g, "generator", noise, 2), perceptron(g, "discriminator", 2, 1)
	optimizer := optim.Adam(optim.Cosine(1e-3, 1e-5, steps), optim.Betas(0.5, 0.99))
	draw := func(p *nn.Pass) *graph.Node {
		return generator.Apply(p, ops.Normal(p.Seed(), graph.Float32, batch, noise))
	}
	loss := func(p *nn.Pass, points *graph.Node, isReal float64) *graph.Node {
		logits := discriminator.Apply(p, points)
		return ops.BCEWithLogits(logits, ops.FullLike(logits, isReal))
	}

	judging := nn.Training(g)
	made := ops.StopGradient(draw(judging))
	m.discriminatorLoss = ops.Add(loss(judging, m.real, 1), loss(judging, made, 0))
	m.discriminatorStep = append(optimizer.Minimize(m.discriminatorLoss, optim.Trainable(g, "discriminator")...),
		judging.Updates()...)

	drawing := nn.Training(g)
	m.drawn = draw(drawing)
	m.generatorLoss = loss(drawing, m.drawn, 1)
	m.generatorStep = append(optimizer.Minimize(m.generatorLoss, optim.Trainable(g, "generator")...),
		drawing.Updates()...)
	return m
}

// checked is the model for `broadloom check ./examples/gan`.
//
//broadloom:model
func checked() *graph.Graph { return newModel(100).graph }
