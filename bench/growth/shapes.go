package main

import (
	"fmt"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// shape is a family of graphs, one for each number of nodes.
type shape struct {
	name  string
	build func(g *graph.Graph, n int) []exec.Option
}

// shapes are the graphs that are measured. Their values are small: it is compilation that
// takes time, not the run.
var shapes = []shape{
	{"unary", func(g *graph.Graph, n int) []exec.Option { return chain(g, n, ops.Tanh) }},
	{"add", func(g *graph.Graph, n int) []exec.Option {
		y := input(g, "y", 8)
		return chain(g, n, func(x *graph.Node) *graph.Node { return ops.Add(x, y) })
	}},
	{"residual", func(g *graph.Graph, n int) []exec.Option {
		return chain(g, n/2, func(x *graph.Node) *graph.Node { return ops.Add(x, ops.Tanh(x)) })
	}},
	{"number", func(g *graph.Graph, n int) []exec.Option {
		return chain(g, n, func(x *graph.Node) *graph.Node { return ops.Mul(x, graph.Num(1.5)) })
	}},
	{"named", func(g *graph.Graph, n int) []exec.Option {
		x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
		for range n {
			x = ops.Tanh(x)
		}
		return []exec.Option{exec.Outputs(x)}
	}},
	{"flip", func(g *graph.Graph, n int) []exec.Option {
		return chain(g, n, func(x *graph.Node) *graph.Node { return ops.Flip(x, 0) })
	}},
	{"transpose", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", 2, 3, 4)
		for i := range n {
			x = ops.Transpose(x, i%2, 2)
		}
		return []exec.Option{exec.Outputs(x)}
	}},
	{"reshape", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", 8)
		for i := range n {
			x = ops.Reshape(x, [][]graph.Dim{{2, 4}, {4, 2}, {8}}[i%3]...)
		}
		return []exec.Option{exec.Outputs(x)}
	}},
	{"inferred", func(g *graph.Graph, n int) []exec.Option { // the first size, of twelve
		x := input(g, "x", 8)
		for i := range n {
			if i%2 == 1 {
				x = ops.Reshape(x, -1)
				continue
			}
			x = ops.Reshape(x, -1, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1)
		}
		return []exec.Option{exec.Outputs(x)}
	}},
	{"slice", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", graph.Dim(n+4))
		for range n {
			x = ops.Slice(x, 0, 1, ops.End, 1)
		}
		return []exec.Option{exec.Outputs(x)}
	}},
	{"expand", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", 1, 4)
		return []exec.Option{exec.Outputs(repeat(n/2, x, func(x *graph.Node) *graph.Node {
			return ops.Slice(ops.Expand(x, 3, 4), 0, 0, 1, 1)
		}))}
	}},
	{"viewed", func(g *graph.Graph, n int) []exec.Option {
		return chain(g, n/2, func(x *graph.Node) *graph.Node { return ops.Tanh(ops.Flip(x, 0)) })
	}},
	{"inplace", func(g *graph.Graph, n int) []exec.Option {
		y := input(g, "y", 8)
		x := ops.Copy(input(g, "x", 8))
		return []exec.Option{
			exec.Outputs(repeat(n, x, func(x *graph.Node) *graph.Node { return ops.AddInPlace(x, y) }))}
	}},
	{"parts", func(g *graph.Graph, n int) []exec.Option { // writes of parts of a value
		x := ops.Copy(input(g, "x", 8))
		for i := range n / 4 {
			x = ops.After(x, ops.AddInPlace(ops.Slice(x, 0, graph.Dim(i%4), graph.Dim(i%4+2), 1), graph.Num(1)))
		}
		return []exec.Option{exec.Outputs(x)}
	}},
	{"updates", func(g *graph.Graph, n int) []exec.Option { // of many parameters
		var w []*graph.Node
		for i := range n / 3 {
			p := g.Param(fmt.Sprint("p", i), graph.Float32, 4)
			w = append(w, ops.AddInPlace(p, ops.Mul(p, graph.Num(0.5))))
		}
		return []exec.Option{exec.Updates(w...)}
	}},
	{"sum", func(g *graph.Graph, n int) []exec.Option { // of terms of one value
		x := input(g, "x", 8)
		sum := ops.Mul(x, graph.Num(1))
		for i := range n / 2 {
			sum = ops.Add(sum, ops.Mul(x, graph.Num(float32(i))))
		}
		return []exec.Option{exec.Outputs(sum)}
	}},
	{"pads", func(g *graph.Graph, n int) []exec.Option { // of padded parts
		x := input(g, "x", 8)
		var sum *graph.Node
		for i := range n / 3 {
			at := graph.Dim(i % 8)
			term := ops.Pad(ops.Slice(x, 0, at, at.Plus(1), 1), 0, at, graph.Dim(7).Minus(at), 0)
			if sum == nil {
				sum = term
				continue
			}
			sum = ops.Add(sum, term)
		}
		return []exec.Option{exec.Outputs(sum)}
	}},
	{"unbind", func(g *graph.Graph, n int) []exec.Option { // and the gradient of all its parts
		x := input(g, "x", graph.Dim(n/4+1), 4)
		var sum *graph.Node
		for _, part := range ops.Unbind(x, 0) {
			if part = ops.Tanh(part); sum == nil {
				sum = part
				continue
			}
			sum = ops.Add(sum, part)
		}
		return []exec.Option{exec.Outputs(autodiff.Grad(ops.Sum(sum), []*graph.Node{x})...)}
	}},
	{"fanout", func(g *graph.Graph, n int) []exec.Option { // one value, many users
		x := input(g, "x", 8)
		var parts []*graph.Node
		for i := range n / 2 {
			parts = append(parts, ops.Tanh(ops.Mul(x, graph.Num(float32(i)))))
		}
		return []exec.Option{exec.Outputs(parts...)}
	}},
	{"tree", func(g *graph.Graph, n int) []exec.Option { // a balanced sum of inputs
		level := make([]*graph.Node, n/2)
		for i := range level {
			level[i] = input(g, fmt.Sprint("x", i), 4)
		}
		for len(level) > 1 {
			var next []*graph.Node
			for i := 0; i+1 < len(level); i += 2 {
				next = append(next, ops.Add(level[i], level[i+1]))
			}
			if len(level)%2 == 1 {
				next = append(next, level[len(level)-1])
			}
			level = next
		}
		return []exec.Option{exec.Outputs(level[0])}
	}},
	{"concat", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", 4)
		var parts []*graph.Node
		for i := range n / 2 {
			parts = append(parts, ops.Mul(x, graph.Num(float32(i))))
		}
		return []exec.Option{exec.Outputs(ops.Concat(0, parts...))}
	}},
	{"stack", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", 4)
		var parts []*graph.Node
		for i := range n / 3 {
			parts = append(parts, ops.Mul(x, graph.Num(float32(i))))
		}
		return []exec.Option{exec.Outputs(ops.Stack(0, parts...))}
	}},
	{"reduce", func(g *graph.Graph, n int) []exec.Option { // and broadcast
		return chain(g, n/2, func(x *graph.Node) *graph.Node { return ops.Sub(x, ops.Sum(x)) })
	}},
	{"softmax", func(g *graph.Graph, n int) []exec.Option {
		return chain(g, n/5, func(x *graph.Node) *graph.Node { return ops.Softmax(x, 0) })
	}},
	{"matmul", func(g *graph.Graph, n int) []exec.Option {
		x, w := input(g, "x", 2, 4), input(g, "w", 4, 4)
		return []exec.Option{
			exec.Outputs(repeat(n/2, x, func(x *graph.Node) *graph.Node { return ops.Tanh(ops.MatMul(x, w)) }))}
	}},
	{"constants", func(g *graph.Graph, n int) []exec.Option { // all is computed at compile time
		x := graph.Constant(g, []float32{1, 2, 3}, 3)
		return []exec.Option{exec.Outputs(repeat(n, x, ops.Tanh))}
	}},
	{"grad", func(g *graph.Graph, n int) []exec.Option {
		x := input(g, "x", 8)
		y := repeat(n/4, x, ops.Tanh)
		return []exec.Option{exec.Outputs(autodiff.Grad(ops.Sum(y), []*graph.Node{x})...)}
	}},
	{"mlp", func(g *graph.Graph, n int) []exec.Option {
		x := g.Input("x", graph.Float32, g.Dim("batch"), 8)
		for i := range n / 40 {
			x = ops.Tanh(nn.NewLinear(g, fmt.Sprint("l", i), 8, 8).Apply(nn.Training(g), x))
		}
		return []exec.Option{exec.Updates(optim.Adam(1e-3).Minimize(ops.Mean(ops.Square(x)))...)}
	}},
	{"lstm", lstm},
}

