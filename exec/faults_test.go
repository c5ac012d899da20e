package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestFirstFaultIsNamed has two faults in a kernel of few long rows, which threads cut
// within the rows. The fault of the first row is further back in its row than that of the
// second: whatever the threads, it is the one to be named.
func TestFirstFaultIsNamed(t *testing.T) {
	const n = 300_000
	g := graph.New("faults")
	x := g.Input("x", graph.Int32, 2, n)
	y := g.Input("y", graph.Int32, 2, n)
	bias := g.Input("bias", graph.Int32, n) // is repeated, so that the rows do not become one
	first := ops.Remainder(bias, x)
	second := ops.Remainder(bias, y)
	sum := ops.Add(first, second)
	prog, err := exec.Compile(g, exec.Outputs(sum))
	require.NoError(t, err)
	fill := func(count int) []int32 {
		data := make([]int32, count)
		for i := range data {
			data[i] = 7
		}
		return data
	}
	xs, ys := fill(2*n), fill(2*n)
	feed := exec.Feed{x: exec.Array{Shape: []int{2, n}, Data: xs}, y: exec.Array{Shape: []int{2, n}, Data: ys},
		bias: exec.Array{Shape: []int{n}, Data: fill(n)}}
	for _, threads := range []int{1, 2, 4} {
		s := prog.NewSession(exec.Threads(threads))
		for _, c := range []struct {
			inFirstRow, inSecondRow []int32
			want                    *graph.Node
		}{{xs, ys, first}, {ys, xs, second}} {
			c.inFirstRow[n-1000], c.inSecondRow[n+10] = 0, 0
			for range 5 {
				_, err := s.Run(context.Background(), feed)
				var fault *exec.RunError
				require.ErrorAs(t, err, &fault)
				require.Same(t, c.want, fault.Node, "%d threads: %v", threads, err)
			}
			c.inFirstRow[n-1000], c.inSecondRow[n+10] = 7, 7
		}
	}
}
