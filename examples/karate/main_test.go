package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

func TestTellsTheGroups(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &stdout))
	assert.Regexp(t, `3[234] of 34 members are told rightly`, stdout.String())
}

// TestFriendships expects the 78 friendships of the paper, in both directions, and 34 loops.
func TestFriendships(t *testing.T) {
	from, to := friendships()
	assert.Len(t, from, 2*78+34)
	edges := map[[2]int64]bool{}
	for i := range from {
		edges[[2]int64{from[i], to[i]}] = true
	}
	assert.Len(t, edges, 2*78+34)
	for edge := range edges {
		assert.True(t, edges[[2]int64{edge[1], edge[0]}])
	}
	assert.Len(t, withInstructor, 17)
}
