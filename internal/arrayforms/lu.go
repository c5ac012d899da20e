package arrayforms

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// luFactors are the triangular factors of matrices, with row exchanges. A last row says with which row each was
// exchanged: Golub and Van Loan, Matrix Computations, 2013, algorithm 3.4.1.
func luFactors(_ *graph.Node, in []node) node {
	count, size := sizes(in[0])
	g := in[0].Graph()
	rows, cols := rowsOf(g, count), colsOf(g, size)
	exchanged := ops.Zeros(g, graph.Int64, append(in[0].Shape()[:in[0].Rank()-2:in[0].Rank()-2], 1, size)...)
	if count == 0 || size == 0 {
		return ops.Concat(-2, in[0], ops.Cast(exchanged, graph.Float64))
	}
	done := ops.Fori(graph.MinDim(count, size), []node{in[0], exchanged}, func(i node, c []node) []node {
		a := c[0]
		below := ops.GreaterEqual(rows, i)
		column := chosen(ops.Equal(cols, i), a, -1)
		with := ops.ArgMax(ops.Where(below, ops.Abs(column), num(-1)), -2, ops.KeepDims())
		a = exchange(a, i, with)
		pivots := chosen(ops.Equal(rows, i), a, -2)
		pivot := chosen(ops.Equal(cols, i), pivots, -1)
		column = chosen(ops.Equal(cols, i), a, -1)
		factor := ops.Div(column, ops.Where(ops.Equal(pivot, num(0)), num(1), pivot))
		under, right := ops.Greater(rows, i), ops.Greater(cols, i)
		a = ops.Where(ops.And(under, right), ops.Sub(a, ops.Mul(factor, pivots)), a)
		a = ops.Where(ops.And(under, ops.Equal(cols, i)), factor, a)
		return []node{a, ops.Where(ops.Equal(cols, i), with, c[1])}
	})
	return ops.Concat(-2, done[0], ops.Cast(done[1], graph.Float64))
}

// exchange swaps two rows of matrices.
func exchange(a, i, k node) node {
	count, _ := sizes(a)
	rows := rowsOf(a.Graph(), count)
	isFirst, isSecond := ops.Equal(rows, i), ops.Equal(rows, k)
	first, second := chosen(isFirst, a, -2), chosen(isSecond, a, -2)
	return ops.Where(isFirst, second, ops.Where(isSecond, first, a))
}

// luSolution is the solution of a system whose matrix is factored.
func luSolution(n *graph.Node, in []node) node {
	return solved(in[0], in[1], n.Attrs().(interface{ IsTransposed() bool }).IsTransposed(),
		"the solver failed because the input matrix is singular")
}

// luInverse is the inverse of factored matrices.
func luInverse(_ *graph.Node, in []node) node {
	_, size := sizes(in[0])
	identity := ops.Eye(in[0].Graph(), graph.Float64, size, size)
	return solved(in[0], identity, false, "the inversion could not be completed because the input matrix is singular")
}

// solved solves a·x = b, or aᵀ·x = b, for the matrices that luFactors has factored.
func solved(factors, b node, transposed bool, refusal string) node {
	_, size := sizes(factors)
	g := b.Graph()
	lu := ops.Slice(factors, -2, 0, size, 1)
	exchanged := ops.Cast(ops.Slice(factors, -2, size, size.Plus(1), 1), graph.Int64)
	if batch := factors.Shape()[:factors.Rank()-2]; b.Rank() < factors.Rank() {
		s := b.Shape()
		b = ops.Expand(b, append(batch[:len(batch):len(batch)], s[len(s)-2:]...)...)
	}
	lu = ops.Assert(lu, ops.Or(ops.NotEqual(lu, num(0)), ops.NotEqual(rowsOf(g, size), colsOf(g, size))), refusal)
	exchangeAll := func(x node, reverse bool) node {
		return ops.Fori(size, []node{x}, func(i node, c []node) []node {
			if reverse {
				i = ops.Sub(ops.Size(g, graph.Int64, size.Plus(-1)), i)
			}
			return []node{exchange(c[0], i, chosen(ops.Equal(colsOf(g, size), i), exchanged, -1))}
		})[0]
	}
	if transposed {
		y := ops.SolveTriangular(lu, b, ops.UpperTriangle(), ops.TransposedSystem())
		return exchangeAll(ops.SolveTriangular(lu, y, ops.UnitDiagonal(), ops.TransposedSystem()), true)
	}
	return ops.SolveTriangular(lu, ops.SolveTriangular(lu, exchangeAll(b, false), ops.UnitDiagonal()),
		ops.UpperTriangle())
}

// cofactors are the gradients of determinants. They are computed from U·diag(s)·Vᵀ as those of the diagonal matrix
// between U and Vᵀ, with the sign of the determinants of U and Vᵀ.
func cofactors(_ *graph.Node, in []node) node {
	u, s, vh := ops.SVD(in[0])
	size := s.Shape()[s.Rank()-1]
	g := s.Graph()
	others := ops.Prod(ops.Where(ops.Equal(rowsOf(g, size), colsOf(g, size)), num(1), ops.Unsqueeze(s, -2)), -1)
	sign := ops.Unsqueeze(ops.Sign(ops.Mul(ops.Det(u), ops.Det(vh))), -1)
	return ops.MatMul(ops.Mul(u, ops.Unsqueeze(ops.Mul(others, sign), -2)), vh)
}
