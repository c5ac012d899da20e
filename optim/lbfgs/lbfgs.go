package lbfgs

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/broadloom/broadloom/exec"
)

// Minimizer holds the state of the method: the last steps, and the changes of the gradient along them. It computes in
// Float64, whatever the parameters' dtypes. It must not be used by several goroutines at once. Fields that New sets
// may be changed between steps.
type Minimizer struct {
	Rate            float64 // 1: the first length that each line search tries
	Iterations      int     // 20: the maximum number of directions in a step
	Evaluations     int     // 25: the number of runs in a step after which no new direction starts
	History         int     // 100: the number of past directions that are kept
	LeastGradient   float64 // 1e-7: a step ends if no gradient is larger
	LeastChange     float64 // 1e-9: and if neither the loss nor a parameter changes more
	LineEvaluations int     // 25: the maximum number of runs in a line search

	vectors
	directions   int // so far
	d, lastGrad  []float64
	t            float64
	steps, turns [][]float64 // s and y: the last steps and the changes of the gradient
	scale        float64     // of the first guess of the inverse Hessian
}

// Step runs the program with the feed and moves the parameters along L-BFGS directions until the loss no longer changes
// or a limit is reached. It returns the loss before the step. A loss that is not finite ends the step: the parameters
// keep their last good values.
func (m *Minimizer) Step(ctx context.Context, feed exec.Feed) (loss float64, err error) {
	x, err := m.params()
	if err != nil {
		return 0, err
	}
	at := func(x []float64) (float64, []float64, error) { return m.evaluate(ctx, feed, x) }
	first, grad, err := at(x)
	if err != nil {
		return 0, err
	}
	loss = first
	for n, runs := 1, 1; largest(grad) > m.LeastGradient && !math.IsNaN(loss); n++ {
		m.direct(grad)
		slope := floats.Dot(grad, m.d)
		if !(slope <= -m.LeastChange) {
			break
		}
		found, used, err := m.search(at, x, point{f: loss, grad: grad, slope: slope})
		if err != nil {
			return first, errors.Join(err, m.setParams(x))
		}
		before := loss
		m.t, loss, grad = found.t, found.f, found.grad
		floats.AddScaled(x, m.t, m.d)
		runs += used
		if n == m.Iterations || runs >= m.Evaluations || m.t*largest(m.d) <= m.LeastChange ||
			math.Abs(loss-before) < m.LeastChange {
			break
		}
	}
	return first, m.setParams(x)
}

// direct chooses the next direction and the first length to try: the two-loop recursion
// (Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.4).
func (m *Minimizer) direct(grad []float64) {
	m.directions++
	if m.directions == 1 {
		m.d, m.scale = make([]float64, len(grad)), 1
		m.t = m.Rate * min(1, 1/floats.Norm(grad, 1))
	} else {
		m.remember(grad)
		m.t = m.Rate
	}
	m.lastGrad = append(m.lastGrad[:0], grad...)
	floats.ScaleTo(m.d, -1, grad)
	shares := make([]float64, len(m.steps))
	for i := len(m.steps) - 1; i >= 0; i-- {
		shares[i] = floats.Dot(m.steps[i], m.d) / floats.Dot(m.steps[i], m.turns[i])
		floats.AddScaled(m.d, -shares[i], m.turns[i])
	}
	floats.Scale(m.scale, m.d)
	for i, s := range m.steps {
		back := floats.Dot(m.turns[i], m.d) / floats.Dot(s, m.turns[i])
		floats.AddScaled(m.d, shares[i]-back, s)
	}
}

// remember keeps the last step, if the loss curves upwards along it.
func (m *Minimizer) remember(grad []float64) {
	step, turn := make([]float64, len(grad)), make([]float64, len(grad))
	floats.ScaleTo(step, m.t, m.d)
	floats.SubTo(turn, grad, m.lastGrad)
	curve := floats.Dot(turn, step)
	if !(curve > 1e-10) {
		return
	}
	if drop := len(m.steps) + 1 - m.History; drop > 0 {
		m.steps, m.turns = m.steps[drop:], m.turns[drop:]
	}
	m.steps, m.turns = append(m.steps, step), append(m.turns, turn)
	m.scale = curve / floats.Dot(turn, turn)
}

func largest(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }
