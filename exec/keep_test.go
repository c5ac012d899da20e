package exec_test

import (
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/stretchr/testify/require"
)

// TestKeptNodesMoveUp drops nodes in front of, between and behind others, after views were followed to their memory.
func TestKeptNodesMoveUp(t *testing.T) {
	g := graph.New("kept").Derive()
	dead := g.Input("dead", graph.Float32, 2, 3)
	x := g.Input("x", graph.Float32, 2, 3)
	rows := ops.Transpose(x, 0, 1)
	more := ops.Transpose(dead, 0, 1)
	y := ops.Neg(ops.Reshape(rows, 3, 2))
	last := ops.Exp(more)
	for _, n := range g.Nodes() {
		_ = alias.Storage(n)
	}
	gone := map[*graph.Node]bool{dead: true, more: true, last: true}
	stay := len(g.Nodes()) - len(gone)
	g.Keep(func(n *graph.Node) bool { return !gone[n] })

	require.Len(t, g.Nodes(), stay)
	for i, n := range g.Nodes() {
		require.Equal(t, i, n.ID())
		require.False(t, gone[n])
	}
	require.Same(t, x, alias.Storage(rows))
	require.Same(t, y, alias.Storage(y))
	z := ops.Transpose(ops.Exp(y), 0, 1) // of nodes that were made later under numbers that others had
	require.Equal(t, z.ID(), len(g.Nodes())-1)
	require.Same(t, z.In(0), alias.Storage(z))
}
