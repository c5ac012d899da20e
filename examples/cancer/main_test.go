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

// TestLearns expects the known accuracy of logistic regression.
func TestLearns(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &stdout))
	var training, test float64
	_, err := fmt.Sscanf(stdout.String(), "training accuracy %g %%\ntest accuracy %g %%", &training, &test)
	require.NoError(t, err)
	assert.Greater(t, training, 97.5)
	assert.Greater(t, test, 95.0)
}
