package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestVmapOfOperationsThatAreWrong tells which function of a user's operation does wrong, once, with the operation's
// own operands.
func TestVmapOfOperationsThatAreWrong(t *testing.T) {
	type in = []node
	for want, op := range map[string]*graph.Op{
		`Own(x[0]): the operation "own" is incomplete: Batch returns shape [] for 2 examples, but Infer says [4] for each`: {
			Class: graph.Function,
			Batch: func(_ node, x in, _ []bool) node { return ops.Sum(x[0]) }},
		`Own(x[0]): the operation "own" is incomplete: Batch panics at vmapown_test.go:`: {Class: graph.Function,
			Batch: func(node, in, []bool) node { panic("oh") }},
		`Own(x[0]): the operation "own" is incomplete: Expand gives shape [], but Infer says [4]`: {
			Class:  graph.Composite,
			Expand: func(_ node, x in) node { return ops.Sum(x[0]) }},
		`Own(x[0]): the operation "own" is incomplete: Expand panics at vmapown_test.go:`: {Class: graph.Composite,
			Expand: func(node, in) node { panic("oh") }},
	} {
		op.Name, op.Func, op.MinIn, op.MaxIn = "own", "Own", 1, 1
		op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) }
		if op.Class == graph.Function {
			op.Function = func(*graph.Arrays) error { return nil }
			op.Core = func(n node) ([]int, int) { return []int{n.Rank()}, n.Rank() }
		}
		g := graph.New("wrong")
		ops.Vmap([]node{g.Input("x", graph.Float64, 2, 4)}, func(e []node) []node {
			return []node{ops.Apply(op, nil, e...)}
		})
		require.ErrorContains(t, g.Err(), want)
		require.Len(t, g.Mistakes(), 1)
	}
}
