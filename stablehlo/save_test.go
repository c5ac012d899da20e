package stablehlo_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/stablehlo"
	"github.com/broadloom/broadloom/weights"
)

// names lists the files of a folder.
func names(t *testing.T, dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A folder is there whole or not at all, and replaces one of its own kind only.
func TestSaveWritesAFolder(t *testing.T) {
	g := graph.New("double")
	y := ops.Mul(g.Input("x", graph.Float32, 3), g.Param("w", graph.Float32, 3))
	g.Param("unused", graph.Float32, 2)
	program, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	m, err := stablehlo.Export(g, stablehlo.Outputs(y))
	require.NoError(t, err)
	parent := t.TempDir()
	dir := filepath.Join(parent, "new", "double")
	for range 2 {
		require.NoError(t, m.Save(dir, program.NewSession()))
		require.Equal(t, []string{"module.mlir", "signature.json", "weights.safetensors"}, names(t, dir))
		require.Equal(t, []string{"double"}, names(t, filepath.Dir(dir)))
	}
	f, err := weights.Open(filepath.Join(dir, stablehlo.WeightsFile))
	require.NoError(t, err)
	defer f.Close()
	require.Len(t, f.Tensors(), 1)
	require.Equal(t, "w", f.Tensors()[0].Name)
	text, err := os.ReadFile(filepath.Join(dir, stablehlo.SignatureFile))
	require.NoError(t, err)
	var s stablehlo.Signature
	require.NoError(t, json.Unmarshal(text, &s))
	require.Equal(t, m.Signature(), &s)

	require.ErrorContains(t, m.Save(parent, nil), "holds new, which no export has written")
	require.Equal(t, []string{"new"}, names(t, parent))
	require.NoError(t, m.Save(filepath.Join(parent, "bare"), nil))
	require.Equal(t, []string{"module.mlir", "signature.json"}, names(t, filepath.Join(parent, "bare")))
}

// The shape of a number is an empty list in the file, however the number came about: a constant may be that of a loop.
func TestShapesOfNumbers(t *testing.T) {
	g := graph.New("numbers")
	x, i := g.Input("x", graph.Float32, 1), g.Input("i", graph.Int64)
	last := ops.Fori(3, []*graph.Node{i}, func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(c[0], i)}
	})
	outputs := []*graph.Node{i, last[0], ops.Mul(last[0], graph.Num(3)), ops.Sum(x), ops.Select(x, 0, 0)}
	m, err := stablehlo.Export(g, stablehlo.Outputs(outputs...))
	require.NoError(t, err)
	text, err := json.Marshal(m.Signature())
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
}
