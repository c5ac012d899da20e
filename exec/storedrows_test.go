package exec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestFewStoredRowsAreFolded sums a few rows of an input, and finds their greatest elements: with the bits of sums that
// go from row to row, on any number of threads. Up to 16 rows are elements of one result, more are accumulated; either
// way the sums stay in registers.
func TestFewStoredRowsAreFolded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, rows := range []int{2, 3, 16, 17, 40, 64, 65} {
		for _, n := range []int{1, 63, 64, 1000, 40_000} {
			data := make([]float32, rows*n)
			for i := range data {
				data[i] = float32(r.NormFloat64())
				if i%n == n/2 {
					data[i] = float32(math.Copysign(0, -1))
				}
			}
			sums, most := make([]float32, n), make([]float32, n)
			for i := range n {
				sums[i], most[i] = data[i], data[i]
				for row := 1; row < rows; row++ {
					sums[i] += data[row*n+i]
					most[i] = max(most[i], data[row*n+i])
				}
			}
			g := graph.New("rows")
			x := g.Input("x", graph.Float32, graph.Dim(rows), graph.Dim(n))
			y, z := ops.Sum(x, 0), ops.Max(x, 0)
			p, err := exec.Compile(g, exec.Outputs(y, z))
			require.NoError(t, err)
			for _, threads := range []int{1, 3} {
				out, err := p.NewSession(exec.Threads(threads)).Run(
					t.Context(), exec.Feed{x: exec.Array{Shape: []int{rows, n}, Data: data}})
				require.NoError(t, err)
				if n > 1 { // one column is a row, which is folded in another order
					require.Equal(t, bitsOf(sums), bitsOf(arrayOf(t, out, y).Data), "%d rows of %d", rows, n)
				}
				require.Equal(t, most, arrayOf(t, out, z).Data, "%d rows of %d", rows, n)
			}
		}
	}
}
