package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A size with a name that must be 1, as the policy Unify has it, gives what the number 1 gives: what a product is
// computed as may not have it meet other names.
func TestNameThatMustBeOne(t *testing.T) {
	product := func(x, w *graph.Node) *graph.Node { return ops.MatMul(x, w) }
	for name, c := range map[string]struct {
		x, w  []string
		build func(x, w *graph.Node) *graph.Node
	}{
		"column by row":    {[]string{"n", "1"}, []string{"q", "m"}, product},
		"column by column": {[]string{"n", "1"}, []string{"q", "1"}, product},
		"column by named":  {[]string{"n", "q"}, []string{"1", "m"}, product},
		"both named":       {[]string{"n", "k"}, []string{"q", "m"}, product},
		"batch":            {[]string{"b", "n", "1"}, []string{"b", "q", "m"}, product},
		"one matrix":       {[]string{"b", "n", "1"}, []string{"q", "m"}, product},
		"row by matrix":    {[]string{"1", "k"}, []string{"q", "m"}, product},
		"scores": {[]string{"b", "n", "1"}, []string{"b", "m", "q"}, func(x, w *graph.Node) *graph.Node {
			return ops.Softmax(ops.MatMul(x, ops.Transpose(w, -1, -2)), -1)
		}},
		"attention": {[]string{"b", "n", "1"}, []string{"b", "m", "q"}, func(x, w *graph.Node) *graph.Node {
			return ops.ScaledDotProductAttention(x, w, w)
		}},
		"deconvolution": {[]string{"b", "1", "n"}, []string{"q", "m", "2"}, func(x, w *graph.Node) *graph.Node {
			return ops.ConvTranspose1D(x, w, nil)
		}},
	} {
		sizes := map[string]int{"n": 4, "m": 3, "b": 2, "q": 1, "k": 1, "1": 1, "2": 2}
		run := func(named bool) (results []any) {
			g := graph.New(name, graph.WithPolicy(graph.Policy{Names: graph.Unify}))
			input := func(in string, axes []string) (*graph.Node, exec.Array) {
				shape, fed, count := make([]graph.Dim, len(axes)), make([]int, len(axes)), 1
				for i, axis := range axes {
					fed[i] = sizes[axis]
					count *= fed[i]
					if shape[i] = graph.Dim(fed[i]); named && axis > "9" {
						shape[i] = g.Dim(axis)
					}
				}
				data := make([]float32, count)
				for i := range data {
					data[i] = float32(i%7) - 2.5
				}
				return g.Input(in, graph.Float32, shape...), exec.Array{Shape: fed, Data: data}
			}
			x, fedX := input("x", c.x)
			w, fedW := input("w", c.w)
			y := c.build(x, w)
			all := append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, w})...)
			p, err := exec.Compile(g, exec.Outputs(all...), exec.OnWarning(nil))
			require.NoError(t, err, name)
			r, err := p.NewSession().Run(context.Background(), exec.Feed{x: fedX, w: fedW})
			require.NoError(t, err, name)
			for _, n := range all {
				a, err := r.Array(n)
				require.NoError(t, err)
				results = append(results, a.Shape, a.Data)
			}
			return results
		}
		want, got := run(false), run(true)
		for i := range want {
			if numbers, ok := want[i].([]float32); ok {
				require.InDeltaSlice(t, numbers, got[i], 1e-5, "%s, result %d", name, i/2)
			} else {
				require.Equal(t, want[i], got[i], "%s, result %d", name, i/2)
			}
		}
	}
}
