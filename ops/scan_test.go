package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

func TestCumSum(t *testing.T) {
	for _, size := range []int{1, 2, 127, 128, 129, 17000} {
		for _, symbolic := range []bool{false, true} {
			t.Run(fmt.Sprint(size, symbolic), func(t *testing.T) {
				g := graph.New("scan")
				n := graph.Dim(size)
				if symbolic {
					n = g.Dim("n")
				}
				x := g.Input("x", graph.Float64, n, 2)
				in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), size, 2)}
				y := ops.CumSum(x, 0)
				require.Equal(t, x.Shape(), y.Shape())
				want, sum := []float64{}, [2]float64{}
				for i, v := range in[x].Floats() {
					sum[i%2] += v
					want = append(want, sum[i%2])
				}
				requireClose(t, want, value(t, in, y).Floats(), 1e-10, "cumsum")
				dx := value(t, in, autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]).Floats()
				require.Equal(t, float64(size), dx[0], "the first element is part of all sums")
				require.Equal(t, 1.0, dx[len(dx)-1], "the last element is part of its own alone")
				if size <= 2 {
					requireGradients(t, in, ops.Square(y), x)
				}
			})
		}
	}
}

func TestCumSumStopsAtNothing(t *testing.T) {
	g := graph.New("scan")
	x, b := g.Input("x", graph.Float64, 4), g.Input("b", graph.Bool, 3)
	empty, scalar := g.Input("empty", graph.Float64, 0), g.Input("scalar", graph.Int32)
	in := feeds{x: reference.Of([]float64{1, math.Inf(1), 1, math.NaN()}, 4),
		b:     reference.Of([]bool{true, false, true}, 3),
		empty: reference.Of([]float64{}, 0), scalar: reference.Of([]int32{7})}
	requireClose(t, []float64{1, math.Inf(1), math.Inf(1), math.NaN()}, value(t, in, ops.CumSum(x, -1)).Floats(), 0,
		"what is not finite spoils only what follows")
	require.Equal(t, []int64{1, 1, 2}, value(t, in, ops.CumSum(b, 0)).Data)
	require.Equal(t, []float64{}, value(t, in, ops.CumSum(empty, 0)).Data)
	require.Equal(t, []int64{7}, value(t, in, ops.CumSum(scalar, -1)).Data)
	requireMistake(t, ops.CumSum(scalar, 1), "Dimension out of range (expected to be in range of [-1, 0], but got 1)")
}

func TestCumProdWithZeros(t *testing.T) {
	g := graph.New("scan")
	x := g.Input("x", graph.Float64, 2, 4)
	in := feeds{x: reference.Of([]float64{2, 0, 3, 4, 2, 3, 0, 0}, 2, 4)}
	y := ops.CumProd(x, 1)
	require.Equal(t, []float64{2, 0, 0, 0, 2, 6, 0, 0}, value(t, in, y).Data)
	requireFirstOrderOf(t, in, y, x)
}

// Recurrences go down many columns at once, and back up for gradients, along whichever axis they are.
func TestLinearRecurrenceAlongAnyAxis(t *testing.T) {
	shape := []int{3, 4, 70}
	for axis, size := range shape {
		g := graph.New("recurrence")
		input := func(name string) *graph.Node {
			return g.Input(name, graph.Float64, g.Dim("d0"), g.Dim("d1"), g.Dim("d2"))
		}
		a, x, w := input("a"), input("x"), input("w")
		in, rng := feeds{}, rand.New(rand.NewPCG(5, 6))
		for _, n := range []*graph.Node{a, x, w} {
			in[n] = random(rng, shape...)
		}
		y := ops.LinearRecurrence(a, x, axis)
		dx := autodiff.Grad(ops.Sum(ops.Mul(y, w)), []*graph.Node{x})[0]

		stride := []int{4 * 70, 70, 1}[axis]
		want, back := make([]float64, 3*4*70), make([]float64, 3*4*70)
		for i := range want {
			if want[i] = in[x].Floats()[i]; i/stride%size > 0 {
				want[i] += in[a].Floats()[i] * want[i-stride]
			}
		}
		for i := len(back) - 1; i >= 0; i-- {
			if back[i] = in[w].Floats()[i]; i/stride%size < size-1 {
				back[i] += in[a].Floats()[i+stride] * back[i+stride]
			}
		}
		got := evaluate(t, in, y, dx)
		requireClose(t, want, got[0].Floats(), 1e-14, fmt.Sprintf("axis %d", axis))
		requireClose(t, back, got[1].Floats(), 1e-14, fmt.Sprintf("the gradient along axis %d", axis))
	}
}
