package broadloom

import (
	"math"

	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// gat is the cross-entropy of two layers in which nodes attend to the sources of their edges.
func gat(in leaves) node {
	nodes := in["x"].Shape()[0]
	layer := func(z node, i int) node {
		from, to := in[numbered("from", i)], in[numbered("to", i)]
		z = ops.Reshape(ops.Linear(z, in[numbered("w", i)], nil), nodes, from.Shape()[0], from.Shape()[1])
		sent, received := ops.Sum(ops.Mul(z, from), -1), ops.Sum(ops.Mul(z, to), -1)
		scores := ops.LeakyRelu(ops.Add(ops.Take(sent, 0, in["from"]), ops.Take(received, 0, in["to"])), 0.2)
		weights := ops.SegmentSoftmax(scores, 0, in["to"], nodes)
		messages := ops.Mul(ops.Take(z, 0, in["from"]), ops.Unsqueeze(weights, -1))
		return ops.Flatten(ops.SegmentSum(messages, 0, in["to"], nodes), 1, 2)
	}
	return ops.CrossEntropy(layer(ops.Elu(layer(in["x"], 0), 1.0), 1), in["t"])
}

// nerf is how far the colours that layers tell for rays are from those seen.
func nerf(in leaves) node {
	at := ops.CumSum(in["step"], 1)
	points := ops.Add(ops.Unsqueeze(in["origin"], 1), ops.Mul(ops.Unsqueeze(in["direction"], 1), ops.Unsqueeze(at, -1)))
	parts := []node{points}
	for i := range suite.NeRFBands {
		angles := ops.Mul(points, graph.Num(math.Exp2(float64(i))))
		parts = append(parts, ops.Sin(angles), ops.Cos(angles))
	}
	z := ops.Concat(-1, parts...)
	for i := 0; in[numbered("w", i)] != nil; i++ {
		z = ops.Relu(in.numberedLinear(z, "w", "b", i))
	}
	z = in.linear(z, "head", "bias")
	density, colour := ops.Softplus(ops.Select(z, -1, 3)), ops.Sigmoid(ops.Narrow(z, -1, 0, 3))
	passes := ops.Exp(ops.Neg(ops.Mul(density, in["step"])))
	seen := ops.Pad(ops.Narrow(ops.CumProd(passes, 1), 1, 0, passes.Shape()[1]-1), 1, 1, 0, 1)
	weights := ops.Mul(seen, ops.Sub(graph.Num(1.0), passes))
	return ops.MSE(ops.Sum(ops.Mul(ops.Unsqueeze(weights, -1), colour), 1), in["colour"])
}

// neuralODE is the distance of the final states from their targets.
func neuralODE(in leaves) node {
	const step = 1.0 / suite.NeuralODESteps
	speed := func(z node) node {
		for i := range 2 {
			z = ops.Tanh(in.numberedLinear(z, "w", "b", i))
		}
		return in.numberedLinear(z, "w", "b", 2)
	}
	ahead := func(z, speed node, by float64) node { return ops.Add(z, ops.Mul(speed, graph.Num(by))) }
	final := ops.Fori(suite.NeuralODESteps, []node{in["x"]}, func(_ node, carry []node) []node {
		z := carry[0]
		a := speed(z)
		b := speed(ahead(z, a, step/2))
		c := speed(ahead(z, b, step/2))
		d := speed(ahead(z, c, step))
		sum := ops.Add(ops.Add(a, ops.Mul(b, graph.Num(2.0))), ops.Add(ops.Mul(c, graph.Num(2.0)), d))
		return []node{ahead(z, sum, step/6)}
	})
	return ops.MSE(final[0], in["y"])
}

// heat is the distance of the final temperatures on a torus from their targets.
func heat(in leaves) node {
	final := ops.Fori(suite.HeatSteps, []node{in["x"]}, func(_ node, carry []node) []node {
		x := carry[0]
		rows, columns := ops.Add(ops.Roll(x, 0, 1), ops.Roll(x, 0, -1)), ops.Add(ops.Roll(x, 1, 1), ops.Roll(x, 1, -1))
		flow := ops.Sub(ops.Add(rows, columns), ops.Mul(x, graph.Num(4)))
		return []node{ops.Add(x, ops.Mul(ops.Mul(flow, in["conductivity"]), graph.Num(suite.HeatTime)))}
	})
	return ops.MSE(final[0], in["y"])
}

// nbody is the distance of the final places of bodies from their targets.
func nbody(in leaves) node {
	time := graph.Num(suite.NBodyTime)
	final := ops.Fori(suite.NBodySteps, []node{in["x"], in["speed"]}, func(_ node, carry []node) []node {
		x, speed := carry[0], carry[1]
		apart := ops.Sub(ops.Unsqueeze(x, 0), ops.Unsqueeze(x, 1))
		square := ops.Add(ops.Sum(ops.Square(apart), -1), graph.Num(0.1))
		pull := ops.Div(in["mass"], ops.Mul(square, ops.Sqrt(square)))
		speed = ops.Add(speed, ops.Mul(ops.Sum(ops.Mul(apart, ops.Unsqueeze(pull, -1)), 1), time))
		return []node{ops.Add(x, ops.Mul(speed, time)), speed}
	})
	return ops.MSE(final[0], in["y"])
}

// gaussianProcess is the negative logarithm of the likelihood of values for each point, with a kernel of Gaussians.
func gaussianProcess(in leaves) node {
	x := ops.Div(in["x"], ops.Exp(in["lengths"]))
	n := x.Shape()[0]
	difference := ops.Sub(ops.Unsqueeze(x, 1), ops.Unsqueeze(x, 0))
	kernel := ops.Mul(ops.Exp(in["variance"]), ops.Exp(ops.Mul(ops.Sum(ops.Square(difference), -1), graph.Num(-0.5))))
	kernel = ops.Add(kernel, ops.Mul(ops.Eye(x.Graph(), graph.Float32, n, n), ops.Exp(in["noise"])))
	factor := ops.Cholesky(kernel)
	white := ops.SolveTriangular(factor, in["y"])
	logs := ops.Sum(ops.Log(ops.Diagonal(factor, 0, 0, 1)))
	return ops.Div(ops.Add(ops.Mul(ops.Sum(ops.Square(white)), graph.Num(0.5)), logs), graph.Num(float64(n)))
}
