package viz_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/awalterschulze/gographviz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// TestProgramsAreDrawn looks for what only the compiler knows.
func TestProgramsAreDrawn(t *testing.T) {
	prog := chainProgram(t)
	dot := string(dotOf(t, viz.Program(prog)))
	for _, want := range []string{"<b>kernel 0</b>", "one pass", " moved", " unfused", "buf 0", viz.Light.Kernel.Line,
		viz.Light.Stored, "fused kernel", "written to memory"} {
		assert.Contains(t, dot, want)
	}
	for _, text := range []string{dot, string(dotOf(t, viz.Program(digitsProgram(t))))} {
		_, err := gographviz.Parse([]byte(text))
		require.NoError(t, err)
		runDot(t, []byte(text), "svg")
	}
	assert.NotContains(t, string(dotOf(t, viz.Program(prog), viz.Kernels(viz.Off))), viz.Light.Kernel.Line)
	cards := string(dotOf(t, viz.Program(prog), viz.Kernels(viz.Collapsed)))
	assert.Less(t, boxes(cards), boxes(dot))
	assert.Contains(t, cards, "kernel 0")
}

func TestInPlaceAndKeptValuesAreMarked(t *testing.T) {
	dot := string(dotOf(t, viz.Program(digitsProgram(t))))
	assert.Contains(t, dot, "kept for gradient &#183; buf")
	assert.Contains(t, dot, "in place over")
	assert.NotContains(t, dot, "KiB", "bytes are not known without sizes")
	assert.Contains(t, string(dotOf(t, viz.Program(digitsProgram(t)), viz.Sizes(map[string]int{"batch": 32}))), "KiB")
}

// TestBytesOfAKernel compares the caption with a count by hand: x and y are read and z is
// written, 4 bytes each.
func TestBytesOfAKernel(t *testing.T) {
	g := graph.New("bytes")
	x := g.Input("x", graph.Float32, 64, 128)
	y := g.Input("y", graph.Float32, 128)
	z := ops.Mul(ops.Exp(x), y)
	prog, err := exec.Compile(g, exec.Outputs(z))
	require.NoError(t, err)
	dot := string(dotOf(t, viz.Program(prog)))
	assert.Contains(t, dot, "64.5 KiB moved") // 2·64·128·4 + 128·4 bytes
	assert.Contains(t, dot, "128 KiB unfused")
}

func TestProfilesAreShown(t *testing.T) {
	prog := chainProgram(t)
	times := make([]time.Duration, prog.Kernels())
	times[0] = 1500 * time.Nanosecond
	dot := string(dotOf(t, viz.Program(prog), viz.Profile(&exec.Profile{Runs: 1, Kernels: times})))
	assert.Contains(t, dot, "1.5&#181;s")
	assert.Contains(t, dot, "GB/s")
}

func TestSizesMustFit(t *testing.T) {
	err := viz.DOT(&strings.Builder{}, viz.Program(digitsProgram(t)), viz.Sizes(map[string]int{"bach": 3}))
	require.ErrorContains(t, err, "batch")
}

func TestModelExplorer(t *testing.T) {
	for name, s := range map[string]viz.Source{
		"graph": viz.Graph(digits()), "program": viz.Program(digitsProgram(t)), "wrong": viz.Graph(wrong())} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, viz.ModelExplorer(&b, s))
			var collection struct {
				Graphs []struct {
					Nodes []struct {
						ID            string
						Label         string
						Namespace     string
						IncomingEdges []struct{ SourceNodeID string }
					}
				}
			}
			require.NoError(t, json.Unmarshal([]byte(b.String()), &collection))
			require.Len(t, collection.Graphs, 1)
			ids := map[string]bool{}
			for _, n := range collection.Graphs[0].Nodes {
				ids[n.ID] = true
			}
			edges := 0
			for _, n := range collection.Graphs[0].Nodes {
				for _, e := range n.IncomingEdges {
					assert.True(t, ids[e.SourceNodeID], "edges join nodes of the file")
					edges++
				}
			}
			assert.Positive(t, edges)
		})
	}
}
