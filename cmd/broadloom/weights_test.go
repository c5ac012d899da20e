package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

func TestWeightsListsTensorsAndMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path, []weights.Named{
		{Name: "fc.weight", Value: exec.Array{Shape: []int{2, 3}, Data: make([]float32, 6)}},
		{Name: "steps", Value: exec.Array{Data: []int64{7}}},
	}, weights.Metadata(map[string]string{"format": "pt"})))
	status, stdout, stderr := broadloom("weights", path)
	assert.Equal(t, exitOK, status, stderr)
	assert.Equal(t, "steps      I64  []\nfc.weight  F32  [2, 3]\nformat     = \"pt\"\n"+
		path+": 2 tensors, 7 elements\n", stdout)

	status, stdout, stderr = broadloom("weights", "../../examples/llama/genesis.gguf")
	assert.Equal(t, exitOK, status, stderr)
	assert.Regexp(t, `blk\.0\.attn_q\.weight +Q8_0 +\[64, 64\]`, stdout)
	assert.Regexp(t, `llama\.block_count += 4\n`, stdout)
	assert.Regexp(t, `tokenizer\.ggml\.tokens += 768 × string\n`, stdout)
}

func TestWeightsOfFilesThatAreNone(t *testing.T) {
	status, _, stderr := broadloom("weights")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "weights needs a file")
	path := filepath.Join(t.TempDir(), "w.gguf")
	require.NoError(t, os.WriteFile(path, []byte("GGML"), 0o600))
	status, stdout, stderr := broadloom("weights", path, "../../examples/llama/genesis.gguf")
	assert.Equal(t, exitErrors, status)
	assert.Contains(t, stderr, `does not start with "GGUF"`)
	assert.Contains(t, stdout, "token_embd.weight", "the other file is listed")
}

// Names of a file cannot give the terminal orders or look like other lines, in the list and in errors.
func TestNamesOfFilesAreNoOrdersToTheTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	require.NoError(t, weights.Write(path, []weights.Named{
		{Name: "a\x1b[2J\u009b1m\u202e", Value: exec.Array{Shape: []int{2}, Data: make([]float32, 2)}},
		{Name: "b\nc  F32  [7]", Value: exec.Array{Shape: []int{3}, Data: make([]float32, 3)}},
		{Name: "poids.é", Value: exec.Array{Shape: []int{1}, Data: make([]float32, 1)}},
	}, weights.Metadata(map[string]string{"key\x1b]0;title\a": "value\x1b"})))
	status, stdout, stderr := broadloom("weights", path)
	assert.Equal(t, exitOK, status, stderr)
	for _, want := range []string{
		`"a\x1b[2J\u009b1m\u202e"`, `"b\nc  F32  [7]"`, "poids.é  ", `"key\x1b]0;title\a"`, `"value\x1b"`,
	} {
		assert.Contains(t, stdout, want)
	}

	named := "no\x1b[31m.gguf"
	require.NoError(t, os.WriteFile(filepath.Join(t.TempDir(), named), []byte("GGML"), 0o600))
	_, _, stderr = broadloom("weights", named)
	assert.Contains(t, stderr, `no\x1b[31m.gguf`)
}

func TestTerminalTakesTextInPieces(t *testing.T) {
	var shown strings.Builder
	text := "é\x1b\u0085\xff\u2066\U000e0001…\r\n\t"
	to := &terminal{to: &shown}
	for i := range len(text) {
		n, err := to.Write([]byte{text[i]})
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.Equal(t, `é\x1b\u0085\xff\u2066\udb40\udc01…\x0d`+"\n\t", shown.String())
}
