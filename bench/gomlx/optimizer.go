package gomlx

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/broadloom/broadloom/bench/suite"
)

// optimizerState makes the tensors that an update rule keeps from call to
// call: nothing for SGD; for Adam the number of steps, then two moments for
// every parameter.
func optimizerState(rule suite.Optimizer, params []*suite.Tensor) []*tensors.Tensor {
	if rule != suite.Adam {
		return nil
	}
	state := []*tensors.Tensor{tensors.FromScalar(float32(0))}
	for _, p := range params {
		for range 2 {
			state = append(state, tensors.FromFlatDataAndDimensions(make([]float32, p.Len()), p.Shape...))
		}
	}
	return state
}

// update writes an optimiser's step: the new parameters, then its new state.
func update(rule suite.Optimizer, params, grads, state []*Node) []*Node {
	if rule == suite.Adam {
		return adam(params, grads, state)
	}
	updated := make([]*Node, len(params))
	for i, p := range params {
		updated[i] = Sub(p, MulScalar(grads[i], suite.SGDRate))
	}
	return updated
}

// adam is the rule as GoMLX's own optimiser writes it.
func adam(params, grads, state []*Node) []*Node {
	step := OnePlus(state[0])
	unbias := func(beta float64) *Node {
		return Reciprocal(OneMinus(Pow(ConstAs(step, beta), step)))
	}
	unbias1, unbias2 := unbias(suite.AdamBeta1), unbias(suite.AdamBeta2)

	var updated []*Node
	moments := []*Node{step}
	for i, p := range params {
		m := decayed(state[1+2*i], grads[i], suite.AdamBeta1)
		v := decayed(state[2+2*i], Square(grads[i]), suite.AdamBeta2)
		denominator := AddScalar(Sqrt(Mul(v, unbias2)), suite.AdamEpsilon)
		direction := Div(MulScalar(Mul(m, unbias1), suite.AdamRate), denominator)
		updated = append(updated, Sub(p, direction))
		moments = append(moments, m, v)
	}
	return append(updated, moments...)
}

// decayed is the moving average of a gradient's moment.
func decayed(old, now *Node, beta float64) *Node {
	return Add(MulScalar(old, beta), MulScalar(now, 1-beta))
}
