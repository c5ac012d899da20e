package ops_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Operands that must have as many elements are refused if they do not, by number and by name.
func TestOperandsOfOneSize(t *testing.T) {
	f, i := graph.Float32, graph.Int64
	calls := map[string]func(g *graph.Graph, n, m graph.Dim) *graph.Node{
		"CTC": func(g *graph.Graph, n, m graph.Dim) *graph.Node {
			return ops.CTC(g.Input("lp", f, 9, n, 5), g.Input("y", i, m, 3), g.Input("il", i, n), g.Input("tl", i, n))
		},
		"CTC lengths": func(g *graph.Graph, n, m graph.Dim) *graph.Node {
			return ops.CTC(g.Input("lp", f, 9, n, 5), g.Input("y", i, n, 3), g.Input("il", i, n), g.Input("tl", i, m))
		},
		"TakeAlongAxis": func(g *graph.Graph, n, m graph.Dim) *graph.Node {
			return ops.TakeAlongAxis(g.Input("x", f, 3, n), 0, g.Input("index", i, 2, m))
		},
		"CategoricalLogProb": func(g *graph.Graph, n, m graph.Dim) *graph.Node {
			return ops.CategoricalLogProb(g.Input("x", i, m), g.Input("logits", f, n, 4))
		},
		"Interp": func(g *graph.Graph, n, m graph.Dim) *graph.Node {
			return ops.Interp(g.Input("x", f, 3), g.Input("places", f, n), g.Input("values", f, m))
		},
		"SolveSylvester": func(g *graph.Graph, n, m graph.Dim) *graph.Node {
			return ops.SolveSylvester(g.Input("a", f, m, n), g.Input("b", f, 3, 3), g.Input("c", f, n, 3))
		},
	}
	for name, call := range calls {
		for _, sizes := range [][2]int64{{7, 2}, {2, 7}} {
			g := graph.New("numbers")
			call(g, graph.Dim(sizes[0]), graph.Dim(sizes[1]))
			require.Error(t, shapeinfer.Check(g).Err(), "%s with %v", name, sizes)
			assert.Regexp(t, "must have the same size|must be batches of square", g.Mistakes()[0].Error(), name)
		}
		g := graph.New("names")
		call(g, g.Dim("n"), g.Dim("m"))
		require.Error(t, shapeinfer.Check(g).Err(), name)
		assert.Equal(t, graph.CodeNames, g.Mistakes()[0].Code, name)

		g = graph.New("same")
		call(g, g.Dim("n"), g.Dim("n"))
		assert.NoError(t, shapeinfer.Check(g).Err(), name)

		g = graph.New("even") // n and 2*floor(n/2) are the same for even ones
		n := g.Dim("n")
		prog, err := exec.Compile(g, exec.Outputs(call(g, n, n.FloorDiv(2).Times(2))))
		require.NoError(t, err, name)
		feed := exec.Feed{}
		for _, x := range g.Inputs() {
			shape, count := []int{}, 1
			for _, d := range x.Shape() {
				size, err := d.Eval(func(string) (int64, bool) { return 5, true })
				require.NoError(t, err, name)
				shape, count = append(shape, int(size)), count*int(size)
			}
			feed[x] = exec.Array{Shape: shape, Data: x.DType().MakeSlice(count)}
		}
		_, err = prog.NewSession().Run(context.Background(), feed)
		assert.ErrorContains(t, err, "not met by the sizes bound", name)
	}
}
