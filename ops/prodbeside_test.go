package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestGradientsOfProductsBesideZeros wants NaN where a zero meets an infinite element or a NaN among the others, as in
// PyTorch, and 0 where it meets numbers alone, however great. What is divided by itself, as a single infinite element
// is for its own second derivative, is NaN.
func TestGradientsOfProductsBesideZeros(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ x, want, second []float64 }{
		{[]float64{0.597, inf, math.Copysign(0, -1)}, []float64{nan, 0, inf}, []float64{inf, nan, inf}},
		{[]float64{0.5, nan, 0}, []float64{nan, 0, nan}, []float64{nan, nan, nan}},
		{[]float64{0.5, nan, 0, 0}, []float64{nan, 0, nan, nan}, []float64{nan, 0, nan, nan}},
		{[]float64{0.5, inf, 0, 2}, []float64{nan, 0, inf, nan}, []float64{nan, nan, inf, nan}},
		{[]float64{nan, 0, 0, 3}, []float64{0, nan, nan, nan}, []float64{0, nan, nan, nan}},
		{[]float64{2, 3, inf, 0, 5}, []float64{nan, nan, 0, inf, nan}, []float64{nan, nan, nan, inf, nan}},
		{[]float64{2, 0, 3, 4}, []float64{0, 24, 0, 0}, []float64{12, 26, 8, 6}},
		{[]float64{2, 0, 0, 4}, []float64{0, 0, 0, 0}, []float64{0, 8, 8, 0}},
		{[]float64{1e200, 0, 1e200, 2}, []float64{0, inf, 0, 0}, []float64{inf, inf, inf, inf}},
	} {
		for _, isKnown := range []bool{true, false} {
			g := graph.New("prod")
			n := graph.Dim(len(c.x))
			if !isKnown {
				n = g.Dim("n")
			}
			x := g.Input("x", graph.Float64, n)
			in := feeds{x: reference.Of(c.x, len(c.x))}
			dx := autodiff.Grad(ops.Prod(x), []*graph.Node{x})[0]
			requireClose(t, c.want, value(t, in, dx).Floats(), 1e-14, fmt.Sprint("Prod of ", c.x))
			second := autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0]
			requireClose(t, c.second, value(t, in, second).Floats(), 1e-14,
				fmt.Sprint("the second derivatives of Prod of ", c.x))
		}
	}
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{0.5, nan, 0}, []float64{nan, nan, nan}}, {[]float64{0.5, inf, 0}, []float64{nan, nan, inf}},
		{[]float64{0.5, 2, 0}, []float64{0, 0, 1}},
	} {
		g := graph.New("segments")
		x := g.Input("x", graph.Float64, 3)
		y := ops.SegmentProd(x, 0, graph.Constant(g, []int64{1, 1, 1}, 3), 2)
		dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
		requireClose(t, c.want, value(t, feeds{x: reference.Of(c.x, 3)}, dx).Floats(), 0,
			fmt.Sprint("SegmentProd of ", c.x))
	}
}
