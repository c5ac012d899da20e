package ops_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

var (
	nan     = math.NaN()
	inf     = math.Inf(1)
	minus0  = math.Copysign(0, -1)
	unsorts = []float64{3, nan, -1, minus0, 0, inf, 3, -inf, nan, 0}
)

// runOn runs what build makes of an input [n] of a dtype.
func runOn[T graph.Element](t *testing.T, data []T, build func(x node) []node) []any {
	t.Helper()
	g := graph.New("sort")
	x := g.Input("x", graph.DTypeOf[T](), g.Dim("n", graph.AtLeast(0)))
	outputs := build(x)
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	r, err := p.NewSession().Run(context.Background(), exec.Feed{x: data})
	require.NoError(t, err)
	var all []any
	for _, n := range outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		all = append(all, a.Data)
	}
	return all
}

func places(descending bool) func(x node) []node {
	return func(x node) []node { return []node{ops.ArgSort(x, 0, descending)} }
}

// What torch.sort(stable=True) gives.
func TestSortIsStableAndNaNIsTheGreatest(t *testing.T) {
	rising, falling := []int64{7, 2, 3, 4, 9, 0, 6, 5, 1, 8}, []int64{1, 8, 5, 0, 6, 3, 4, 9, 2, 7}
	require.Equal(t, []any{rising}, runOn(t, unsorts, places(false)))
	require.Equal(t, []any{falling}, runOn(t, unsorts, places(true)))
	short := make([]float32, len(unsorts))
	for i, v := range unsorts {
		short[i] = float32(v)
	}
	require.Equal(t, []any{rising}, runOn(t, short, places(false)))
	require.Equal(t, []any{falling}, runOn(t, short, places(true)))
	require.Equal(t, []any{[]int64{1, 3, 0, 2}}, runOn(t, []bool{true, false, true, false}, places(false)))
	require.Equal(t, []any{[]int64{2, 1, 0}}, runOn(t, []int32{math.MaxInt32, 0, math.MinInt32}, places(false)))
	require.Equal(t, []any{[]int64{0, 1, 2}}, runOn(t, []int64{math.MaxInt64, 0, math.MinInt64}, places(true)))
	require.Equal(t, []any{[]int64{}}, runOn(t, []float32{}, places(true)))
}

func TestTopKIsTheBeginningOfTheOrder(t *testing.T) {
	data := make([]float32, 500)
	for i := range data {
		data[i] = float32((i * 7919) % 97)
	}
	for _, k := range []graph.Dim{0, 1, 5, 60, 400} {
		for _, largest := range []bool{true, false} {
			got := runOn(t, data, func(x node) []node {
				values, at := ops.TopK(ops.Slice(x, 0, 0, 500, 1), k, 0, largest)
				sorted, all := ops.Sort(x, 0, largest)
				return []node{values, at, ops.Slice(sorted, 0, 0, k, 1), ops.Slice(all, 0, 0, k, 1)}
			})
			require.Equal(t, got[2], got[0])
			require.Equal(t, got[3], got[1])
		}
	}
}

func TestGradientsOfSortedElementsFlowToTheirPlaces(t *testing.T) {
	got := runOn(t, []float64{3, 1, 2}, func(x node) []node {
		values, _ := ops.Sort(x, 0, false)
		kth, at := ops.KthValue(x, 2, 0)
		weighted := ops.Sum(ops.Mul(values, ops.Add(ops.Iota(x.Graph(), 0, x.Shape()...), graph.Num(1.0))))
		return append(autodiff.Grad(ops.Add(weighted, ops.Mul(kth, graph.Num(10))), []node{x}), kth, at)
	})
	require.Equal(t, []any{[]float64{3, 1, 12}, []float64{2}, []int64{2}}, got)
}

func TestTopKRefusesMoreThanThereIs(t *testing.T) {
	g := graph.New("k")
	ops.TopK(g.Input("x", graph.Float32, 2, 3), 4, 1, true)
	require.ErrorContains(t, g.Err(), "k is 4, but axis 1 has 3 elements")
	require.ErrorContains(t, g.Err(), "sort_test.go")
	h := graph.New("axis")
	ops.Sort(h.Input("x", graph.Float32, 2, 3), 2, true)
	require.ErrorContains(t, h.Err(), "Sort(x, 2, true)")
}

