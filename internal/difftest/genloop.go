package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// loop draws a loop over an axis of a value. All values of its body have the shape of a step's part.
func (g *gen) loop() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	axis, t := g.IntN(g.rank(x)), g.v(x).T
	shape := slices.Delete(g.shapeOf(x), axis, axis+1)
	s := eager.Step{Op: "Scan", In: []int{x}, I: []int{axis, 1 + g.IntN(2), g.IntN(2)}}
	for range s.I[1] {
		if g.IntN(2) == 0 {
			s.In = append(s.In, g.do(eager.Step{Op: "Sum", In: []int{x}, I: []int{axis}}))
		} else {
			s.In = append(s.In, g.input(t, shape, ""))
		}
	}
	if g.IntN(2) == 0 {
		s.In = append(s.In, g.input(t, shape, ""))
	}
	local, weight := len(s.In), -1
	if last := len(shape) - 1; last >= 0 && g.IntN(2) == 0 {
		weight, s.In = len(s.In), append(s.In, g.input(t, []eager.Size{shape[last], shape[last]}, ""))
	}
	s.Body = g.body(local, weight, len(shape) > 0)
	for range s.I[1] { // what is handed on stays small
		s.Body = append(s.Body, eager.Step{Op: oneOf(g, "Tanh", "Sigmoid"), In: []int{g.anyOf(local, weight, len(s.Body)-s.I[1])}})
	}
	for i := range s.Body {
		s.Body[i].N = 1
	}
	return g.did(s)
}

// anyOf draws a value of a body: one of the first ones, or that of a step.
func (g *gen) anyOf(local, weight, steps int) int {
	k := g.IntN(local + max(steps, 0))
	if weight >= 0 && k >= weight {
		k++
	}
	return k
}

// body draws steps that keep the shape of some values, and may multiply by a weight.
func (g *gen) body(local, weight int, hasAxes bool) (steps []eager.Step) {
	for range 1 + g.IntN(4) {
		a, b := g.anyOf(local, weight, len(steps)), g.anyOf(local, weight, len(steps))
		switch kind := g.IntN(8); {
		case kind < 2 && weight >= 0:
			steps = append(steps, eager.Step{Op: "MatMul", In: []int{a, weight}})
		case kind < 4 && hasAxes:
			steps = append(steps, eager.Step{Op: oneOf(g, "Softmax", "CumSum", "Flip"), In: []int{a}, I: []int{-1}})
		case kind < 5:
			steps = append(steps, eager.Step{Op: oneOf(g, "Sin", "Neg", "Softplus", "Tanh"), In: []int{a}})
		default:
			steps = append(steps, eager.Step{Op: oneOf(g, "Add", "Sub", "Mul", "Maximum"), In: []int{a, b}})
		}
	}
	return steps
}
