package viz_test

import (
	"fmt"
	osexec "os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/viz"
)

func graphDOT(t *testing.T, g *graph.Graph, opts ...viz.Option) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Graph(g), opts...))
	return b.String()
}

// countBoxes counts the boxes of a picture.
func countBoxes(dot string) int { return strings.Count(dot, "tooltip=") }

// A picture without the gradient shows the forward values alone: neither the state of an optimiser, nor the schedule of
// its rate, nor what it makes of parameters before it meets gradients.
func TestOptimisersStandInTheUpdate(t *testing.T) {
	build := func() (*graph.Graph, *graph.Node) {
		g := graph.New("line")
		x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
		return g, ops.Mean(nn.NewLinear(g, "out", 4, 1).Apply(nn.Training(g), x)).Named("loss")
	}
	plain, _ := build()
	want := graphDOT(t, plain)
	for name, step := range map[string]func(loss *graph.Node){
		"AdamW": func(loss *graph.Node) { optim.AdamW(0.1).Minimize(loss) },
		"schedule": func(loss *graph.Node) {
			optim.AdamW(optim.WarmUp(9, 0.1, optim.Cosine(0.1, 0, 99))).Minimize(loss)
		},
		"momentum": func(loss *graph.Node) {
			optim.SGD(0.1, optim.Momentum(0.9), optim.WeightDecay(0.1)).Minimize(loss)
		},
		"clipped": func(loss *graph.Node) {
			params := optim.Trainable(loss.Graph())
			clipped, _ := optim.ClipNorm(autodiff.Grad(loss, params), 1)
			optim.Adam(0.1).Updates(params, clipped)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, loss := build()
			step(loss)
			require.Equal(t, countBoxes(want), countBoxes(graphDOT(t, g, viz.Gradient(viz.Hidden))))
		})
	}
}

// A training step of a network fits a page: an optimiser is one card, and so is the gradient of a call of several
// boxes. Cards tell what they read where no edge does.
func TestCallsAreCards(t *testing.T) {
	g := graph.New("lenet")
	optim.AdamW(0.1).Minimize(leNet(g))
	dot := graphDOT(t, g)
	require.Less(t, countBoxes(dot), 80)
	require.Equal(t, 1, strings.Count(dot, ">AdamW<"))
	require.Contains(t, dot, ">updates 10 parameters<")
	require.Contains(t, dot, " numbers of state")
	require.Regexp(t, `>reads [^<]*&#8706;`, dot)
	require.Contains(t, dot, ">&#8706; CrossEntropy<")
	require.Equal(t, 2, len(regexp.MustCompile(`>&#8706; MaxPool2D( 2)?<`).FindAllString(dot, -1)))
	require.NotContains(t, dot, "logical_or<")

	require.NotContains(t, graphDOT(t, g, viz.Limit(0)), ">AdamW<")
}

// Two optimisers are two cards.
func TestOptimisersAreCardsApart(t *testing.T) {
	g := graph.New("two")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	loss := func(name string, width int) *graph.Node {
		return ops.Mean(ops.Square(nn.NewLinear(g, name, 4, width).Apply(nn.Training(g), x)))
	}
	optim.Adam(0.1, optim.Name("a")).Minimize(loss("first", 1), optim.Trainable(g, "first")...)
	optim.Adam(0.1, optim.Name("b")).Minimize(loss("second", 2), optim.Trainable(g, "second")...)
	dot := graphDOT(t, g, viz.Limit(100))
	require.Contains(t, dot, ">Adam<")
	require.Contains(t, dot, ">Adam 2<")
	require.Equal(t, 2, strings.Count(dot, ">updates 2 parameters<"))
}

// Draws are one card among many boxes.
func TestFunctionsOfManyBoxesAreCards(t *testing.T) {
	g := graph.New("dropout")
	h := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	layer := nn.Dropout(0.5)
	pass := nn.Training(g)
	for range 12 {
		h = ops.Tanh(layer.Apply(pass, h))
	}
	require.Contains(t, graphDOT(t, g), ">Dropout")
	require.Less(t, countBoxes(graphDOT(t, g)), 60)
}

// A pattern that folds nothing is reported to the function that the caller gives.
func TestPatternsThatFoldNothing(t *testing.T) {
	g := graph.New("folding")
	nn.NewLinear(g, "out", 4, 1).Apply(nn.Training(g), g.Input("x", graph.Float32, 3, 4))
	var told []string
	graphDOT(t, g, viz.Fold("out", "zz*", "[z"), viz.Report(func(err error) { told = append(told, err.Error()) }))
	require.Equal(t, []string{
		`viz: Fold("zz*") folds nothing: no scope matches; there are out`,
		`viz: Fold("[z"): syntax error in pattern`,
	}, told)
}

