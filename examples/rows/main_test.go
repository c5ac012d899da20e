package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// TestGuessesBetterWithEachRow trains for a few epochs.
func TestGuessesBetterWithEachRow(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-epochs", "15"}, &stdout))
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	require.Len(t, lines, 8)
	accuracy := make([]float64, 8)
	for i, line := range lines {
		var row int
		_, err := fmt.Sscanf(line, "after row %d: test accuracy %g %%", &row, &accuracy[i])
		require.NoError(t, err)
		assert.Equal(t, i+1, row)
	}
	assert.Greater(t, accuracy[3], accuracy[0]+20)
	assert.Greater(t, accuracy[7], 80.0)
}
