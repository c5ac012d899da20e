package viz_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	osexec "os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

var sweep = flag.Bool(
	"sweep", false, "draw every ordinary model in every way, with Graphviz's program and with the embedded one")

// ways are sets of options, each of which leads to other drawings.
var ways = []struct {
	name string
	opts []viz.Option
}{
	{"default", nil},
	{"edges", []viz.Option{viz.LongEdges(0), viz.WithTheme(viz.Dark)}},
	{"sideways", []viz.Option{viz.LeftToRight(), viz.Legend(false)}},
	{"below", []viz.Option{viz.Gradient(viz.Below),
		viz.Details(viz.Types | viz.Names | viz.Lines | viz.Buffers | viz.Costs)}},
	{"few", []viz.Option{viz.Limit(60), viz.Kernels(viz.Collapsed)}},
	{"all", []viz.Option{viz.Limit(0), viz.Stack(false)}},
	{"unstacked", []viz.Option{viz.Limit(150), viz.Stack(false), viz.Kernels(viz.Off)}},
}

// trained returns a model in a mode, as a graph and compiled.
func trained(t *testing.T, model, mode int) map[string]viz.Source {
	t.Helper()
	g := graph.New(ordinary[model].name)
	loss := ordinary[model].build(g)
	updates := modes[mode].build(g, loss)
	require.NoError(t, g.Err())
	outputs := []*graph.Node{loss}
	for _, n := range g.Nodes() {
		if n.GradientOf() != nil && updates == nil {
			outputs = append(outputs, n)
		}
	}
	prog, err := exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...))
	require.NoError(t, err)
	return map[string]viz.Source{"graph": viz.Graph(g), "program": viz.Program(prog)}
}

// TestOrdinaryModelsAreDrawn draws networks as people write them: there is a picture of
// each, with all of its boxes and edges. With -sweep it draws all of them in every way, and
// tells how many needed simpler forms.
func TestOrdinaryModelsAreDrawn(t *testing.T) {
	t.Run("dot", func(t *testing.T) {
		if _, err := osexec.LookPath("dot"); err != nil {
			t.Skip("Graphviz's program dot is not installed")
		}
		drawOrdinary(t, nil, *sweep)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		drawOrdinary(t, svg.Render, *sweep)
	})
	t.Run("plain", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		drawOrdinary(t, func(context.Context, []byte) ([]byte, error) { return nil, errFails }, true)
	})
}

func drawOrdinary(t *testing.T, r viz.Renderer, inAllWays bool) {
	few := map[string]bool{"lenet sgd": true, "lstm3 adam": true, "gpt1 momentum": true}
	drawn, failed := 0, map[int]int{}
	for model := range ordinary {
		for mode := range modes {
			name := ordinary[model].name + " " + modes[mode].name
			if !*sweep && !few[name] {
				continue
			}
			for kind, source := range trained(t, model, mode) {
				for i, way := range ways {
					if i > 0 && !inAllWays {
						continue
					}
					k, err := viz.NewSketch(source, way.opts...)
					require.NoError(t, err)
					requireCounts(t, k)
					picture, trouble, err := k.SVG(t.Context(), r)
					require.NoError(t, err)
					requireWhole(t, k, picture)
					if bytes.Equal(picture, k.Plain) {
						requireApart(t, picture)
					}
					drawn++
					failed[len(trouble)]++
					if len(trouble) > 0 && len(trouble) < len(k.Forms) {
						t.Logf("%s %s %s: %v", name, kind, way.name, trouble)
					}
				}
			}
		}
	}
	t.Logf("%d pictures; by the number of forms that failed: %v", drawn, failed)
}

// requireCounts compares what a sketch promises with what its forms say.
func requireCounts(t *testing.T, k *viz.Sketch) {
	t.Helper()
	for _, dot := range k.Forms {
		edges := 0
		for line := range strings.Lines(string(dot)) {
			if strings.Contains(line, "->") && !strings.Contains(line, "style=invis") &&
				!strings.Contains(line, "label=") {
				edges++
			}
		}
		require.Equal(t, k.Nodes, bytes.Count(dot, []byte("tooltip=")))
		require.Equal(t, k.Edges, edges)
	}
}

