package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer"
)

func TestDigits(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "b")
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-out", out}, &stdout, &stderr))

	assert.Empty(t, stderr.String())
	assert.Regexp(t, `(?m)^epoch  1   loss \d\.\d{4}   test loss \d\.\d{4}   test accuracy \d\d\.\d\d %$`,
		stdout.String())
	assert.Regexp(t, `epoch 25 .* test accuracy (9[789]\.\d\d|100\.00) %`, stdout.String())

	found, err := os.ReadDir(out)
	require.NoError(t, err)
	var names []string
	for _, f := range found {
		names = append(names, f.Name())
		text, err := os.ReadFile(filepath.Join(out, f.Name()))
		require.NoError(t, err)
		assert.Contains(t, stdout.String(), "wrote "+filepath.Join(out, f.Name()))
		assert.Contains(t, string(text), map[string]string{
			".dot": "hidden.weight", ".svg": "</svg>"}[filepath.Ext(f.Name())])
	}
	assert.Equal(t, []string{"graph.dot", "graph.svg", "loss.svg"}, names)
}

// A trained model is not lost if its pictures cannot be drawn or written.
func TestPicturesEndNoTraining(t *testing.T) {
	broken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(broken, "dot"), []byte("#!/bin/sh\nkill -SEGV $$\n"), 0o755))
	t.Setenv("PATH", broken)
	out := filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-epochs", "1", "-out", out}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "wrote "+filepath.Join(out, "graph.svg"), "drawn without Graphviz")
	assert.Contains(t, stderr.String(), "segmentation fault")

	file := filepath.Join(out, "loss.svg")
	require.NoError(t, run(t.Context(), []string{"-epochs", "1", "-out", file}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), file)
}

func TestTheSameSeedGivesTheSameResult(t *testing.T) {
	once := func(seed string) string {
		var stdout bytes.Buffer
		require.NoError(t, run(t.Context(), []string{"-epochs", "2", "-seed", seed, "-out", "."}, &stdout, io.Discard))
		return stdout.String()
	}
	t.Chdir(t.TempDir())
	first := once("5")
	assert.Equal(t, first, once("5"))
	assert.NotEqual(t, first, once("6"))
}

// cancels ends a context on the third write.
type cancels struct {
	cancel context.CancelFunc
	writes int
}

func (c *cancels) Write(text []byte) (int, error) {
	if c.writes++; c.writes == 3 {
		c.cancel()
	}
	return len(text), nil
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, stdout := filepath.Join(t.TempDir(), "out"), &cancels{cancel: cancel}
	require.ErrorIs(t, run(ctx, []string{"-epochs", "1000", "-out", out}, stdout, io.Discard), context.Canceled)
	assert.Equal(t, 3, stdout.writes)
	assert.NoDirExists(t, out, "nothing is written")
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-epochs", "0"}, {"-batch", "-1"}, {"-hidden", "x"}, {"more"}} {
		require.Error(t, run(t.Context(), args, io.Discard, io.Discard), args)
	}
}

func TestData(t *testing.T) {
	training, test, err := load(config{batch: 32})
	require.NoError(t, err)
	assert.Equal(t, 1438, training.Len())
	assert.Equal(t, 45, training.Batches())
	assert.Equal(t, 359, test.Len())
}

func TestShapes(t *testing.T) {
	require.NoError(t, shapeinfer.Check(checked()).Err())
}
