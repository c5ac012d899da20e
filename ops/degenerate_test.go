package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestEqualElementsDoNotDeviate wants a standard deviation of 0, with a gradient of 0, of elements
// whose sum is rounded: PyTorch has both.
func TestEqualElementsDoNotDeviate(t *testing.T) {
	for _, n := range []int{2, 3, 49, 1000} {
		for _, v := range []float64{1.5340459296394129, 1e-9, -7e12} {
			g := graph.New("equal")
			x := g.Input("x", graph.Float64, 2, graph.Dim(n))
			s := ops.Std(x, 1, 1)
			dx := autodiff.Grad(ops.Sum(s), []*graph.Node{x})[0]
			data := make([]float64, 2*n)
			for i := range data {
				data[i] = v
			}
			for _, got := range evaluate(t, feeds{x: reference.Of(data, 2, n)}, s, dx, ops.Var(x, 0, 1)) {
				require.Equal(t, make([]float64, len(got.Floats())), got.Floats(), "%d times %v", n, v)
			}
		}
	}
}

// TestSecondGradientOfThePower0 wants 0 for the second derivative of x⁰ also at x = 0, where the
// power -1 that the rule of other exponents forms has no value.
func TestSecondGradientOfThePower0(t *testing.T) {
	g := graph.New("powers")
	x, y := g.Input("x", graph.Float64, 4), g.Input("y", graph.Float64, 4)
	dx := autodiff.Grad(ops.Sum(ops.Pow(x, y)), []*graph.Node{x})[0]
	ddx := autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0]
	out := evaluate(t, feeds{x: reference.Of([]float64{0, 2, 0, 0}, 4), y: reference.Of([]float64{0, 0, 2, 3}, 4)}, dx,
		ddx)
	require.Equal(t, []float64{0, 0, 0, 0}, out[0].Floats())
	require.Equal(t, []float64{0, 0, 2, 0}, out[1].Floats())
}

// TestSecondGradientOfXLogYOfNothing adds up no elements: the derivative by the scalar that all of
// them would meet is 0, also at 0, where a logarithm has none.
func TestSecondGradientOfXLogYOfNothing(t *testing.T) {
	g := graph.New("nothing")
	a, w := g.Input("a", graph.Float64, 0, 4), g.Input("w", graph.Float64, 4, 3)
	x := g.Input("x", graph.Float64)
	dw := autodiff.Grad(ops.Sum(ops.XLogY(ops.MatMul(a, w), x)), []*graph.Node{w})[0]
	ddx := autodiff.Grad(ops.Sum(dw), []*graph.Node{x})[0]
	out := value(t, feeds{a: reference.Of([]float64{}, 0, 4), w: reference.Of(make([]float64, 12), 4, 3),
		x: reference.Of([]float64{0})}, ddx)
	require.Equal(t, []float64{0}, out.Floats())
}
