package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// TestLearns trains for a few epochs.
func TestLearns(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-epochs", "6"}, &stdout))
	var accuracy float64
	_, err := fmt.Sscanf(stdout.String(), "test accuracy %g %%", &accuracy)
	require.NoError(t, err)
	assert.Greater(t, accuracy, 92.0)
}
