package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

const (
	pixels = 64 // of one image
	digits = 10 // classes
)

// model is a network with one hidden layer, and its loss.
type model struct {
	graph    *graph.Graph
	image    *graph.Node // input: float32 [batch, pixels]
	label    *graph.Node // input: int64 [batch]
	loss     *graph.Node // float32: the mean cross entropy
	accuracy *graph.Node // float32: the fraction of images that are classified correctly
}

// newModel builds the graph; its batch is a size that is known only in each run.
func newModel(hidden int) *model {
	g := graph.New("digits")
	batch := g.Dim("batch")
	m := &model{graph: g, image: g.Input("image", graph.Float32, batch, pixels),
		label: g.Input("label", graph.Int64, batch)}

	network := nn.Sequential(
		nn.NewLinear(g, "hidden", pixels, hidden, nn.WeightInit(nn.KaimingNormal())),
		nn.Func(ops.Relu),
		nn.NewLinear(g, "output", hidden, digits),
	)
	logits := network.Apply(nn.Training(g), m.image)
	m.loss = ops.CrossEntropy(logits, m.label).Named("loss")
	right := ops.Equal(ops.ArgMax(logits, 1), m.label)
	m.accuracy = ops.Mean(ops.Cast(right, graph.Float32)).Named("accuracy")
	return m
}

// checked is the model for `broadloom check ./examples/digits`.
//
//broadloom:model
func checked() *graph.Graph { return newModel(128).graph }
