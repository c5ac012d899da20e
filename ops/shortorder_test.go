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

// ordered are the places in the order of rows of x, of so many numbers, all or the first k of them.
func ordered(t *testing.T, dtype graph.DType, rows, size, k int, descending bool, data any) []int64 {
	t.Helper()
	g := graph.New("order")
	x := g.Input("x", dtype, graph.Dim(rows), graph.Dim(size))
	places := ops.ArgSort(x, 1, descending)
	if k < size {
		_, places = ops.TopK(x, graph.Dim(k), 1, descending)
	}
	prog, err := exec.Compile(g, exec.Outputs(places))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{rows, size}, Data: data}})
	require.NoError(t, err)
	a, err := r.Array(places)
	require.NoError(t, err)
	return a.Data.([]int64)
}

// TestShortOrder compares the order of few elements with that of the same elements in a longer row, whose others come
// behind them: with ties, infinities, NaN and zeros of both signs.
func TestShortOrder(t *testing.T) {
	const rows, long = 53, 24
	r := rand.New(rand.NewPCG(1, 2))
	few := []float64{-2, -1, math.Copysign(0, -1), 0, 0.5, 1, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-40}
	for _, size := range []int{1, 2, 3, 5, 8, 13, 16} {
		for _, descending := range []bool{false, true} {
			x := make([]float32, rows*size)
			ints, padded := make([]int8, rows*size), make([]int8, rows*long)
			for i := range x {
				x[i] = float32(few[r.IntN(len(few))])
				ints[i] = int8(r.IntN(9) - 4)
			}
			wide := make([]float64, len(x))
			for i, v := range x {
				wide[i] = float64(v)
			}
			require.Equal(t, ordered(t, graph.Float64, rows, size, size, descending, wide),
				ordered(t, graph.Float32, rows, size, size, descending, x), "%d", size)
			for row := range rows {
				for c := range long {
					padded[row*long+c] = 100
					if descending {
						padded[row*long+c] = -100
					}
				}
				copy(padded[row*long:], ints[row*size:(row+1)*size])
			}
			for _, k := range []int{1, 2, size} {
				if k > size {
					continue
				}
				want := ordered(t, graph.Int8, rows, long, k, descending, padded)
				require.Equal(t, want, ordered(t, graph.Int8, rows, size, k, descending, ints), "%d of %d", k, size)
			}
		}
	}
}
