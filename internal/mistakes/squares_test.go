package mistakes_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var _ = add(
	valuesOfStates, valuesOfActions, backwardSteps, powerSteps, unrolledSteps, unrolledProducts, productWithoutAxis,
	ranksAfterLoop, newtonSchulz, matrixPowers, recurrentSquare,
	normalizedAdjacency, normalizedAdjacencyBehind, centredTwice, shortestPaths,
	stepWithoutAxis, carriedWithoutAxis, finalWithoutAxis, stableSoftmaxWithoutAxis,
)

// Values of states are computed from those of the step before, which stand under the states that follow.
func valuesOfStates(g *graph.Graph) {
	p, r := g.Input("p", graph.Float32, 8, 8), g.Input("r", graph.Float32, 8)
	ops.Fori(5, []*graph.Node{ops.Zeros(g, graph.Float32, 8)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(r, ops.Sum(ops.Mul(p, c[0]), 1))}
	})
}

// The same for each of several actions, with the best of them.
func valuesOfActions(g *graph.Graph) {
	n := g.Dim("states")
	p, r := g.Input("p", graph.Float32, 3, n, n), g.Input("r", graph.Float32, 3, n)
	ops.Fori(5, []*graph.Node{ops.Zeros(g, graph.Float32, n)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Max(ops.Add(r, ops.Sum(ops.Mul(p, c[0]), -1)), 0)}
	})
}

// The backward steps of a hidden Markov model.
func backwardSteps(g *graph.Graph) {
	p, x := g.Input("p", graph.Float32, 8, 8), g.Input("x", graph.Float32, g.Dim("t"), 8)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 8)}, Over: []*graph.Node{x}},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			b := ops.LogSumExp(ops.Add(p, ops.Add(c[0], x[0])), 1)
			return []*graph.Node{b}, []*graph.Node{b}
		})
}

// A matrix is multiplied by a vector again and again.
func powerSteps(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	ops.Fori(5, []*graph.Node{g.Input("v", graph.Float32, 8)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		y := ops.Sum(ops.Mul(a, c[0]), 1)
		return []*graph.Node{ops.Div(y, ops.Norm(y, 2, 0))}
	})
}

// The same without a loop of the graph.
func unrolledSteps(g *graph.Graph) {
	a, v := g.Input("a", graph.Float32, 8, 8), g.Input("v", graph.Float32, 8)
	for range 3 {
		v = ops.Sum(ops.Mul(a, v), 1)
	}
}

// A value that stands under the axis along which a product of products has multiplied it.
func unrolledProducts(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	v := ops.MatMul(a, ops.MatMul(a, g.Input("v", graph.Float32, 8)))
	ops.Mul(a, ops.Div(v, ops.Norm(v, 2)))
}

// One product does not tell that rows and columns are of one kind.
func productWithoutAxis(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	ops.Mul(a, ops.MatMul(a, g.Input("v", graph.Float32, 8))) // want warning BL230
}

// What comes out of a loop stands under the axis along which its steps have multiplied it.
func ranksAfterLoop(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	rank := ops.Fori(5, []*graph.Node{ops.Ones(g, graph.Float32, 8)},
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.MatMul(a, c[0])}
		})
	ops.Mul(a, rank[0])
}

// A square root by iteration, of a matrix divided by its norm.
func newtonSchulz(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	eye := ops.Eye(g, graph.Float32, 8, 8)
	ops.Fori(5, []*graph.Node{ops.Div(a, ops.Norm(a, 2)), eye}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		t := ops.Mul(graph.Num(0.5), ops.Sub(ops.Mul(eye, graph.Num(3)), ops.MatMul(c[1], c[0])))
		return []*graph.Node{ops.MatMul(c[0], t), ops.MatMul(t, c[1])}
	})
}

// Powers of a matrix, whose columns keep their sum.
func matrixPowers(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	ops.Fori(5, []*graph.Node{a}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		next := ops.MatMul(c[0], a)
		return []*graph.Node{ops.Div(next, ops.Sum(next, 0))}
	})
}

// A network of as many examples as it has inputs and units.
func recurrentSquare(g *graph.Graph) {
	w, u, b := g.Param("w", graph.Float32, 8, 8), g.Param("u", graph.Float32, 8, 8), g.Param("b", graph.Float32, 8)
	ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 8, 8)},
		Over: []*graph.Node{g.Input("x", graph.Float32, 8, 8, 8)}},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			h := ops.Tanh(ops.Add(ops.Add(ops.MatMul(x[0], w), ops.MatMul(c[0], u)), b))
			return []*graph.Node{h}, []*graph.Node{h}
		})
}

// Degrees of the nodes of a graph stand under both axes.
func normalizedAdjacency(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	d := ops.Rsqrt(ops.Sum(a, 1))
	ops.Mul(ops.Mul(ops.Unsqueeze(d, 1), a), d)
}

// The same in the other order.
func normalizedAdjacencyBehind(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	d := ops.Rsqrt(ops.Sum(a, 1))
	ops.Mul(ops.Mul(a, d), ops.Reshape(d, 8, 1))
}

// Means are taken from rows and from columns.
func centredTwice(g *graph.Graph) {
	k := g.Input("k", graph.Float32, 8, 8)
	m := ops.Mean(k, 1)
	ops.Add(ops.Sub(ops.Sub(k, m), ops.Unsqueeze(m, 1)), ops.Mean(k))
}

// All ways of two edges.
func shortestPaths(g *graph.Graph) {
	ops.Fori(3, []*graph.Node{g.Input("d", graph.Float32, 8, 8)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Min(ops.Add(ops.Unsqueeze(c[0], 2), c[0]), 1)}
	})
}

// Rows are divided by the sums of other rows, in one step.
func stepWithoutAxis(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	ops.Fori(5, []*graph.Node{a}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		next := ops.MatMul(c[0], a)
		return []*graph.Node{ops.Div(next, ops.Sum(next, 1))} // want warning BL230 "KeepDims()"
	})
}

// The same of the carried matrix itself.
func carriedWithoutAxis(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	ops.Scan(ops.Loop{Carry: []*graph.Node{a}, Length: 5}, func(c, _ []*graph.Node) (next, out []*graph.Node) {
		centred := ops.Sub(c[0], ops.Mean(c[0], 1)) // want warning BL230 "KeepDims()"
		return []*graph.Node{ops.MatMul(c[0], a)}, []*graph.Node{centred}
	})
}

// The same behind a loop.
func finalWithoutAxis(g *graph.Graph) {
	a := g.Input("a", graph.Float32, 8, 8)
	m := ops.Fori(5, []*graph.Node{a}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.MatMul(c[0], c[0])}
	})
	ops.Div(m[0], ops.Sum(m[0], 1)) // want warning BL230 "KeepDims()"
}

// A softmax by hand keeps the axis once, and not again.
func stableSoftmaxWithoutAxis(g *graph.Graph) {
	x := g.Input("x", graph.Float32, 8, 8)
	e := ops.Exp(ops.Sub(x, ops.Max(x, 1, ops.KeepDims())))
	ops.Div(e, ops.Sum(e, 1)) // want warning BL230 "KeepDims()"
}
