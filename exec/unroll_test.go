package exec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// afterPass returns the graph's text after a pass.
func afterPass(t *testing.T, p *Program, name string) string {
	t.Helper()
	all := p.Snapshots()
	i := slices.IndexFunc(all, func(s Snapshot) bool { return s.Pass == name })
	require.GreaterOrEqual(t, i, 0)
	return all[i].String()
}

func TestReductionsOfAFewElementsOfAViewAreUnrolled(t *testing.T) {
	g := graph.New("windows")
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n)
	windows := ops.Window(x, 0, 3, 1, 1)
	outputs := []*graph.Node{ops.Sum(windows, 1), ops.Max(windows, -1, ops.KeepDims()),
		ops.Min(ops.Window(x, 0, 2, 2, 1), 1), ops.Prod(windows, 1)}
	p, err := Compile(g, Outputs(outputs...))
	require.NoError(t, err)
	require.NotContains(t, afterPass(t, p, "unroll"), "axes=", "no reduction is left:\n%s", p)
	require.Equal(t, 2, p.Kernels(), "windows of one number read what they share once:\n%s", p)

	out, err := p.NewSession().Run(context.Background(),
		Feed{x: Array{Shape: []int{5}, Data: []float32{1, -2, 4, 3, 5}}})
	require.NoError(t, err)
	want := []any{[]float32{3, 5, 12}, []float32{4, 4, 5}, []float32{-2, 3}, []float32{-8, -24, 60}}
	for i, o := range outputs {
		require.Equal(t, want[i], ArrayOf(t, out, o).Data)
	}
	require.Equal(t, []int{3, 1}, ArrayOf(t, out, outputs[1]).Shape)
}

func TestOtherReductionsStayLoops(t *testing.T) {
	g := graph.New("loops")
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 3), g.Input("y", graph.Float32, n, 40)
	for name, sum := range map[string]*graph.Node{
		"what is computed is summed while it is": ops.Sum(ops.Exp(x), 1),
		"many elements":                          ops.Sum(ops.Transpose(y, 0, 1), 0),
		"a size that is not known":               ops.Sum(ops.Transpose(x, 0, 1), 1),
	} {
		p, err := Compile(g, Outputs(sum))
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(afterPass(t, p, "unroll"), "= sum"), name)
		require.Equal(t, 1, p.Kernels(), name)
	}
}

func TestAsManyElementsAsCanBeAreUnrolled(t *testing.T) {
	g := graph.New("pool")
	x := g.Input("x", graph.Float64, 1, 1, 9, 9)
	y := ops.MaxPool2D(x, 4, 8, ops.Stride(1))
	p, err := Compile(g, Outputs(y))
	require.NoError(t, err)
	data := make([]float64, 81)
	for i := range data {
		data[i] = float64(i * 37 % 81)
	}
	out, err := p.NewSession().Run(context.Background(), Feed{x: Array{Shape: []int{1, 1, 9, 9}, Data: data}})
	require.NoError(t, err)
	got := ArrayOf(t, out, y).Data.([]float64)
	for i := range 6 {
		for j := range 2 {
			most := 0.0
			for a := range 4 {
				for b := range 8 {
					most = max(most, data[(i+a)*9+j+b])
				}
			}
			require.Equal(t, most, got[2*i+j])
		}
	}
}
