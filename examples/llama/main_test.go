package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
	"github.com/broadloom/broadloom/weights"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// expected is what Hugging Face's Llama and Google's SentencePiece gave: see testdata/train.py.
type expected struct {
	Prompt  string             `json:"prompt"`
	IDs     []int64            `json:"ids"`
	Logits  []float32          `json:"logits"`
	Written []int64            `json:"written"`
	Text    string             `json:"text"`
	Tokens  map[string][]int64 `json:"tokens"`
}

func setUp(t *testing.T) (*writer, expected) {
	data, err := os.ReadFile("testdata/expected.json")
	require.NoError(t, err)
	var want expected
	require.NoError(t, json.Unmarshal(data, &want))
	w, err := open(t.Context(), "", 256, "", 1)
	require.NoError(t, err)
	return w, want
}

func TestTokens(t *testing.T) {
	w, want := setUp(t)
	require.NotEmpty(t, want.Tokens)
	for text, tokens := range want.Tokens {
		require.Equal(t, tokens, append([]int64{}, w.vocabulary.encode(text)...), "%q", text)
		require.Equal(t, text, w.vocabulary.decode(tokens))
	}
}

func TestLogits(t *testing.T) {
	w, want := setUp(t)
	require.Equal(t, want.IDs, append([]int64{w.vocabulary.begin}, w.vocabulary.encode(want.Prompt)...))
	r, err := w.prompt.Run(t.Context(), exec.Feed{w.model.prompt.text: want.IDs, w.model.temperature: float32(0)})
	require.NoError(t, err)
	logits, err := exec.Values[float32](r, w.model.prompt.logits)
	require.NoError(t, err)
	require.InDeltaSlice(t, want.Logits, logits, 1e-3)
}

// The likeliest tokens are the same, with the keys and values of earlier ones in caches; twice, from the beginning.
func TestWrites(t *testing.T) {
	w, want := setUp(t)
	for range 2 {
		text, written, err := w.write(t.Context(), want.Prompt, len(want.Written)-len(want.IDs), 0)
		require.NoError(t, err)
		require.Equal(t, want.Text, text)
		require.Equal(t, len(want.Written)-len(want.IDs), written)
	}
	text, _, err := w.write(t.Context(), "And", 10_000, 1)
	require.NoError(t, err, "it ends where the caches are full")
	require.Contains(t, text, "And")
	_, _, err = w.write(t.Context(), string(make([]byte, 300)), 1, 0)
	require.ErrorContains(t, err, "the model looks back at most 256")
	_, _, err = w.write(t.Context(), "And", 1, -1)
	require.ErrorContains(t, err, "the temperature must be at least 0")
}

func TestRun(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-tokens", "8"}, &stdout))
	require.Contains(t, stdout.String(), "Llama of 4 layers, width 64, 4 heads, 768 tokens, int8: 0.3 MB")
	require.Contains(t, stdout.String(), "And God said unto Noah")

	path := filepath.Join(t.TempDir(), "cut.gguf")
	require.NoError(t, os.WriteFile(path, []byte(genesis[:len(genesis)/2]), 0o600))
	require.ErrorContains(t, run(t.Context(), []string{"-model", path}, &stdout), "the file is truncated")
	path = "../../weights/internal/gguf/testdata/formats.gguf"
	require.ErrorContains(t, run(t.Context(), []string{"-model", path}, &stdout),
		`metadata "llama.block_count" must be a number, and is <nil>`)
}