// Sizes that a program refuses are reported at the line that gave them.
func TestRefusedSizesHaveTheCallersLine(t *testing.T) {
	g := graph.New("sizes")
	y := ops.Exp(g.Input("x", graph.Float32, g.Dim("batch")))
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	var b strings.Builder
	require.ErrorContains(t, viz.DOT(&b, viz.Program(prog), viz.Sizes(map[string]int{"batch": 0})), "calls_test.go")
}

// A picture for a paper is one page of PDF.
func TestPDF(t *testing.T) {
	if _, err := osexec.LookPath("dot"); err != nil {
		t.Skip("Graphviz's program dot is not installed")
	}
	g := graph.New("paper")
	ops.Exp(g.Input("x", graph.Float32, 3))
	var b strings.Builder
	require.NoError(t, viz.PDF(t.Context(), &b, viz.Graph(g)))
	require.True(t, strings.HasPrefix(b.String(), "%PDF"))
}

// On the page, too, an optimiser folds to one frame, and its state is no forward value.
func TestOptimisersFoldOnThePage(t *testing.T) {
	g := graph.New("line")
	loss := ops.Mean(nn.NewLinear(g, "out", 4, 1).Apply(nn.Training(g), g.Input("x", graph.Float32, 3, 4)))
	optim.AdamW(optim.WarmUp(9, 0.1, optim.Cosine(0.1, 0, 99))).Minimize(loss)
	for _, v := range page.FromGraph(g).Columns[0].Values {
		if v.Part == 2 && len(v.Operands) > 0 {
			require.Equal(t, "AdamW", v.Scope, v.Label)
		}
		require.False(t, v.Part == 0 && strings.Contains(v.Label, "exp_avg"), v.Label)
	}
}

// An optimiser of a small program is folded if that is requested.
func TestOptimisersFoldByName(t *testing.T) {
	g := graph.New("line")
	loss := ops.Mean(nn.NewLinear(g, "out", 4, 1).Apply(nn.Training(g), g.Input("x", graph.Float32, 3, 4)))
	optim.AdamW(0.1).Minimize(loss)
	require.NotContains(t, graphDOT(t, g), ">AdamW<")
	dot := graphDOT(t, g, viz.Fold("AdamW"), viz.Report(func(err error) { t.Error(err) }))
	require.Contains(t, dot, ">updates 2 parameters<")
	require.NotContains(t, dot, "exp_avg")
}

// A card of a kernel tells what the kernel costs.
func TestCardsOfKernelsTellCosts(t *testing.T) {
	g := graph.New("kernels")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	y := ops.Softmax(ops.MatMul(ops.Tanh(ops.Mul(x, x)), g.Param("w", graph.Float32, 8, 8)), 1)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, viz.DOT(&b, viz.Program(prog), viz.Kernels(viz.Collapsed),
		viz.Sizes(map[string]int{"batch": 4})))
	require.Contains(t, b.String(), ">kernel 0<")
	require.Regexp(t, `>[\d.]+ B moved<`, b.String())
}

// A compiled program of many boxes shows its optimiser and its kernels as cards, which look as frames of kernels do.
func TestManyKernelsAreCards(t *testing.T) {
	g := graph.New("deep")
	h := g.Input("x", graph.Float32, g.Dim("batch"), 8)
	for i := range 12 {
		h = ops.Tanh(nn.NewLinear(g, fmt.Sprint("l", i), 8, 8).Apply(nn.Training(g), h))
	}
	loss := ops.Mean(ops.Square(h))
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.1).Minimize(loss)...))
	require.NoError(t, err)
	draw := func(opts ...viz.Option) (dot string, boxes int) {
		var b strings.Builder
		require.NoError(t, viz.DOT(&b, viz.Program(prog), append(opts, viz.Sizes(map[string]int{"batch": 4}))...))
		return b.String(), len(regexp.MustCompile(`(?m)^\s*[nc]\d+ \[ label=<`).FindAllString(b.String(), -1))
	}
	dot, boxes := draw()
	_, all := draw(viz.Limit(0))
	require.Less(t, boxes, all/2)
	for _, text := range []string{">updates 24 parameters<", "<b>kernel 0</b>", ">kernel<"} {
		require.True(t, strings.Contains(dot, text), text)
	}
	require.False(t, strings.Contains(dot, ">fused kernel<"), "a frame is drawn")
}
