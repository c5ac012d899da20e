package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// adamDefaults are PyTorch's.
var adamDefaults = settings{beta1: 0.9, beta2: 0.999, epsilon: 1e-8}

// Adam keeps running means of each gradient, m, and of its square, v, and steps along
// m/√v (Kingma and Ba, 2015):
//
//	m = m + (1-β1)·(grad-m)
//	v = β2·v + (1-β2)·grad²
//	w -= rate/(1-β1ᵗ) · m / (√v/√(1-β2ᵗ) + ε)
//
// t is the number of steps, including this one. State: exp_avg (m), exp_avg_sq (v) and max_exp_avg_sq. Options: Betas
// (0.9 and 0.999), Epsilon (1e-8), AMSGrad, UsedRows.
func Adam[R Rate](rate R, opts ...Option) Optimizer { return build(adam, rate, opts) }

// AdamW is [Adam] with a weight decay that shrinks the parameter itself instead of going
// through the running means (Loshchilov and Hutter, 2019): before the step of Adam,
// w *= 1 - rate·decay. The decay is 0.01 without [WeightDecay].
func AdamW[R Rate](rate R, opts ...Option) Optimizer { return build(adamW, rate, opts) }

var (
	adam  = &rule{name: "Adam", defaults: adamDefaults, options: "Betas Epsilon AMSGrad UsedRows", step: adamStep}
	adamW = &rule{name: "AdamW", defaults: settings{beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.01},
		options: adam.options, decoupled: true, step: adamStep}
)

func adamStep(u *update, grad *graph.Node) *graph.Node {
	m, v := u.firstMoment(grad), u.secondMoment(grad)
	if u.amsgrad {
		v = u.keep("max_exp_avg_sq", func(old *graph.Node) *graph.Node { return ops.Maximum(old, v) })
	}
	size := ops.Add(ops.Div(ops.Sqrt(v), u.scalar("root", func() *graph.Node { return ops.Sqrt(u.missing(u.beta2)) })),
		graph.Num(u.epsilon))
	return ops.Div(ops.Mul(m, u.correctedRate()), size)
}

// firstMoment keeps the running mean of the gradients.
func (u *update) firstMoment(grad *graph.Node) *graph.Node {
	return u.keep("exp_avg", func(old *graph.Node) *graph.Node { return toward(old, grad, u.beta1) })
}

// secondMoment keeps the running mean of the gradients' squares.
func (u *update) secondMoment(grad *graph.Node) *graph.Node {
	return u.keep("exp_avg_sq", func(old *graph.Node) *graph.Node { return blend(old, ops.Square(grad), u.beta2) })
}

// missing returns 1-βᵗ: running means start at 0 and are too small by this factor at first.
func (u *update) missing(beta float64) *graph.Node {
	return ops.Sub(graph.Num(1.0), ops.Pow(graph.Num(beta), u.steps()))
}

// correctedRate returns rate/(1-β1ᵗ).
func (u *update) correctedRate() *graph.Node {
	return u.scalar("corrected rate", func() *graph.Node { return ops.Div(u.learningRate(), u.missing(u.beta1)) })
}

// toward returns old + (1-kept)·(now-old).
func toward(old, now *graph.Node, kept float64) *graph.Node {
	return ops.Add(old, ops.Mul(ops.Sub(now, old), graph.Num(1-kept)))
}

// blend returns kept·old + (1-kept)·now.
func blend(old, now *graph.Node, kept float64) *graph.Node {
	return ops.Add(ops.Mul(old, graph.Num(kept)), ops.Mul(now, graph.Num(1-kept)))
}

// Adamax is [Adam] with the largest gradient instead of the root of mean squares (Kingma and Ba, 2015):
//
//	u = max(β2·u, |grad| + ε)
//	w -= rate/(1-β1ᵗ) · m / u
//
// State: exp_avg, exp_inf (u). Options: Betas (0.9 and 0.999), Epsilon (1e-8).
func Adamax[R Rate](rate R, opts ...Option) Optimizer { return build(adamax, rate, opts) }

var adamax = &rule{name: "Adamax", defaults: adamDefaults, options: "Betas Epsilon",
	step: func(u *update, grad *graph.Node) *graph.Node {
		m := u.firstMoment(grad)
		largest := u.keep("exp_inf", func(old *graph.Node) *graph.Node {
			return ops.Maximum(ops.Mul(old, graph.Num(u.beta2)), ops.Add(ops.Abs(grad), graph.Num(u.epsilon)))
		})
		return ops.Div(ops.Mul(m, u.correctedRate()), largest)
	}}

// NAdam is [Adam] with Nesterov momentum (Dozat, 2016), as in PyTorch. With momentum decay ψ:
//
//	μₜ = β1·(1 - 0.96^(t·ψ)/2)
//	w -= rate · ((1-μₜ)·grad/(1-μ₁…μₜ) + μₜ₊₁·m/(1-μ₁…μₜ₊₁)) / (√(v/(1-β2ᵗ)) + ε)
//
// State: exp_avg, exp_avg_sq, and mu_product for the whole optimiser. Options: Betas (0.9 and 0.999), Epsilon (1e-8),
// MomentumDecay (0.004), Decoupled.
func NAdam[R Rate](rate R, opts ...Option) Optimizer { return build(nadam, rate, opts) }

