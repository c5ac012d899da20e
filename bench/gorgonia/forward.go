package gorgonia

import (
	G "gorgonia.org/gorgonia"
)

// The axes along which the right operand of a broadcast is repeated.
var (
	down   = []byte{0} // a row vector, over the rows
	across = []byte{1} // a column vector, over the columns
)

// chain is tanh(x*y + b)*x - y.
func chain(in *inputs) []*G.Node {
	x, y, b := in.get("x"), in.get("y"), in.get("b")
	h := G.Must(G.BroadcastHadamardProd(x, y, nil, down))
	h = G.Must(G.Tanh(G.Must(G.BroadcastAdd(h, b, nil, across))))
	return []*G.Node{G.Must(G.BroadcastSub(G.Must(G.HadamardProd(h, x)), y, nil, down))}
}

// add is x + y.
func add(in *inputs) []*G.Node {
	return []*G.Node{G.Must(G.Add(in.get("x"), in.get("y")))}
}

// softmax is over the last axis of x.
func softmax(in *inputs) []*G.Node {
	return []*G.Node{G.Must(G.SoftMax(in.get("x"), 1))}
}

// colRowSum sums x*y over either axis.
func colRowSum(in *inputs) []*G.Node {
	xy := G.Must(G.BroadcastHadamardProd(in.get("x"), in.get("y"), nil, down))
	return []*G.Node{G.Must(G.Sum(xy, 0)), G.Must(G.Sum(xy, 1))}
}

// matMul is x @ y.
func matMul(in *inputs) []*G.Node {
	return []*G.Node{G.Must(G.Mul(in.get("x"), in.get("y")))}
}
