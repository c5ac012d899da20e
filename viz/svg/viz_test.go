package svg_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

func TestSVGWithoutGraphviz(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	g := graph.New("small")
	x := g.Input("x", graph.Float32, 3)
	ops.Exp(x).Named("y")
	var b bytes.Buffer
	require.ErrorIs(t, viz.PNG(context.Background(), &b, viz.Graph(g)), viz.ErrNoGraphviz)
	require.NoError(t, viz.SVG(context.Background(), &b, viz.Graph(g), viz.RenderWith(svg.Render)))
	assert.Contains(t, b.String(), "<svg")
	assert.Contains(t, b.String(), ">exp</text>")
}
