package nn_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// interleavedRows brings rows of each head from the order of pairs k and k+width/2 into that of pairs 2k and 2k+1.
func interleavedRows(rows [][]float32, heads int) [][]float32 {
	width := len(rows) / heads
	out := make([][]float32, len(rows))
	for h := range heads {
		for k := range width / 2 {
			out[h*width+2*k], out[h*width+2*k+1] = rows[h*width+k], rows[h*width+k+width/2]
		}
	}
	return out
}

// Weights whose queries and keys are in the order of interleaved pairs give the same attention with RotaryInterleaved.
func TestRotaryInterleaved(t *testing.T) {
	const width, heads = 16, 2
	results := func(weight [][]float32, opts ...nn.Option) []float32 {
		g := graph.New("attention")
		x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("t"), width)
		opts = append([]nn.Option{nn.RotaryBase(100), nn.Causal()}, opts...)
		l := nn.NewMultiHeadAttention(g, "self_attn", width, heads, opts...)
		y := l.Apply(nn.Evaluation(g), x)
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		s := p.NewSession()
		var flat []float32
		for _, row := range weight {
			flat = append(flat, row...)
		}
		projection := exec.Array{Shape: []int{3 * width, width}, Data: flat}
		require.NoError(t, s.SetParam(g.ByName("self_attn.in_proj_weight"), projection))
		identity := make([]float32, width*width)
		for i := range width {
			identity[i*width+i] = 1
		}
		require.NoError(t, s.SetParam(g.ByName("self_attn.out_proj.weight"),
			exec.Array{Shape: []int{width, width}, Data: identity}))
		in := make([]float32, 2*5*width)
		for i := range in {
			in[i] = float32(i*37%19)/10 - 0.9
		}
		r, err := s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{2, 5, width}, Data: in}})
		require.NoError(t, err)
		got, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		return got
	}
	weight := make([][]float32, 3*width)
	for i := range weight {
		weight[i] = make([]float32, width)
		for j := range weight[i] {
			weight[i][j] = float32((i*31+j*17)%23)/20 - 0.5
		}
	}
	interleaved := slices.Concat(interleavedRows(weight[:width], heads), interleavedRows(weight[width:2*width], heads),
		weight[2*width:])
	require.InDeltaSlice(t, results(weight), results(interleaved, nn.RotaryInterleaved()), 1e-6)
	require.NotEqual(t, results(weight), results(weight, nn.RotaryInterleaved()))
}

func TestRotaryInterleavedNeedsABase(t *testing.T) {
	g := graph.New("attention")
	l := nn.NewMultiHeadAttention(g, "self_attn", 8, 2, nn.RotaryInterleaved())
	y := l.Apply(nn.Evaluation(g), g.Input("x", graph.Float32, 3, 5, 8))
	_, err := exec.Compile(g, exec.Outputs(ops.Sum(y)))
	require.ErrorContains(t, err, "RotaryInterleaved is for RotaryBase")
}