// The weights of the file, in blocks of 8 bits, are held as they are. As float32 they take 3.5 times as much memory,
// and give the same tokens. Those of layers can be held in 4 bits, which rounds them.
func TestHeldWeights(t *testing.T) {
	held, want := setUp(t)
	file, err := weights.OpenReader("genesis.gguf", strings.NewReader(genesis), int64(len(genesis)))
	require.NoError(t, err)
	scale := held.model.graph.ByName("blk.1.ffn_down.weight_scale")
	levels, err := held.token.Param(held.model.blocks[1].down.Weight)
	require.NoError(t, err)
	scales, err := held.token.Param(scale)
	require.NoError(t, err)
	stored, err := file.Read("blk.1.ffn_down.weight")
	require.NoError(t, err)
	for i, v := range stored.Data.([]float32) {
		require.Equal(t, v, float32(levels.Data.([]int8)[i])*scales.Data.([]float32)[i/usualBlock])
	}

	plain, err := open(t.Context(), "", 256, "float32", 1)
	require.NoError(t, err)
	require.Greater(t, float64(plain.bytes)/float64(held.bytes), 3.5)
	text, _, err := plain.write(t.Context(), want.Prompt, len(want.Written)-len(want.IDs), 0)
	require.NoError(t, err)
	require.Equal(t, want.Text, text)

	half, err := open(t.Context(), "", 256, "int4", 1)
	require.NoError(t, err)
	require.Equal(t, "Llama of 4 layers, width 64, 4 heads, 768 tokens, int4 and int8", half.model.String())
	require.Less(t, float64(half.bytes)/float64(held.bytes), 0.7)
	pairs, err := half.token.Param(half.model.blocks[1].down.Weight)
	require.NoError(t, err)
	require.IsType(t, []uint8{}, pairs.Data)
	text, written, err := half.write(t.Context(), want.Prompt, 20, 0)
	require.NoError(t, err)
	require.Equal(t, 20, written)
	require.Contains(t, text, want.Prompt)

	_, err = open(t.Context(), "", 256, "int2", 1)
	require.ErrorContains(t, err, "genesis.gguf: weights are held as int8, int4 or float32, not \"int2\"")
}

// Each layer holds the tensors of its weights as they are, in the least memory, unless they are to be rounded.
func TestFormats(t *testing.T) {
	var tensors []weights.Info
	add := func(name, dtype string, shape ...int) {
		tensors = append(tensors, weights.Info{Name: name, DType: dtype, Shape: shape})
	}
	add("token_embd.weight", "Q4_K", 768, 256)
	add("blk.0.attn_norm.weight", "F32", 256)
	add("blk.0.attn_q.weight", "Q4_K", 256, 256)
	add("blk.0.attn_v.weight", "Q6_K", 256, 256)
	add("blk.0.ffn_up.weight", "Q4_K", 256, 256)
	add("blk.0.ffn_down.weight", "Q6_K", 256, 256)
	add("blk.1.ffn_up.weight", "Q5_K", 256, 256)
	add("blk.1.ffn_down.weight", "IQ2_S", 256, 256)
	add("output.weight", "F16", 768, 256)
	for held, want := range map[string]map[string]format{
		"": {"token_embd": {4, 32, true}, "blk.0.attn": {8, 16, true}, "blk.0.ffn_up": {4, 32, true},
			"blk.0.ffn_down": {8, 16, false}, "blk.1.ffn_up": {8, 32, true}, "blk.1.ffn_down": {8, 32, false},
			"output": {}},
		"int8": {"token_embd": {4, 32, true}, "blk.0.attn": {8, 16, true}, "blk.0.ffn_up": {4, 32, true},
			"blk.0.ffn_down": {8, 16, false}, "blk.1.ffn_up": {8, 32, true}, "blk.1.ffn_down": {8, 32, false},
			"output": {8, 32, false}},
		"int4": {"token_embd": {4, 32, true}, "blk.0.attn": {4, 32, true}, "blk.0.ffn_up": {4, 32, true},
			"blk.0.ffn_down": {4, 32, false}, "blk.1.ffn_up": {4, 32, true}, "blk.1.ffn_down": {4, 32, false},
			"output": {8, 32, false}},
		"float32": {"token_embd": {}, "blk.0.attn": {}, "blk.0.ffn_up": {}, "blk.0.ffn_down": {}, "blk.1.ffn_up": {},
			"blk.1.ffn_down": {}, "output": {}},
	} {
		formats, err := formatsOf(tensors, held)
		require.NoError(t, err)
		require.Equal(t, want, formats, held)
	}
}

// A file that claims more layers than it has tensors does not keep the program busy.
func TestLayersThatAreNotThere(t *testing.T) {
	const key = "llama.block_count"
	at := strings.Index(genesis, key) + len(key) + 4 // behind the type
	damaged := genesis[:at] + "\xff\xff\xff\x7f" + genesis[at+4:]
	path := filepath.Join(t.TempDir(), "damaged.gguf")
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
	_, err := open(t.Context(), path, 256, "", 1)
	require.ErrorContains(t, err, "the file says that there are 2147483647 layers, but has 38 tensors")
}
