package weights_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/weights"
)

// int4Layer makes a session of a linear layer of weights of 4 bits, and the value of its weight.
func int4Layer(t *testing.T, in, out, block int) (*exec.Session, *nn.Linear, *graph.Node) {
	return heldLayer(t, in, out, nn.Int4Weights(block))
}

// heldLayer is the same for weights that an option holds.
func heldLayer(t *testing.T, in, out int, held nn.Option) (*exec.Session, *nn.Linear, *graph.Node) {
	g := graph.New("model")
	l := nn.NewLinear(g, "", in, out, nn.NoBias(), held)
	w := l.WeightIn(nn.Evaluation(g))
	p, err := exec.Compile(g, exec.Outputs(w))
	require.NoError(t, err)
	return p.NewSession(), l, w
}

// numbersOf are the numbers of a value.
func numbersOf(t *testing.T, s *exec.Session, n *graph.Node) []float32 {
	r, err := s.Run(t.Context(), exec.Feed{})
	require.NoError(t, err)
	values, err := exec.Values[float32](r, n)
	require.NoError(t, err)
	return values
}

// Tensors of integers that fit into 4 bits are loaded as they are; others are rounded, where that is allowed.
func TestBlocksOfGGUFBecomeInt4Weights(t *testing.T) {
	f, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer f.Close()
	for _, c := range []struct {
		name  string
		block int
		exact bool
	}{{"Q4_0", 32, true}, {"Q4_0", 16, true}, {"Q4_0", 64, false}, {"Q3_K", 16, true}, {"TQ2_0", 256, true},
		{"Q8_0", 32, false}, {"Q6_K", 16, false}, {"Q5_0", 32, false}, {"IQ4_NL", 32, false}, {"Q4_1", 32, false},
		{"Q4_K", 32, false}} {
		stored, err := f.Read(c.name)
		require.NoError(t, err)
		s, _, w := int4Layer(t, 256, 2, c.block)
		_, err = weights.Load(s, f, weights.AllowUnexpected(), renamed(c.name))
		if c.exact {
			require.NoError(t, err, c.name)
			require.Equal(t, stored.Data, numbersOf(t, s, w), c.name)
			continue
		}
		require.ErrorContains(t, err, "(nn.Int4Weights), but the file has "+c.name+": use AllowNarrowing() to round it")
		_, err = weights.Load(s, f, weights.AllowUnexpected(), renamed(c.name), weights.AllowNarrowing())
		require.NoError(t, err, c.name)
		for i, got := range numbersOf(t, s, w) {
			first, largest := i/c.block*c.block, float32(0)
			for _, v := range stored.Data.([]float32)[first : first+c.block] {
				largest = max(largest, v, -v)
			}
			// A number opposite to the largest one is at most 7/8 of that.
			require.InDelta(t, stored.Data.([]float32)[i], got, float64(largest)*(1./8+1e-6), c.name)
		}
	}
}

// Integers and scales are those of ggml's Q4_0, and what is saved is loaded with the same bits.
func TestFloatsBecomeInt4Weights(t *testing.T) {
	numbers := make([]float32, 2*64)
	for i := range numbers {
		numbers[i] = float32(math.Sin(float64(i*i))) * float32(i%5)
	}
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path, []weights.Named{{Name: "weight",
		Value: exec.Array{Shape: []int{2, 64}, Data: numbers}}}))
	s, l, w := int4Layer(t, 64, 2, 32)
	_, err := weights.LoadFile(s, path)
	require.ErrorContains(
		t,
		err,
		"weight is held in 4 bits with a scale for each 32 (nn.Int4Weights), but the file has F32: use AllowNarrowing()",
	)
	_, err = weights.LoadFile(s, path, weights.AllowNarrowing())
	require.NoError(t, err)
	got := numbersOf(t, s, w)
	for b := range 4 {
		block, largest := numbers[b*32:b*32+32], float32(0)
		for _, v := range block {
			if max(v, -v) > max(largest, -largest) {
				largest = v
			}
		}
		for i, v := range block {
			level := min(math.RoundToEven(float64(v/(largest/-8))), 7)
			require.Equal(t, largest/-8*float32(level), got[b*32+i])
		}
	}

	saved := filepath.Join(t.TempDir(), "saved.safetensors")
	require.NoError(t, weights.Save(saved, s))
	f, err := weights.Open(saved)
	require.NoError(t, err)
	defer f.Close()
	require.ElementsMatch(t, []weights.Info{{Name: "weight", DType: "U8", Shape: []int{2, 32}},
		{Name: "weight_scale", DType: "F32", Shape: []int{2, 2}}}, f.Tensors())
	fresh := s.Program().NewSession(exec.Seed(9))
	_, err = weights.Load(fresh, f)
	require.NoError(t, err)
	require.Equal(t, got, numbersOf(t, fresh, w))

	plain, _ := readsParam(t, "weight", graph.Float32, 2, 64)
	_, err = weights.Load(plain, f)
	require.ErrorContains(
		t,
		err,
		"help: the file holds weights in 4 bits with a scale for each 32: layers with the option nn.Int4Weights(32) take them",
	)

	other, _, _ := int4Layer(t, 32, 2, 32)
	_, err = weights.LoadFile(other, path, weights.AllowNarrowing())
	require.ErrorContains(t, err, "weight is [2, 32]")
	require.ErrorContains(t, err, "but the file has [2, 64]")

	turned := make([]float32, len(numbers)) // [64, 2]
	for i, v := range numbers {
		turned[i%64*2+i/64] = v
	}
	require.NoError(t, weights.Write(path, []weights.Named{{Name: "weight",
		Value: exec.Array{Shape: []int{64, 2}, Data: turned}}}))
	_, err = weights.LoadFile(fresh, path, weights.AllowNarrowing(), weights.Transposed("weight"))
	require.NoError(t, err)
	require.Equal(t, got, numbersOf(t, fresh, w))

	require.NoError(t, weights.Write(path, []weights.Named{
		{Name: "first", Value: exec.Array{Shape: []int{1, 64}, Data: numbers[:64]}},
		{Name: "second", Value: exec.Array{Shape: []int{1, 64}, Data: numbers[64:]}},
	}))
	parts := weights.Parts(func(param string) []string {
		if param == "weight" {
			return []string{"first", "second"}
		}
		return nil
	})
	_, err = weights.LoadFile(fresh, path, parts, weights.AllowNarrowing(), weights.Only(l.Weight))
	require.NoError(t, err)
	require.Equal(t, got, numbersOf(t, fresh, w))
}
