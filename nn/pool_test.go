package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
)

// TestAdaptivePoolingOfNamedSizes compares windows over an axis whose length only a run knows with
// those over a known length, with which windows meet and with which they do not.
func TestAdaptivePoolingOfNamedSizes(t *testing.T) {
	for _, length := range []int{1, 2, 3, 5, 6, 7, 12} {
		g := graph.New("pool")
		named, known := g.Input("named", graph.Float64, 2, 3, g.Dim("t", graph.AtLeast(1))),
			g.Input("known", graph.Float64, 2, 3, graph.Dim(length))
		values := make([]float64, 6*length)
		for i := range values {
			values[i] = float64((i*7)%11) / 3
		}
		x := exec.Array{Shape: []int{2, 3, length}, Data: values}
		for _, pool := range []nn.Layer{nn.AdaptiveAvgPool(3), nn.AdaptiveMaxPool(3)} {
			a, b := pool.Apply(nn.Evaluation(g), named), pool.Apply(nn.Evaluation(g), known)
			prog, err := exec.Compile(g, exec.Outputs(a, b))
			require.NoError(t, err)
			r, err := prog.NewSession().Run(t.Context(), exec.Feed{named: x, known: x})
			require.NoError(t, err)
			got, err := exec.Values[float64](r, a)
			require.NoError(t, err)
			want, err := exec.Values[float64](r, b)
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, got, 1e-12, "length %d", length)
		}
	}
}

// Mistakes of layers that are functions are reported at the user's line, even if the compiler inlines the layer.
func TestPlaceOfFunctions(t *testing.T) {
	g := graph.New("place")
	x := g.Input("x", graph.Float32, 2, 3, 8, 8)
	pass := nn.Training(g)
	nn.MaxPool2D(0).Apply(pass, x)
	nn.Sequential(nn.AvgPool2D(9), nn.Flatten()).Apply(pass, x)
	nn.AdaptiveAvgPool(-1).Apply(pass, x)
	require.Error(t, g.Err())
	for _, m := range g.Mistakes() {
		require.Contains(t, m.Place().Short(), "pool_test.go:", m.Error())
	}
}
