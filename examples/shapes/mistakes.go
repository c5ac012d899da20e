package main

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// mistakes are programs that would compute something other than what was meant, or nothing.
var mistakes = []struct {
	title string
	build func() *graph.Graph
}{
	{"A bias of the wrong size", wrongBias},
	{"A mean without KeepDims", lostAxis},
	{"A layer behind a convolution, with the size of the image in mind", flattened},
	{"A column of predictions and a row of targets", columnAndRow},
	{"An update in place of a value that the gradient needs", destroyed},
}

func wrongBias() *graph.Graph {
	g := graph.New("bias")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 784)
	w := g.Param("w", graph.Float32, 784, 128)
	b := g.Param("b", graph.Float32, 10)
	ops.Relu(ops.Add(ops.MatMul(x, w), b))
	return g
}

func lostAxis() *graph.Graph {
	g := graph.New("norm")
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("features"))
	mean := ops.Mean(x, 1)
	ops.Sub(x, mean)
	return g
}

func flattened() *graph.Graph {
	g := graph.New("convolution")
	batch := g.Dim("batch")
	image := g.Input("image", graph.Float32, batch, 1, 28, 28)
	kernel := g.Param("kernel", graph.Float32, 8, 1, 5, 5)
	h := ops.Relu(ops.Conv2D(image, kernel, nil))
	ops.MatMul(ops.Reshape(h, batch, -1), g.Param("w", graph.Float32, 8*28*28, 10))
	return g
}

func columnAndRow() *graph.Graph {
	g := graph.New("loss")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 16)
	target := g.Input("target", graph.Float32, batch)
	prediction := nn.NewLinear(g, "linear", 16, 1).Apply(nn.Training(g), x)
	ops.Mean(ops.Square(ops.Sub(prediction, target)))
	return g
}

func destroyed() *graph.Graph {
	g := graph.New("in place")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 16)
	w := g.Param("w", graph.Float32, 16)
	h := ops.Exp(ops.Mul(x, w))
	loss := ops.Sum(ops.Square(ops.AddInPlace(h, graph.Num(1))))
	autodiff.Grad(loss, []*graph.Node{w})
	return g
}
