package gorgonia

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/bench/suite"
)

// mlp is the loss of a stack of ReLU layers.
func mlp(in *inputs) []*G.Node {
	x := in.get("x")
	for i := 0; in.has(layer("w", i)); i++ {
		if i > 0 {
			x = G.Must(G.Rectify(x))
		}
		x = G.Must(G.BroadcastAdd(G.Must(G.Mul(x, in.get(layer("w", i)))), in.get(layer("b", i)), nil, down))
	}
	return []*G.Node{crossEntropy(x, in.get("t"))}
}

// layer is the name of a layer's parameter.
func layer(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }

// logReg is the loss of logistic regression: mean(softplus(z) - z*t).
func logReg(in *inputs) []*G.Node {
	z := G.Must(G.BroadcastAdd(G.Must(G.Mul(in.get("x"), in.get("w"))), in.get("b"), nil, down))
	losses := G.Must(G.Sub(G.Must(G.Softplus(z)), G.Must(G.HadamardProd(z, in.get("t")))))
	return []*G.Node{G.Must(G.Mean(losses))}
}

// leNet is the cross-entropy of two convolutions and three products.
func leNet(in *inputs) []*G.Node {
	x := convPool(in.get("x"), in.get("c1"))
	x = convPool(x, in.get("c2"))
	batch := x.Shape()[0]
	x = G.Must(G.Reshape(x, tensor.Shape{batch, x.Shape().TotalSize() / batch}))
	x = G.Must(G.Rectify(G.Must(G.Mul(x, in.get("w1")))))
	x = G.Must(G.Rectify(G.Must(G.Mul(x, in.get("w2")))))
	return []*G.Node{crossEntropy(G.Must(G.Mul(x, in.get("w3"))), in.get("t"))}
}

// convPool convolves images with filters and pools what is positive.
func convPool(x, filters *G.Node) *G.Node {
	kernel := tensor.Shape{suite.LeNetFilters, suite.LeNetFilters}
	x = G.Must(G.Conv2d(x, filters, kernel, []int{0, 0}, []int{1, 1}, []int{1, 1}))
	window := tensor.Shape{suite.PoolWindow, suite.PoolWindow}
	return G.Must(G.MaxPool2D(G.Must(G.Rectify(x)), window, []int{0, 0}, window))
}
