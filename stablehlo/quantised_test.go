package stablehlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/xla"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/stablehlo"
)

// Layers whose weights are integers compute the same on XLA, with the integers, scales and minima as arguments, and let
// the same gradient through to their input.
func TestQuantisedWeights(t *testing.T) {
	var programs []xla.Program
	var want [][][]float32
	for name, held := range map[string]nn.Option{"Int8Weights": nn.Int8Weights(16), "Int4Weights": nn.Int4Weights(16),
		"Uint8Weights": nn.Uint8Weights(16), "Uint4Weights": nn.Uint4Weights(16)} {
		g := graph.New("quantised")
		x := g.Input("x", graph.Float32, 1, 3, 64)
		p := nn.Evaluation(g)
		h := nn.NewMultiHeadAttention(g, "attention", 64, 4, held).Apply(p, x)
		tokens := nn.NewEmbedding(g, "tokens", 10, 64, held)
		h = ops.Add(h, tokens.Apply(p, ops.Cast(ops.Iota(g, 0, 3), graph.Int64)))
		y := nn.NewLinear(g, "out", 64, 24, held).Apply(p, h)
		roots := []*graph.Node{y, autodiff.Grad(ops.Sum(ops.Mul(y, y)), []*graph.Node{x})[0]}

		prog, err := exec.Compile(g, exec.Outputs(roots...))
		require.NoError(t, err)
		s, in := prog.NewSession(exec.Seed(5)), waves(graph.Float32, 1, 3, 64)
		r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: in.Shape, Data: in.Data}})
		require.NoError(t, err)
		var computed [][]float32
		for _, n := range roots {
			v, err := exec.Values[float32](r, n)
			require.NoError(t, err)
			computed = append(computed, v)
		}
		m, err := stablehlo.Export(g, stablehlo.Outputs(roots...))
		require.NoError(t, err)
		var run xla.Run
		for _, a := range m.Signature().Arguments {
			n, value := g.ByName(a.Name), in
			if n != x {
				held, err := s.Param(n)
				require.NoError(t, err)
				value = reference.Value{DType: n.DType(), Shape: held.Shape, Data: held.Data}
			}
			run = append(run, xla.Arg{Value: value})
		}
		programs, want = append(programs, xla.Program{Name: name, Text: m.String(), Runs: []xla.Run{run}}),
			append(want, computed)
	}
	for i, o := range xla.Do(t, programs) {
		require.Empty(t, o.Error, programs[i].Name)
		for k, v := range want[i] {
			assert.InDeltaSlice(t, v, o.Results[0][k].Floats(), 1e-3, programs[i].Name)
		}
	}
}
