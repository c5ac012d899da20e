package exec_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Columns of matrices of a few columns, whose rows are folded many at a time where their number has a divisor, have the
// value of each column by itself.
func TestColumnsOfNarrowMatrices(t *testing.T) {
	folds := map[string]struct {
		fold  func(x *graph.Node, axes ...ops.Axis) *graph.Node
		whole func(sum, v float64) float64
		first float64
	}{
		"sum":  {ops.Sum, func(sum, v float64) float64 { return sum + v }, 0},
		"prod": {ops.Prod, func(sum, v float64) float64 { return sum * v }, 1},
		"max":  {ops.Max, math.Max, math.Inf(-1)},
		"min":  {ops.Min, math.Min, math.Inf(1)},
	}
	for name, f := range folds {
		for _, rows := range []int{1, 16, 100, 997, 1000, 4096} {
			for _, columns := range []int{1, 2, 3, 10, 31, 32, 33} {
				for form, fold := range map[string]func(x *graph.Node) *graph.Node{
					"flat": func(x *graph.Node) *graph.Node { return f.fold(x, 0) },
					"kept": func(x *graph.Node) *graph.Node { return f.fold(x, 0, ops.KeepDims()) },
					"cube": func(x *graph.Node) *graph.Node {
						return f.fold(ops.Reshape(x, graph.Dim(rows), 1, graph.Dim(columns)), 0, 1)
					},
					"used": func(x *graph.Node) *graph.Node { return f.fold(ops.Neg(ops.Neg(x)), 0) },
					"flip": func(x *graph.Node) *graph.Node { return f.fold(ops.Flip(x, 0), 0) },
					"wide": func(x *graph.Node) *graph.Node { return f.fold(ops.Cast(x, graph.Float64), 0) },
				} {
					t.Run(fmt.Sprintf("%s/%d/%d/%s", name, rows, columns, form), func(t *testing.T) {
						data := make([]float32, rows*columns)
						want := make([]float64, columns)
						for j := range want {
							want[j] = f.first
						}
						for i := range data {
							data[i] = 1 + float32(math.Sin(float64(i*i%977)))/64
							want[i%columns] = f.whole(want[i%columns], float64(data[i]))
						}
						require.InEpsilonSlice(t, want, foldedRows(t, fold, data, rows, columns), 1e-4)
					})
				}
			}
		}
	}
}

// Rows of a few columns are folded in two steps, and so none waits for the row before: a matrix without a suitable
// number of rows takes one.
func TestNarrowRowsAreJoined(t *testing.T) {
	kernels := func(rows, columns graph.Dim) int {
		g := graph.New("narrow")
		p, err := exec.Compile(g, exec.Outputs(ops.Sum(g.Input("x", graph.Float32, rows, columns), 0)))
		require.NoError(t, err)
		return len(p.Plan().Kernels)
	}
	require.Equal(t, 2, kernels(1000, 10))
	require.Equal(t, 1, kernels(997, 10))
	require.Equal(t, 1, kernels(1000, 33))
	require.Equal(t, 1, kernels(16, 10))
}

// Integers wrap around, and matrices without rows are the neutral element.
func TestNarrowMatricesOfIntegers(t *testing.T) {
	g := graph.New("narrow")
	x := g.Input("x", graph.Int32, 1024, 3)
	sum, product := ops.Sum(ops.Cast(x, graph.Int64), 0), ops.Max(x, 0)
	p, err := exec.Compile(g, exec.Outputs(sum, product))
	require.NoError(t, err)
	data := make([]int32, 1024*3)
	for i := range data {
		data[i] = math.MaxInt32 - int32(i)
	}
	r, err := p.NewSession().Run(context.Background(), exec.Feed{x: data})
	require.NoError(t, err)
	sums, err := exec.Values[int64](r, sum)
	require.NoError(t, err)
	const n = 1024
	first := int64(n)*math.MaxInt32 - 3*(n*(n-1)/2)
	require.Equal(t, []int64{first, first - n, first - 2*n}, sums)
	largest, err := exec.Values[int32](r, product)
	require.NoError(t, err)
	require.Equal(t, []int32{math.MaxInt32, math.MaxInt32 - 1, math.MaxInt32 - 2}, largest)

	require.Equal(t, []float64{0, 0, 0}, foldedRows(
		t, func(x *graph.Node) *graph.Node { return ops.Sum(x, 0) }, nil, 0, 3))
}
