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

// TestSolves gets close to the exact solution in a few steps on a coarse grid.
func TestSolves(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-steps", "12", "-points", "12"}, &stdout))
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	require.Len(t, lines, 6)
	var step int
	var loss, worst float64
	_, err := fmt.Sscanf(lines[5], "step %d: loss %g, largest error %g", &step, &loss, &worst)
	require.NoError(t, err)
	assert.Equal(t, 12, step)
	assert.Less(t, worst, 0.05)
}
