package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A large value that is brought into another order has a kernel for itself: updates of other parameters would run in
// its order, and what they subtract would be kept for a kernel of their own.
func TestLargeCopiesTakeNoUpdates(t *testing.T) {
	g := graph.New("updates")
	param := func(name string) *graph.Node { return g.Param(name, graph.Float32, 128, 128, 3, 3) }
	a, b := param("a"), param("b")
	gradient := g.Input("gradient", graph.Float32, 128, 128, 3, 3)
	turned := ops.Copy(ops.Flip(ops.Transpose(a, 0, 1), 2, 3))
	update := ops.InPlace(ops.Lookup("sub"), nil, b, ops.Mul(gradient, graph.Num(0.1)))
	p, err := exec.Compile(g, exec.Outputs(turned), exec.Updates(update))
	require.NoError(t, err)
	require.Equal(t, 2, p.Kernels(), "the copy and the update: %v", p)
}
