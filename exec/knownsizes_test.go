package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// trainedCoder trains a small autoencoder, whose widths are given, and returns its losses.
func trainedCoder(t *testing.T, g *graph.Graph, wide, latent graph.Dim) []float32 {
	x := g.Input("x", graph.Float32, g.Dim("batch"), wide)
	z := ops.Tanh(testmodel.Linear(g, "encode", x, latent))
	z = ops.LayerNorm(z, g.ParamInit("gain", graph.Float32, nn.Ones(), latent), nil, 1e-5)
	pairs := ops.Reshape(z, -1, latent.FloorDiv(2), 2)
	z = ops.Mul(ops.Flatten(pairs, 1, -1), ops.ClampMin(g.ParamInit("scale", graph.Float32, nn.Ones(), latent), 0.5))
	loss := ops.MSE(testmodel.Linear(g, "decode", z, wide), x)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.01).Minimize(loss)...),
		exec.WarningsAreErrors())
	require.NoError(t, err)
	s := prog.NewSession(exec.Seed(3))
	data := make([]float32, 7*12)
	for i := range data {
		data[i] = float32(i%5) - 2
	}
	var losses []float32
	for range 5 {
		out, err := s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{7, 12}, Data: data}})
		require.NoError(t, err)
		values, err := exec.Values[float32](out, loss)
		require.NoError(t, err)
		losses = append(losses, values[0])
	}
	return losses
}

// A program of named numbers computes what the same program computes of numbers.
func TestNamesOfNumbers(t *testing.T) {
	plain := trainedCoder(t, graph.New("numbers"), 12, 8)
	require.Less(t, plain[4], plain[0])
	g := graph.New("names")
	require.Equal(t, plain, trainedCoder(t, g, g.Dim("wide", graph.Exactly(12)), g.Dim("latent", graph.Exactly(8))))
}

func TestNamesOfNumbersWhenBound(t *testing.T) {
	g := graph.New("bound")
	wide := g.Dim("wide", graph.Exactly(3))
	x := g.Input("x", graph.Float32, wide)
	y := ops.Add(x, g.Param("w", graph.Float32, wide))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{4}, Data: make([]float32, 4)}})
	require.ErrorContains(t, err, "wide = 3   declared at knownsizes_test.go:")
	_, err = prog.NewSession(exec.Size("wide", 4)).Run(
		context.Background(), exec.Feed{x: exec.Array{Shape: []int{4}, Data: make([]float32, 4)}})
	require.ErrorContains(t, err, "it is declared exactly 3")
	_, err = prog.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{3}, Data: make([]float32, 3)}})
	require.NoError(t, err)
}
