package language

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// call is a function with the dtypes in which its example can be written.
type call struct {
	ops.Function
	dtypes []graph.DType
}

// calls lists all functions.
var calls = sync.OnceValue(func() (list []call) {
	for _, f := range ops.Functions() {
		c := call{Function: f}
		for _, t := range graph.DTypes() {
			e := &graph.Example{Graph: graph.New("try"), DType: t}
			if c.write(e); e.Graph.Err() == nil {
				c.dtypes = append(c.dtypes, t)
			}
		}
		if len(c.dtypes) > 0 {
			list = append(list, c)
		}
	}
	return list
})

// write writes the example.
func (c call) write(e *graph.Example) *graph.Node {
	if c.Example != nil {
		return c.Example(e)
	}
	var in []*graph.Node
	for _, name := range []string{"x", "y", "z"}[:c.Op.MinIn] {
		in = append(in, e.Of(name, "n"))
	}
	return ops.Apply(c.Op, nil, in...)
}

// program is a graph of some calls.
type program struct {
	*rand.Rand
	g        *graph.Graph
	calls    []string
	outputs  []*graph.Node
	gradient bool
}

func oneOf[T any](p *program, list ...T) T { return list[p.IntN(len(list))] }

// draw draws a program from a seed, with gradients on request. Consecutive seeds visit all functions.
func draw(seed uint64, gradient bool) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 11)), g: graph.New("language"), gradient: gradient}
	all := calls()
	chosen := []call{all[seed%uint64(len(all))]}
	for range p.IntN(3) {
		chosen = append(chosen, all[p.IntN(len(all))])
	}
	var results []*graph.Node
	for k, c := range chosen {
		p.calls = append(p.calls, c.Name)
		results = append(results, p.after(p.result(c, fmt.Sprintf("a%d_", k))))
	}
	p.outputs = append(p.outputs, results...)
	if len(results) > 1 {
		p.outputs = append(p.outputs, p.together(results))
	}
	p.differentiate()
	return p
}

// result writes an example, sometimes within a loop or a branch.
func (p *program) result(c call, prefix string) (y *graph.Node) {
	t := c.dtypes[p.IntN(len(c.dtypes))]
	if slices.Contains(c.dtypes, graph.Float32) && p.IntN(3) == 0 {
		t = graph.Float32
	}
	write := func() *graph.Node {
		return c.write(&graph.Example{Graph: p.g, DType: t, Prefix: prefix, Through: p.through})
	}
	switch {
	case c.Op != nil && c.Op.Ordered:
		return write()
	case p.IntN(8) == 0:
		total := ops.Fori(graph.Dim(p.IntN(4)), []*graph.Node{p.g.Scalar(graph.Float32, 0)},
			func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
				y = write()
				return []*graph.Node{ops.Tanh(ops.Add(carry[0], ops.Sum(ops.Cast(y, graph.Float32))))}
			})
		return total[0]
	case p.IntN(8) == 0:
		is := p.g.Input(prefix+"is", graph.Bool)
		either := ops.Cond(is, func() []*graph.Node { return []*graph.Node{ops.Sum(ops.Cast(write(), graph.Float32))} },
			func() []*graph.Node { return []*graph.Node{graph.Num(1)} })
		return either[0]
	}
	return write()
}

// through gives an example another operand than the input itself: the memory of an input in another order, or a value
// computed from it.
func (p *program) through(x *graph.Node) *graph.Node {
	rank := x.Rank()
	switch kind := p.IntN(8); {
	case kind == 0 && rank > 0:
		return ops.Flip(ops.Flip(x, 0), 0)
	case kind == 1 && rank > 0:
		axis := p.IntN(rank)
		return ops.Slice(ops.Concat(axis, x, x), axis, 0, x.Shape()[axis], 1)
	case kind == 2 && rank > 1:
		return ops.Transpose(ops.Copy(ops.Transpose(x, 0, rank-1)), 0, rank-1)
	case kind == 3:
		return ops.Copy(x)
	case kind == 4 && rank > 0:
		return ops.Flip(ops.Copy(ops.Flip(x, -1)), -1)
	case kind == 5 && x.DType().IsFloat():
		return ops.Neg(ops.Neg(x))
	}
	return x
}

// after computes a function of a result.
func (p *program) after(y *graph.Node) *graph.Node {
	for range p.IntN(3) {
		switch kind := p.IntN(10); {
		case !y.Judged():
		case kind == 0 && y.Rank() > 0:
			y = ops.Slice(y, p.IntN(y.Rank()), 0, ops.End, 2)
		case kind == 1 && y.Rank() > 1:
			y = ops.Transpose(y, 0, -1)
		case kind == 2 && y.Rank() > 0:
			y = ops.Flip(y, p.IntN(y.Rank()))
		case kind == 3:
			y = ops.Cast(y, oneOf(p, graph.DTypes()...))
		case kind == 4 && y.DType() != graph.Bool:
			y = ops.Maximum(y, y)
		case kind == 5 && y.DType() != graph.Bool:
			y = ops.Sum(y)
		case kind == 6 && y.DType() != graph.Bool:
			y = ops.Mul(y, y)
		case kind == 7 && y.DType().IsFloat():
			y = oneOf(p, ops.Tanh, ops.Relu, ops.Exp, ops.Abs, ops.Sqrt)(y)
		case kind == 8 && y.Rank() > 0 && y.DType().IsFloat():
			y = oneOf(p, ops.Softmax, ops.CumSum)(y, p.IntN(y.Rank()))
		}
	}
	return y
}

// together combines several values into one.
func (p *program) together(list []*graph.Node) *graph.Node {
	sum := ops.Sum(ops.Cast(list[0], graph.Float64))
	for _, y := range list[1:] {
		sum = ops.Add(sum, ops.Mean(ops.Cast(y, graph.Float32)))
	}
	return sum
}

// differentiate asks for the gradients of the last result.
func (p *program) differentiate() {
	y := p.outputs[len(p.outputs)-1]
	var inputs []*graph.Node
	for _, x := range p.g.Inputs() {
		if x.DType().IsFloat() {
			inputs = append(inputs, x)
		}
	}
	if !p.gradient || p.g.Err() != nil || len(inputs) == 0 || !y.DType().IsFloat() {
		return
	}
	loss := ops.Sum(oneOf(p, ops.Square, ops.Sin, ops.Copy)(y))
	first := autodiff.Grad(loss, inputs, autodiff.ZeroForUnused())
	p.outputs = append(p.outputs, first...)
}