// lstm is a recurrent network, unrolled, with its training.
func lstm(g *graph.Graph, n int) []exec.Option {
	const in, hidden = 2, 16
	steps := graph.Dim(max(n/60, 1))
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, steps, in)
	wx := g.ParamInit("wx", graph.Float32, nn.XavierUniform(), in, 4*hidden)
	wh := g.ParamInit("wh", graph.Float32, nn.XavierUniform(), hidden, 4*hidden)
	b := g.Param("b", graph.Float32, 4*hidden)
	xw := ops.Add(ops.MatMul(x, wx), b)
	h := ops.Zeros(g, graph.Float32, batch, hidden)
	c := ops.Zeros(g, graph.Float32, batch, hidden)
	for _, xt := range ops.Unbind(xw, 1) {
		gates := ops.Chunk(ops.Add(xt, ops.MatMul(h, wh)), 1, 4)
		c = ops.Add(ops.Mul(ops.Sigmoid(gates[1]), c), ops.Mul(ops.Sigmoid(gates[0]), ops.Tanh(gates[2])))
		h = ops.Mul(ops.Sigmoid(gates[3]), ops.Tanh(c))
	}
	loss := ops.Mean(ops.Square(h))
	return []exec.Option{exec.Outputs(loss), exec.Updates(optim.Adam(2e-3).Minimize(loss)...)}
}

func input(g *graph.Graph, name string, sizes ...graph.Dim) *graph.Node {
	return g.Input(name, graph.Float32, sizes...)
}

// repeat applies an operation some times over.
func repeat(times int, x *graph.Node, op func(*graph.Node) *graph.Node) *graph.Node {
	for range times {
		x = op(x)
	}
	return x
}

// chain is a program whose only output is an operation applied some times over to an input.
func chain(g *graph.Graph, times int, op func(*graph.Node) *graph.Node) []exec.Option {
	return []exec.Option{exec.Outputs(repeat(times, input(g, "x", 8), op))}
}
