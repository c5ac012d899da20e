package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const (
	side    = 28 // pixels
	classes = 10
)

// model is a network with the results of a training step and an evaluation.
type model struct {
	graph        *graph.Graph
	image, label *graph.Node // inputs: uint8 [batch, 1, side, side] from 0 to 255, int64 [batch]
	loss         *graph.Node // of training: the mean cross entropy
	step         []*graph.Node
	right        *graph.Node // of evaluation: how many images are classified correctly
}

// newNetwork declares a network that returns [batch, classes] for images.
func newNetwork(g *graph.Graph) nn.Layer {
	relu := nn.Func(ops.Relu)
	return nn.Sequential(
		nn.NewConv2D(g, "conv1", 1, 32, 3, nn.Padding(1), nn.NoBias()), nn.NewBatchNorm(g, "norm1", 32), relu,
		nn.MaxPool2D(2),
		nn.NewConv2D(g, "conv2", 32, 64, 3, nn.Padding(1), nn.NoBias()), nn.NewBatchNorm(g, "norm2", 64), relu,
		nn.MaxPool2D(2),
		nn.Flatten(), nn.Dropout(0.25),
		nn.NewLinear(g, "fc1", 64*side/4*side/4, 128), relu, nn.Dropout(0.25),
		nn.NewLinear(g, "fc2", 128, classes))
}

// newModel builds both forms of the network. The learning rate rises and falls over all steps.
func newModel(steps int) *model {
	g := graph.New("fashion")
	batch := g.Dim("batch", graph.AtLeast(2)) // for the variance of a batch
	m := &model{graph: g, image: g.Input("image", graph.Uint8, batch, 1, side, side),
		label: g.Input("label", graph.Int64, batch)}
	network, pixels := newNetwork(g), ops.Div(ops.Cast(m.image, graph.Float32), graph.Num(255))

	training := nn.Training(g)
	m.loss = ops.CrossEntropy(network.Apply(training, pixels), m.label).Named("loss")
	m.step = append(optim.AdamW(optim.OneCycle(4e-3, steps), optim.WeightDecay(0.01)).Minimize(m.loss),
		training.Updates()...)

	class := ops.ArgMax(network.Apply(nn.Evaluation(g), pixels), 1)
	m.right = ops.Sum(ops.Cast(ops.Equal(class, m.label), graph.Float32)).Named("right")
	return m
}

// checked is the model for `broadloom check ./examples/fashion`.
//
//broadloom:model
func checked() *graph.Graph { return newModel(100).graph }
