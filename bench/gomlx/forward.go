package gomlx

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
)

// chain is tanh(x*y + b)*x - y.
func chain(in *inputs) []*Node {
	x, y, b := in.get("x"), in.row("y", 2), in.get("b")
	return []*Node{Sub(Mul(Tanh(Add(Mul(x, y), b)), x), y)}
}

// biasGelu is the exact GELU of x + b.
func biasGelu(in *inputs) []*Node {
	return []*Node{activation.Gelu(Add(in.get("x"), in.row("b", 2)))}
}

// add is x + y.
func add(in *inputs) []*Node {
	return []*Node{Add(in.get("x"), in.get("y"))}
}

// blackScholes prices call options.
func blackScholes(in *inputs) []*Node {
	s, k, t, r, v := in.get("s"), in.get("k"), in.get("t"), in.get("r"), in.get("v")
	spread := Mul(v, Sqrt(t))
	drift := Mul(Add(r, DivScalar(Mul(v, v), 2)), t)
	d1 := Div(Add(Log(Div(s, k)), drift), spread)
	d2 := Sub(d1, spread)
	discounted := Mul(k, Exp(Mul(Neg(r), t)))
	return []*Node{Sub(Mul(s, normal(d1)), Mul(discounted, normal(d2)))}
}

// normal is the cumulative distribution function of the normal distribution.
func normal(z *Node) *Node {
	return MulScalar(OnePlus(Erf(DivScalar(z, math.Sqrt2))), 0.5)
}

// softmax is over the last axis of x.
func softmax(in *inputs) []*Node {
	return []*Node{Softmax(in.get("x"), -1)}
}

// colRowSum sums x*y over either axis.
func colRowSum(in *inputs) []*Node {
	xy := Mul(in.get("x"), in.row("y", 2))
	return []*Node{ReduceSum(xy, 0), ReduceSum(xy, 1)}
}

// matMul is x @ y.
func matMul(in *inputs) []*Node {
	return []*Node{MatMul(in.get("x"), in.get("y"))}
}
