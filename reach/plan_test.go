package reach_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/reach"
	"github.com/broadloom/broadloom/shapeinfer"
)

// grid is the mesh of most tests.
var grid = reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2))

// perceptron is a network of two layers, with the updates of an optimiser.
func perceptron(o optim.Optimizer) (g *graph.Graph, loss *graph.Node, step []*graph.Node) {
	g = graph.New("perceptron")
	batch := g.Dim("batch", graph.MultipleOf(8))
	x, y := g.Input("x", graph.Float32, batch, 64), g.Input("y", graph.Int64, batch)
	h := ops.Relu(nn.NewLinear(g, "up", 64, 32).Apply(nn.Training(g), x))
	loss = ops.CrossEntropy(nn.NewLinear(g, "down", 32, 10).Apply(nn.Training(g), h), y)
	return g, loss, o.Minimize(loss)
}

// shardings returns those of all inputs and parameters, by their names.
func shardings(p *reach.Plan) map[string]string {
	all := map[string]string{}
	for _, list := range [][]*graph.Node{p.Graph().Inputs(), p.Graph().Params()} {
		for _, n := range list {
			s, _ := p.Sharding(n)
			all[n.Name()] = s.String()
		}
	}
	return all
}

func TestStateFollowsItsParameter(t *testing.T) {
	g, loss, step := perceptron(optim.AdamW(0.01, optim.Name("fast")))
	p, err := reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""), reach.Params("up.bias", "tensor"),
		reach.Params("down.weight", "", "tensor"),
		reach.States("down.weight.fast.exp_avg_sq", "", ""))
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"x": "[data, _]", "y": "[data]",
		"up.weight": "[tensor, _]", "up.weight.fast.exp_avg": "[tensor, _]", "up.weight.fast.exp_avg_sq": "[tensor, _]",
		"up.bias": "[tensor]", "up.bias.fast.exp_avg": "[tensor]", "up.bias.fast.exp_avg_sq": "[tensor]",
		"down.weight": "[_, tensor]", "down.weight.fast.exp_avg": "[_, tensor]",
		"down.weight.fast.exp_avg_sq": "[_, _]",
		"down.bias":                   "[_]", "down.bias.fast.exp_avg": "[_]", "down.bias.fast.exp_avg_sq": "[_]",
		"down.bias.fast.step": "[]",
	}, shardings(p))
}

// State is divided over data besides, along the first axis that can be.
func TestZeRODividesState(t *testing.T) {
	g, loss, step := perceptron(optim.Adam(0.01))
	p, err := reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""), reach.Params("down.weight", "", "tensor"), reach.ZeRO("data"))
	require.NoError(t, err)
	all := shardings(p)
	require.Equal(t, "[tensor*data, _]", all["up.weight.exp_avg"])
	require.Equal(t, "[data]", all["up.bias.exp_avg"])
	require.Equal(t, "[_, tensor*data]", all["down.weight.exp_avg"],
		"10 rows cannot be divided by 4, 32 columns can by 8")
	require.Equal(t, "[_]", all["down.bias.exp_avg"], "10 elements cannot be divided by 4")
	require.Equal(t, "[_, tensor]", all["down.weight"])
}

// A factored second moment has other shapes than its parameter.
func TestFactoredStateIsWhole(t *testing.T) {
	g, loss, step := perceptron(optim.Adafactor(0.01))
	p, err := reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("*.weight", "", "tensor"))
	require.NoError(t, err)
	for name, s := range shardings(p) {
		if name == "up.weight.exp_avg_sq_row" {
			require.NotContains(t, s, "tensor")
		}
	}
}

// All mistakes are reported at once, with those of the graph, in the order of the program.
func TestMistakesComeTogether(t *testing.T) {
	g, loss, _ := perceptron(optim.SGD(0.1))
	ops.Add(loss, g.Input("z", graph.Float32, -1))
	_, err := reach.Shard(g, grid, reach.Outputs(loss, nil), reach.Dim("batch", "data*model"), reach.Params("[", ""),
		reach.States("up.*", ""))
	var report *shapeinfer.Report
	require.True(t, errors.As(err, &report))
	var codes []graph.Code
	for _, m := range report.Errors {
		codes = append(codes, m.Code)
	}
	require.ElementsMatch(
		t, []graph.Code{graph.CodeSize, graph.CodeOperand, graph.CodeMeshAxis, graph.CodeShardRule,
			graph.CodeShardRule}, codes)
	require.Contains(t, err.Error(), `plan_test.go`)
	_, err = reach.Shard(nil, grid)
	require.ErrorContains(t, err, "the graph is nil")
}

func TestMeshOf(t *testing.T) {
	require.Equal(t, 8, grid.Devices())
	require.Equal(t, "data=4 tensor=2", grid.String())
	for _, wrong := range []reach.Mesh{{}, reach.NewMesh(reach.Axis("1st", 2)),
		reach.NewMesh(reach.Axis("a", 2), reach.Axis("a", 2)),
		reach.NewMesh(reach.Axis("a", 1<<15), reach.Axis("b", 1<<15))} {
		_, err := reach.Shard(graph.New("g"), wrong)
		require.True(t, shapeinfer.IsMistake(err, graph.CodeMesh), "%v", wrong)
	}
}
