package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDrawFormats(t *testing.T) {
	userModule(t, map[string]string{"models.go": goodModel})
	for file, want := range map[string]string{
		"m.svg": "<svg", "m.dot": "digraph broadloom", "m.html": "<!DOCTYPE html>", "m.txt": "graph \"regression\"",
		"m.json": "outputsMetadata",
	} {
		status, stdout, stderr := broadloom("draw", "-o", file)
		require.Equal(t, exitOK, status, stderr)
		assert.Equal(t, file+"\n", stdout)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(data), want)
	}
	if _, err := exec.LookPath("dot"); err == nil {
		status, _, stderr := broadloom("draw", "-o", "m.pdf")
		require.Equal(t, exitOK, status, stderr)
		data, err := os.ReadFile("m.pdf")
		require.NoError(t, err)
		assert.Equal(t, "%PDF", string(data[:4]))
	}
	data, err := os.ReadFile("m.json")
	require.NoError(t, err)
	require.True(t, json.Valid(data))
	data, err = os.ReadFile("m.html")
	require.NoError(t, err)
	assert.Contains(t, string(data), "kernel 0", "a page shows the compiled program")
}

func TestDrawOptionsAndTrouble(t *testing.T) {
	userModule(t, map[string]string{"models.go": goodModel})
	status, stdout, stderr := broadloom("draw", "-o", "-", "-format", "dot", "-compiled", "-size", "batch=8", "-theme",
		"dark", "-title", "mine")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "#0D1117")
	assert.Contains(t, stdout, "mine")
	assert.Contains(t, stdout, "moved")

	status, stdout, stderr = broadloom("draw", "-o", "-", "-format", "dot", "-around", "w", "-radius", "1")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, ">w<")
	assert.NotContains(t, stdout, ">t<", "the target is further away")
	status, _, stderr = broadloom("draw", "-around", "nobody")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "has no value with the label \"nobody\"")

	status, _, stderr = broadloom("draw", "-format", "gif")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "there is no format \"gif\"")
	status, _, stderr = broadloom("draw", "-theme", "pink")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "light, dark and print")
	status, _, stderr = broadloom("draw", "-run", "nothing")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "no model has a name that matches; there are: regression")
}

func TestDrawsModelsWithMistakes(t *testing.T) {
	userModule(t, map[string]string{"models.go": badModel})
	status, _, stderr := broadloom("draw", "-o", "wrong.svg")
	require.Equal(t, exitOK, status, stderr)
	data, err := os.ReadFile("wrong.svg")
	require.NoError(t, err)
	assert.Contains(t, string(data), "does not compile")
}

// Where Graphviz fails, a simpler form is drawn, and the command says so.
func TestDrawsWithoutGraphviz(t *testing.T) {
	userModule(t, map[string]string{"models.go": goodModel})
	broken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(broken, "dot"),
		[]byte("#!/bin/sh\necho triangulation failed >&2; exit 1\n"), 0o755))
	t.Setenv("PATH", broken+string(filepath.ListSeparator)+os.Getenv("PATH"))
	status, stdout, stderr := broadloom("draw", "-o", "m.svg")
	require.Equal(t, exitOK, status, stderr)
	assert.Equal(t, "m.svg\n", stdout)
	assert.Contains(t, stderr, "triangulation failed")
	assert.Contains(t, stderr, "the picture was drawn without Graphviz")
	data, err := os.ReadFile("m.svg")
	require.NoError(t, err)
	assert.Contains(t, string(data), `class="edge"`)

	status, _, stderr = broadloom("draw", "-o", "m.png")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "triangulation failed")

	goOnly := t.TempDir()
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(goCommand, filepath.Join(goOnly, "go")))
	t.Setenv("PATH", goOnly)
	status, _, stderr = broadloom("draw", "-o", "m.pdf")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr,
		"pdf is drawn by Graphviz's program dot, which was not found: install the package graphviz, or write svg or html")
}
