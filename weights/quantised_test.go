package weights_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/weights"
)

// int8Layer makes a session of a linear layer of weights of 8 bits.
func int8Layer(t *testing.T, in, out, block int, opts ...nn.Option) (*exec.Session, *nn.Linear) {
	g := graph.New("model")
	l := nn.NewLinear(g, "", in, out, append(opts, nn.NoBias(), nn.Int8Weights(block))...)
	x := g.Input("x", l.Scale.DType(), 1, graph.Dim(in))
	p, err := exec.Compile(g, exec.Outputs(l.Apply(nn.Evaluation(g), x)))
	require.NoError(t, err)
	return p.NewSession(), l
}

// dequantised are the numbers of a layer, in float32.
func dequantised(t *testing.T, s *exec.Session, l *nn.Linear, block int) []float32 {
	levels, err := s.Param(l.Weight)
	require.NoError(t, err)
	scales, err := s.Param(l.Scale)
	require.NoError(t, err)
	var values []float32
	for i, q := range levels.Data.([]int8) {
		scale, _ := graph.NumberAt(scales.Data, i/block)
		values = append(values, float32(scale)*float32(q))
	}
	return values
}

func renamed(to string) weights.Option { return weights.Rename(func(string) string { return to }) }

// Tensors whose blocks have a scale alone are loaded as they are into blocks that make them up; others are rounded,
// where that is allowed.
func TestBlocksOfGGUFBecomeInt8Weights(t *testing.T) {
	f, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer f.Close()
	for _, c := range []struct {
		name  string
		block int
		exact bool
	}{
		{"Q8_0", 32, true}, {"Q8_0", 16, true}, {"Q8_0", 64, false}, {"Q4_0", 32, true}, {"Q5_0", 32, true},
		{"Q6_K", 16, true}, {"Q6_K", 32, false}, {"Q3_K", 16, true}, {"IQ4_NL", 32, true}, {"IQ4_XS", 32, true},
		{"MXFP4", 32, true}, {"TQ2_0", 256, true}, {"TQ2_0", 32, true}, {"Q4_K", 32, false}, {"Q4_1", 32, false},
	} {
		stored, err := f.Read(c.name)
		require.NoError(t, err)
		for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.BFloat16} {
			s, l := int8Layer(t, 256, 2, c.block, nn.DType(dtype))
			_, err = weights.Load(s, f, weights.AllowUnexpected(), renamed(c.name))
			if c.exact && dtype != graph.BFloat16 {
				require.NoError(t, err, c.name)
				require.Equal(t, stored.Data, dequantised(t, s, l, c.block), c.name)
				continue
			}
			if c.name == "MXFP4" {
				continue // some are not finite
			}
			require.ErrorContains(t, err, "but the file has "+c.name+": use AllowNarrowing() to round it")
			_, err = weights.Load(s, f, weights.AllowUnexpected(), renamed(c.name), weights.AllowNarrowing())
			require.NoError(t, err, c.name)
			for i, got := range dequantised(t, s, l, c.block) {
				largest := float32(0)
				first := i / c.block * c.block
				for _, v := range stored.Data.([]float32)[first : first+c.block] {
					largest = max(largest, v, -v)
				}
				require.InDelta(t, stored.Data.([]float32)[i], got, float64(largest)*(0.5/127+1./256), c.name)
			}
		}
	}
}

