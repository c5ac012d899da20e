package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// RMSProp divides each gradient by the root of a running mean of its squares (Hinton, 2012):
//
//	v = α·v + (1-α)·grad²
//	w -= rate·grad / (√v + ε)
//
// With [Centered], v-mean² replaces v, where mean is the running mean of the gradients; with [Momentum], the quotient
// is accumulated in a velocity. State: square_avg, grad_avg, momentum_buffer. Options: Smoothing (α, 0.99), Epsilon
// (1e-8), Centered, Momentum.
func RMSProp[R Rate](rate R, opts ...Option) Optimizer { return build(rmsProp, rate, opts) }

var rmsProp = &rule{name: "RMSProp", defaults: settings{smoothing: 0.99, epsilon: 1e-8},
	options: "Smoothing Epsilon Centered Momentum",
	step: func(u *update, grad *graph.Node) *graph.Node {
		v := u.meanSquare(grad)
		if u.centered {
			mean := u.keep("grad_avg", func(old *graph.Node) *graph.Node { return toward(old, grad, u.smoothing) })
			v = ops.Sub(v, ops.Square(mean))
		}
		step := ops.Div(grad, ops.Add(ops.Sqrt(v), graph.Num(u.epsilon)))
		if u.momentum != 0 {
			quotient := step
			step = u.keep("momentum_buffer", func(old *graph.Node) *graph.Node {
				return ops.Add(ops.Mul(old, graph.Num(u.momentum)), quotient)
			})
		}
		return ops.Mul(step, u.rateOf())
	}}

// meanSquare keeps a running mean of the gradients' squares.
func (u *update) meanSquare(grad *graph.Node) *graph.Node {
	return u.keep("square_avg", func(old *graph.Node) *graph.Node { return blend(old, ops.Square(grad), u.smoothing) })
}

// Adagrad divides each gradient by the root of the sum of its squares so far (Duchi, Hazan and
// Singer, 2011):
//
//	s = s + grad²
//	w -= rate/(1 + (t-1)·decay) · grad / (√s + ε)
//
// State: sum (s). Options: RateDecay (0), InitialAccumulator (0), Epsilon (1e-10), UsedRows.
func Adagrad[R Rate](rate R, opts ...Option) Optimizer { return build(adagrad, rate, opts) }

var adagrad = &rule{name: "Adagrad", defaults: settings{epsilon: 1e-10},
	options: "RateDecay InitialAccumulator Epsilon UsedRows",
	step: func(u *update, grad *graph.Node) *graph.Node {
		rate := u.rateOf()
		if u.rateDecay != 0 {
			rate = u.scalar("decayed rate", func() *graph.Node {
				before := ops.Sub(u.steps(), graph.Num(1.0))
				return ops.Div(u.learningRate(), ops.Add(graph.Num(1.0), ops.Mul(before, graph.Num(u.rateDecay))))
			})
		}
		sum := u.keepFrom(filled(u.accumulator), "sum", u.w.Shape(), func(old *graph.Node) *graph.Node {
			return ops.Add(old, ops.Square(grad))
		})
		return ops.Div(ops.Mul(grad, rate), ops.Add(ops.Sqrt(sum), graph.Num(u.epsilon)))
	}}

// Adadelta scales each gradient by the ratio of two running means (Zeiler, 2012):
//
//	v = ρ·v + (1-ρ)·grad²
//	d = √(a+ε)/√(v+ε) · grad
//	a = ρ·a + (1-ρ)·d²
//	w -= rate·d
//
// PyTorch's rate is 1. State: square_avg (v), acc_delta (a). Options: Smoothing (ρ, 0.9), Epsilon (1e-6).
func Adadelta[R Rate](rate R, opts ...Option) Optimizer { return build(adadelta, rate, opts) }

var adadelta = &rule{name: "Adadelta", defaults: settings{smoothing: 0.9, epsilon: 1e-6}, options: "Smoothing Epsilon",
	step: func(u *update, grad *graph.Node) *graph.Node {
		root := func(x *graph.Node) *graph.Node { return ops.Sqrt(ops.Add(x, graph.Num(u.epsilon))) }
		v := u.meanSquare(grad)
		var d *graph.Node
		u.keep("acc_delta", func(old *graph.Node) *graph.Node {
			d = ops.Mul(ops.Div(root(old), root(v)), grad)
			return blend(old, ops.Square(d), u.smoothing)
		})
		return ops.Mul(d, u.rateOf())
	}}
