package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// SGD is stochastic gradient descent: w -= rate·grad.
func SGD(rate float64, opts ...Option) Optimizer {
	return newOptimizer("SGD", sgd, settings{rate: rate}, opts)
}

func sgd(u *update, w, grad *graph.Node) []*graph.Node {
	grad = u.decayed(w, grad)
	return []*graph.Node{ops.SubInPlace(w, ops.Mul(grad, u.learningRate(w.DType())))}
}

// Momentum is gradient descent with a velocity: v = mu·v + grad; w -= rate·v. With
// [Nesterov] it is w -= rate·(grad + mu·v).
func Momentum(rate, mu float64, opts ...Option) Optimizer {
	return newOptimizer("Momentum", momentum, settings{rate: rate, momentum: mu}, opts)
}

func momentum(u *update, w, grad *graph.Node) []*graph.Node {
	grad = u.decayed(w, grad)
	old := u.state("v", w)
	mu := graph.Num(u.momentum)
	v := ops.CopyInPlace(old, ops.Add(ops.Mul(old, mu), grad))
	step := v
	if u.nesterov {
		step = ops.Add(grad, ops.Mul(v, mu))
	}
	return []*graph.Node{ops.SubInPlace(w, ops.Mul(step, u.learningRate(w.DType()))), v}
}
