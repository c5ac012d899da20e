package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// What takes few operations on what a kernel reads anyway is computed there again: it is in no memory, and
// has the bits of one that is.
func TestCheapValuesAreComputedAgain(t *testing.T) {
	for _, batch := range []int{1, 70} {
		g := graph.New("again")
		x, w, u := g.Input("x", graph.Float32, g.Dim("batch"), 32), g.Input("w", graph.Float32, 32, 32),
			g.Input("u", graph.Float32, 32, 32)
		s := ops.Sigmoid(ops.MatMul(x, w))
		rest := ops.Sub(graph.Num(1.0), s)
		far := ops.Mul(ops.MatMul(ops.Mul(s, rest), u), ops.Mul(ops.Neg(rest), s))
		turned := ops.Mul(ops.Flip(ops.Neg(s), 1), s) // reads a view of a value that is computed again elsewhere
		feed := exec.Feed{x: make([]float32, batch*32), w: make([]float32, 32*32), u: make([]float32, 32*32)}
		for _, data := range feed {
			for i := range data.([]float32) {
				data.([]float32)[i] = float32(i%17)/8 - 1
			}
		}
		values := func(outputs ...*graph.Node) (*exec.Program, []any) {
			p, err := exec.Compile(g, exec.Outputs(outputs...))
			require.NoError(t, err)
			out, err := p.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			return p, []any{arrayOf(t, out, far).Data, arrayOf(t, out, turned).Data}
		}
		p, got := values(far, turned)
		for _, k := range p.Plan().Kernels {
			for _, n := range k.Writes {
				require.NotEqual(t, "sub", n.Op().Name, "%s", p)
			}
		}
		_, want := values(far, turned, rest)
		require.Equal(t, want, got)
	}
}
