package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A value that no memory address could reach is refused where it first comes up, whatever
// operation makes it.
func TestMoreElementsThanCanBeCounted(t *testing.T) {
	const numel = "numel: integer multiplication overflow"
	for name, c := range map[string]struct {
		build func(g *graph.Graph) *graph.Node
		want  string
	}{
		"full": {func(g *graph.Graph) *graph.Node { return ops.Full(g, f32, 1, 1<<40, 1<<40) }, numel},
		"product": {func(g *graph.Graph) *graph.Node {
			return ops.MatMul(g.Input("x", f32, 1<<40, 1), g.Input("y", f32, 1, 1<<40))
		}, numel},
		"padding": {func(g *graph.Graph) *graph.Node { return ops.Pad(g.Input("x", f32, 1<<40, 1), 1, 0, 1<<40, 0) },
			numel},
		"windows": {func(g *graph.Graph) *graph.Node { return ops.Window(g.Input("x", f32, 1<<40), 0, 1<<39, 1, 1) },
			numel},
		"with a name": {func(g *graph.Graph) *graph.Node {
			return ops.Full(g, f32, 1, g.Dim("n"), 1<<40, 1<<40)
		}, numel},
		"bytes": {func(g *graph.Graph) *graph.Node { return ops.Full(g, graph.Float64, 1, 1<<40, 1<<21) },
			"Storage size calculation overflowed with sizes=[1099511627776, 2097152]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g")
			ops.Reshape(ops.Neg(c.build(g)), -1)
			r := shapeinfer.Check(g)
			require.Len(t, r.Errors, 1, r)
			require.Equal(t, graph.CodeOverflow, r.Errors[0].Code)
			require.Equal(t, c.want, r.Errors[0].Summary)
		})
	}
	g := graph.New("g")
	ops.Full(g, f32, 1, g.Dim("n", graph.AtLeast(0)), 1<<40, 1<<40)
	ops.Full(g, f32, 1, 0, 1<<40, 1<<40)
	require.NoError(t, shapeinfer.Check(g).Err(), "no elements can be counted")
}
