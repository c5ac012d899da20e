package weights_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/weights"
)

// matrix has numbers from a first one on.
func matrix(rows, columns int, first float32) exec.Array {
	data := make([]float32, rows*columns)
	for i := range data {
		data[i] = first + float32(i)
	}
	return exec.Array{Shape: []int{rows, columns}, Data: data}
}

// apart are the tensors of a projection of attention, as Hugging Face's models keep them.
func apart(param string) []string {
	if p, ok := strings.CutSuffix(param, "in_proj_weight"); ok {
		return []string{p + "q_proj.weight", p + "k_proj.weight", p + "v_proj.weight"}
	}
	return nil
}

// grouped is attention with fewer keys and values than queries.
func grouped(t *testing.T) (*exec.Session, *graph.Graph) {
	g := graph.New("model")
	l := nn.NewMultiHeadAttention(g, "attn", 4, 2, nn.KVHeads(1), nn.NoBias())
	p, err := exec.Compile(g, exec.Outputs(l.Apply(nn.Evaluation(g), g.Input("x", graph.Float32, 1, 3, 4))))
	require.NoError(t, err)
	return p.NewSession(), g
}

func written(t *testing.T, values ...weights.Named) string {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path, values))
	return path
}

func TestParts(t *testing.T) {
	path := written(t, weights.Named{"attn.q_proj.weight", matrix(4, 4, 0)},
		weights.Named{"attn.k_proj.weight", matrix(2, 4, 100)}, weights.Named{"attn.v_proj.weight", matrix(2, 4, 200)},
		weights.Named{"attn.out_proj.weight", matrix(4, 4, 300)})
	s, g := grouped(t)
	_, err := weights.LoadFile(s, path)
	require.ErrorContains(t, err, "missing in the file: attn.in_proj_weight [8, 4]")
	require.ErrorContains(t, err, "help: the file keeps the projections of attention apart: weights.Parts(")
	_, err = weights.LoadFile(s, path, weights.Parts(apart))
	require.NoError(t, err)
	packed, err := s.Param(g.ByName("attn.in_proj_weight"))
	require.NoError(t, err)
	want := matrix(8, 4, 0)
	for i := range 8 {
		want.Data.([]float32)[16+i], want.Data.([]float32)[24+i] = 100+float32(i), 200+float32(i)
	}
	require.Equal(t, want, packed)
	require.ErrorContains(t, weights.Save(path, s, weights.Parts(apart)), "Parts is for loading")
}

// Kernels of Flax and Keras have their columns one after another.
func TestPartsTransposed(t *testing.T) {
	path := written(t, weights.Named{"attn.q_proj.weight", matrix(4, 4, 0)},
		weights.Named{"attn.k_proj.weight", matrix(4, 2, 100)}, weights.Named{"attn.v_proj.weight", matrix(4, 2, 200)},
		weights.Named{"attn.out_proj.weight", matrix(4, 4, 300)})
	s, g := grouped(t)
	_, err := weights.LoadFile(s, path, weights.Parts(apart), weights.Transposed("attn.in_proj_weight"))
	require.NoError(t, err)
	packed, err := s.Param(g.ByName("attn.in_proj_weight"))
	require.NoError(t, err)
	require.Equal(t, []float32{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 100, 102, 104, 106,
		101, 103, 105, 107, 200, 202, 204, 206, 201, 203, 205, 207}, packed.Data)
}

func TestPartsThatDoNotFit(t *testing.T) {
	out := weights.Named{"attn.out_proj.weight", matrix(4, 4, 300)}
	q, k := weights.Named{"attn.q_proj.weight", matrix(4, 4, 0)}, weights.Named{"attn.k_proj.weight", matrix(2, 4, 0)}
	for want, v := range map[string]exec.Array{
		"which the rows of its parts in the file do not make: attn.q_proj.weight [4, 4], attn.k_proj.weight [2, 4], attn.v_proj.weight [3, 4]": matrix(3, 4, 0),
		"attn.v_proj.weight [2, 3]": matrix(2, 3, 0),
		"attn.v_proj.weight [8]":    {Shape: []int{8}, Data: make([]float32, 8)},
		"but the file has I32":      {Shape: []int{2, 4}, Data: make([]int32, 8)},
		"use AllowNarrowing()":      {Shape: []int{2, 4}, Data: make([]float64, 8)},
	} {
		s, _ := grouped(t)
		path := written(t, q, k, weights.Named{"attn.v_proj.weight", v}, out)
		_, err := weights.LoadFile(s, path, weights.Parts(apart))
		require.ErrorContains(t, err, want)
	}
	s, _ := grouped(t)
	_, err := weights.LoadFile(s, written(t, q, k, out), weights.Parts(apart))
	require.ErrorContains(t, err, "missing in the file: attn.v_proj.weight, a part of attn.in_proj_weight [8, 4] (")
	_, err = weights.LoadFile(s, written(t, q, k, out), weights.Parts(func(string) []string {
		return []string{"attn.q_proj.weight", "attn.q_proj.weight"}
	}))
	require.ErrorContains(t, err, `tensor "attn.q_proj.weight" is used for two parameters`)
}
