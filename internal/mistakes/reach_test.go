package mistakes_test

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/reach"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A sharded program is one with a plan of how it is divided over devices.
var sharded = []func(g *graph.Graph) (*reach.Plan, error){
	dataAndTensor, paramsOverData, batchOfAnySize, batchBound, batchBoundWrong, boundBeyondDeclared, imagesOfOddSize,
	axisOfOtherName, axisTwice, squareMask, maskByName,
	ruleOfOtherName, ruleTaken, sizeOfNoInput, vectorAsMatrix, updateOtherwise, updateAlike, zeroWithoutState,
	meshWithoutDevices, idleAxis, ofOtherGraph,
}

// perceptron is a network of two layers with the updates of Adam.
func perceptron(g *graph.Graph, batch graph.Dim) (x, loss *graph.Node, step []*graph.Node) {
	x, y := g.Input("x", graph.Float32, batch, 64), g.Input("y", graph.Int64, batch)
	h := ops.Relu(testmodel.Linear(g, "up", x, 32))
	loss = ops.CrossEntropy(testmodel.Linear(g, "down", h, 10), y)
	return x, loss, optim.Adam(0.001).Minimize(loss)
}

var grid = reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2))

func dataAndTensor(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""), reach.Params("up.bias", "tensor"),
		reach.Params("down.weight", "", "tensor"), reach.ZeRO("data"))
}

// Parameters are whole on no device: each has a part.
func paramsOverData(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(8)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data*tensor"),
		reach.Params("*.weight", "", "data*tensor"))
}

func batchOfAnySize(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch"))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...),
		reach.Params("up.weight", "tensor", ""),
		reach.Dim("batch", "data")) // want error BL605 "axis 0 of x should be divided over data, into 4 parts, but its size is batch" "graph.MultipleOf(4)" and error BL605 "axis 0 of y"
}

func batchBound(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch"))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Params("up.weight", "tensor", ""),
		reach.Dim("batch", "data"), reach.Sizes(map[string]int{"batch": 64}))
}

func batchBoundWrong(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch"))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Params("up.weight", "tensor", ""),
		reach.Sizes(map[string]int{"batch": 62}),
		reach.Dim("batch", "data")) // want error BL605 "its size is 62" and error BL605
}

func boundBeyondDeclared(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(8)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Params("up.weight", "tensor", ""),
		reach.Dim("batch", "data"),
		reach.Sizes(map[string]int{"batch": 60})) // want error BL501 "bound to 60" "a multiple of 8"
}

// An expression that is a multiple for some sizes only.
func imagesOfOddSize(g *graph.Graph) (*reach.Plan, error) {
	n, h := g.Dim("n", graph.MultipleOf(4)), g.Dim("h", graph.AtLeast(2))
	x := g.Input("x", graph.Float32, n, 3, h, h)
	pooled := ops.MaxPool2D(x, 2, 2)
	return reach.Shard(g, grid, reach.Outputs(pooled), reach.Dim("n", "data"),
		reach.At(pooled, "data", "", "tensor", "")) // want error BL605 "its size is floor(h/2)" "so that floor(h/2) is a multiple of 2"
}

func axisOfOtherName(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "model", "")) // want error BL602 "the mesh has no axis" "data=4 tensor=2"
}

func axisTwice(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", "tensor")) // want error BL602 "divides two axes of one value"
}

// A mask of a sequence with itself has the size twice.
func squareMask(g *graph.Graph) (*reach.Plan, error) {
	seq := g.Dim("seq", graph.MultipleOf(8))
	scores, mask := g.Input("scores", graph.Float32, 8, seq), g.Input("mask", graph.Float32, seq, seq)
	return reach.Shard(g, grid, reach.Outputs(ops.MatMul(scores, mask)),
		reach.Dim("seq", "data*tensor")) // want error BL602 "axes 0 and 1 of mask" "reach.Inputs("
}

func maskByName(g *graph.Graph) (*reach.Plan, error) {
	seq := g.Dim("seq", graph.MultipleOf(8))
	scores, mask := g.Input("scores", graph.Float32, 8, seq), g.Input("mask", graph.Float32, seq, seq)
	return reach.Shard(g, grid, reach.Outputs(ops.MatMul(scores, mask)), reach.Dim("seq", "data*tensor"),
		reach.Inputs("mask", "data*tensor", ""))
}

func ruleOfOtherName(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("down.*", ""),                 // want error BL604 "down.weight has 2 axes"
		reach.Params("upper.weight", "tensor", "")) // want error BL603 "the graph has no parameter of such a name" "up.weight, up.bias"
}

func ruleTaken(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("*.weight", "", "tensor"),
		reach.Params("up.weight", "tensor", "")) // want error BL603 "is taken by an earlier rule"
}

func sizeOfNoInput(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Params("up.weight", "tensor", ""),
		reach.Inputs("x", "data", ""),
		reach.Dim("rows", "data")) // want error BL603 "no input has an axis of size rows" "batch"
}

func vectorAsMatrix(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.*", "tensor", "")) // want error BL604 "up.bias has 1 axis"
}

func updateOtherwise(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""),
		reach.At(step[0], "", "tensor")) // want error BL606 "as [_, tensor]" "as [tensor, _]" "reach.Params"
}

func updateAlike(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""),
		reach.At(step[0], "tensor", ""))
}

func zeroWithoutState(g *graph.Graph) (*reach.Plan, error) {
	x, w := g.Input("x", graph.Float32, g.Dim("batch", graph.MultipleOf(4)), 8), g.Param("w", graph.Float32, 8, 2)
	loss := ops.Sum(ops.MatMul(x, w))
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(optim.SGD(0.1).Minimize(loss)...),
		reach.Dim("batch", "data"), reach.Params("w", "", "tensor"),
		reach.ZeRO("data")) // want error BL603 "no state of an optimiser"
}

func meshWithoutDevices(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	mesh := reach.NewMesh(reach.Axis("data", 0)) // want error BL601 "of the mesh has 0 devices"
	return reach.Shard(g, mesh, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"))
}

func idleAxis(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	mesh := reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2)) // want warning BL607 "its 2 devices compute the same"
	return reach.Shard(g, mesh, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"))
}

func ofOtherGraph(g *graph.Graph) (*reach.Plan, error) {
	_, loss, step := perceptron(g, g.Dim("batch", graph.MultipleOf(4)))
	other := graph.New("other").Input("z", graph.Float32, 8)
	return reach.Shard(g, grid, reach.Outputs(loss), reach.Updates(step...), reach.Dim("batch", "data"),
		reach.Params("up.weight", "tensor", ""),
		reach.At(other, "data")) // want error BL001 "z is not a node of graph"
}

func TestShardedPrograms(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	want, err := readWanted(file)
	require.NoError(t, err)
	for _, p := range sharded {
		name := runtime.FuncForPC(reflect.ValueOf(p).Pointer()).Name()
		name = name[strings.LastIndexByte(name, '.')+1:]
		t.Run(name, func(t *testing.T) {
			plan, err := p(graph.New(name))
			var report *shapeinfer.Report
			if !errors.As(err, &report) {
				require.NoError(t, err)
				report = plan.Report()
			}
			checkReport(t, report, want[name], file)
		})
	}
}
