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

// Tensors of formats with minima, and of those without, are loaded with the bits that ggml's Python package decodes,
// where integers fit and blocks are made of the layer's.
func TestBlocksOfGGUFBecomeWeightsWithMinima(t *testing.T) {
	f, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer f.Close()
	in4 := map[string]int{"Q4_1": 32, "Q4_K": 32, "Q4_0": 32, "Q2_K": 16, "Q3_K": 16, "TQ2_0": 256}
	in8 := map[string]int{"Q5_1": 32, "Q5_K": 32, "Q8_0": 32, "Q5_0": 32, "Q6_K": 16, "IQ4_NL": 32, "IQ4_XS": 32}
	for name, block := range in4 {
		in8[name] = block
	}
	for option, c := range map[string]struct {
		held  func(block int) nn.Option
		exact map[string]int
	}{"Uint4Weights": {nn.Uint4Weights, in4}, "Uint8Weights": {nn.Uint8Weights, in8}} {
		for name, most := range in8 {
			for _, block := range []int{16, 32, 64} {
				stored, err := f.Read(name)
				require.NoError(t, err)
				s, _, w := heldLayer(t, 256, 2, c.held(block))
				r, err := weights.Load(s, f, weights.AllowUnexpected(), renamed(name))
				if c.exact[name] != 0 && most%block == 0 {
					require.NoError(t, err, name)
					require.ElementsMatch(t, []string{"weight", "weight_scale", "weight_min"}, r.Loaded)
					require.Equal(t, stored.Data, numbersOf(t, s, w), "%s in %s(%d)", name, option, block)
					continue
				}
				require.ErrorContains(t, err, "(nn."+option+"), but the file has "+name+": use AllowNarrowing()")
				_, err = weights.Load(s, f, weights.AllowUnexpected(), renamed(name), weights.AllowNarrowing())
				require.NoError(t, err, name)
				levels := map[string]float64{"Uint4Weights": 15, "Uint8Weights": 255}[option]
				for i, got := range numbersOf(t, s, w) {
					of := stored.Data.([]float32)[i/block*block:][:block]
					least, largest := of[0], of[0]
					for _, v := range of {
						least, largest = min(least, v), max(largest, v)
					}
					off := float64(largest-least) * (0.5/levels + 1e-6)
					require.InDelta(t, stored.Data.([]float32)[i], got, off, name)
				}
			}
		}
	}
}

// The error for a format that an option rounds names the one that does not.
func TestOptionThatHoldsBlocksOfGGUF(t *testing.T) {
	f, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer f.Close()
	for name, c := range map[string]struct {
		held nn.Option
		help string
	}{
		"Q4_K": {nn.Int4Weights(32), "to round it, or nn.Uint4Weights(32), which holds it as it is"},
		"Q4_1": {nn.Int8Weights(16), "to round it, or nn.Uint4Weights(32), which holds it as it is"},
		"Q5_K": {nn.Uint4Weights(32), "to round it, or nn.Uint8Weights(32), which holds it as it is"},
		"Q6_K": {nn.Uint8Weights(32), "to round it, or nn.Int8Weights(16), which holds it as it is"},
	} {
		s, _, _ := heldLayer(t, 256, 2, c.held)
		_, err := weights.Load(s, f, weights.AllowUnexpected(), renamed(name))
		require.ErrorContains(t, err, c.help)
	}
}

// Floating-point numbers become integers by the rule of ggml's Q4_1, and what is saved is loaded with the same bits.
func TestFloatsBecomeWeightsWithMinima(t *testing.T) {
	numbers := make([]float32, 2*64)
	for i := range numbers {
		numbers[i] = float32(math.Sin(float64(i*i)))*float32(i%5) + 3
	}
	copy(numbers[32:64], make([]float32, 32))
	for i := range 32 {
		numbers[32+i] = -7 // a block of one number
	}
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path, []weights.Named{{Name: "weight",
		Value: exec.Array{Shape: []int{2, 64}, Data: numbers}}}))
	for _, c := range []struct {
		held nn.Option
		most float32
		text string
	}{{nn.Uint4Weights(32), 15, "4 bits with a scale and a minimum for each 32"},
		{nn.Uint8Weights(32), 255, "8 bits with a scale and a minimum for each 32"}} {
		s, _, w := heldLayer(t, 64, 2, c.held)
		_, err := weights.LoadFile(s, path)
		require.ErrorContains(t, err, "weight is held in "+c.text)
		_, err = weights.LoadFile(s, path, weights.AllowNarrowing())
		require.NoError(t, err)
		got := numbersOf(t, s, w)
		for b := range 4 {
			block := numbers[b*32:][:32]
			least, largest := block[0], block[0]
			for _, v := range block {
				least, largest = min(least, v), max(largest, v)
			}
			scale := (largest - least) / c.most
			for i, v := range block {
				want := least
				if scale > 0 {
					level := float32(math.RoundToEven(float64((v - least) / scale)))
					want = float32(level*scale) + least
				}
				require.Equal(t, want, got[b*32+i])
			}
		}

		saved := filepath.Join(t.TempDir(), "saved.safetensors")
		require.NoError(t, weights.Save(saved, s))
		fresh := s.Program().NewSession(exec.Seed(9))
		_, err = weights.LoadFile(fresh, saved)
		require.NoError(t, err)
		require.Equal(t, got, numbersOf(t, fresh, w))
		plain, _ := readsParam(t, "weight", graph.Float32, 2, 64)
		_, err = weights.LoadFile(plain, saved)
		require.ErrorContains(t, err, "help: the file holds weights in "+c.text+": layers with the option nn.Uint")

		symmetric, _, _ := heldLayer(t, 64, 2, nn.Int4Weights(32))
		_, err = weights.LoadFile(symmetric, saved)
		require.ErrorContains(t, err, "no parameter: weight_min")
	}
}

// Numbers whose difference is beyond float32, and those that are not finite, are refused.
func TestBlocksThatReachFar(t *testing.T) {
	numbers := make([]float32, 32)
	numbers[0], numbers[1] = -math.MaxFloat32, math.MaxFloat32
	path := filepath.Join(t.TempDir(), "w.safetensors")
	write := func() {
		require.NoError(t, weights.Write(path, []weights.Named{{Name: "weight",
			Value: exec.Array{Shape: []int{1, 32}, Data: numbers}}}))
	}
	s, _, _ := heldLayer(t, 32, 1, nn.Uint4Weights(32))
	write()
	_, err := weights.LoadFile(s, path, weights.AllowNarrowing())
	require.ErrorContains(t, err, `tensor "weight": elements 0 to 31 reach too far for a scale`)
	numbers[5] = float32(math.NaN())
	write()
	_, err = weights.LoadFile(s, path, weights.AllowNarrowing())
	require.ErrorContains(t, err, `tensor "weight": element 5 is NaN`)
}
