package optim

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// ClipNorm returns the gradients times min(1, limit/(norm + 1e-6)), where norm is the root of
// the sum of all their squares, and that norm, a Float64 scalar that can be an output
// (torch.nn.utils.clip_grad_norm_):
//
//	grads, norm := optim.ClipNorm(autodiff.Grad(loss, params), 1)
//	step := optim.Adam(1e-3).Updates(params, grads)
func ClipNorm(grads []*graph.Node, limit float64) (clipped []*graph.Node, norm *graph.Node) {
	if trouble := clipTrouble(grads, limit); trouble != "" {
		return refuseAll("ClipNorm", trouble, grads)
	}
	squares := num(0)
	for _, grad := range grads {
		squares = ops.Add(squares, ops.Cast(ops.Sum(ops.Square(wideEnough(grad)), ops.AllAxes()), graph.Float64))
	}
	norm = ops.Sqrt(squares)
	factor := ops.Minimum(ops.Div(num(limit), ops.Add(norm, num(1e-6))), num(1))
	for _, grad := range grads {
		wide := wideEnough(grad)
		clipped = append(clipped, ops.Cast(ops.Mul(wide, ops.Cast(factor, wide.DType())), grad.DType()))
	}
	return clipped, norm
}

// ClipValue returns the gradients with each element clamped to between -limit and limit
// (torch.nn.utils.clip_grad_value_).
func ClipValue(grads []*graph.Node, limit float64) (clipped []*graph.Node) {
	if trouble := clipTrouble(grads, limit); trouble != "" {
		clipped, _ = refuseAll("ClipValue", trouble, grads)
		return clipped
	}
	for _, grad := range grads {
		clipped = append(clipped, ops.Clamp(grad, -limit, limit))
	}
	return clipped
}

func clipTrouble(grads []*graph.Node, limit float64) string {
	if trouble := gradTrouble(grads); trouble != "" {
		return trouble
	}
	if !(limit > 0) || math.IsInf(limit, 1) {
		return fmt.Sprintf("the limit is %g; it must be a number greater than 0", limit)
	}
	return ""
}

// gradTrouble says which of the gradients is none.
func gradTrouble(grads []*graph.Node) string {
	for i, grad := range grads {
		if grad == nil || grad.Judged() && !grad.DType().IsFloat() {
			return fmt.Sprintf("gradient %d is %s; it must be a floating-point value", i, grad.Called())
		}
	}
	return ""
}

// refuseAll returns refusals for gradients, and for one more value, that could not be built.
func refuseAll(fn, trouble string, grads []*graph.Node) ([]*graph.Node, *graph.Node) {
	var about *graph.Node
	for _, grad := range grads {
		if grad != nil {
			about = grad
		}
	}
	refused, all := refuse(fn, trouble, about), make([]*graph.Node, len(grads))
	for i := range all {
		all[i] = refused
	}
	return all, refused
}

// Accumulate accumulates gradients over micro-batches, one per run. It returns the means over those since the last
// complete batch, and whether the batch is complete: a bool scalar, true in each run whose number is a multiple of
// runs. Pass it to [When], without which a step is a mistake:
//
//	grads, full := optim.Accumulate(params, autodiff.Grad(loss, params), 4)
//	step := optim.Adam(1e-3, optim.When(full)).Updates(params, grads)
//
// With equal micro-batches, the mean of their gradients is the gradient of the mean over the whole batch. State:
// grad_sum of each parameter, and micro_step of the alphabetically first one.
func Accumulate(params, grads []*graph.Node, runs int) (means []*graph.Node, full *graph.Node) {
	trouble := paramTrouble(params)
	switch {
	case len(params) == 0:
		trouble = "there are no parameters"
	case len(params) != len(grads):
		trouble = fmt.Sprintf("there are %d parameters and %d gradients", len(params), len(grads))
	case runs < 1:
		trouble = fmt.Sprintf("a batch of %d micro-batches cannot be accumulated; use at least 1", runs)
	}
	if trouble != "" {
		about := append(grads[:len(grads):len(grads)], params...)
		means, full = refuseAll("Accumulate", trouble, about)
		return means[:len(params)], full
	}
	s := &shared{g: params[0].Graph(), fn: "Accumulate"}
	count := ops.AddInPlace(s.state(firstName(params), "micro_step", graph.Int64, 0, nil), graph.Num(1))
	place := ops.Remainder(count, graph.Num(runs))
	full = ops.Equal(place, graph.Num(0))
	first := ops.Equal(ops.Remainder(ops.Sub(count, graph.Num(1)), graph.Num(runs)), graph.Num(0))
	for i, w := range params {
		old := s.stateOf(w.Name(), "grad_sum", w.DType(), sumStart{runs: runs}, w.Shape())
		sum := ops.CopyInPlace(old, ops.Add(ops.Where(first, graph.Num(0.0), old), grads[i]))
		means = append(means, ops.Div(sum, graph.Num(float64(runs))))
	}
	if s.refused != nil {
		return refuseAll("Accumulate", "the gradients of these parameters are already accumulated", params)
	}
	return means, full
}
