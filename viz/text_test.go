package viz_test

import (
	"strings"
	"testing"

	"github.com/awalterschulze/gographviz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

func textOf(t *testing.T, s viz.Source, opts ...viz.Option) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, viz.Text(&b, s, opts...))
	return b.String()
}

// TestTextIsReadBack writes what was read again, and draws it.
func TestTextIsReadBack(t *testing.T) {
	sources := map[string]viz.Source{"program": viz.Program(digitsProgram(t)),
		"chain_program": viz.Program(chainProgram(t)), "transformer": viz.Graph(transformer(2))}
	for _, e := range examples {
		sources[e.name] = viz.Graph(e.build())
	}
	for name, s := range sources {
		t.Run(name, func(t *testing.T) {
			for _, details := range []viz.Detail{viz.Types, viz.Types | viz.Lines} {
				text := textOf(t, s, viz.Details(details))
				read, err := viz.ParseText(strings.NewReader(text))
				require.NoError(t, err)
				require.Equal(t, text, textOf(t, read))
				_, err = gographviz.Parse(dotOf(t, read))
				require.NoError(t, err)
				assert.NotEmpty(t, htmlOf(t, read))
			}
		})
	}
}

func TestTextOfProgramTellsKernelsAndBuffers(t *testing.T) {
	text := textOf(t, viz.Program(chainProgram(t)))
	assert.Contains(t, text, "kernel 0 elementwise over [32,128]\n")
	assert.Contains(t, text, "   → buf 0")
	x, kernel := strings.Index(text, "x:f32[32,128] = input"), strings.Index(text, "kernel 0")
	assert.True(t, 0 < x && x < kernel, "operands stand before their users")
}

// TestReadTextIsDrawnAlike compares a picture of a graph with one of its text.
func TestReadTextIsDrawnAlike(t *testing.T) {
	read, err := viz.ParseText(strings.NewReader(textOf(t, viz.Graph(chain()))))
	require.NoError(t, err)
	dot := string(dotOf(t, read))
	want := drawn(t, chain())
	assert.Equal(t, boxes(want), boxes(dot))
	for _, part := range []string{"<b>32</b>", "<b>128</b>", "style=dashed", "<b>tanh</b>", viz.Light.Param.Fill,
		viz.Light.Output.Fill} {
		assert.Contains(t, dot, part)
	}
}

func TestHostileNamesInText(t *testing.T) {
	g := graph.New("a \"graph\"\n")
	x := g.Input("x y:\"<>{}#\n→", graph.Float32, 2)
	ops.Add(x, g.Param("v12", graph.Float32, 1)).Named("   # b")
	text := textOf(t, viz.Graph(g))
	read, err := viz.ParseText(strings.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, text, textOf(t, read))
}

func TestTextThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "no line that starts with the word graph",
		"x":                                "line 1",
		"graph a":                          "quoted name",
		"graph \"a\"\n  x":                 "line 2",
		"graph \"a\"\n  x:f32[] = neg y":   `"y"`,
		"graph \"a\"\n  \"x:f32[] = input": "no end",
		"graph \"a\"\ngraph \"b\"":         "one line",
		"graph \"a\"\n  x:f32[] = input\n  y:f32[] = neg x<(2": "no end",
	} {
		_, err := viz.ParseText(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
	}
}
