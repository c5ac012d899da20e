package weights_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/weights"
)

// loaded writes one tensor to a file and loads it into a parameter of a dtype.
func loaded(t *testing.T, data any, count int, to graph.DType, opts ...weights.Option) (any, error) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path,
		[]weights.Named{{Name: "p", Value: exec.Array{Shape: []int{count}, Data: data}}}))
	g := graph.New("g")
	p := g.Param("p", to, graph.Dim(count))
	prog, err := exec.Compile(g, exec.Outputs(ops.Reshape(p, -1)))
	require.NoError(t, err)
	s := prog.NewSession()
	if _, err := weights.LoadFile(s, path, opts...); err != nil {
		return nil, err
	}
	value, err := s.Param(p)
	require.NoError(t, err)
	return value.Data, nil
}

func TestNumbersAreWidened(t *testing.T) {
	numbers := []float32{0.1, -3, 6e-8, float32(math.Inf(1))}
	f16, bf16 := half.ToFloat16(numbers), half.ToBFloat16(numbers)
	for _, c := range []struct {
		data any
		to   graph.DType
		want any
	}{
		{f16, graph.Float16, f16},
		{f16, graph.Float32, half.ToFloat32(f16)},
		{bf16, graph.BFloat16, bf16},
		{bf16, graph.Float32, half.ToFloat32(bf16)},
		{bf16, graph.Float64, []float64{float64(bf16[0].Float32()), -3, float64(bf16[2].Float32()), math.Inf(1)}},
		{[]uint8{0, 255}, graph.Int16, []int16{0, 255}},
		{[]uint8{0, 255}, graph.Uint64, []uint64{0, 255}},
		{[]int8{-128, 127}, graph.Int64, []int64{-128, 127}},
		{[]uint32{1 << 31}, graph.Int64, []int64{1 << 31}},
		{[]uint64{1 << 63}, graph.Uint64, []uint64{1 << 63}},
	} {
		_, count := graph.DTypeOfSlice(c.data)
		got, err := loaded(t, c.data, count, c.to)
		require.NoError(t, err, "%T to %v", c.data, c.to)
		assert.Equal(t, c.want, got, "%T to %v", c.data, c.to)
	}
}

func TestNumbersAreNarrowedIfThatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		data any
		to   graph.DType
		want any
		err  string
	}{
		{[]float32{0.1, 1e9}, graph.Float16, half.ToFloat16([]float32{0.1, 1e9}), ""},
		{[]float64{0.1, 1e9}, graph.BFloat16, half.ToBFloat16([]float32{0.1, 1e9}), ""},
		{half.ToFloat16([]float32{0.1}), graph.BFloat16, half.ToBFloat16([]float32{half.NewFloat16(0.1).Float32()}),
			""},
		{half.ToBFloat16([]float32{1e9}), graph.Float16, half.ToFloat16([]float32{1e9}), ""},
		{[]int64{-1, 255}, graph.Int16, []int16{-1, 255}, ""},
		{[]int64{255, 256}, graph.Uint8, nil, "element 1 is 256, which does not fit into uint8"},
		{[]int8{-1}, graph.Uint64, nil, "element 0 is -1, which does not fit into uint64"},
		{[]uint64{1 << 63}, graph.Int64, nil, "element 0 is 9223372036854775808, which does not fit into int64"},
	} {
		_, count := graph.DTypeOfSlice(c.data)
		_, err := loaded(t, c.data, count, c.to)
		require.ErrorContains(t, err, "use AllowNarrowing() to round it", "%T to %v", c.data, c.to)
		got, err := loaded(t, c.data, count, c.to, weights.AllowNarrowing())
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err, "%T to %v", c.data, c.to)
		assert.Equal(t, c.want, got, "%T to %v", c.data, c.to)
	}
	_, err := loaded(t, []uint8{1}, 1, graph.Float32, weights.AllowNarrowing())
	require.ErrorContains(t, err, "p is float32, but the file has U8")
}

func TestNumPyHasNoBFloat16(t *testing.T) {
	err := weights.Write(filepath.Join(t.TempDir(), "w.npy"),
		[]weights.Named{{Name: "p", Value: exec.Array{Shape: []int{1}, Data: []half.BFloat16{0}}}})
	require.ErrorContains(t, err, "NumPy has no dtype BF16: write .safetensors")
}
