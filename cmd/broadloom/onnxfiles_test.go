package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
)

// TestExportToONNX writes a model of Go as one of ONNX, which is read again.
func TestExportToONNX(t *testing.T) {
	userModule(t, map[string]string{"models.go": trainedModel})
	status, stdout, stderr := broadloom("export", "-format", "onnx", "-forward")
	require.Equal(t, exitOK, status, stderr)
	require.Equal(t, "classifier.onnx\n", stdout)
	require.Equal(t, []string{"classifier.onnx", "go.mod", "models.go"}, filesOf(t, "."))
	m, err := onnx.Open("classifier.onnx")
	require.NoError(t, err)
	defer m.Close()
	require.Equal(t, "x float[batch, 8]", m.Inputs()[0].String())
	net, err := m.Build()
	require.NoError(t, err)
	require.Len(t, net.Params(), 2)

	status, stdout, stderr = broadloom("export", "-format", "onnx", "-size", "batch=4", "-o", "step.onnx")
	require.Equal(t, exitOK, status, stderr)
	require.Equal(t, "step.onnx\n", stdout)
	step, err := onnx.Open("step.onnx")
	require.NoError(t, err)
	defer step.Close()
	var outputs []string
	for _, o := range step.Outputs() {
		outputs = append(outputs, o.Name)
	}
	require.Contains(t, outputs, "out.weight.next")

	status, _, stderr = broadloom("export", "-format", "tflite")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "there are stablehlo and onnx")
}

// TestFilesOfONNX checks, draws and profiles a model in a file.
func TestFilesOfONNX(t *testing.T) {
	t.Chdir(t.TempDir())
	g := graph.New("net")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	y := ops.Relu(nn.NewLinear(g, "out", 8, 10).Apply(nn.Evaluation(g), x))
	require.NoError(t, onnx.Export("net.onnx", g, onnx.WithOutputs(y)))

	status, stdout, stderr := broadloom("check", "net.onnx")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "ok    net.onnx")
	assert.Contains(t, stdout, "0 errors, 0 warnings")

	status, stdout, stderr = broadloom("profile", "-size", "batch=16", "-runs", "2", "net.onnx")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, `net.onnx: graph "net" with batch = 16`)

	status, _, stderr = broadloom("draw", "-format", "dot", "net.onnx")
	require.Equal(t, exitOK, status, stderr)
	text, err := os.ReadFile("net.dot")
	require.NoError(t, err)
	assert.Contains(t, string(text), "f32&#91;batch,10&#93;")
	assert.NotContains(t, string(text), "onnxfiles.go", "no line of this command")

	for name, text := range map[string]string{"bad.onnx": "no model", "empty.onnx": ""} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"draw", "bad.onnx"}, "this is not an ONNX model"},
		{[]string{"check", "empty.onnx"}, "the file is empty"},
		{[]string{"profile", "none.onnx"}, "none.onnx"},
		{[]string{"profile", "-size", "rows=3", "net.onnx"}, "there are: batch"},
		{[]string{"shapes", "net.onnx"}, "this command takes packages"},
		{[]string{"export", "net.onnx"}, "this command takes packages"},
		{[]string{"draw", "-run", "other", "net.onnx"}, "-run matches nothing in net.onnx: the model is called net"},
	} {
		status, _, stderr := broadloom(c.args...)
		assert.Equal(t, exitFailed, status, c.args)
		assert.Contains(t, stderr, c.want, c.args)
	}
	left, err := filepath.Glob("*.svg")
	require.NoError(t, err)
	assert.Empty(t, left)
}
