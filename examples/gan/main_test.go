package main

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// TestFindsClusters takes a few steps, after which most clusters are found.
func TestFindsClusters(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-steps", "1000"}, &stdout))
	last := regexp.MustCompile(`step  1000: (\d) of 8 clusters, (\d+) %`).FindStringSubmatch(stdout.String())
	require.NotEmpty(t, last, stdout.String())
	found, err := strconv.Atoi(last[1])
	require.NoError(t, err)
	near, err := strconv.Atoi(last[2])
	require.NoError(t, err)
	assert.GreaterOrEqual(t, found, 6)
	assert.Greater(t, near, 40)
}
