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

// TestWhatWasLearnedHelps takes all steps, in a second.
func TestWhatWasLearnedHelps(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &stdout))
	var first, begun, tuned float64
	_, err := fmt.Sscanf(stdout.String(), "digits 0 to 4, 700 examples: %g %%\n"+
		"digits 5 to 9, 50 examples, from the beginning: %g %%\n"+
		"digits 5 to 9, 50 examples, with what was learned before: %g %%\n", &first, &begun, &tuned)
	require.NoError(t, err, stdout.String())
	assert.Greater(t, first, 95.0)
	assert.Greater(t, tuned, begun+1)
}
