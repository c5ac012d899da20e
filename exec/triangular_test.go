package exec_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// One triangular system for a batch of vectors has the bits of a system for each.
func TestOneTriangularSystemForMany(t *testing.T) {
	const n = 11
	for _, batch := range [][]int{{5}, {3, 4}, {1}, {0}} {
		for _, k := range []int{1, 3} {
			rng := rand.New(rand.NewPCG(1, 2))
			g := graph.New("systems")
			matrix, right := drawn(rng, graph.Float64, []int{n, n}),
				drawn(rng, graph.Float64, slices.Concat(batch, []int{n, k}))
			a, b := g.Input("a", graph.Float64, n, n), g.Input("b", graph.Float64, graph.MakeShape(right.Shape...)...)
			for i := range n {
				matrix.Data.([]float64)[i*n+i] += 5
			}
			whole := append(graph.MakeShape(batch...), n, n)
			one := ops.SolveTriangular(a, b, ops.UpperTriangle())
			each := ops.SolveTriangular(ops.Expand(a, whole...), b, ops.UpperTriangle())
			p, err := exec.Compile(g, exec.Outputs(one, each))
			require.NoError(t, err)
			out, err := p.NewSession().Run(t.Context(),
				exec.Feed{a: exec.Array{Shape: matrix.Shape, Data: matrix.Data},
					b: exec.Array{Shape: right.Shape, Data: right.Data}})
			require.NoError(t, err)
			require.Equal(t, arrayOf(t, out, each), arrayOf(t, out, one), "%v, %d columns", batch, k)
		}
	}
}
