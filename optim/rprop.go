package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Rprop steps by the sign of each gradient, with a step size for each element that grows while the sign stays the
// same (Riedmiller and Braun, 1993). It is for full-batch gradients:
//
//	η = plus if grad·before > 0, minus if it is < 0, else 1
//	size = clamp(η·size, least, most), which starts as the rate
//	g = 0 if η is minus, else grad
//	w -= sign(g)·size
//
// If the rate changes, only the first one is used. State: prev (g of the step before), step_size. Options: Etas (0.5
// and 1.2), StepSizes (1e-6 and 50).
func Rprop[R Rate](rate R, opts ...Option) Optimizer { return build(rprop, rate, opts) }

var rprop = &rule{name: "Rprop", defaults: settings{etaMinus: 0.5, etaPlus: 1.2, leastStep: 1e-6, mostStep: 50},
	options: "Etas StepSizes",
	step: func(u *update, grad *graph.Node) *graph.Node {
		zero, one := graph.Num(0.0), graph.Num(1.0)
		before := u.state(u.w.Name(), "prev", u.t, 0, u.w.Shape())
		along := ops.Mul(grad, before)
		turned := ops.Less(along, zero)
		g := ops.Where(turned, zero, grad)
		start := filled(0)
		if u.rate.fixed() {
			start = filled(u.rate.number)
		}
		size := u.keepFrom(start, "step_size", u.w.Shape(), func(old *graph.Node) *graph.Node {
			if !u.rate.fixed() {
				old = ops.Where(ops.Equal(u.steps(), one), u.rateOf(), old)
			}
			times := func(eta float64) *graph.Node { return ops.Mul(old, graph.Num(eta)) }
			return ops.Clamp(ops.Where(ops.Greater(along, zero), times(u.etaPlus),
				ops.Where(turned, times(u.etaMinus), old)), u.leastStep, u.mostStep)
		})
		u.writes = append(u.writes, u.write(before, g))
		return ops.Mul(ops.Sign(g), size)
	}}

// ASGD is stochastic gradient descent with a decaying rate, which also keeps the mean of the parameter over the steps
// (Polyak and Juditsky, 1992). With t steps before this one:
//
//	η = rate / (1 + λ·rate·t)^power
//	w = (1 - λ·η)·w - η·grad
//	ax = ax + (w - ax)/max(1, t - from)
//
// A schedule takes effect in its own step; PyTorch's takes effect one step later. State: ax. Options: Lambda (λ, 1e-4),
// RatePower (0.75), AverageFrom (1e6).
func ASGD[R Rate](rate R, opts ...Option) Optimizer { return build(asgd, rate, opts) }

var asgd = &rule{name: "ASGD", defaults: settings{lambda: 1e-4, ratePower: 0.75, averageFrom: 1e6},
	options: "Lambda RatePower AverageFrom",
	step: func(u *update, grad *graph.Node) *graph.Node {
		before := func() *graph.Node { return ops.Sub(u.steps(), graph.Num(1.0)) }
		eta := u.scalar("eta", func() *graph.Node {
			rate := u.learningRate()
			slower := ops.Add(graph.Num(1.0), ops.Mul(ops.Mul(before(), num(u.lambda)), rate))
			return ops.Div(rate, ops.Pow(slower, num(u.ratePower)))
		})
		step := ops.Mul(eta, ops.Add(grad, ops.Mul(u.w, graph.Num(u.lambda))))
		share := u.scalar("share of the mean", func() *graph.Node {
			return ops.Div(num(1), ops.Maximum(ops.Sub(before(), num(u.averageFrom)), num(1)))
		})
		u.keep("ax", func(old *graph.Node) *graph.Node {
			next := ops.Sub(u.w, step)
			return ops.Where(ops.Equal(share, graph.Num(1.0)), next, ops.Add(old, ops.Mul(ops.Sub(next, old), share)))
		})
		return step
	}}
