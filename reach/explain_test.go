package reach_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/reach"
)

var sizes = reach.Sizes(map[string]int{"batch": 64})

// explained returns what a plan costs, each collective as a line.
func explained(t *testing.T, g *graph.Graph, opts ...reach.Option) (*reach.Explanation, []string) {
	t.Helper()
	p, err := reach.Shard(g, grid, opts...)
	require.NoError(t, err)
	e, err := p.Explain()
	require.NoError(t, err)
	var lines []string
	for _, c := range e.Collectives {
		lines = append(lines, c.String())
	}
	return e, lines
}

// Gradients are summed over the batch, and nothing else is reported.
func TestDataParallel(t *testing.T) {
	g, loss, step := perceptron(optim.SGD(0.1))
	e, _ := explained(t, g, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data*tensor"), sizes)
	gradients := int64(64*32+32+32*10+10) * 4
	totals := e.Totals()
	require.Len(t, totals, 1)
	require.Equal(t, reach.AllReduce, totals[0].Kind)
	require.Equal(t, []string{"data", "tensor"}, totals[0].Axes)
	require.InDelta(t, gradients, totals[0].Bytes, 16, "and the loss")
	require.InDelta(t, 2*gradients*7/8, e.Sent(), 32)
	require.Equal(t, reach.Memory{Parameters: gradients, WholeParameters: gradients, Inputs: 8*64*4 + 8*8, Outputs: 4,
		Kept: e.Memory.Kept}, e.Memory)
}

// A column-divided layer and a row-divided one after it are summed once forward, and what comes before would be
// once backward (Shoeybi and others, Megatron-LM, 2019).
func TestTensorParallel(t *testing.T) {
	g := graph.New("layers")
	x := g.Input("x", graph.Float32, 64, 16)
	h := nn.NewLinear(g, "in", 16, 16).Apply(nn.Training(g), x)
	up, down := nn.NewLinear(g, "up", 16, 32), nn.NewLinear(g, "down", 32, 16)
	y := down.Apply(nn.Training(g), ops.Gelu(up.Apply(nn.Training(g), h)))
	loss := ops.Mean(ops.Square(y))
	_, lines := explained(t, g, reach.Outputs(loss), reach.Updates(optim.SGD(0.1).Minimize(loss)...),
		reach.Params("up.weight", "tensor", ""), reach.Params("up.bias", "tensor"),
		reach.Params("down.weight", "", "tensor"))
	require.Equal(t, []string{"all-reduce over tensor of 4.1 kB", "all-reduce over tensor of 4.1 kB"}, lines)
}

// Weights that are divided over the axis of the batch are gathered for the products.
func TestParametersOverData(t *testing.T) {
	g, loss, _ := perceptron(optim.SGD(0.1))
	_, lines := explained(t, g, reach.Outputs(loss), reach.Dim("batch", "data"), reach.Params("up.weight", "", "data"),
		sizes)
	require.Contains(t, lines, "all-gather over data of 8.19 kB")
}

// State that is divided over data makes a reduce-scatter of the gradients' sum, and gathers the step.
func TestZeRO(t *testing.T) {
	g, loss, step := perceptron(optim.Adam(0.1))
	e, lines := explained(t, g, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.ZeRO("data"), sizes)
	require.Contains(t, lines, "reduce-scatter over data of 8.19 kB")
	require.Contains(t, lines, "all-gather over data of 8.19 kB")
	require.NotContains(t, lines, "all-reduce over data of 8.19 kB")
	require.InDelta(t, e.Memory.WholeStates/4, e.Memory.States, 100)
}

// How single operations treat what is divided.
func TestOperations(t *testing.T) {
	const f32 = graph.Float32
	for name, c := range map[string]struct {
		build func(g *graph.Graph) *graph.Node
		want  string // the collectives, and of the result
	}{
		"elementwise": {func(g *graph.Graph) *graph.Node { return ops.Exp(g.Input("x", f32, 8, 16)) },
			"[data, tensor]"},
		"a whole operand": {func(g *graph.Graph) *graph.Node {
			return ops.Add(g.Input("x", f32, 8, 16), g.Param("b", f32, 16))
		}, "[data, tensor]"},
		"transposed": {func(g *graph.Graph) *graph.Node {
			return ops.Transpose(g.Input("x", f32, 8, 16), 0, 1)
		}, "[tensor, data]"},
		"sum": {func(g *graph.Graph) *graph.Node { return ops.Sum(g.Input("x", f32, 8, 16), 0) },
			"all-reduce over data of 32 bytes; [tensor]"},
		"both axes": {func(g *graph.Graph) *graph.Node {
			return ops.Max(g.Input("x", f32, 8, 16), ops.AllAxes())
		}, "all-reduce over tensor*data of 4 bytes; []"},
		"softmax": {func(g *graph.Graph) *graph.Node { return ops.Softmax(g.Input("x", f32, 8, 16), 1) },
			"all-reduce over tensor of 8 bytes; all-reduce over tensor of 8 bytes; [data, tensor]"},
		"merged": {func(g *graph.Graph) *graph.Node { return ops.Reshape(g.Input("x", f32, 8, 16), 128) },
			"all-gather over tensor of 128 bytes; [data]"},
		"split": {func(g *graph.Graph) *graph.Node {
			return ops.Reshape(g.Input("x", f32, 8, 16), 8, 4, 4)
		}, "[data, tensor, _]"},
		"split too small": {func(g *graph.Graph) *graph.Node {
			return ops.Reshape(g.Input("x", f32, 8, 16), 2, 4, 16)
		}, "all-gather over data of 256 bytes; [_, _, tensor]"},
		"a slice": {func(g *graph.Graph) *graph.Node {
			return ops.Slice(g.Input("x", f32, 8, 16), 1, 0, 8, 1)
		}, "all-gather over tensor of 128 bytes; [data, _]"},
		"joined elsewhere": {func(g *graph.Graph) *graph.Node {
			x := g.Input("x", f32, 8, 16)
			return ops.Stack(1, x, x)
		}, "[data, _, tensor]"},
		"rows of a table": {func(g *graph.Graph) *graph.Node {
			return ops.Take(g.Input("x", f32, 8, 16), 0, g.Input("i", graph.Int64, 4))
		}, "all-reduce over data of 128 bytes; [_, tensor]"},
		"sorted": {func(g *graph.Graph) *graph.Node {
			return ops.ArgSort(g.Input("x", f32, 8, 16), 1, false)
		}, "all-gather over tensor of 128 bytes; [data, _]"},
		"a mean of examples": {func(g *graph.Graph) *graph.Node { return ops.Mean(g.Input("x", f32, 8, 16)) },
			"all-reduce over tensor*data of 4 bytes; []"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g")
			y := c.build(g)
			// a constraint of what comes anyway costs nothing, and keeps the result from being gathered as an output is
			at := c.want[strings.LastIndex(c.want, "[")+1 : len(c.want)-1]
			var axes []string
			for _, word := range strings.Split(at, ", ") {
				if word != "" {
					axes = append(axes, strings.Trim(word, "_"))
				}
			}
			p, err := reach.Shard(g, grid, reach.Inputs("x", "data", "tensor"), reach.At(y, axes...))
			require.NoError(t, err)
			e, err := p.Explain()
			require.NoError(t, err)
			var lines []string
			for _, c := range e.Collectives {
				lines = append(lines, c.String())
			}
			require.Equal(t, c.want, strings.Join(append(lines, "["+at+"]"), "; "))
		})
	}
}

