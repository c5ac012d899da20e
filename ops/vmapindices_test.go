package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestVmapOfIndexCopy has indices of each example, in two batches, in the steps of a loop, and with gradients that go
// through the Vmap.
func TestVmapOfIndexCopy(t *testing.T) {
	for axis := range 2 {
		g := graph.New("indices")
		x, src := g.Input("x", graph.Float64, 2, 3, 4, 4), g.Input("src", graph.Float64, 2, 3, 4, 4)
		index := g.Input("index", graph.Int64, 2, 3, 4)
		over := []node{x, index, src}
		copied := func(e []node) []node { return []node{ops.IndexCopy(e[0], axis, e[1], e[2])} }
		inner := func(e []node) []node { return ops.Vmap(e, copied) }
		_, steps := ops.Scan(ops.Loop{Over: over}, func(_, e []node) (next, out []node) { return nil, inner(e) })
		forms := []node{ops.Vmap(over, inner)[0], steps[0], oneAfterOther(over, copied)}
		var all []node
		for _, y := range forms {
			all = append(all, append([]node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []node{x, src})...)...)
		}
		prog, err := exec.Compile(g, exec.Outputs(all...))
		require.NoError(t, err)
		places := []int64{0, 1, 2, 3, 3, 3, 1, 1, 2, 1, 2, 0, 0, 0, 0, 0, 1, 3, 1, 3, 2, 2, 0, 2}
		r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: ramp(96, 1), src: ramp(96, 2), index: places})
		require.NoError(t, err)
		for i := range 6 {
			got, err := exec.Values[float64](r, all[i])
			require.NoError(t, err)
			want, err := exec.Values[float64](r, all[6+i%3])
			require.NoError(t, err)
			require.Equal(t, want, got, "axis %d, value %d", axis, i)
		}
	}
}

// oneAfterOther computes a function of one example for each of 2 times 3 examples.
func oneAfterOther(over []node, f func(e []node) []node) node {
	rows := make([]node, 2)
	for i := range rows {
		list := make([]node, 3)
		for j := range list {
			e := make([]node, len(over))
			for k, x := range over {
				e[k] = ops.Select(ops.Select(x, 0, graph.Dim(i)), 0, graph.Dim(j))
			}
			list[j] = f(e)[0]
		}
		rows[i] = ops.Stack(0, list...)
	}
	return ops.Stack(0, rows...)
}
