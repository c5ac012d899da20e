package opref

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// autocastAnswers has the dtypes of PyTorch's results within autocast; the first test makes it.
const autocastAnswers = "testdata/autocast.txt"

var update = flag.Bool("update", false, "rewrite the answers of PyTorch")

// TestAutocastAnswers asks PyTorch for the dtypes of all rows within autocast.
func TestAutocastAnswers(t *testing.T) {
	python := os.Getenv("BROADLOOM_PYTHON")
	if python == "" {
		t.Skip("BROADLOOM_PYTHON names no Python with PyTorch")
	}
	var in bytes.Buffer
	for _, q := range questions(t, "torch") {
		if q.Call != "" {
			q.Tries = tries(t, q.of)
			require.NoError(t, json.NewEncoder(&in).Encode(q))
		}
	}
	out := judge(t, python, &in, "torch", "autocast")
	if *update {
		require.NoError(t, os.WriteFile(autocastAnswers, out, 0o644))
	}
	want, err := os.ReadFile(autocastAnswers)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(out), "go test ./internal/opref -run AutocastAnswers -update")
}

// otherInAutocast are rows whose results have other dtypes than PyTorch's within autocast, and why.
var otherInAutocast = map[string]string{
	"PInv":        "PyTorch multiplies the factors of the inverse in bfloat16",
	"MatrixExp":   "PyTorch computes it of bfloat16",
	"Dequantize":  "the scale of PyTorch's call is a number without a dtype",
	"LstsqReport": "PyTorch subtracts in bfloat16 for the residuals",
}

// TestAutocastDTypes compares the dtype of the first result of each row within Autocast with PyTorch's.
func TestAutocastDTypes(t *testing.T) {
	text, err := os.ReadFile(autocastAnswers)
	require.NoError(t, err)
	answers := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		require.Len(t, f, 3, line)
		answers[f[0]] = f[1:]
	}
	compared := 0
	for _, q := range questions(t, "torch") {
		for i, operands := range []graph.DType{graph.Float32, graph.BFloat16} {
			got, ok := autocastDType(t, q.of, operands)
			if !ok || answers[q.Row] == nil || otherInAutocast[q.Row] != "" {
				continue
			}
			want, _, _ := strings.Cut(answers[q.Row][i], ",")
			if want = strings.ReplaceAll(want, "complex64", "float32"); want == "-" {
				continue
			}
			assert.Equal(t, want, got.String(), "%s of %s", q.Row, operands)
			compared++
		}
	}
	assert.Greater(t, compared, 600)
}

// autocastDType is the dtype of the first result of a row within Autocast; not ok if its example reads no
// floating-point values, or is refused outside of Autocast too.
func autocastDType(t *testing.T, f ops.Function, operands graph.DType) (of graph.DType, ok bool) {
	e := &graph.Example{Graph: graph.New("autocast"), DType: operands}
	var n *graph.Node
	e.Graph.Autocast(graph.BFloat16, func() {
		var err error
		n, err = exampleOf(f, e)
		require.NoError(t, err, f.Name)
	})
	readsFloats := slices.ContainsFunc(e.Graph.Inputs(), func(x *graph.Node) bool { return x.DType() == operands })
	if e.Graph.Err() != nil {
		outside := &graph.Example{Graph: graph.New("outside"), DType: operands}
		if _, err := exampleOf(f, outside); err != nil || outside.Graph.Err() == nil {
			t.Errorf("%s of %s is refused: %v", f.Name, operands, e.Graph.Err())
		}
		return graph.InvalidDType, false
	}
	return results(n, e)[0].DType(), readsFloats
}
