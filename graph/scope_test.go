package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

func TestScopes(t *testing.T) {
	g := graph.New("scopes")
	var nested, dotted, elsewhere, outside *graph.Node
	g.Scope("block3", func() {
		g.Scope("attn", func() {
			assert.Equal(t, "block3.attn", g.ScopePath())
			nested = g.Param("weight", graph.Float32, 2)
			g.InScope("head", func() { elsewhere = g.Param("weight", graph.Float32, 2) })
			g.InScope("", func() { outside = g.Param("step", graph.Int64) })
		})
		assert.Equal(t, "block3", g.ScopePath())
	})
	g.Scope("block3.attn", func() { dotted = g.Param("bias", graph.Float32, 2) })
	assert.Empty(t, g.ScopePath())
	require.NoError(t, g.Err())
	assert.Equal(t, "block3.attn.weight", nested.Name())
	assert.Equal(t, "weight", nested.BaseName())
	assert.Equal(t, "block3.attn.bias", dotted.Name())
	assert.Equal(t, nested.Scope(), dotted.Scope())
	assert.Equal(t, "head.weight", elsewhere.Name())
	assert.Equal(t, "step", outside.Name())

	g.Scope("block3.attn", func() { g.Param("weight", graph.Float32, 2) })
	assert.ErrorContains(t, g.Err(), `the name "block3.attn.weight" is taken`)
}

func TestState(t *testing.T) {
	g := graph.New("state")
	w := g.Param("w", graph.Float32, 2)
	mean := g.State("running_mean", graph.Float32, nil, 2)
	assert.True(t, mean.IsParam() && mean.IsState())
	assert.False(t, w.IsState() || g.Input("x", graph.Float32, 2).IsState())
	assert.Equal(t, []*graph.Node{w, mean}, g.Params())
	g.State("running_mean", graph.Float32, nil, 2)
	assert.ErrorContains(t, g.Err(), `the name "running_mean" is taken`)
}
