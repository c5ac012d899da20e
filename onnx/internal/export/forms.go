package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/arrayforms"
	"github.com/broadloom/broadloom/ops"
)

// num is a number that takes the dtype of what it meets.
func num(v float64) *graph.Node { return graph.Num(v) }

// accumulated are the products of the elements up to each place of the last axis but one, or the greatest or least of
// them. A loop goes through the axis.
func accumulated(n *graph.Node, in []*graph.Node) *graph.Node {
	a := n.Attrs().(running)
	least, _, reverse := a.Running()
	x, axis := in[0], in[0].Rank()-2
	combine, begin := ops.Mul, ops.Ones(x.Graph(), x.DType(), slices.Delete(slices.Clone(x.Shape()), axis, axis+1)...)
	if a.SeeksExtremum() {
		begin = arrayforms.Before(x, axis, least)
	}
	switch {
	case a.SeeksExtremum() && least:
		combine = ops.Minimum
	case a.SeeksExtremum():
		combine = ops.Maximum
	}
	_, out := ops.Scan(ops.Loop{Carry: []*graph.Node{begin}, Over: []*graph.Node{ops.MoveAxis(x, axis, 0)},
		Reverse: reverse},
		func(c, t []*graph.Node) (next, out []*graph.Node) {
			y := combine(c[0], t[0])
			return []*graph.Node{y}, []*graph.Node{y}
		})
	return ops.MoveAxis(out[0], 0, axis)
}

// searchSorted counts, for each value, the elements of a sorted sequence that stand before it.
func searchSorted(n *graph.Node, in []*graph.Node) *graph.Node {
	sorted, values := in[0], ops.Unsqueeze(in[1], -1)
	if sorted.Rank() > 1 { // a sequence for each row of values
		sorted = ops.Unsqueeze(sorted, -2)
	}
	before := ops.GreaterEqual
	if n.Attrs().(interface{ IsRight() bool }).IsRight() {
		before = ops.Greater
	}
	return ops.Sum(ops.Cast(ops.Not(before(sorted, values)), graph.Int64), -1)
}

// rowsAndCols number the rows and the columns of matrices: [n, 1] and [1, n].
func rowsAndCols(x *graph.Node) (rows, cols *graph.Node) {
	s := x.Shape()
	return ops.Iota(x.Graph(), 0, s[len(s)-2], 1), ops.Iota(x.Graph(), 1, 1, s[len(s)-1])
}

// cholesky returns the lower triangle L with L·Lᵀ = A, column by column, or NaN if there is none.
func cholesky(_ *graph.Node, in []*graph.Node) *graph.Node {
	a := in[0]
	rows, cols := rowsAndCols(a)
	done := ops.Fori(a.Shape()[a.Rank()-1], []*graph.Node{ops.ZerosLike(a)},
		func(k *graph.Node, c []*graph.Node) []*graph.Node {
			l := c[0]
			row := ops.Sum(ops.Where(ops.Equal(rows, k), l, num(0)), -2, ops.KeepDims())
			column := ops.Sum(ops.Where(ops.Equal(cols, k), a, num(0)), -1, ops.KeepDims())
			column = ops.Sub(column, ops.Sum(ops.Mul(l, row), -1, ops.KeepDims()))
			pivot := ops.Sqrt(ops.Sum(ops.Where(ops.Equal(rows, k), column, num(0)), -2, ops.KeepDims()))
			column = ops.Where(ops.GreaterEqual(rows, k), ops.Div(column, pivot), num(0))
			return []*graph.Node{ops.Where(ops.Equal(cols, k), column, l)}
		})
	return done[0]
}

// triangular returns the solution X of A·X = B for triangular matrices A, row by row.
func triangular(n *graph.Node, in []*graph.Node) *graph.Node {
	upper, transposed, unit := n.Attrs().(interface {
		Triangle() (upper, transposed, unit bool)
	}).Triangle()
	a, b := in[0], in[1]
	if transposed {
		a, upper = ops.Transpose(a, -2, -1), !upper
	}
	rows, cols := rowsAndCols(a)
	size := a.Shape()[a.Rank()-1]
	done := ops.Fori(size, []*graph.Node{ops.ZerosLike(b)}, func(i *graph.Node, c []*graph.Node) []*graph.Node {
		at := i
		if upper {
			at = ops.Sub(ops.Size(a.Graph(), graph.Int64, size.Minus(1)), i)
		}
		here := ops.Equal(rows, at)
		row := ops.Sum(ops.Where(here, a, num(0)), -2, ops.KeepDims())
		pivot := ops.Sum(ops.Where(ops.Equal(cols, at), row, num(0)), -1, ops.KeepDims())
		known := ops.Less(cols, at)
		if upper {
			known = ops.Greater(cols, at)
		}
		rest := ops.Sub(ops.Sum(ops.Where(here, b, num(0)), -2, ops.KeepDims()),
			ops.MatMul(ops.Where(known, row, num(0)), c[0]))
		if !unit {
			rest = ops.Div(rest, pivot)
		}
		return []*graph.Node{ops.Where(here, rest, c[0])}
	})
	return done[0]
}
