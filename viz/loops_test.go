package viz_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// looping is a loop within a scope, whose body has a scope of its own and a loop.
func looping() *graph.Graph {
	type nodes = []*graph.Node
	g := graph.New("looping")
	w := g.Param("w", graph.Float32, 3, 3)
	x, h := g.Input("x", graph.Float32, g.Dim("time"), 3), g.Input("h", graph.Float32, 3)
	var sum *graph.Node
	g.Scope("net", func() {
		ops.Scan(ops.Loop{Carry: nodes{h}, Over: nodes{x}}, func(carry, x nodes) (next, out nodes) {
			g.Scope("cell", func() { sum = ops.Add(x[0], ops.MatMul(carry[0], w)).Named("sum") })
			inner := ops.Fori(4, nodes{sum}, func(_ *graph.Node, c nodes) nodes {
				return nodes{ops.Tanh(c[0]).Named("state")}
			})
			return inner, inner
		})
	})
	return g
}

func TestLoopsAreClusters(t *testing.T) {
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Graph(looping())))
	require.Equal(t, []string{"net", ">loop 1, time steps", ">>cell", ">>loop 2, 4 steps"}, clusters(b.String()))
	require.Contains(t, b.String(), ">next step: net.state<")
}

// The frame of a loop says how often its body is computed. A result of the body that nothing uses is not shown.
func TestLoopsAreDrawnInTheProgramsWords(t *testing.T) {
	type nodes = []*graph.Node
	g := graph.New("root")
	x := g.Input("x", graph.Float32)
	ops.While(50, nodes{x}, func(c nodes) *graph.Node { return ops.Greater(c[0], graph.Num(1)) },
		func(_ *graph.Node, c nodes) nodes { return nodes{ops.Mul(c[0], graph.Num(0.5))} })
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Graph(g)))
	require.NotContains(t, b.String(), "role")
	require.NotContains(t, b.String(), "carried 0")
	require.NotContains(t, b.String(), "50 steps.")
	step := regexp.MustCompile(`n\d+ \[ label=<.*<b>step</b>.*`).FindString(b.String())
	require.Contains(t, step, ">unused<")
	require.NotContains(t, step, ">= <")
	require.Equal(t, 1, strings.Count(b.String(), "<b>step</b>"))

	document := page.FromGraph(g)
	for _, v := range document.Columns[0].Values {
		require.False(t, v.Output && v.Op == "step")
	}
}

// clusters lists the labels of a picture's clusters in their order, each with a mark for every cluster around it. One
// that is drawn in several pieces is listed once.
func clusters(dot string) (list []string) {
	depth := 0
	for _, line := range strings.Split(dot, "\n") {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "subgraph cluster_s"):
			depth++
		case line == "}":
			depth = max(depth-1, 0)
		case depth > 0:
			if m := clusterLabel.FindStringSubmatch(line); m != nil {
				if label := strings.Repeat(">", depth-1) + m[1]; !slices.Contains(list, label) {
					list = append(list, label)
				}
			}
		}
	}
	return list
}

var clusterLabel = regexp.MustCompile(`^graph \[ label=<<font [^>]*>([^<]*)</font>>`)

// A branch is no loop to who reads the picture.
func TestBranchesAreCases(t *testing.T) {
	type nodes = []*graph.Node
	g := graph.New("branches")
	x := g.Input("x", graph.Float32, 3)
	ops.Cond(ops.Less(ops.Sum(x), graph.Num(0)), func() nodes { return nodes{ops.Tanh(x)} }, func() nodes {
		return nodes{ops.Exp(x)}
	})
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Graph(g)))
	require.ElementsMatch(t, []string{"case 1", "case 2"}, clusters(b.String()))
}

// A loop of many operations folds as a scope does.
func TestLoopsFold(t *testing.T) {
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Graph(looping()), viz.Fold("loop 1*")))
	require.Contains(t, b.String(), "loop 1, time steps")
	require.NotContains(t, b.String(), "loop 2, 4 steps</b>")
	require.NotContains(t, b.String(), "tanh</b>")
}

// The body of a loop is compiled to a program of its own, and drawn where the loop stands, with its kernels and
// their times.
func TestLoopsOfProgramsAreClusters(t *testing.T) {
	g := looping()
	prog, err := exec.Compile(g, exec.Outputs(ops.Sum(g.Nodes()[len(g.Nodes())-1])))
	require.NoError(t, err)
	feed := exec.Feed{g.ByName("x"): make([]float32, 15), g.ByName("h"): make([]float32, 3)}
	profile, err := prog.NewSession().Profile(t.Context(), feed, 2)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Program(prog), viz.Sizes(map[string]int{"time": 5}), viz.Profile(profile)))
	require.Equal(t, []string{"net", ">loop 1, time steps", ">>cell", ">>loop 2, 4 steps"}, clusters(b.String()))
	for _, want := range []string{">next step: net.state<", "kernel 0.0", "kernel 0.1", "kernel 0.2.0",
		"written to memory"} {
		require.Contains(t, b.String(), want)
	}

	b.Reset()
	require.NoError(t, viz.Text(&b, viz.Program(prog)))
	require.Contains(t, b.String(), "kernel 0.2.0 elementwise over [3]\n  net.state:f32[3] = tanh")
	again, err := viz.ParseText(strings.NewReader(b.String()))
	require.NoError(t, err)
	var dot strings.Builder
	require.NoError(t, viz.DOT(&dot, again))
	require.Contains(t, dot.String(), "kernel 0.2.0")

	b.Reset()
	require.NoError(t, viz.HTML(&b, viz.Program(prog), viz.Profile(profile)))
	for _, want := range []string{`"s":"net.loop 1, time steps.cell"`, `"name":"kernel 0.2.0","inner":true`,
		`"nanos":`} {
		require.Contains(t, b.String(), want)
	}
}

// A function of one example is drawn as what is computed for all of them; the frame of what comes of gradients speaks
// of updates only where something is written.
func TestExamplesOfABatch(t *testing.T) {
	g := graph.New("norms")
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 3), g.Param("w", graph.Float32, 3)
	norms := ops.Vmap([]*graph.Node{x}, func(e []*graph.Node) []*graph.Node {
		loss := ops.Square(ops.Sum(ops.Mul(e[0], w)))
		return []*graph.Node{ops.Norm(autodiff.Grad(loss, []*graph.Node{w})[0], 2)}
	})[0].Named("norms")
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Graph(g)))
	require.NotContains(t, b.String(), "x[0]")
	require.NotContains(t, b.String(), "example 1")
	require.Contains(t, b.String(), ">from gradients<")
	require.NotContains(t, b.String(), ">update<")
	for _, id := range regexp.MustCompile(`\bo\d+`).FindAllString(b.String(), -1) {
		require.Contains(t, b.String(), id+" [ label=", "a box that is placed is drawn")
	}

	ops.CopyInPlace(g.State("largest", graph.Float32, nil), ops.Max(norms))
	b.Reset()
	require.NoError(t, viz.DOT(&b, viz.Graph(g)))
	require.Contains(t, b.String(), ">update<")
}
