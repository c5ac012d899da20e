package nn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

func TestLinear(t *testing.T) {
	g := graph.New("layers")
	x := g.Input("x", graph.Float64, 7, 32, 64)
	h := nn.Linear(g, "hidden", x, 10, nn.WeightInit(nn.HeNormal()), nn.BiasInit(nn.Ones()))
	y := nn.Linear(g, "out", h, 3, nn.NoBias())

	require.NoError(t, g.Err())
	assert.Equal(t, graph.MakeShape(7, 32, 10), h.Shape())
	assert.Equal(t, graph.MakeShape(7, 32, 3), y.Shape())

	type param struct {
		name  string
		shape graph.Shape
		init  string
	}
	var params []param
	for _, p := range g.Params() {
		assert.Equal(t, graph.Float64, p.DType())
		params = append(params, param{p.Name(), p.Shape(), p.Attrs().(graph.ParamAttrs).Init.String()})
	}
	assert.Equal(t, []param{
		{"hidden.weight", graph.MakeShape(10, 64), "he_normal"},
		{"hidden.bias", graph.MakeShape(10), "ones"},
		{"out.weight", graph.MakeShape(3, 10), "glorot_uniform"},
	}, params)
}

// TestLinearTakesTheWeightsOfTheFunction returns the layer's parameters to [ops.Linear], and
// computes x·weightᵀ + bias by hand.
func TestLinearTakesTheWeightsOfTheFunction(t *testing.T) {
	for _, c := range []struct{ in, out int }{{3, 3}, {4, 2}, {1, 5}, {5, 1}} {
		t.Run(fmt.Sprint(c.in, " to ", c.out), func(t *testing.T) {
			const rows = 2
			g := graph.New("layers")
			in, out := graph.Dim(c.in), graph.Dim(c.out)
			x := g.Input("x", graph.Float64, rows, in)
			layer := nn.Linear(g, "layer", x, c.out)
			w, b := g.Input("w", graph.Float64, out, in), g.Input("b", graph.Float64, out)
			function := ops.Linear(x, w, b)
			prog, err := exec.Compile(g, exec.Outputs(layer, function))
			require.NoError(t, err)

			xs, ws, bs := counted(1, rows, c.in), counted(2, c.out, c.in), counted(3, c.out)
			s := prog.NewSession()
			for i, v := range []exec.Array{ws, bs} {
				require.NoError(t, s.SetParam(g.Params()[i], v))
			}
			result, err := s.Run(t.Context(), exec.Feed{x: xs, w: ws, b: bs})
			require.NoError(t, err)

			var want []float64
			for r := range rows {
				for o := range c.out {
					sum := bs.Data.([]float64)[o]
					for i := range c.in {
						sum += xs.Data.([]float64)[r*c.in+i] * ws.Data.([]float64)[o*c.in+i]
					}
					want = append(want, sum)
				}
			}
			for _, y := range []*graph.Node{layer, function} {
				got, err := result.Array(y)
				require.NoError(t, err)
				assert.Equal(t, want, got.Data)
			}
		})
	}
}

// counted returns small integers, whose products and sums are exact.
func counted(from int, shape ...int) exec.Array {
	size := 1
	for _, n := range shape {
		size *= n
	}
	data := make([]float64, size)
	for i := range data {
		data[i] = float64((from*i*i + from) % 11)
	}
	return exec.Array{Shape: shape, Data: data}
}

func TestLinearRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		x    func(*graph.Graph) *graph.Node
		out  int
		want string
	}{
		{"integers", func(g *graph.Graph) *graph.Node { return g.Input("x", graph.Int64, 2, 3) }, 1,
			"a linear layer works on floating-point numbers, and x has dtype int64"},
		{"a scalar", func(g *graph.Graph) *graph.Node { return g.Input("x", graph.Float32) }, 1,
			"a linear layer works along the last axis, and x is a scalar"},
		{"a named last axis", func(g *graph.Graph) *graph.Node { return g.Input("x", graph.Float32, 2, g.Dim("features")) }, 1,
			`the last axis of x is "features"`},
		{"a negative size", func(g *graph.Graph) *graph.Node { return g.Input("x", graph.Float32, 2, 3) }, -4,
			"-4 is no size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("layers")
			y := nn.Linear(g, "hidden", c.x(g), c.out)
			require.NotNil(t, y)
			assert.ErrorContains(t, g.Err(), c.want)
			assert.ErrorContains(t, g.Err(), "linear_test.go:", "the mistake is the caller's")
		})
	}
}

// A layer on something that is wrong already adds no mistake of its own.
func TestLinearIsSilentAfterAMistake(t *testing.T) {
	g := graph.New("layers")
	wrong := ops.MatMul(g.Input("x", graph.Float32, 2, 3), g.Input("y", graph.Int64, 3, 4))
	before := len(g.Mistakes())
	ops.Relu(nn.Linear(g, "hidden", wrong, 5))
	require.NotZero(t, before)
	assert.Len(t, g.Mistakes(), before)

	assert.NotPanics(t, func() { nn.Linear(g, "other", nil, 5) })
}