// A loop does in each step what its body does.
func TestLoopsCountTheirSteps(t *testing.T) {
	g := graph.New("recurrent")
	x, w := g.Input("x", graph.Float32, 5, 8, 16), g.Param("w", graph.Float32, 16, 16)
	last, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 8, 16)}, Over: []*graph.Node{x}},
		func(carry, x []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Tanh(ops.Add(ops.MatMul(carry[0], w), x[0]))}, nil
		})
	_, lines := explained(t, g, reach.Outputs(last[0]), reach.Inputs("x", "", "data", ""),
		reach.Params("w", "tensor", ""))
	require.Equal(t, []string{"all-reduce over tensor of 512 bytes, 5 times", "all-gather over data of 512 bytes"},
		lines)
}

func TestExplainWantsSizes(t *testing.T) {
	g, loss, _ := perceptron(optim.SGD(0.1))
	p, err := reach.Shard(g, grid, reach.Outputs(loss), reach.Dim("batch", "data*tensor"))
	require.NoError(t, err)
	_, err = p.Explain()
	require.ErrorContains(t, err, "which is not bound: give reach.Sizes")
}

func TestExplanationReads(t *testing.T) {
	g, loss, step := perceptron(optim.Adam(0.1))
	e, _ := explained(t, g, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""), sizes)
	text := fmt.Sprint(e)
	require.True(t, strings.HasPrefix(text,
		"mesh data=4 tensor=2: 8 devices\nmemory of each device: parameters 5.54 kB of 9.64 kB, state 11.1 kB of 19.3 kB, inputs 4.22 kB, outputs 4 bytes; about "),
		text)
	require.Contains(t, text, "the gradient of up.Apply(p, x) (plan_test.go:")
}
