package main

import (
	"math"
	"strconv"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// diffusivity is α.
const diffusivity = 0.4

// model is a network u(x, t) with its loss.
type model struct {
	graph  *graph.Graph
	x, t   *graph.Node // inputs: float64 [points, 1], where the equation must hold
	edge   *graph.Node // input: float64 [edge, 1], from 0 to 1: places at the initial time, times at the ends
	u      *graph.Node // the solution at x and t
	loss   *graph.Node
	params []*graph.Node
	grads  []*graph.Node
}

func newModel() *model {
	const width = 24
	g := graph.New("heat")
	points, edge := g.Dim("points"), g.Dim("edge")
	m := &model{graph: g, x: g.Input("x", graph.Float64, points, 1), t: g.Input("t", graph.Float64, points, 1),
		edge: g.Input("edge", graph.Float64, edge, 1)}

	var layers []nn.Layer
	for i, in := range []int{2, width, width} {
		layers = append(layers, nn.NewLinear(
			g, "hidden"+strconv.Itoa(i), in, width, nn.DType(graph.Float64), nn.WeightInit(nn.XavierUniform())),
			nn.Func(ops.Tanh))
	}
	network := nn.Sequential(append(layers, nn.NewLinear(g, "output", width, 1, nn.DType(graph.Float64)))...)
	u := func(x, t *graph.Node) *graph.Node { return network.Apply(nn.Training(g), ops.Concat(1, x, t)) }

	m.u = u(m.x, m.t)
	// Each point's value depends only on that point, so the gradient of the sum consists of the
	// derivatives at all points.
	first := autodiff.Grad(ops.Sum(m.u), []*graph.Node{m.x, m.t})
	second := autodiff.Grad(ops.Sum(first[0]), []*graph.Node{m.x})
	residual := ops.Sub(first[1], ops.Mul(second[0], graph.Num(diffusivity)))

	zeros, ones := ops.ZerosLike(m.edge), ops.FullLike(m.edge, 1)
	begin := ops.Sub(u(m.edge, zeros), ops.Sin(ops.Mul(m.edge, graph.Num(math.Pi))))
	ends := ops.Concat(0, u(zeros, m.edge), u(ones, m.edge))
	meanSquare := func(x *graph.Node) *graph.Node { return ops.Mean(ops.Square(x)) }
	m.loss = ops.Add(ops.Add(meanSquare(residual), meanSquare(begin)), meanSquare(ends))
	m.params = optim.Trainable(g)
	m.grads = autodiff.Grad(m.loss, m.params)
	return m
}

// checked is the model for `broadloom check ./examples/heat`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }
