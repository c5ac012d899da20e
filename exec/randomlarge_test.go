package exec_test

import (
	"testing"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// products are programs on large products of matrices and what follows them.
var products = &kind{
	steps: 8, room: 700_000, threads: []int{1, 2, 3, 8}, open: true, grow: (*program).growProducts,
	begin: func(p *program) {
		rows := 200 + p.rng.Int64N(1000)
		p.large = map[string]int64{"batch": rows, "seq": (1<<20)/int64(p.float.Size())/rows + 1 + p.rng.Int64N(200)}
		depth := graph.Dim(3 + p.rng.IntN(40))
		x, w := p.input(p.float, p.batch, depth), p.input(p.float, depth, p.seq)
		if p.rng.IntN(2) == 0 {
			x, w = ops.Tanh(ops.Sin(x)), ops.Tanh(ops.Sin(w)) // their memory is free afterwards
		}
		p.nodes = append(p.nodes, x, w, ops.MatMul(x, w))
		p.params(p.rng.IntN(2))
	},
}

// growProducts goes on with a matrix, mostly the last one.
func (p *program) growProducts() *graph.Node {
	x := p.nodes[len(p.nodes)-1]
	if x.Rank() != 2 || p.rng.IntN(3) == 0 {
		x = p.among(func(n *graph.Node) bool { return n.Rank() == 2 && n.DType().IsFloat() })
	}
	s := x.Shape()
	with := func(shape ...graph.Dim) *graph.Node { return p.operand(x.DType(), shape) }
	switch p.rng.IntN(18) {
	case 0:
		return ops.Add(x, with(s[1]))
	case 1:
		return ops.Relu(ops.Add(x, with(s[1])))
	case 2:
		return ops.Mul(x, with(s[0], 1))
	case 3:
		return ops.Add(x, with(s...))
	case 4:
		return ops.Sum(x, -1)
	case 5:
		return ops.Sub(x, ops.Mean(x, ops.Axis(p.rng.IntN(2)), ops.KeepDims()))
	case 6:
		return ops.MatMul(x, ops.Transpose(with(5, s[1]), 0, 1))
	case 7:
		return ops.MatMul(with(17, s[0]), x)
	case 8:
		return ops.MatMul(x, with(s[1]))
	case 9:
		return ops.MatMul(with(s[0]), x)
	case 10:
		return ops.MatMul(with(s[1]), ops.Transpose(x, 0, 1))
	case 11:
		return ops.MatMul(ops.Transpose(x, 0, 1), with(s[0], 3))
	case 12:
		return ops.Softmax(x, p.axis(x))
	case 13:
		return ops.Relu(x)
	case 14:
		return ops.Neg(ops.Reshape(x, s[1], s[0]))
	case 15:
		return ops.Sum(x, 0)
	case 16:
		return ops.Sum(ops.Mul(x, with(s...)), 0)
	}
	return p.operation()
}

func TestRandomProductsAgreeWithTheOracle(t *testing.T) {
	followed := *products
	followed.options = []exec.Option{exec.RowsFrom(1 << 20)}
	randomPrograms(t, &followed, 12)
}

func TestRandomProductsOnTilesAgreeWithTheOracle(t *testing.T) {
	tiled := *products
	tiled.options = []exec.Option{exec.AllTiles()}
	randomPrograms(t, &tiled, 12)
}

// longRows are programs on a few rows that are longer than what a thread takes at once.
var longRows = &kind{steps: 8, room: 150_000, threads: []int{1, 2, 3, 8}, open: true, grow: (*program).growRows,
	begin: func(p *program) {
		p.large = map[string]int64{"batch": 1 + p.rng.Int64N(3), "seq": 8193 + p.rng.Int64N(20_000)}
		p.nodes = append(p.nodes, p.input(p.float, p.batch, p.seq))
		p.params(p.rng.IntN(2))
	}}

// growRows mostly adds a reduction along a row, and what needs its result.
func (p *program) growRows() *graph.Node {
	x := p.among(func(n *graph.Node) bool { return n.Rank() > 0 && n.DType().IsFloat() })
	axis := ops.Axis(x.Rank() - 1)
	switch p.rng.IntN(8) {
	case 0:
		return ops.Softmax(x, int(axis))
	case 1:
		return ops.Standardize(x, 0.1, axis)
	case 2:
		return ops.Sub(x, ops.LogSumExp(x, axis, ops.KeepDims()))
	case 3:
		return ops.Div(x, ops.Add(ops.Sum(ops.Square(x), axis, ops.KeepDims()), graph.Num(1)))
	case 4:
		return ops.Sub(ops.Tanh(x), ops.Mean(ops.Sin(x), axis, ops.KeepDims()))
	case 5:
		return p.smooth(x)
	}
	return p.operation()
}

func TestRandomLongRowsAgreeWithTheOracle(t *testing.T) { randomPrograms(t, longRows, 16) }
