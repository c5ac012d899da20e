package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Lamb scales the step of [Adam] for each tensor to the norm of the tensor, so that batches may be large (You and
// others, 2020), as optax.lamb does. With the norms |·| over all elements of a tensor:
//
//	u = m/(1-β1ᵗ) / (√v/√(1-β2ᵗ) + ε) + decay·w
//	w -= rate · |w|/|u| · u
//
// If a norm is 0, the quotient counts as 1. Norms need the whole tensor: an update takes more than one kernel. State:
// exp_avg (m), exp_avg_sq (v). Options: Betas (0.9 and 0.999), Epsilon (1e-6).
func Lamb[R Rate](rate R, opts ...Option) Optimizer { return build(lamb, rate, opts) }

var lamb = &rule{name: "Lamb", defaults: settings{beta1: 0.9, beta2: 0.999, epsilon: 1e-6}, options: "Betas Epsilon",
	ownDecay: true,
	step: func(u *update, grad *graph.Node) *graph.Node {
		m, v := u.firstMoment(grad), u.secondMoment(grad)
		size := ops.Add(ops.Sqrt(ops.Div(v, u.scalar("missing", func() *graph.Node { return u.missing(u.beta2) }))),
			graph.Num(u.epsilon))
		mean := ops.Div(m, u.scalar("missing of the mean", func() *graph.Node { return u.missing(u.beta1) }))
		along := u.decayed(ops.Div(mean, size))
		return ops.Mul(along, ops.Mul(u.trust(along, 1, 0), u.rateOf()))
	}}

// Lars is [SGD] with a rate for each tensor that is proportional to its norm (You, Gitman and Ginsburg, 2017), like
// optax.lars:
//
//	g = grad + decay·w
//	v = mu·v + rate · coefficient·|w|/(|g| + ε) · g
//	w -= v
//
// If a norm is 0, the quotient with its coefficient counts as 1. An update takes more than one kernel. State:
// momentum_buffer (v). Options: TrustCoefficient (0.001), Momentum (0.9), Nesterov, Epsilon (0).
func Lars[R Rate](rate R, opts ...Option) Optimizer { return build(lars, rate, opts) }

var lars = &rule{name: "Lars", defaults: settings{momentum: 0.9, trust: 1e-3},
	options: "TrustCoefficient Momentum Nesterov Epsilon",
	step: func(u *update, grad *graph.Node) *graph.Node {
		step := ops.Mul(grad, ops.Mul(u.trust(grad, u.settings.trust, u.epsilon), u.rateOf()))
		if u.momentum == 0 {
			return step
		}
		mu := graph.Num(u.momentum)
		v := u.keep("momentum_buffer", func(old *graph.Node) *graph.Node { return ops.Add(ops.Mul(old, mu), step) })
		if u.nesterov {
			return ops.Add(step, ops.Mul(v, mu))
		}
		return v
	}}

// trust returns coefficient·|w|/(|step| + epsilon), a scalar: 1 where a norm is 0.
func (u *update) trust(step *graph.Node, coefficient, epsilon float64) *graph.Node {
	norm := func(x *graph.Node) *graph.Node { return ops.Sqrt(ops.Sum(ops.Square(wideEnough(x)), ops.AllAxes())) }
	own, other := norm(u.w), norm(step)
	isZero := ops.Or(ops.Equal(own, graph.Num(0)), ops.Equal(other, graph.Num(0)))
	return ops.Where(isZero, graph.Num(1.0),
		ops.Div(ops.Mul(own, graph.Num(coefficient)), ops.Add(other, graph.Num(epsilon))))
}

// decayed adds the weight decay to a step, for rules that do so themselves.
func (u *update) decayed(step *graph.Node) *graph.Node {
	if u.decay == 0 {
		return step
	}
	return ops.Add(step, ops.Mul(u.w, graph.Num(u.decay)))
}
