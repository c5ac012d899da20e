package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// Derivatives of functions that are a quotient by x are those of their series at 0, and go on without a step where the
// series ends.
func TestDerivativesOfQuotientsNearZero(t *testing.T) {
	for name, c := range map[string]struct {
		f      func(*graph.Node) *graph.Node
		near   float64
		atZero []float64
	}{
		"sinc":         {ops.Sinc, 0.5 / math.Pi, []float64{1, 0, -math.Pi * math.Pi / 3, 0, math.Pow(math.Pi, 4) / 5}},
		"spherical_j0": {ops.SphericalJ0, 0.5, []float64{1, 0, -1. / 3, 0, 1. / 5}},
		"i1":           {ops.I1, 0.25, []float64{0, 0.5, 0, 3. / 8, 0}},
		"j1":           {ops.J1, 0.25, []float64{0, 0.5, 0, -3. / 8, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New(name)
			x := g.Input("x", graph.Float64, 4)
			y := c.f(x)
			in := feeds{x: reference.Of([]float64{0, math.Copysign(0, -1), math.Nextafter(c.near, 0), c.near}, 4)}
			for _, want := range c.atZero {
				got := evaluateWithin(t, 1e-9, in, y)[0].Floats()
				require.InDelta(t, want, got[0], 1e-9)
				require.InDelta(t, want, got[1], 1e-9)
				require.InDelta(t, got[2], got[3], 1e-9)
				y = autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
			}
		})
	}
}
