package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestVmapWarnsOfTheExample compiles programs for one example, and in a Vmap for a batch. A warning about the example
// is given once, and none about its operations on the batch.
func TestVmapWarnsOfTheExample(t *testing.T) {
	cases := map[string]struct {
		shape []int
		call  func(g *graph.Graph, x node) node
		code  graph.Code // "" for none
	}{
		"a softmax by hand": {[]int{32, 32}, func(_ *graph.Graph, x node) node {
			e := ops.Exp(x)
			return ops.Div(e, ops.Sum(e, 1))
		}, graph.CodeReducedAxis},
		"both are repeated": {[]int{32, 1}, func(g *graph.Graph, x node) node {
			return ops.Add(x, g.Input("y", graph.Float32, 32))
		}, graph.CodeMutualExpand},
		"a target of another shape": {[]int{4}, func(g *graph.Graph, x node) node {
			return ops.MSE(x, g.Input("y", graph.Float32, 1))
		}, graph.CodeTargetShape},
		"a reshape that mixes axes": {[]int{4, 6}, func(_ *graph.Graph, x node) node { return ops.Reshape(x, 6, 4) },
			graph.CodeAxisMixing},
		"probabilities in place of scores": {[]int{4, 3}, func(g *graph.Graph, x node) node {
			return ops.CrossEntropy(ops.Softmax(x, 1), g.Input("y", graph.Int64, 4))
		}, graph.CodeGivenProbabilities},
		"a vector below a cube": {[]int{16, 16, 16}, func(g *graph.Graph, x node) node {
			return ops.Mul(x, g.Param("w", graph.Float32, 16))
		}, ""},
		"filters of each example in groups": {[]int{4, 2, 3, 3}, func(g *graph.Graph, x node) node {
			return ops.Conv2D(g.Input("images", graph.Float32, 2, 4, 6, 6), x, nil, ops.Groups(2), ops.Stride(2))
		}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, batch := range []func(g *graph.Graph) graph.Shape{
				func(*graph.Graph) graph.Shape { return nil },
				func(g *graph.Graph) graph.Shape { return graph.Shape{g.Dim("n")} },
				func(*graph.Graph) graph.Shape { return graph.Shape{32} },
			} {
				g := graph.New("warnings")
				x := g.Input("x", graph.Float32, append(batch(g), graph.MakeShape(c.shape...)...)...)
				call := func(e []node) []node { return []node{c.call(g, e[0])} }
				y := call
				if x.Rank() > len(c.shape) {
					y = func(x []node) []node { return ops.Vmap(x, call) }
				}
				prog, err := exec.Compile(g, exec.Outputs(y([]node{x})...), exec.OnWarning(nil))
				require.NoError(t, err)
				codes := []graph.Code{}
				for _, m := range prog.Warnings() {
					codes = append(codes, m.Code)
					require.NotContains(t, m.Error(), "[ n,")
				}
				if c.code == "" {
					require.Empty(t, codes)
				} else {
					require.Equal(t, []graph.Code{c.code}, codes)
				}
			}
		})
	}
}
