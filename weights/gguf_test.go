package weights_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/weights"
)

// ggufPath is a file with random numbers in each format.
const ggufPath = "internal/gguf/testdata/formats.gguf"

// readsParam makes a session of a program that reads one parameter.
func readsParam(t *testing.T, name string, dtype graph.DType, shape ...graph.Dim) (*exec.Session, *graph.Node) {
	g := graph.New("model")
	w := g.Param(name, dtype, shape...)
	p, err := exec.Compile(g, exec.Outputs(ops.Sum(ops.Cast(w, graph.Float32))))
	require.NoError(t, err)
	return p.NewSession(), w
}

// Quantised numbers are loaded as float32, and rounded to narrower parameters where that is allowed.
func TestQuantisedWeights(t *testing.T) {
	f, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer f.Close()
	require.Contains(t, f.Tensors(), weights.Info{Name: "Q4_K", DType: "Q4_K", Shape: []int{2, 256}})
	require.Equal(t, "llama", f.Fields()["general.architecture"])
	require.Equal(t, []string{"<s>", "", "the"}, f.Fields()["test.texts"])
	stored, err := f.Read("Q4_K")
	require.NoError(t, err)
	numbers := stored.Data.([]float32)

	s, w := readsParam(t, "Q4_K", graph.Float32, 2, 256)
	_, err = weights.Load(s, f, weights.AllowUnexpected())
	require.NoError(t, err)
	loaded, err := s.Param(w)
	require.NoError(t, err)
	require.Equal(t, numbers, loaded.Data)

	s, w = readsParam(t, "Q4_K", graph.BFloat16, 2, 256)
	_, err = weights.Load(s, f, weights.AllowUnexpected())
	require.ErrorContains(t, err, "Q4_K is bfloat16, but the file has Q4_K: use AllowNarrowing() to round it")
	_, err = weights.Load(s, f, weights.AllowUnexpected(), weights.AllowNarrowing())
	require.NoError(t, err)
	loaded, err = s.Param(w)
	require.NoError(t, err)
	require.Equal(t, half.NewBFloat16(numbers[7]), loaded.Data.([]half.BFloat16)[7])
}

func TestWeightsThatCannotBeRead(t *testing.T) {
	f, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer f.Close()
	s, _ := readsParam(t, "IQ2_XS", graph.Float32, 2, 256)
	_, err = weights.Load(s, f, weights.AllowUnexpected())
	require.ErrorContains(t, err, "IQ2_XS is IQ2_XS in the file, which cannot be read: convert it to F32 first")
	_, err = f.Read("IQ2_XS")
	require.ErrorContains(t, err, `tensor "IQ2_XS": IQ2_XS cannot be read: convert it to Q8_0 or F16 before`)

	s, _ = readsParam(t, "w", graph.Float32, 3)
	_, err = weights.Load(s, f)
	require.ErrorContains(t, err, "no parameter: Q6_K Q6_K [2, 256]")
	require.ErrorContains(t, weights.Write("w.gguf", nil), `the extension ".gguf" is unknown`)
}

// Embedded files are read like others, several times, and by any number of sessions.
func TestOpenReader(t *testing.T) {
	data, err := os.ReadFile(ggufPath)
	require.NoError(t, err)
	f, err := weights.OpenReader("formats.gguf", bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	s, w := readsParam(t, "Q8_0", graph.Float32, 2, 256)
	for range 2 {
		_, err = weights.Load(s, f, weights.AllowUnexpected())
		require.NoError(t, err)
	}
	loaded, err := s.Param(w)
	require.NoError(t, err)
	other, err := weights.Open(ggufPath)
	require.NoError(t, err)
	defer other.Close()
	want, err := other.Read("Q8_0")
	require.NoError(t, err)
	require.Equal(t, want, loaded)
	require.NoError(t, f.Close())
	_, err = f.Read("Q8_0")
	require.ErrorContains(t, err, "formats.gguf is closed")

	for name, want := range map[string]string{
		"w.safetensors": "w.safetensors: ", "w.bin": "safetensors.torch.save_file", "w": `the extension "" is unknown`,
		"w.index.json": "use Open", "w.gguf": `the file is truncated`,
	} {
		_, err := weights.OpenReader(name, bytes.NewReader(data), int64(len(data)-1000))
		require.ErrorContains(t, err, want)
	}
	_, err = weights.OpenReader("w.gguf", nil, 0)
	require.ErrorContains(t, err, "the reader is <nil>")
	_, err = weights.OpenReader("w.gguf", bytes.NewReader(data), -1)
	require.ErrorContains(t, err, "its size is -1")
}
