package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestGradientOfNorms compares with PyTorch where an element or the norm is 0, and where elements tie or are no
// numbers.
func TestGradientOfNorms(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ p, x, want []float64 }{
		{[]float64{-2, -1, -0.5}, []float64{0, 0.5, 2}, []float64{0, 0, 0}},
		{[]float64{-2, -1, -0.5}, []float64{0, 0, 1}, []float64{0, 0, 0}},
		{[]float64{-2, -1, -0.5}, []float64{inf, 0, 1}, []float64{0, 0, 0}},
		{[]float64{-2, -1, -0.5, 0.5, 1.5, 2, 3}, []float64{nan, 0, 1}, []float64{nan, nan, nan}},
		{[]float64{-2, -1, -0.5, 0.5, 1, 1.5, 2, 3, inf, -inf}, []float64{0, 0, 0}, []float64{0, 0, 0}},
		{[]float64{-1}, []float64{2, -2, 1}, []float64{0.0625, -0.0625, 0.25}},
		{[]float64{-1}, []float64{inf, 1, 2}, []float64{0, 4.0 / 9, 1.0 / 9}},
		{[]float64{0.5}, []float64{0, 0.5, 2}, []float64{0, 3, 1.5}},
		{[]float64{inf}, []float64{2, -2, 1}, []float64{0.5, -0.5, 0}},
		{[]float64{inf, -inf}, []float64{nan, 0, 1}, []float64{0, 0, 0}},
	} {
		for _, p := range c.p {
			g := graph.New("norm")
			x := g.Input("x", graph.Float64, 3)
			wrt := []*graph.Node{x}
			in := feeds{x: reference.Of(c.x, 3)}
			requireClose(t, c.want, value(t, in, autodiff.Grad(ops.Norm(x, p), wrt)[0]).Floats(), 1e-14,
				fmt.Sprint("norm of order ", p))
			requireClose(t, c.want,
				value(t, in, autodiff.Grad(ops.Dist(x, ops.Zeros(g, graph.Float64, 3), p), wrt)[0]).Floats(), 1e-14,
				fmt.Sprint("distance of order ", p))
		}
	}
}

// TestGradientOfWhatArrivesAtANorm of 0 is finite: a network's gradient is a penalty.
func TestGradientOfWhatArrivesAtANorm(t *testing.T) {
	for _, p := range []float64{math.Inf(-1), -2, -0.5, 0.5, 1, 1.5, 2, 3, math.Inf(1)} {
		g := graph.New("norm")
		x, dy := g.Input("x", graph.Float64, 2, 3), g.Input("dy", graph.Float64, 2)
		first := autodiff.Grad(ops.Norm(x, p, 1), []*graph.Node{x}, autodiff.Upstream(dy))[0]
		second := autodiff.Grad(ops.Sum(first), []*graph.Node{dy, x}, autodiff.ZeroForUnused())
		third := autodiff.Grad(ops.Sum(second[1]), []*graph.Node{dy, x}, autodiff.ZeroForUnused())
		in := feeds{x: reference.Of([]float64{0, 0, 0, 3, 0, 4}, 2, 3), dy: reference.Of([]float64{1, 1}, 2)}
		for _, d := range [][]*graph.Node{second, third} {
			for _, v := range evaluate(t, in, d...) {
				for _, f := range v.Floats() {
					require.False(t, math.IsNaN(f) || math.IsInf(f, 0), "order %v: %v", p, v.Floats())
				}
			}
		}
		require.Zero(t, evaluate(t, in, second...)[0].Floats()[0])
	}
}