// Tensors of other dtypes, kernels of Flax and Keras, and parts are quantised alike.
func TestFloatsBecomeInt8Weights(t *testing.T) {
	numbers := make([]float32, 2*32)
	for i := range numbers {
		numbers[i] = float32(i%13) - 6
	}
	turned := make([]float32, len(numbers)) // [32, 2]
	for i, v := range numbers {
		turned[i%32*2+i/32] = v
	}
	shape := []int{2, 32}
	for name, c := range map[string]struct {
		value exec.Array
		opts  []weights.Option
	}{
		"float32":  {exec.Array{Shape: shape, Data: numbers}, nil},
		"float16":  {exec.Array{Shape: shape, Data: half.ToFloat16(numbers)}, nil},
		"bfloat16": {exec.Array{Shape: shape, Data: half.ToBFloat16(numbers)}, nil},
		"kernel":   {exec.Array{Shape: []int{32, 2}, Data: turned}, []weights.Option{weights.Transposed("weight")}},
	} {
		path := filepath.Join(t.TempDir(), "w.safetensors")
		require.NoError(t, weights.Write(path, []weights.Named{{Name: "weight", Value: c.value}}))
		s, l := int8Layer(t, 32, 2, 16)
		_, err := weights.LoadFile(s, path, c.opts...)
		require.ErrorContains(t, err, "weight is held in 8 bits with a scale for each 16 (nn.Int8Weights)", name)
		_, err = weights.LoadFile(s, path, append(c.opts, weights.AllowNarrowing())...)
		require.NoError(t, err, name)
		require.InDeltaSlice(t, numbers, dequantised(t, s, l, 16), 6.0/254+1e-6, name)
	}

	path := filepath.Join(t.TempDir(), "parts.safetensors")
	require.NoError(t, weights.Write(path, []weights.Named{
		{Name: "first", Value: exec.Array{Shape: []int{1, 32}, Data: numbers[:32]}},
		{Name: "second", Value: exec.Array{Shape: []int{1, 32}, Data: half.ToFloat16(numbers[32:])}},
	}))
	s, l := int8Layer(t, 32, 2, 16)
	parts := weights.Parts(func(param string) []string {
		if param == "weight" {
			return []string{"first", "second"}
		}
		return nil
	})
	_, err := weights.LoadFile(s, path, parts, weights.AllowNarrowing(), weights.Only(l.Weight))
	require.NoError(t, err)
	require.InDeltaSlice(t, numbers, dequantised(t, s, l, 16), 6.0/254+1e-6)

	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()
	values, r, err := weights.Values(s.Program(), f, parts, weights.AllowNarrowing())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"weight", "weight_scale"}, r.Loaded)
	require.IsType(t, []int8{}, values[l.Weight].(exec.Array).Data)
	require.Equal(t, []int{2, 2}, values[l.Scale].(exec.Array).Shape)
}

func TestWhatDoesNotBecomeInt8Weights(t *testing.T) {
	write := func(values ...weights.Named) string {
		path := filepath.Join(t.TempDir(), "w.safetensors")
		require.NoError(t, weights.Write(path, values))
		return path
	}
	s, _ := int8Layer(t, 32, 1, 16)
	load := func(path string) error {
		_, err := weights.LoadFile(s, path, weights.AllowNarrowing())
		return err
	}
	infinite := make([]float32, 32)
	infinite[17] = float32(math.Inf(1))
	value := func(data any, shape ...int) exec.Array { return exec.Array{Shape: shape, Data: data} }
	require.ErrorContains(t, load(write(weights.Named{Name: "weight", Value: value(infinite, 1, 32)})),
		`w.safetensors: tensor "weight": element 17 is +Inf, and a block with it has no scale`)
	require.ErrorContains(t, load(write(weights.Named{Name: "weight", Value: value(infinite, 32, 1)})),
		"weight is [1, 32]")
	require.ErrorContains(t, load(write(weights.Named{Name: "weight", Value: value(make([]int8, 32), 1, 32)})),
		"missing in the file: weight_scale [1, 2]")
	held := write(weights.Named{Name: "weight", Value: value(make([]int8, 32), 1, 32)},
		weights.Named{Name: "weight_scale", Value: value(make([]float32, 2), 1, 2)})
	require.NoError(t, load(held))

	plain, _ := readsParam(t, "weight", graph.Float32, 1, 32)
	_, err := weights.LoadFile(plain, held)
	require.ErrorContains(t, err, "weight is float32, but the file has I8")
	require.ErrorContains(
		t,
		err,
		"help: the file holds weights in 8 bits with a scale for each 16: layers with the option nn.Int8Weights(16) take them",
	)
}
