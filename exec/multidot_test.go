package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A vector at the end of a product of several matrices meets them first, though their sizes are not known.
func TestVectorMeetsMatricesFirst(t *testing.T) {
	g := graph.New("product")
	n := g.Dim("n")
	x, y, v := g.Input("x", graph.Float32, n, n), g.Input("y", graph.Float32, n, n), g.Input("v", graph.Float32, n)
	p, err := exec.Compile(g, exec.Outputs(ops.MultiDot(x, y, v)))
	require.NoError(t, err)
	stats, err := p.Stats(map[string]int{"n": 100})
	require.NoError(t, err)
	require.LessOrEqual(t, stats.Flops, 2*2*100*100)
}
