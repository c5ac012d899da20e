package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// SGD is stochastic gradient descent: w -= rate·grad. With [Momentum] mu it has a velocity, which starts as the first
// gradient, and [Dampening] d and [Nesterov] modify it:
//
//	v = mu·v + (1-d)·grad
//	w -= rate·v, or rate·(grad + mu·v)
//
// State: momentum_buffer. Options: Momentum, Dampening, Nesterov, UsedRows.
func SGD[R Rate](rate R, opts ...Option) Optimizer { return build(sgd, rate, opts) }

var sgd = &rule{name: "SGD", options: "Momentum Dampening Nesterov UsedRows",
	step: func(u *update, grad *graph.Node) *graph.Node {
		if u.momentum == 0 {
			return ops.Mul(grad, u.rateOf())
		}
		mu, added := graph.Num(u.momentum), grad
		if u.dampening != 0 {
			added = ops.Mul(grad, u.scalar("undamped", func() *graph.Node {
				return ops.Where(ops.Equal(u.steps(), graph.Num(1.0)), graph.Num(1.0),
					u.g.Scalar(graph.Float64, 1-u.dampening))
			}))
		}
		v := u.keep("momentum_buffer", func(old *graph.Node) *graph.Node { return ops.Add(ops.Mul(old, mu), added) })
		if u.nesterov {
			v = ops.Add(grad, ops.Mul(v, mu))
		}
		return ops.Mul(v, u.rateOf())
	}}
