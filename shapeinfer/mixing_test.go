package shapeinfer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

func TestAxisMixing(t *testing.T) {
	for name, c := range map[string]struct {
		build func(g *graph.Graph, b, t graph.Dim) *graph.Node
		help  string
	}{
		"heads put back": {func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			y := ops.Exp(ops.Transpose(g.Input("x", f32, b, t, 8, 64), 1, 2))
			return ops.Reshape(y, b, t, 512)
		}, "reorder the axes first: Reshape(Transpose(y, 1, 2), b, t, 512) gives [b, t, 512]"},
		"heads with the batch": {func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Reshape(g.Input("x", f32, b, t, 512), b.Times(8), -1, 64)
		}, "reorder the axes first: Reshape(Transpose(Reshape(x, b, t, 8, 64), 1, 2), 8*b, -1, 64) gives [8*b, t, 64]"},
		"time first": {func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Reshape(g.Input("x", f32, t, b, 64), b, t, 64)
		}, "reorder the axes first: Transpose(x, 0, 1) gives [b, t, 64]"},
		"maps flattened for tokens": {func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Reshape(g.Input("x", f32, b, 32, t, t), b, t.Times(t), 32)
		}, "reorder the axes first: Reshape(Permute(x, 0, 2, 3, 1), b, t*t, 32) gives [b, t*t, 32]"},
		"flattened without the batch": {func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Reshape(g.Input("x", f32, b, 16, 4, 4), -1, 400)
		}, "keep the first axis: Reshape(x, b, -1) gives [b, 256]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("mixing")
			y := c.build(g, g.Dim("b"), g.Dim("t"))
			r := shapeinfer.Check(g)
			require.Empty(t, r.Errors, r)
			require.Len(t, r.Warnings, 1, r)
			m := r.Warnings[0]
			assert.Equal(t, graph.CodeAxisMixing, m.Code)
			assert.Equal(t, c.help, m.Help[0])
			assert.Contains(t, m.Error(), "mixing_test.go:")
			assert.True(t, strings.HasPrefix(m.Operands[1].Label, "->"))

			y.Silence(graph.CodeAxisMixing)
			assert.Empty(t, shapeinfer.Check(g).Warnings)
		})
	}
}

// TestAxisMixingWithinACall reshapes offsets of two fields of a batch of two, where 36 = 4·9 looks like axes in another
// order.
func TestAxisMixingWithinACall(t *testing.T) {
	g := graph.New("mixing")
	ops.DeformConv2D(g.Input("x", f32, 2, 4, 6, 6), g.Input("offset", f32, 2, 36, 6, 6), g.Param("w", f32, 4, 2, 3, 3),
		nil, nil, ops.Padding(1))
	require.NoError(t, g.Err())
	assert.Empty(t, shapeinfer.Check(g).Warnings)
}

func TestAxisMixingPolicy(t *testing.T) {
	for choice, want := range map[graph.WarnChoice][2]int{
		graph.WarnByDefault: {0, 1}, graph.AllowSilently: {0, 0}, graph.RefuseAlways: {1, 0}} {
		g := graph.New("mixing", graph.WithPolicy(graph.Policy{AxisMixing: choice}))
		ops.Reshape(g.Input("x", f32, g.Dim("t"), g.Dim("b"), 64), g.Dim("b"), g.Dim("t"), 64)
		r := shapeinfer.Check(g)
		assert.Equal(t, want, [2]int{len(r.Errors), len(r.Warnings)}, r)
	}
}
