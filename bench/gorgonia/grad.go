package gorgonia

import (
	G "gorgonia.org/gorgonia"

	"github.com/broadloom/broadloom/bench/suite"
)

// withGradients appends the gradients for the named inputs to a loss.
func withGradients(in *inputs, loss *G.Node, names ...string) []*G.Node {
	wrt := make(G.Nodes, len(names))
	for i, name := range names {
		wrt[i] = in.get(name)
	}
	grads, err := G.Grad(loss, wrt...)
	if err != nil {
		panic(err)
	}
	return append([]*G.Node{loss}, grads...)
}

// chainGrad sums the chain and differentiates the sum.
func chainGrad(in *inputs) []*G.Node {
	return withGradients(in, G.Must(G.Sum(chain(in)[0])), "x", "y", "b")
}

// crossEntropy is the mean over rows of logits, with one-hot targets.
func crossEntropy(logits, targets *G.Node) *G.Node {
	picked := G.Must(G.HadamardProd(targets, G.Must(G.LogSoftMax(logits, 1))))
	return G.Must(G.Neg(G.Must(G.Mean(G.Must(G.Sum(picked, 1))))))
}

// xentGrad is the mean cross-entropy and its gradient.
func xentGrad(in *inputs) []*G.Node {
	return withGradients(in, crossEntropy(in.get("x"), in.get("t")), "x")
}

// layerNormGrad is sum(layer_norm(x; g, b) * u) and its gradients.
func layerNormGrad(in *inputs) []*G.Node {
	x := in.get("x")
	centred := G.Must(G.BroadcastSub(x, G.Must(G.Mean(x, 1)), nil, across))
	variance := G.Must(G.Mean(G.Must(G.Square(centred)), 1))
	deviation := G.Must(G.Sqrt(G.Must(G.Add(variance, G.NewConstant(float32(suite.NormEpsilon))))))
	y := G.Must(G.BroadcastHadamardDiv(centred, deviation, nil, across))
	y = G.Must(G.BroadcastHadamardProd(y, in.get("g"), nil, down))
	y = G.Must(G.BroadcastAdd(y, in.get("b"), nil, down))
	return withGradients(in, G.Must(G.Sum(G.Must(G.HadamardProd(y, in.get("u"))))), "x", "g", "b")
}
