package exec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestScansOfNamedSizes sums and multiplies up along an axis whose size is known in the run
// only, and may be 0.
func TestScansOfNamedSizes(t *testing.T) {
	g := graph.New("scans")
	n := g.Dim("n", graph.AtLeast(0))
	x := g.Input("x", graph.Float64, n, 2)
	sums, products := ops.CumSum(x, 0), ops.CumProd(x, 0)
	mean := ops.Mean(sums)
	dx := autodiff.Grad(ops.Sum(ops.Add(sums, products)), []*graph.Node{x})[0]
	prog, err := exec.Compile(g, exec.Outputs(sums, products, mean, dx))
	require.NoError(t, err)
	s := prog.NewSession()
	for _, size := range []int{3, 0, 1, 200, 2} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			data, wantSums, wantProducts := make([]float64, 2*size), make([]float64, 2*size), make([]float64, 2*size)
			sum, product := [2]float64{}, [2]float64{1, 1}
			for i := range data {
				data[i] = float64(i%3 - 1) // small whole numbers: every order of a sum is right
				sum[i%2] += data[i]
				product[i%2] *= data[i]
				wantSums[i], wantProducts[i] = sum[i%2], product[i%2]
			}
			out, err := s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{size, 2}, Data: data}})
			require.NoError(t, err)
			require.NoError(t, s.CheckArguments())
			require.Equal(t, wantSums, arrayOf(t, out, sums).Data)
			require.Equal(t, wantProducts, arrayOf(t, out, products).Data)
			require.Len(t, arrayOf(t, out, dx).Data, 2*size)
			if size == 0 {
				require.Equal(t, "[NaN]", fmt.Sprint(arrayOf(t, out, mean).Data), "the mean of nothing")
			}
		})
	}
}
