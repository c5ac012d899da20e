package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

func (g *gen) loss() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	s := eager.Step{In: []int{x}, Op: oneOf(
		g, "MSE", "L1", "Huber", "SmoothL1", "BCE", "BCEWithLogits", "KLDiv", "CrossEntropy", "CrossEntropy", "NLL"),
		Text: oneOf(g, "", "sum", "each")}
	kind := ""
	switch s.Op {
	case "Huber", "SmoothL1":
		s.F = []float64{oneOf(g, 0.5, 1, 0.7)}
	case "CrossEntropy", "NLL":
		return g.likelihood(s)
	case "BCE":
		if x = g.do(eager.Step{Op: "Sigmoid", In: []int{x}}); x < 0 {
			return false
		}
		s.In[0], kind = x, "unit"
	case "BCEWithLogits", "KLDiv":
		kind = "unit"
	}
	y := g.input(g.v(x).T, g.shapeOf(x), kind)
	s.In = append(s.In, y)
	return y >= 0 && g.did(s)
}

// likelihood draws classes or their probabilities, an ignored class, and weights of classes.
func (g *gen) likelihood(s eager.Step) bool {
	x := s.In[0]
	shape, t := g.shapeOf(x), g.v(x).T
	axis := min(1, len(shape)-1)
	if s.Op == "CrossEntropy" && g.IntN(4) == 0 {
		s.In = append(s.In, g.input(t, shape, "unit"))
	} else {
		examples := slices.Delete(slices.Clone(shape), axis, axis+1)
		s.In = append(s.In, g.declare(eager.Input{T: eager.Int64, Shape: examples, Kind: "index", Below: shape[axis]}))
		if g.IntN(3) == 0 {
			s.I = []int{g.IntN(2)}
		}
	}
	if g.IntN(3) == 0 {
		s.In = append(s.In, g.input(t, shape[axis:axis+1], "positive"))
	}
	return !slices.Contains(s.In, -1) && g.did(s)
}
