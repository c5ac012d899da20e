package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

// What was declared in an attempt that is given up can be declared again.
func TestAttemptForgetsNames(t *testing.T) {
	g := graph.New("attempt")
	kept := g.Param("kept", graph.Float32, 2)
	g.Attempt(func() bool {
		g.Param("w", graph.Float32, 2)
		g.Input("x", graph.Float32, 2)
		g.Param("kept", graph.Float32, 3) // a mistake, which is forgotten, too
		return false
	})
	require.Nil(t, g.ByName("w"))
	require.Equal(t, kept, g.ByName("kept"))
	g.Param("w", graph.Float32, 3)
	g.Input("x", graph.Float32, 3)
	require.NoError(t, g.Err())
	require.True(t, g.Attempt(func() bool { g.Param("v", graph.Float32, 2); return true }))
	require.NotNil(t, g.ByName("v"))
}
