package main

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

type node = *graph.Node

// derivative is one task: peer.py has a function of its name, which scales its integer inputs down.
type derivative struct {
	name   string
	flops  float64 // of what the result needs, without element-wise operations but of distances
	shapes [][]int
	build  func(in []node) node
}

// product is the number of floating-point operations of a product of matrices.
func product(m, n, k int) float64 { return 2 * float64(m*n*k) }

// mlp are the shapes of a batch of examples and of two layers.
func mlp(batch, in, hidden, out int) [][]int {
	return [][]int{{batch, in}, {in, hidden}, {hidden, out}}
}

func small(x node, by float64) node { return ops.Mul(x, graph.Num(by)) }

// layers is a network of two layers.
func layers(x, w, v node) node {
	return ops.MatMul(ops.Tanh(ops.MatMul(x, small(w, 0.02))), small(v, 0.02))
}

func sumOfSquares(list ...node) node {
	var sum node
	for _, x := range list {
		if s := ops.Sum(ops.Square(x)); sum == nil {
			sum = s
		} else {
			sum = ops.Add(sum, s)
		}
	}
	return sum
}

var derivatives = []derivative{
	{"norms of the gradients of 128 examples", 3 * (product(128, 256, 784) + product(128, 10, 256)),
		mlp(128, 784, 256, 10), func(in []node) node {
			return ops.Vmap(in[:1], func(x []node) []node {
				loss := ops.Mean(ops.Square(layers(x[0], in[1], in[2])))
				return []node{sumOfSquares(autodiff.Grad(loss, in[1:])...)}
			})[0]
		}},
	{"gradients of 32 images", 32 * (product(16, 256, 27) + 2*product(32, 256, 144)),
		[][]int{{32, 3, 16, 16}, {16, 3, 3, 3}, {32, 16, 3, 3}}, func(in []node) node {
			all := ops.Vmap(in[:1], func(x []node) []node {
				y := ops.Relu(ops.Conv2D(x[0], small(in[1], 0.1), nil, ops.Padding(1)))
				y = ops.Relu(ops.Conv2D(y, small(in[2], 0.05), nil, ops.Padding(1)))
				return autodiff.Grad(ops.Mean(ops.Square(y)), in[1:])
			})
			return all[1]
		}},
	{"16 networks of their own weights", 16 * (product(64, 128, 64) + product(64, 10, 128)),
		[][]int{{64, 64}, {16, 64, 128}, {16, 128, 10}}, func(in []node) node {
			return ops.Vmap(in[1:], func(w []node) []node { return []node{layers(in[0], w[0], w[1])} })[0]
		}},
	{"distances of 512 and 512 points", 3 * 512 * 512 * 16, [][]int{{512, 16}, {512, 16}}, func(in []node) node {
		return ops.Vmap(in[:1], func(a []node) []node {
			return ops.Vmap(in[1:], func(b []node) []node { return []node{ops.Sum(ops.Square(ops.Sub(a[0], b[0])))} })
		})[0]
	}},
	{"an LSTM cell over 20 steps, 32 examples", 20 * product(32, 256, 128), [][]int{{32, 20, 64}, {64, 256}, {64, 256}},
		func(in []node) node {
			return ops.Vmap(in[:1], func(x []node) []node {
				zero := ops.Zeros(in[0].Graph(), graph.Float32, 64)
				final, _ := ops.Scan(ops.Loop{Carry: []node{zero, zero}, Over: x},
					func(c, e []node) (next, out []node) {
						gates := ops.Chunk(ops.Add(ops.MatMul(e[0], small(in[1], 0.02)),
							ops.MatMul(c[0], small(in[2], 0.02))), 0, 4)
						cell := ops.Add(ops.Mul(ops.Sigmoid(gates[0]), c[1]),
							ops.Mul(ops.Sigmoid(gates[1]), ops.Tanh(gates[2])))
						return []node{ops.Mul(ops.Sigmoid(gates[3]), ops.Tanh(cell)), cell}, nil
					})
				return final[:1]
			})[0]
		}},
	{"solutions of 256 systems of 16", 256 * 2. / 3 * 16 * 16 * 16, [][]int{{256, 16, 16}, {256, 16}},
		func(in []node) node {
			return ops.Vmap(in, func(e []node) []node {
				return []node{
					ops.Solve(ops.Add(e[0], ops.Mul(ops.Eye(in[0].Graph(), graph.Float32, 16, 16), graph.Num(64.0))),
						e[1])}
			})[0]
		}},
	{"Jacobian of 64 by 64", 64 * (product(1, 256, 64) + product(1, 64, 256)), mlp(1, 64, 256, 64),
		func(in []node) node {
			x := ops.Select(in[0], 0, 0)
			return autodiff.Jacobian(layers(x, in[1], in[2]), []node{x})[0]
		}},
	{"Jacobian of 1024 by 16", 16 * (product(1, 256, 16) + product(1, 1024, 256)), mlp(1, 16, 256, 1024),
		func(in []node) node {
			x := ops.Select(in[0], 0, 0)
			return autodiff.Jacobian(layers(x, in[1], in[2]), []node{x})[0]
		}},
	{"Jacobians of 64 examples, 16 by 32", 64 * 16 * product(1, 64, 32), mlp(64, 32, 64, 16), func(in []node) node {
		return ops.Vmap(in[:1], func(x []node) []node { return autodiff.Jacobian(layers(x[0], in[1], in[2]), x) })[0]
	}},
	{"Hessian of 128", 128 * 2 * product(1, 256, 128), mlp(1, 128, 256, 1), func(in []node) node {
		x := ops.Select(in[0], 0, 0)
		return autodiff.Hessian(ops.Sum(ops.Square(layers(x, in[1], in[2]))), []node{x})[0][0]
	}},
	{"Hessian with a vector, 235000 weights", 3 * product(128, 256, 784),
		[][]int{{128, 784}, {784, 256}, {256, 10}, {784, 256}, {256, 10}}, func(in []node) node {
			w := in[1:3]
			gradient := autodiff.Grad(ops.Mean(ops.Square(layers(in[0], w[0], w[1]))), w)
			return autodiff.JVP(gradient, w, in[3:])[0]
		}},
	{"in a direction, 235000 weights", 2 * product(128, 256, 784),
		[][]int{{128, 784}, {784, 256}, {256, 10}, {784, 256}, {256, 10}}, func(in []node) node {
			return autodiff.JVP([]node{layers(in[0], in[1], in[2])}, in[1:3], in[3:])[0]
		}},
}

// tasks makes the tasks to measure.
func tasks() (list []sidebyside.Task) {
	for _, d := range derivatives {
		list = append(list, sidebyside.Task{Name: d.name, DType: graph.Float32, Flops: d.flops, Shapes: d.shapes,
			Build:   d.build,
			Request: sidebyside.Request{"derivative": map[string]any{"name": d.name, "shapes": d.shapes}}})
	}
	return list
}
