package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A program that reads sizes of a value that could not be built gets to be told of its mistake.
func TestSizesCanBeReadBehindAMistake(t *testing.T) {
	g := graph.New("model")
	x := g.Input("x", graph.Float32, 8, 3)
	h := ops.Tanh(ops.Vander(x, 3, false))
	require.False(t, h.Judged())
	y := ops.Reshape(h, h.Shape()[0], h.Shape()[1])
	require.Len(t, g.Mistakes(), 1)
	require.ErrorContains(t, g.Err(), "Vander(x, 3, false)")
	require.NoError(t, y.Err())
}
