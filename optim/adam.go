package optim

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Adam keeps running means of each gradient, m, and of its square, v, and steps along
// m/√v (Kingma and Ba, 2015):
//
//	m = m + (1-β1)·(grad-m)
//	v = β2·v + (1-β2)·grad²
//	w -= rate/(1-β1ᵗ) · m / (√v/√(1-β2ᵗ) + ε)
//
// t is the number of steps, this one included.
func Adam(rate float64, opts ...Option) Optimizer {
	return newOptimizer("Adam", adam, adamSettings(rate, 0), opts)
}

// AdamW is Adam with a weight decay that shrinks the parameter itself instead of going
// through the running means (Loshchilov and Hutter, 2019): before the step of Adam,
// w *= 1 - rate·decay.
func AdamW(rate, decay float64, opts ...Option) Optimizer {
	return newOptimizer("AdamW", adamW, adamSettings(rate, decay), opts)
}

func adamSettings(rate, decay float64) settings {
	return settings{rate: rate, decay: decay, beta1: 0.9, beta2: 0.999, epsilon: 1e-8}
}

func adam(u *update, w, grad *graph.Node) []*graph.Node {
	step, m, v := u.adamStep(w, u.decayed(w, grad))
	return []*graph.Node{ops.SubInPlace(w, step), m, v}
}

func adamW(u *update, w, grad *graph.Node) []*graph.Node {
	step, m, v := u.adamStep(w, grad)
	if u.decay == 0 {
		return []*graph.Node{ops.SubInPlace(w, step), m, v}
	}
	kept := ops.Mul(w, u.kept(w.DType()))
	return []*graph.Node{ops.CopyInPlace(w, ops.Sub(kept, step)), m, v}
}

// kept returns the share of a parameter that weight decay leaves, 1 - rate·decay.
func (u *update) kept(t graph.DType) *graph.Node {
	if u.rateNode == nil {
		return graph.Num(1 - u.rate*u.decay)
	}
	rate := u.learningRate(graph.Float64)
	return ops.Cast(ops.Sub(graph.Num(1.0), ops.Mul(rate, graph.Num(u.decay))), t)
}

// adamStep returns what Adam subtracts from w, and the writes of its running means.
func (u *update) adamStep(w, grad *graph.Node) (step, m, v *graph.Node) {
	oldM, oldV := u.state("m", w), u.state("v", w)
	m = ops.AddInPlace(oldM, ops.Mul(ops.Sub(grad, oldM), graph.Num(1-u.beta1)))
	v = ops.CopyInPlace(oldV, ops.Add(ops.Mul(oldV, graph.Num(u.beta2)), ops.Mul(ops.Square(grad), graph.Num(1-u.beta2))))
	c := u.adamCorrection(w.DType())
	size := ops.Add(ops.Div(ops.Sqrt(v), c.root), graph.Num(u.epsilon))
	return ops.Div(ops.Mul(m, c.rate), size), m, v
}

// correction holds the scalars of one step: the running means start at 0 and are too
// small by known factors at first.
type correction struct {
	rate *graph.Node // rate/(1-β1ᵗ)
	root *graph.Node // √(1-β2ᵗ)
}

// adamCorrection returns the scalars for parameters of dtype t. They are computed in
// Float64: 1-β2 would lose four of Float32's seven digits.
func (u *update) adamCorrection(t graph.DType) correction {
	if c, known := u.shared[t]; known {
		return c
	}
	steps := ops.Cast(u.steps(), graph.Float64)
	rate := u.learningRate(graph.Float64)
	missing := func(beta float64) *graph.Node {
		return ops.Sub(graph.Num(1.0), ops.Pow(graph.Num(beta), steps))
	}
	c := correction{
		rate: ops.Cast(ops.Div(rate, missing(u.beta1)), t),
		root: ops.Cast(ops.Sqrt(missing(u.beta2)), t),
	}
	u.shared[t] = c
	return c
}
