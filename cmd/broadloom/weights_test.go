package main

import (
	"os"
	"path/filepath"
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