// requireWhole requires XML with every node and every edge.
func requireWhole(t *testing.T, k *viz.Sketch, picture []byte) {
	t.Helper()
	nodes, edges, edge := 0, 0, false
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		e, isStart := token.(xml.StartElement)
		if !isStart {
			continue
		}
		if e.Name.Local == "path" && edge {
			edges, edge = edges+1, false
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "class" && a.Value == "node":
				nodes++
			case a.Name.Local == "class":
				edge = a.Value == "edge"
			case a.Name.Local == "d" || a.Name.Local == "points":
				require.NotRegexp(t, `(?i)nan|inf`, a.Value)
			}
		}
	}
	require.Equal(t, k.Nodes, nodes, "boxes")
	require.Equal(t, k.Edges, edges, "edges")
}

var boxPlaces = regexp.MustCompile(
	`class="node"><title>[^<]*</title>(?:<rect[^>]*fill-opacity[^>]*/>)*<rect x="([-.\d]+)" y="([-.\d]+)" width="([.\d]+)" height="([.\d]+)"`)

// requireApart requires that no boxes of a plain picture overlap.
func requireApart(t *testing.T, picture []byte) {
	t.Helper()
	var boxes [][4]float64
	for _, m := range boxPlaces.FindAllSubmatch(picture, -1) {
		var b [4]float64
		for i := range b {
			var err error
			b[i], err = strconv.ParseFloat(string(m[i+1]), 64)
			require.NoError(t, err)
		}
		boxes = append(boxes, b)
	}
	require.NotEmpty(t, boxes)
	for i, a := range boxes {
		for _, b := range boxes[i+1:] {
			overlap := a[0] < b[0]+b[2] && b[0] < a[0]+a[2] && a[1] < b[1]+b[3] && b[1] < a[1]+a[3]
			if overlap {
				assert.Fail(t, "boxes overlap", "%v %v", a, b)
				return
			}
		}
	}
}

var errFails = errors.New("it fails")

// TestSimplerFormsWhereGraphvizFails draws with renderers that fail in every way.
func TestSimplerFormsWhereGraphvizFails(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	source := viz.Graph(chainGradient())
	k, err := viz.NewSketch(source)
	require.NoError(t, err)
	whole, err := svg.Render(t.Context(), k.Forms[0])
	require.NoError(t, err)
	path := regexp.MustCompile(`(?s)(class="edge">.*?)<path [^>]*>`)
	lost := path.ReplaceAll(whole, []byte("$1"))
	for name, c := range map[string]struct {
		render viz.Renderer
		fails  int
		says   string
	}{
		"nothing fails":  {func(context.Context, []byte) ([]byte, error) { return whole, nil }, 0, ""},
		"all forms fail": {func(context.Context, []byte) ([]byte, error) { return nil, errFails }, 4, "it fails"},
		"panics": {func(context.Context, []byte) ([]byte, error) { panic("out of memory") }, 4,
			"out of memory"},
		"hangs": {func(ctx context.Context, _ []byte) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 4, "deadline"},
		"loses edges": {func(context.Context, []byte) ([]byte, error) { return lost, nil }, 4, "edges"},
		"curves fail": {func(_ context.Context, dot []byte) ([]byte, error) {
			if !bytes.Contains(dot, []byte("splines=line")) {
				return nil, errFails
			}
			return whole, nil
		}, 2, "it fails"},
	} {
		t.Run(name, func(t *testing.T) {
			var trouble []error
			var b bytes.Buffer
			require.NoError(t, viz.SVG(t.Context(), &b, source, viz.RenderWith(c.render), viz.Patience(10e6),
				viz.Report(func(err error) { trouble = append(trouble, err) })))
			require.Len(t, trouble, c.fails)
			if c.fails > 0 {
				require.ErrorContains(t, trouble[0], c.says)
			}
			requireWhole(t, k, b.Bytes())
		})
	}
}

func TestDrawingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := viz.SVG(ctx, io.Discard, viz.Graph(chain()), viz.RenderWith(svg.Render))
	require.ErrorIs(t, err, context.Canceled)
}

func TestSVGWithoutAnyGraphviz(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var b bytes.Buffer
	var told error
	require.NoError(t, viz.SVG(t.Context(), &b, viz.Graph(chain()), viz.Report(func(err error) { told = err })))
	assert.Contains(t, b.String(), "tanh")
	require.ErrorIs(t, told, viz.ErrNoGraphviz)
	require.ErrorIs(t, viz.PNG(t.Context(), &b, viz.Graph(chain())), viz.ErrNoGraphviz)
}
