package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// randomChain draws products with elementwise steps and reductions between them, and their gradients.
type randomChain struct {
	*rand.Rand
	g                *graph.Graph
	dt               graph.DType
	batch            graph.Shape
	rows, cols, term graph.Dim
	inputs, values   []*graph.Node // what gradients are for, and matrices [batch…, rows, cols]
}

func newRandomChain(seed uint64, dt graph.DType) *randomChain {
	c := &randomChain{Rand: rand.New(rand.NewPCG(seed, 11)), g: graph.New("chain"), dt: dt}
	pick := func(sizes ...graph.Dim) graph.Dim { return sizes[c.IntN(len(sizes))] }
	for range c.IntN(4) {
		c.batch = append(c.batch, pick(1, 2, 3))
	}
	c.rows, c.cols, c.term = pick(1, 2, 5, 17, 37), pick(1, 3, 16, 41), pick(1, 4, 8)
	return c
}

// input makes an input, whose axes may lie in another order in memory.
func (c *randomChain) input(shape graph.Shape) *graph.Node {
	order := make([]int, len(shape))
	for i := range order {
		order[i] = i
	}
	if c.IntN(3) == 0 {
		order = c.Perm(len(shape))
	}
	lies := make(graph.Shape, len(shape))
	for i, at := range order {
		lies[at] = shape[i]
	}
	x := c.g.Input(fmt.Sprint("x", len(c.inputs)), c.dt, lies...)
	c.inputs = append(c.inputs, x)
	return ops.Permute(x, order...)
}

func (c *randomChain) matrices(last ...graph.Dim) graph.Shape {
	return append(append(graph.Shape{}, c.batch...), last...)
}

// product is a product of inputs.
func (c *randomChain) product() *graph.Node {
	s := ops.MatMul(c.input(c.matrices(c.rows, c.term)), ops.Transpose(c.input(c.matrices(c.cols, c.term)), -1, -2))
	c.values = append(c.values, s)
	return s
}

// beside is an input that may be repeated along some axes.
func (c *randomChain) beside(shape graph.Shape) *graph.Node {
	own := append(graph.Shape{}, shape...)
	for axis := range own {
		if c.IntN(3) == 0 {
			own[axis] = 1
		}
	}
	if lead := c.IntN(len(own) - 1); c.IntN(2) == 0 {
		own = own[lead:]
	}
	return c.input(own)
}

// step computes a matrix from one.
func (c *randomChain) step(s *graph.Node) *graph.Node {
	num := func(v float64) *graph.Node { return c.g.Scalar(c.dt, v) }
	switch c.IntN(15) {
	case 0:
		return ops.Mul(s, num(0.5))
	case 1, 2:
		return ops.Add(s, c.beside(s.Shape()))
	case 3:
		return ops.Add(s, c.product())
	case 4:
		return ops.Mul(s, c.product())
	case 5:
		return ops.Sigmoid(s)
	case 6:
		return ops.Square(ops.Relu(s))
	case 7:
		rows, cols := positions(s)
		return ops.Mul(s, ops.Exp(ops.Mul(num(-0.1), ops.Cast(ops.Abs(ops.Sub(rows, cols)), c.dt))))
	case 8:
		rows, cols := positions(s)
		return ops.MaskedFill(s, ops.Greater(cols, rows), graph.Num(-3))
	case 9, 10:
		return ops.Softmax(s, -1)
	case 11:
		return ops.Sub(s, ops.Mean(s, -1, ops.KeepDims()))
	case 12:
		return ops.Add(s, c.values[c.IntN(len(c.values))])
	case 13:
		return ops.Mul(s, c.beside(s.Shape()))
	}
	axes := []ops.Axis{-1, -2, ops.KeepDims()} // a softmax over rows, too
	e := ops.Exp(ops.Sub(s, ops.Max(s, axes...)))
	return ops.Div(e, ops.Sum(e, axes...))
}

// build returns what the products and their gradients leave.
func (c *randomChain) build() []*graph.Node {
	s := c.product()
	for range 1 + c.IntN(6) {
		s = c.step(s)
		c.values = append(c.values, s)
	}
	var y *graph.Node
	switch c.IntN(5) {
	case 0: // sums over rows
		y = ops.MatMul(ops.Transpose(s, -1, -2), c.input(c.matrices(c.rows, 5)))
	case 1: // its rows go on
		y = ops.MatMul(s, c.input(c.matrices(c.cols, 5)))
		y = ops.Sigmoid(ops.Add(y, c.beside(y.Shape())))
	case 2: // two products
		y = ops.Add(ops.MatMul(s, c.input(c.matrices(c.cols, 5))),
			ops.MatMul(c.values[c.IntN(len(c.values))], c.input(c.matrices(c.cols, 5))))
	default:
		y = ops.MatMul(s, c.input(c.matrices(c.cols, 5)))
	}
	loss := ops.Mean(ops.Square(y), ops.AllAxes())
	return append([]*graph.Node{y}, autodiff.Grad(loss, c.inputs)...)
}

// Chains of random steps have the bits of whole matrices, however axes of their kernels are merged.
func TestRandomChainsHaveTheBitsOfWholeMatrices(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 80
	}
	chained := 0
	for seed := range uint64(count) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newRandomChain(seed, []graph.DType{graph.Float32, graph.Float64}[seed%2])
			outputs := c.build()
			feed := randomFeed(t, c.g)
			want := results(t, c.g, outputs, feed, 1, exec.ChainsOf(0))
			chained += c.chained(t, outputs, feed)
			for _, threads := range []int{1, 3} {
				for _, option := range []exec.Option{
					exec.ChainsOf(1 + c.IntN(14)), exec.SharedChainsOf(1 + c.IntN(14))} {
					got := results(t, c.g, outputs, feed, threads, option)
					for i := range outputs {
						requireBits(t, want[i], got[i], fmt.Sprintf("output %d, %d threads", i, threads))
					}
				}
			}
		})
	}
	require.Greater(t, chained, count)
}

// chained is the number of kernels that run in blocks.
func (c *randomChain) chained(t *testing.T, outputs []*graph.Node, feed exec.Feed) int {
	p, err := exec.Compile(c.g, exec.Outputs(outputs...), exec.ChainsOf(3))
	require.NoError(t, err)
	s := p.NewSession()
	_, err = s.Run(t.Context(), feed)
	require.NoError(t, err)
	return s.Chained()
}
