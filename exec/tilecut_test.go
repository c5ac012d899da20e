package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Kernels that threads cut along an inner axis, since the outermost one is short or summed over, give the bits of one
// thread.
func TestTilesAlongAnyAxis(t *testing.T) {
	for _, shape := range [][]int{{4, 300, 31}, {3, 17, 29, 41}, {2, 64, 57, 3}, {200, 1000}, {1, 9000}, {7, 5, 2000},
		{5, 40, 1, 33}, {6, 129, 9, 9}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			t.Parallel()
			g := graph.New("tiles")
			var dims []graph.Dim
			size := 1
			for _, n := range shape {
				dims, size = append(dims, graph.Dim(n)), size*n
			}
			x, y := g.Input("x", graph.Float32, dims...), g.Input("y", graph.Float32, dims...)
			rank := len(shape)
			z := ops.Tanh(ops.Mul(ops.Exp(ops.Neg(ops.Square(x))), y))
			outputs := []*graph.Node{
				z,
				ops.Copy(ops.Transpose(ops.Sin(z), rank-2, rank-1)),
				ops.Sum(z, 0),
				ops.Max(z, 0),
				ops.Sum(ops.Tanh(z), 0, -1),
				ops.Softmax(z, rank-1),
			}
			if rank > 2 {
				outputs = append(outputs, ops.Sum(ops.Sin(z), 0, 2),
					ops.Sum(ops.Relu(ops.Slice(ops.Sin(z), 1, 1, dims[1], 1)), 0, -1), ops.Mean(z, 1))
			}
			r := rand.New(rand.NewPCG(1, uint64(size)))
			feed := exec.Feed{}
			for _, in := range []*graph.Node{x, y} {
				data := make([]float32, size)
				for i := range data {
					data[i] = float32(r.NormFloat64())
				}
				feed[in] = exec.Array{Shape: shape, Data: data}
			}
			for _, out := range outputs { // alone, and all together
				compareThreads(t, g, []*graph.Node{out}, feed)
			}
			compareThreads(t, g, outputs, feed)
		})
	}
}

// compareThreads runs outputs with one thread and with several.
func compareThreads(t *testing.T, g *graph.Graph, outputs []*graph.Node, feed exec.Feed) {
	t.Helper()
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	want := run(t, p.NewSession(exec.Threads(1)), outputs, feed)
	for _, threads := range []int{2, 3, 8} {
		s := p.NewSession(exec.Threads(threads))
		for range 3 { // the threads sleep at first
			for i, got := range run(t, s, outputs, feed) {
				require.Equal(t, bitsOf(want[i]), bitsOf(got), "%d threads: %v", threads, outputs[i])
			}
		}
	}
}

// A fault in a tile that is cut along an inner axis is reported as with one thread: the first one.
func TestFaultInTileAlongInnerAxis(t *testing.T) {
	g := graph.New("faults")
	x, y := g.Input("x", graph.Int64, 3, 500, 40), g.Input("y", graph.Int64, 3, 500, 40)
	p, err := exec.Compile(g, exec.Outputs(ops.FloorDiv(x, y)))
	require.NoError(t, err)
	ones, divisors := make([]int64, 3*500*40), make([]int64, 3*500*40)
	for i := range ones {
		ones[i], divisors[i] = 1, 1
	}
	divisors[(1*500+320)*40+17], divisors[(2*500+3)*40+5] = 0, 0
	feed := exec.Feed{x: exec.Array{Shape: []int{3, 500, 40}, Data: ones},
		y: exec.Array{Shape: []int{3, 500, 40}, Data: divisors}}
	_, want := p.NewSession(exec.Threads(1)).Run(t.Context(), feed)
	require.ErrorContains(t, want, "y[1, 320, 17] is 0")
	for range 5 {
		_, got := p.NewSession(exec.Threads(4)).Run(t.Context(), feed)
		require.EqualError(t, got, want.Error())
	}
}
