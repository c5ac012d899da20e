package ops_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestSearchesTogether compares searches for many values with halvings of each, of sequences of all short lengths that
// are sorted, and of some that are not, whose halvings it follows too.
func TestSearchesTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := []float32{-2, -1, 0, 0.5, 1, float32(math.Inf(1)), float32(math.NaN())}
	for size := range 40 {
		for _, right := range []bool{false, true} {
			sorted, values := make([]float32, size), make([]float32, 29)
			for i := range sorted {
				sorted[i] = float32(i / 3)
				if size%2 == 1 {
					sorted[i] = few[r.IntN(len(few))]
				}
			}
			for i := range values {
				values[i] = float32(r.IntN(16)) - 1.5 + 0.5*float32(r.IntN(2))
				if i%5 == 0 {
					values[i] = few[r.IntN(len(few))]
				}
			}
			want := make([]int64, len(values))
			for i, v := range values {
				low, high := 0, size
				for low < high {
					middle := low + (high-low)/2
					if right && !(sorted[middle] > v) || !right && !(sorted[middle] >= v) {
						low = middle + 1
					} else {
						high = middle
					}
				}
				want[i] = int64(low)
			}
			g := graph.New("search")
			x, y := g.Input("x", graph.Float32, graph.Dim(size)), g.Input("y", graph.Float32, graph.Dim(len(values)))
			places := ops.SearchSorted(x, y, right)
			prog, err := exec.Compile(g, exec.Outputs(places))
			require.NoError(t, err)
			res, err := prog.NewSession().Run(context.Background(),
				exec.Feed{x: exec.Array{Shape: []int{size}, Data: sorted},
					y: exec.Array{Shape: []int{len(values)}, Data: values}})
			require.NoError(t, err)
			got, err := res.Array(places)
			require.NoError(t, err)
			require.Equal(t, want, got.Data, "%d, right: %v", size, right)
		}
	}
}
