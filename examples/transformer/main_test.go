package main

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

var update = flag.Bool("update", false, "write the expected report anew")

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

func TestLargestTokenIsFound(t *testing.T) {
	accuracy, err := newModel().train(t.Context(), 1)
	require.NoError(t, err)
	assert.Greater(t, accuracy, 0.95)
}

func TestMistakes(t *testing.T) {
	dir, err := os.Getwd()
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-mistakes"}, dir, &got))
	const golden = "testdata/mistakes.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String(), "go test ./examples/transformer -update writes it anew")
}
