package gomlx

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/nn"
	"github.com/gomlx/gomlx/ml/train/loss"

	"github.com/broadloom/broadloom/bench/suite"
)

// withGradients appends the gradients for the named inputs to a loss.
func withGradients(in *inputs, loss *Node, names ...string) []*Node {
	wrt := make([]*Node, len(names))
	for i, name := range names {
		wrt[i] = in.get(name)
	}
	return append([]*Node{loss}, Gradient(loss, wrt...)...)
}

// chainGrad sums the chain and differentiates the sum.
func chainGrad(in *inputs) []*Node {
	return withGradients(in, ReduceAllSum(chain(in)[0]), "x", "y", "b")
}

// crossEntropy is the mean over rows of logits, with class numbers.
func crossEntropy(logits, classes *Node) *Node {
	return loss.SparseCategoricalCrossEntropyLogits([]*Node{InsertAxes(classes, -1)}, []*Node{logits})
}

// xentGrad is the mean cross-entropy and its gradient.
func xentGrad(in *inputs) []*Node {
	return withGradients(in, crossEntropy(in.get("x"), in.get("t")), "x")
}

// layerNorm normalises over the last axis.
func layerNorm(x, gain, bias *Node) *Node {
	return nn.LayerNorm(x, []int{-1}, suite.NormEpsilon, gain, bias, nil)
}

// layerNormGrad is sum(layer_norm(x; g, b) * u) and its gradients.
func layerNormGrad(in *inputs) []*Node {
	y := layerNorm(in.get("x"), in.get("g"), in.get("b"))
	return withGradients(in, ReduceAllSum(Mul(y, in.get("u"))), "x", "g", "b")
}
