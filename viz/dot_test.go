package viz_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awalterschulze/gographviz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// golden compares text with a file of testdata, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./viz -update writes the golden files")
	require.Equal(t, string(want), string(got),
		"%s is not what is drawn; see it with git diff after go test ./viz -update", path)
}

func dotOf(t *testing.T, s viz.Source, opts ...viz.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, viz.DOT(&b, s, opts...))
	return b.Bytes()
}

// runDot lays a picture out with Graphviz's program, which must not complain.
func runDot(t *testing.T, dot []byte, format string) []byte {
	t.Helper()
	path, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz's program dot is not installed")
	}
	cmd := exec.Command(path, "-T"+format)
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &complaints
	require.NoError(t, cmd.Run(), complaints.String())
	require.Empty(t, complaints.String(), "dot is to accept pictures silently")
	return out.Bytes()
}

func TestPicturesAreGolden(t *testing.T) {
	for _, p := range pictures() {
		t.Run(p.name, func(t *testing.T) {
			dot := dotOf(t, p.source(), p.opts...)
			golden(t, p.name+".dot", dot)
			assert.Equal(t, string(dot), string(dotOf(t, p.source(), p.opts...)),
				"the same program gives the same bytes")
			_, err := gographviz.Parse(dot)
			require.NoError(t, err)
			if !testing.Short() {
				runDot(t, dot, "svg")
			}
		})
	}
}

// The tests below look into the DOT text for what a reader of the picture would see.

func drawn(t *testing.T, g *graph.Graph, opts ...viz.Option) string {
	return string(dotOf(t, viz.Graph(g), opts...))
}

func TestBroadcastEdgesShowRepeatedAxes(t *testing.T) {
	dot := drawn(t, chain())
	assert.Contains(t, dot, `<b>32</b>`, "y meets 32 rows")
	assert.Contains(t, dot, `<b>128</b>`, "b meets 128 columns")
	assert.Contains(t, dot, `style=dashed`)
}

func TestGradientsStrikeOutSummedAxes(t *testing.T) {
	dot := drawn(t, chainGradient())
	assert.Contains(t, dot, `<s>32</s>`)
	assert.Contains(t, dot, `<s>128</s>`)
	for _, name := range []string{"x", "y", "b"} {
		assert.Contains(t, dot, `<b>&#8706;`+name+`</b>`, "the gradient of %s is called by its name", name)
	}
	assert.Contains(t, dot, "subgraph cluster_gradient")
}

func TestMistakesAreDrawn(t *testing.T) {
	dot := drawn(t, wrong())
	assert.Contains(t, dot, "does not compile: 2 errors")
	assert.Contains(t, dot, "The size of tensor a (64) must match the size")
	assert.Contains(t, dot, "examples_test.go:")
	assert.Contains(t, dot, viz.Light.Wrong.Line)
	assert.Contains(t, dot, viz.Light.Silent.Line, "what follows is grey")
}

func TestRepeatedBlocksAreStacked(t *testing.T) {
	assert.NotContains(t, drawn(t, residual(), viz.Fold("block*"), viz.Stack(false)), "&#215;12")
	dot := drawn(t, residual())
	assert.Contains(t, dot, "block0 &#8230; 11")
	assert.Contains(t, dot, "&#215;12")
	assert.Contains(t, dot, "one of 12 alike")
	assert.Less(t, boxes(dot), 40)
}

// boxes counts the boxes of a picture.
func boxes(dot string) int {
	return strings.Count(dot, "tooltip=") - strings.Count(dot, `tooltip="broadcast"`)
}

func TestLimitFoldsScopes(t *testing.T) {
	g := residual()
	all := boxes(drawn(t, g, viz.Limit(0), viz.Stack(false)))
	few := boxes(drawn(t, g, viz.Limit(20), viz.Stack(false)))
	assert.Greater(t, all, 200)
	assert.LessOrEqual(t, few, 20)
}

func TestViewsShowOnlyWhatWasAsked(t *testing.T) {
	g := digits()
	h := named(g, "h")
	dot := drawn(t, g, viz.Around(h, 1))
	assert.Contains(t, dot, "<b>h </b>")
	assert.Contains(t, dot, "dashed", "what has lost neighbours is drawn with a dashed border")
	assert.NotContains(t, dot, "cross&#95;entropy")
	assert.NotContains(t, dot, "cross_entropy")
	assert.Less(t, boxes(dot), 12)

	dot = drawn(t, g, viz.Between(h, named(g, "loss")))
	assert.Contains(t, dot, "cross_entropy")
	assert.NotContains(t, dot, "<b>w1</b>")
	assert.NotContains(t, drawn(t, g, viz.Gradient(viz.Hidden)), "seed")
}

func named(g *graph.Graph, name string) *graph.Node {
	for _, n := range g.Nodes() {
		if n.Name() == name {
			return n
		}
	}
	return nil
}

func TestWritesOfValuesAreRed(t *testing.T) {
	g := graph.New("in place")
	x := g.Input("x", graph.Float32, 4)
	h := ops.Exp(x).Named("h")
	ops.AddInPlace(h, x)
	dot := drawn(t, g)
	assert.Contains(t, dot, viz.Light.Write)
	assert.Contains(t, dot, "written in place")
}
