package lbfgs

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// The constants of the Wolfe conditions, as in minFunc and PyTorch.
const (
	decrease  = 1e-4 // the share of the slope by which the loss must fall
	curvature = 0.9  // the share of the slope that may be left
)

// point is a place on the line of the search.
type point struct {
	t, f, slope float64
	grad        []float64
}

// search looks along the direction for a point that satisfies the strong Wolfe conditions
// (Nocedal and Wright, algorithms 3.5 and 3.6, with cubic interpolation, equation 3.59). It
// returns the best point and how often the program ran.
func (m *Minimizer) search(at func([]float64) (float64, []float64, error), x []float64, start point) (best point,
	runs int, err error) {
	line := make([]float64, len(x))
	try := func(t float64) (p point, err error) {
		floats.AddScaledTo(line, x, t, m.d)
		p.t = t
		p.f, p.grad, err = at(line)
		if err == nil {
			p.slope, runs = floats.Dot(p.grad, m.d), runs+1
		}
		return p, err
	}
	tooHigh := func(p point) bool { return !(p.f <= start.f+decrease*p.t*start.slope) }
	flat := func(p point) bool { return math.Abs(p.slope) <= -curvature*start.slope }

	last := start
	p, err := try(m.t)
	if err != nil {
		return start, runs, err
	}
	n := 0
	for ; n < m.LineEvaluations; n++ { // until a minimum lies between last and p
		if tooHigh(p) || n > 1 && p.f >= last.f || p.slope >= 0 && !flat(p) {
			break
		}
		if flat(p) {
			return p, runs, nil
		}
		next := cubicMinimum(last, p, p.t+0.01*(p.t-last.t), p.t*10)
		last = p
		if p, err = try(next); err != nil {
			return start, runs, err
		}
	}
	if n == m.LineEvaluations {
		last = start
	}
	low, high := sorted(last, p)
	width, stuck := largest(m.d), false
	for ; n < m.LineEvaluations && math.Abs(high.t-low.t)*width >= m.LeastChange; n++ {
		var t float64
		t, stuck = inside(low, high, stuck)
		if p, err = try(t); err != nil {
			return start, runs, err
		}
		switch {
		case tooHigh(p) || p.f >= low.f:
			low, high = sorted(low, p)
		case flat(p):
			return p, runs, nil
		case p.slope*(high.t-low.t) >= 0:
			low, high = p, low
		default:
			low = p
		}
	}
	return low, runs, nil
}

// sorted returns the point with the smaller loss first. A loss of NaN is the larger one.
func sorted(a, b point) (low, high point) {
	if b.f < a.f || math.IsNaN(a.f) {
		return b, a
	}
	return a, b
}

// inside returns where to try next between two points: the minimum of the cubic, or a tenth
// of the width from an end that it comes near to a second time.
func inside(a, b point, wasNear bool) (t float64, isNear bool) {
	low, high := min(a.t, b.t), max(a.t, b.t)
	t = cubicMinimum(a, b, low, high)
	margin := 0.1 * (high - low)
	if min(high-t, t-low) >= margin {
		return t, false
	}
	if !wasNear && t > low && t < high {
		return t, true
	}
	if math.Abs(t-high) < math.Abs(t-low) {
		return high - margin, false
	}
	return low + margin, false
}

// cubicMinimum returns the minimum, within bounds, of the cubic with the points' values and
// slopes; the middle where it has none.
func cubicMinimum(a, b point, low, high float64) float64 {
	if a.t > b.t {
		a, b = b, a
	}
	d1 := a.slope + b.slope - 3*(a.f-b.f)/(a.t-b.t)
	square := d1*d1 - a.slope*b.slope
	if !(square >= 0) || math.IsInf(square, 1) {
		return (low + high) / 2
	}
	d2 := math.Sqrt(square)
	t := b.t - (b.t-a.t)*((b.slope+d2-d1)/(b.slope-a.slope+2*d2))
	if math.IsNaN(t) {
		return (low + high) / 2
	}
	return min(max(t, low), high)
}
