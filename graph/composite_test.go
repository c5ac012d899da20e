package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// weighted is a function of several operations.
func weighted(x, w *graph.Node) *graph.Node {
	defer graph.BeginCall("weighted", nil, x, w)()
	return ops.Sum(ops.Mul(ops.Exp(x), w))
}

// What a function of the user's builds can be one call in messages, at the line that made the call.
func TestCallsOfSeveralOperations(t *testing.T) {
	g := graph.New("g")
	x, w := g.Input("x", f32, 3), g.Input("w", f32, 4)
	wrong := weighted(x, w)
	require.Regexp(t, `^composite_test.go:22:11: error BL101: weighted\(x, w\): The size of tensor a \(3\) .*
      x   \[ 3 \]   Input   composite_test.go:21:10
      w   \[ 4 \]   Input   composite_test.go:21:32
            \^   axis -1: 3 against 4, and neither is 1$`, g.Err().Error())
	require.Equal(t, "wrong", wrong.Called())
	require.Equal(t, "Neg(wrong)", graph.Describe(ops.Neg(wrong)))
	require.Equal(t, "Neg(x)", graph.Describe(ops.Neg(x)), "the call has ended")
}

// A call within a call belongs to the outer one, and a conversion is shown by what it converts.
func TestCallsWithinCalls(t *testing.T) {
	g := graph.New("g")
	x, n := g.Input("x", f32, 3), g.Input("n", graph.Int64, 4)
	ops.SmoothL1(x, n, 0)
	text := g.Err().Error()
	require.Contains(t, text, "SmoothL1(x, n, 0): ")
	require.NotContains(t, text, "L1(x, n):")
	require.Regexp(t, `\n      n   \[ 4 \]   Input   composite_test.go:35:32\n`, text)
}
