package exec_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestLoopsOverSlicesWithoutElements has steps that read nothing of a value whose memory ends before the last step's
// place would be: the collector would find a pointer there.
func TestLoopsOverSlicesWithoutElements(t *testing.T) {
	const block = 32
	g := graph.New("nothing")
	n := g.Dim("n")
	blocks := n.FloorDiv(block)
	x := g.Input("x", graph.Float64, n, 3)
	over := ops.MoveAxis(ops.Reshape(ops.Slice(x, 0, 0, blocks.Times(block), 1), blocks, block, 3), 1, 0)
	final, outs := ops.Scan(
		ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float64, blocks, 3)}, Over: []*graph.Node{over}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			sum := ops.Add(carry[0], x[0])
			return []*graph.Node{sum}, []*graph.Node{ops.Tanh(sum)}
		})
	prog, err := exec.Compile(g, exec.Outputs(final[0], outs[0]), exec.OnWarning(nil))
	require.NoError(t, err)
	for size := range 2 * block {
		s := prog.NewSession()
		for range 3 {
			data := make([]float64, 3*(size+1))
			r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{size + 1, 3}, Data: data}})
			require.NoError(t, err)
			runtime.GC()
			a, err := r.Array(outs[0])
			require.NoError(t, err)
			require.Equal(t, []int{block, (size + 1) / block, 3}, a.Shape)
		}
		runtime.KeepAlive(s)
	}
}
