package exec_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The gradient of weights that come by parts, [classes, places, out, in], is a product for each place, of which the
// update reads a few neighbours of a column side by side: the factors are exchanged, so that these are a row. Values
// are those of sums element by element.
func TestShortColumnsOfAProductAreRows(t *testing.T) {
	g := graph.New("votes")
	x, w := g.Input("x", graph.Float64, 5, 6, 4), g.Input("w", graph.Float64, 3, 6, 7, 4)
	dw := func(product func(x, w *graph.Node) *graph.Node) *graph.Node {
		y := product(x, w)
		d := autodiff.Grad(ops.Sum(ops.Mul(y, ops.Sin(y))), []*graph.Node{w, x})
		return ops.Concat(0, ops.Flatten(ops.Add(d[0], ops.Mul(w, graph.Num(0.5))), 0, 3), ops.Flatten(d[1], 0, 2))
	}
	grad := dw(func(x, w *graph.Node) *graph.Node { return ops.Einsum("bid,ciod->bcio", x, w) })
	p, err := exec.Compile(g, exec.Outputs(grad))
	require.NoError(t, err)
	require.Contains(t, p.String(), "contract over [6,21,4]")
	want := dw(func(x, w *graph.Node) *graph.Node {
		return ops.Sum(ops.Mul(ops.Unsqueeze(ops.Unsqueeze(x, 1), 3), ops.Unsqueeze(w, 0)), -1)
	})
	r := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = r.NormFloat64()
		}
		return list
	}
	feed := exec.Feed{x: exec.Array{Shape: []int{5, 6, 4}, Data: numbers(5 * 6 * 4)},
		w: exec.Array{Shape: []int{3, 6, 7, 4}, Data: numbers(3 * 6 * 7 * 4)}}
	require.InDeltaSlice(t, numbersOf(t, g, feed, want), numbersOf(t, g, feed, grad), 1e-12)
}
