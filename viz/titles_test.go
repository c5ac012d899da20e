package viz_test

import (
	"bytes"
	"context"
	"errors"
	osexec "os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// Screen readers read the titles of an SVG, and browsers show them: they are words of the program, not names of
// Graphviz's.
func TestTitlesAreWordsOfTheProgram(t *testing.T) {
	g := graph.New("a <picture>")
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 3), g.Param("w", graph.Float32, 3)
	g.Scope("layer", func() { ops.Tanh(ops.Mul(x, w).Named("product")).Named("y") })
	for name, renderer := range map[string]viz.Renderer{
		"dot":   nil,
		"plain": func(context.Context, []byte) ([]byte, error) { return nil, errors.New("not now") },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := osexec.LookPath("dot"); renderer == nil && err != nil {
				t.Skip("Graphviz's program dot is not installed")
			}
			if renderer != nil {
				t.Setenv("PATH", t.TempDir())
			}
			var b bytes.Buffer
			require.NoError(t, viz.SVG(t.Context(), &b, viz.Graph(g), viz.RenderWith(renderer)))
			var titles []string
			for _, m := range regexp.MustCompile(`<title>([^<]*)</title>`).FindAllStringSubmatch(b.String(), -1) {
				titles = append(titles, m[1])
				require.NotRegexp(t, `^(n\d{4}|o\d{4}|c\d{4}|cluster_|broadloom$)`, m[1])
			}
			require.Contains(t, titles, "a &lt;picture&gt;, 4 nodes")
			require.Contains(t, titles, "x to layer.product")
			require.Contains(t, titles, "broadcast")
			require.Regexp(t, `<title>x = input&#xA;f32\[batch,3\]`, b.String())
		})
	}
}
