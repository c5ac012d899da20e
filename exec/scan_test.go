package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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

// TestRunningFunctionsAlongAnyAxis goes along axes of which columns are few and many, single and side by side, as whole
// numbers whose sums and products are exact, forwards and, for gradients, backwards. The bits are the same on any
// number of threads.
func TestRunningFunctionsAlongAnyAxis(t *testing.T) {
	for _, shape := range [][]int{{1}, {7}, {301, 5}, {5, 301}, {3, 4, 70}, {2, 9, 1}, {70, 3, 2, 2}} {
		for axis, size := range shape {
			t.Run(fmt.Sprint(shape, axis), func(t *testing.T) {
				g := graph.New("running")
				x := g.Input("x", graph.Float32, graph.MakeShape(shape...)...)
				most, places := ops.CumMax(x, axis)
				wanted := []*graph.Node{ops.CumSum(x, axis), ops.CumProd(x, axis), most, places,
					ops.LinearRecurrence(x, x, axis),
					autodiff.Grad(ops.Sum(ops.CumSum(x, axis)), []*graph.Node{x})[0]}
				count, stride := 1, 1
				for i, d := range shape {
					count *= d
					if i > axis {
						stride *= d
					}
				}
				data, rng := make([]float32, count), rand.New(rand.NewPCG(1, 2))
				want := make([][]float64, len(wanted))
				for i := range want {
					want[i] = make([]float64, count)
				}
				for i := range data {
					data[i] = float32(rng.IntN(3) - 1)
					v, step := float64(data[i]), i/stride%size
					sum, product, greatest, place, recurrence := v, v, v, float64(step), v
					if before := i - stride; step > 0 {
						sum, product, recurrence = sum+want[0][before], product*want[1][before], v*want[4][before]+v
						if want[2][before] > v {
							greatest, place = want[2][before], want[3][before]
						}
					}
					for k, w := range []float64{sum, product, greatest, place, recurrence, float64(size - step)} {
						want[k][i] = w
					}
				}
				prog, err := exec.Compile(g, exec.Outputs(wanted...))
				require.NoError(t, err)
				for _, threads := range []int{1, 3} {
					out, err := prog.NewSession(exec.Threads(threads)).Run(
						t.Context(), exec.Feed{x: exec.Array{Shape: shape, Data: data}})
					require.NoError(t, err)
					for k, n := range wanted {
						a := arrayOf(t, out, n)
						for i, w := range want[k] {
							got, _ := graph.NumberAt(a.Data, i)
							require.Equal(t, w, got, "element %d of %s", i, graph.Describe(n))
						}
					}
				}
			})
		}
	}
}

// The extrema of rows, whose winners are few, and their places are those that a loop finds, and NaN wins for good.
func TestExtremaOfLongRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for size := 31; size < 50; size++ {
		const rows = 40
		g := graph.New("extrema")
		x := g.Input("x", graph.Float32, rows, graph.Dim(size))
		most, mostAt := ops.CumMax(x, 1)
		least, leastAt := ops.CumMin(x, 1)
		data := make([]float32, rows*size)
		for i := range data {
			data[i] = float32(rng.NormFloat64())
		}
		for row := range rows / 4 {
			data[row*size+rng.IntN(size)] = float32(math.NaN())
		}
		prog, err := exec.Compile(g, exec.Outputs(most, mostAt, least, leastAt))
		require.NoError(t, err)
		out, err := prog.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{rows, size}, Data: data}})
		require.NoError(t, err)
		for _, c := range []struct {
			values, places *graph.Node
			sign           float32
		}{{most, mostAt, 1}, {least, leastAt, -1}} {
			values, places := arrayOf(t, out, c.values).Data.([]float32), arrayOf(t, out, c.places).Data.([]int64)
			best := 0
			for i, v := range data {
				if b := data[best]; i%size == 0 || v != v || c.sign*v >= c.sign*b && b == b {
					best = i
				}
				require.Equal(t, int64(best%size), places[i], "element %d of rows of %d", i, size)
				require.Equal(t, math.Float32bits(data[best]), math.Float32bits(values[i]), "element %d", i)
			}
		}
	}
}