// Few of many numbers are those that a sort of all puts first, with NaN, zeros of both signs and numbers that are there
// several times.
func TestFewOfManyAreFirstInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	special := []float64{math.NaN(), 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}
	for _, k := range []int{0, 1, 3, 8, 9, 20, 150} {
		for _, nans := range []int{-1, 0, 3, 190} {
			data := make([]float64, 200)
			for i := range data {
				switch data[i] = float64(rng.IntN(40)) - 20; {
				case nans < 0: // numbers that all dtypes have
					data[i] = math.Abs(data[i])
				case i < nans:
					data[i] = math.NaN()
				case i%11 == 0:
					data[i] = special[1+rng.IntN(4)]
				}
			}
			rng.Shuffle(len(data), func(i, j int) { data[i], data[j] = data[j], data[i] })
			for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.Int32, graph.Int64, graph.Uint64} {
				if !dtype.IsFloat() && nans >= 0 {
					continue
				}
				for _, largest := range []bool{false, true} {
					g := graph.New("few")
					x := g.Input("x", dtype, 200)
					_, few := ops.TopK(x, graph.Dim(k), 0, largest)
					values := evaluate(t, feeds{x: reference.FromFloats(dtype, data, 200)}, few,
						ops.ArgSort(x, 0, largest))
					require.Equal(t, values[1].Floats()[:k], values[0].Floats(), "%d of the largest (%v) of %s, %d NaN",
						k, largest, dtype, nans)
				}
			}
		}
	}
}

// Many elements are sorted by the digits of their ranks, as few are by comparisons: equal ones stay in order.
func TestManyElementsAreSortedByDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, dtype := range []graph.DType{graph.Float32, graph.Int32, graph.Bool, graph.BFloat16, graph.Uint8,
		graph.Float64, graph.Int64, graph.Uint64} {
		for _, n := range []int{63, 64, 511, 512, 1023, 1024, 5000} {
			data := make([]float64, n)
			for i := range data {
				switch data[i] = float64(rng.IntN(1 << (1 + rng.IntN(16)))); {
				case dtype == graph.Bool || dtype == graph.Uint8:
					data[i] = float64(rng.IntN(2))
				case dtype == graph.Uint64:
					data[i] = math.Ldexp(data[i], 48)
				case dtype == graph.Float64 && i%3 == 0:
					data[i] = math.Ldexp(data[i]-9, rng.IntN(2000)-1000)
				case dtype.IsFloat() && i%7 == 0:
					data[i] = unsorts[rng.IntN(len(unsorts))]
				case i%2 == 0:
					data[i] = -data[i] / 64
				}
			}
			g := graph.New("many")
			x := g.Input("x", dtype, graph.Dim(n))
			fed := reference.FromFloats(dtype, data, n)
			numbers := fed.Floats() // rounded
			for _, descending := range []bool{false, true} {
				want := make([]float64, n)
				for i := range want {
					want[i] = float64(i)
				}
				slices.SortStableFunc(want, func(i, j float64) int {
					a, b := numbers[int(i)], numbers[int(j)]
					c := cmp.Compare(a, b)
					switch {
					case a != a && b == b:
						c = 1
					case a == a && b != b:
						c = -1
					case a == 0 && b == 0:
						c = 0
					}
					if descending {
						c = -c
					}
					return c
				})
				got := value(t, feeds{x: fed}, ops.ArgSort(x, 0, descending)).Floats()
				require.Equal(t, want, got, "%d of %s, descending %v", n, dtype, descending)
				_, half := ops.TopK(x, graph.Dim(n/2), 0, descending)
				require.Equal(t, want[:n/2], value(t, feeds{x: fed}, half).Floats(),
					"the first half of %d of %s, descending %v", n, dtype, descending)
			}
		}
	}
}

// TestNumbersThatDifferInTheirLastBitsAreSorted sorts numbers close together beside one far away, some of them equal:
// the bits of their ranks in which they differ are far behind those in which the first one differs.
func TestNumbersThatDifferInTheirLastBitsAreSorted(t *testing.T) {
	for _, n := range []int{3, 40, 600, 5000} {
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		x := make([]float64, n)
		for i := range x {
			x[i] = 1 + float64(rng.IntN(n))*0x1p-52
		}
		x[n/2] = -0x1p900
		for _, descending := range []bool{false, true} {
			want := make([]int64, n)
			for i := range want {
				want[i] = int64(i)
			}
			slices.SortStableFunc(want, func(i, j int64) int {
				if descending {
					i, j = j, i
				}
				return cmp.Compare(x[i], x[j])
			})
			require.Equal(t, want, ordered(t, graph.Float64, 1, n, n, descending, x), "%d, descending %v", n,
				descending)
		}
	}
}