var nadam = &rule{name: "NAdam", defaults: settings{beta1: 0.9, beta2: 0.999, epsilon: 1e-8, momentumDecay: 4e-3},
	options: "Betas Epsilon MomentumDecay Decoupled", step: func(u *update, grad *graph.Node) *graph.Node {
		m, v := u.firstMoment(grad), u.secondMoment(grad)
		size := ops.Add(ops.Sqrt(ops.Div(v, u.scalar("missing", func() *graph.Node { return u.missing(u.beta2) }))),
			graph.Num(u.epsilon))
		along := ops.Add(ops.Mul(grad, u.scalar("share of the gradient", u.nadamGradient)),
			ops.Mul(m, u.scalar("share of the mean", u.nadamMean)))
		return ops.Div(along, size)
	}}

// nadamMomentum returns μ of the step that is so many after this one.
func (u *update) nadamMomentum(after float64) *graph.Node {
	t := ops.Mul(ops.Add(u.steps(), graph.Num(after)), graph.Num(u.momentumDecay))
	return ops.Mul(graph.Num(u.beta1), ops.Sub(graph.Num(1.0), ops.Mul(graph.Num(0.5), ops.Pow(graph.Num(0.96), t))))
}

// nadamProduct returns μ₁…μₜ. Groups may have a momentum each, and so a product each.
func (u *update) nadamProduct() *graph.Node {
	return u.scalarState("mu_product", 1, func(old *graph.Node) *graph.Node { return ops.Mul(old, u.nadamMomentum(0)) })
}

func (u *update) nadamGradient() *graph.Node {
	share := ops.Div(ops.Sub(graph.Num(1.0), u.nadamMomentum(0)), ops.Sub(graph.Num(1.0), u.nadamProduct()))
	return ops.Mul(u.learningRate(), share)
}

func (u *update) nadamMean() *graph.Node {
	next := u.nadamMomentum(1)
	return ops.Mul(u.learningRate(), ops.Div(next, ops.Sub(graph.Num(1.0), ops.Mul(u.nadamProduct(), next))))
}

// RAdam is [Adam] without the division while the running mean of squares is uncertain after too few steps (Liu and
// others, 2020). With ρ = 2/(1-β2) - 1 and ρₜ = ρ - 2t·β2ᵗ/(1-β2ᵗ), the step is rate/(1-β1ᵗ)·m, and if ρₜ > 5, this
// times
//
//	√((ρₜ-4)(ρₜ-2)ρ / ((ρ-4)(ρ-2)ρₜ)) · √(1-β2ᵗ) / (√v + ε)
//
// State: exp_avg, exp_avg_sq. Options: Betas (0.9 and 0.999), Epsilon (1e-8), Decoupled.
func RAdam[R Rate](rate R, opts ...Option) Optimizer { return build(radam, rate, opts) }

var radam = &rule{name: "RAdam", defaults: adamDefaults, options: "Betas Epsilon Decoupled",
	step: func(u *update, grad *graph.Node) *graph.Node {
		m, v := u.firstMoment(grad), u.secondMoment(grad)
		// A factor of -1 says that the mean of squares is uncertain: a certain one has a root.
		factor := u.scalar("rectified", u.radamFactor)
		divided := ops.Div(factor, ops.Add(ops.Sqrt(v), graph.Num(u.epsilon)))
		return ops.Mul(ops.Mul(m, u.correctedRate()),
			ops.Where(ops.Less(factor, graph.Num(0.0)), graph.Num(1.0), divided))
	}}

// radamFactor returns the factor of the root in the step of RAdam, or -1 where ρₜ is at most 5.
func (u *update) radamFactor() *graph.Node {
	limit := 2/(1-u.beta2) - 1
	missing, t := u.missing(u.beta2), u.steps()
	length := ops.Sub(num(limit), ops.Div(ops.Mul(ops.Mul(num(2), t), ops.Pow(num(u.beta2), t)), missing))
	over := ops.Mul(ops.Mul(ops.Sub(length, num(4)), ops.Sub(length, num(2))), num(limit))
	under := ops.Mul(num((limit-4)*(limit-2)), length)
	return ops.Where(ops.Greater(length, num(5)), ops.Sqrt(ops.Mul(ops.Div(over, under), missing)), num(-1))
}

// Lion steps by the sign of a mean of the gradient and its running mean (Chen and others,
// 2023):
//
//	w -= rate·sign(β1·m + (1-β1)·grad)
//	m = β2·m + (1-β2)·grad
//
// Weight decay shrinks the parameter itself. State: exp_avg (m). Options: Betas (0.9 and 0.99).
func Lion[R Rate](rate R, opts ...Option) Optimizer { return build(lion, rate, opts) }

var lion = &rule{name: "Lion", defaults: settings{beta1: 0.9, beta2: 0.99}, options: "Betas", decoupled: true,
	step: func(u *update, grad *graph.Node) *graph.Node {
		var along *graph.Node
		u.keep("exp_avg", func(old *graph.Node) *graph.Node {
			along = blend(old, grad, u.beta1)
			return blend(old, grad, u.beta2)
		})
		return ops.Mul(ops.Sign(along), u.rateOf())
	}}
