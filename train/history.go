package train

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// lossName is the name of the loss among curves.
const lossName = "loss"

// mostPoints bounds a curve: when it is full, neighbours become their mean.
const mostPoints = 4096

// Point is a value measured after a number of steps.
type Point struct {
	Step  int
	Value float64
}

// Curve is a metric over the steps of a training run.
type Curve struct {
	Name     string
	PerEpoch bool // whether it has a point per epoch, not per step
	Points   []Point
}

// History is an observer that keeps metrics as curves, of at most 4096 points: in longer ones, points are means over
// several steps. Any number of goroutines may read the curves while training runs.
type History struct {
	mutex  sync.Mutex
	curves map[curveKey]*curve
}

type curveKey struct {
	name     string
	perEpoch bool
}

// curve is a curve that grows. Each of its points is the mean of width values, the last one of fewer.
type curve struct {
	points []Point
	width  int
	filled int // values in the last point
}

// Step implements [Observer].
func (h *History) Step(s Step) error {
	h.add(false, s.Total, s.Loss, s.Measures)
	return nil
}

// Epoch implements [Observer].
func (h *History) Epoch(e Epoch) error {
	h.add(true, e.Total, e.Loss, e.Measures)
	return nil
}

func (h *History) add(perEpoch bool, step int, loss float64, measures map[string]float64) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.curves == nil {
		h.curves = map[curveKey]*curve{}
	}
	h.at(curveKey{lossName, perEpoch}).add(step, loss)
	for name, v := range measures {
		h.at(curveKey{name, perEpoch}).add(step, v)
	}
}

func (h *History) at(key curveKey) *curve {
	c := h.curves[key]
	if c == nil {
		c = &curve{width: 1}
		h.curves[key] = c
	}
	return c
}

// add adds a value. A step that was reported before was taken again, after a checkpoint: the points from it on are
// dropped.
func (c *curve) add(step int, value float64) {
	if n := len(c.points); n > 0 && step <= c.points[n-1].Step {
		at, _ := slices.BinarySearchFunc(c.points, step, func(p Point, step int) int { return p.Step - step })
		c.points, c.filled = c.points[:at], c.width
	}
	if n := len(c.points); n > 0 && c.filled < c.width {
		c.filled++
		p := &c.points[n-1]
		p.Step, p.Value = step, p.Value+(value-p.Value)/float64(c.filled)
		return
	}
	if len(c.points) == mostPoints {
		for i := range mostPoints / 2 {
			a, b := c.points[2*i], c.points[2*i+1]
			c.points[i] = Point{b.Step, (a.Value + b.Value) / 2}
		}
		c.points, c.width = c.points[:mostPoints/2], 2*c.width
	}
	c.points, c.filled = append(c.points, Point{step, value}), 1
}

// Curves returns copies of the curves: the loss first, then by name, those of steps before those of epochs.
func (h *History) Curves() (curves []Curve) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	names := slices.SortedFunc(maps.Keys(h.curves), compareKeys)
	for _, key := range names {
		curves = append(curves, Curve{key.name, key.perEpoch, slices.Clone(h.curves[key].points)})
	}
	return curves
}

func compareKeys(a, b curveKey) int {
	rank := func(k curveKey) string {
		text := "1" + k.name
		if k.name == lossName {
			text = "0"
		}
		if k.perEpoch {
			return text + "\x01"
		}
		return text + "\x00"
	}
	return cmp.Compare(rank(a), rank(b))
}
