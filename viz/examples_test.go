package viz_test

import (
	"fmt"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// examples are the programs whose pictures are kept.
var examples = []struct {
	name  string
	build func() *graph.Graph
}{
	{"chain", chain},
	{"chain_gradient", chainGradient},
	{"digits", digits},
	{"wrong", wrong},
	{"residual", residual},
	{"undecided", undecided},
}

// chain is tanh(x*y + b)*x - y, with y a row and b a column.
func chain() *graph.Graph {
	g := graph.New("z = tanh(x·y + b)·x − y")
	chainOf(g)
	return g
}

func chainOf(g *graph.Graph) (z *graph.Node, wrt []*graph.Node) {
	x := g.Input("x", graph.Float32, 32, 128)
	y := g.Param("y", graph.Float32, 128)
	b := g.Param("b", graph.Float32, 32, 1)
	h := ops.Tanh(ops.Add(ops.Mul(x, y), b)).Named("h")
	return ops.Sub(ops.Mul(h, x), y).Named("z"), []*graph.Node{x, y, b}
}

func chainGradient() *graph.Graph {
	g := graph.New("z = tanh(x·y + b)·x − y")
	z, wrt := chainOf(g)
	dz := g.Input("dz", graph.Float32, 32, 128)
	autodiff.Grad(z, wrt, autodiff.Upstream(dz))
	return g
}

// digits is a classifier with one hidden layer, its gradient and a step of descent.
func digits() *graph.Graph {
	g := graph.New("digits")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 64)
	t := g.Input("t", graph.Int64, batch)
	w1 := g.Param("w1", graph.Float32, 64, 128)
	b1 := g.Param("b1", graph.Float32, 128)
	w2 := g.Param("w2", graph.Float32, 128, 10)
	b2 := g.Param("b2", graph.Float32, 10)
	h := ops.Tanh(ops.Add(ops.MatMul(x, w1), b1)).Named("h")
	scores := ops.Add(ops.MatMul(h, w2), b2).Named("scores")
	loss := ops.CrossEntropy(scores, t).Named("loss")
	params := []*graph.Node{w1, b1, w2, b2}
	for i, dw := range autodiff.Grad(loss, params) {
		ops.SubInPlace(params[i], ops.Mul(dw, graph.Num(0.1)))
	}
	return g
}

// wrong adds a bias of the wrong length.
func wrong() *graph.Graph {
	g := graph.New("digits")
	x := g.Input("x", graph.Float32, 32, 128)
	w := g.Param("w", graph.Float32, 128, 64)
	b := g.Param("b", graph.Float32, 128)
	ops.Sum(ops.Tanh(ops.Add(ops.MatMul(x, w), b)))
	ops.Reshape(x, 7, 9)
	return g
}

// residual is a stack of residual blocks in scopes.
func residual() *graph.Graph {
	g := graph.New("residual")
	batch := g.Dim("batch")
	h := g.Input("x", graph.Float32, batch, 64)
	for i := range 12 {
		g.Scope(fmt.Sprintf("block%d", i), func() { h = block(g, h) })
	}
	head := g.Param("head", graph.Float32, 64, 10)
	ops.Softmax(ops.MatMul(h, head), 1).Named("classes")
	return g
}

func block(g *graph.Graph, h *graph.Node) *graph.Node {
	norm := h
	g.Scope("norm", func() {
		centred := ops.Sub(h, ops.Div(ops.Sum(h, 1, ops.KeepDims()), graph.Num(64)))
		scale := ops.Rsqrt(ops.Add(ops.Div(ops.Sum(ops.Square(centred), 1, ops.KeepDims()), graph.Num(64)),
			graph.Num(1e-5)))
		norm = ops.Mul(ops.Mul(centred, scale), g.Param("gain", graph.Float32, 64))
	})
	g.Scope("mlp", func() {
		wide := ops.MatMul(norm, g.Param("in", graph.Float32, 64, 256))
		norm = ops.MatMul(ops.Relu(wide), g.Param("out", graph.Float32, 256, 64))
	})
	return ops.Add(h, norm)
}

// undecided adds operands of which one may turn out to have size 1, in several dtypes.
func undecided() *graph.Graph {
	g := graph.New("undecided")
	n := g.Dim("n", graph.MayBeOne())
	x := g.Input("x", graph.Float32, 5, 3)
	y := g.Input("y", graph.Int32, n, 3)
	c := graph.Constant(g, []float32{1, 2, 3}, 3)
	ops.Mul(ops.Add(x, y), c)
	return g
}
