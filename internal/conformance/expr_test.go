package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

func TestFormulas(t *testing.T) {
	for text, want := range map[string][]float64{
		"x+y*2":                       {9, 15, 21},
		"(x+y)*2":                     {10, 18, 26},
		"x - y - x":                   {-4, -6, -8},
		"-x**2":                       {-1, -9, -25},
		"2**x**1":                     {2, 8, 32},
		"y*x**-1.0":                   {4, 2, 1.6},
		"x @ y":                       {62},
		"where(x>=3, x, 0*y)":         {0, 3, 5},
		"x.sum(0, keepdim=True)":      {9},
		"mean(x, dims=[0])":           {3},
		"var(x, 0, correction=0)*3":   {8},
		"sum(reshape(x, [3, 1]), -1)": {1, 3, 5},
		"1e-1*x.max(dim=0)":           {0.5},
	} {
		t.Run(text, func(t *testing.T) {
			g := graph.New("formula")
			x, y := g.Input("x", graph.Float64, 3), g.Input("y", graph.Float64, 3)
			n, err := expression(text, map[string]*graph.Node{"x": x, "y": y})
			require.NoError(t, err)
			fed := feeds{}
			for n, data := range map[*graph.Node][]float64{x: {1, 3, 5}, y: {4, 6, 8}} {
				fed[n], _ = array{[]int{3}, "float64", data}.value()
			}
			got, err := compute(g, []*graph.Node{n}, fed)
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got[0].program.Floats(), 1e-12)
		})
	}
	_, err := expression("x+unknown(2)", nil)
	require.True(t, isUnsupported(err))
}
