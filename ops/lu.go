package ops

import "github.com/broadloom/broadloom/graph"

var opFactorsOfLU *graph.Op

func init() {
	opFactorsOfLU = define(graph.Op{
		Name: "lu_factors", Func: "luFactors", Doc: "the triangular factors of square matrices in one: U, and below it L without its diagonal of ones.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Infer: squareMatrix("linalg.lu_factor"),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			all, size := factorized(in[0]), lastSize(n)
			return Cast(Slice(all, -2, 0, size, 1), n.DType())
		},
		Grad: luGrad,
	})
	composed("LU", "the factors of each square matrix: P·L·U = A with a permutation P, L with ones on its diagonal, and an upper triangle U.",
		named("scipy.linalg.lu", "torch.linalg.lu", "jax.scipy.linalg.lu", "", "", func(e *graph.Example) node { return e.Several(LU(e.Of("a", "n", "n"))) }))
	composed("LUFactor", "the triangular factors of square matrices in one, and the exchanges of rows.",
		named("scipy.linalg.lu_factor", "torch.linalg.lu_factor, torch.linalg.lu_factor_ex, torch.lu", "jax.scipy.linalg.lu_factor, jax.lax.linalg.lu", "", "",
			func(e *graph.Example) node { return e.Several(LUFactor(e.Of("a", "n", "n"))) }))
	composed("LUSolve", "the solution of a system whose matrix is factored.",
		named("scipy.linalg.lu_solve", "torch.linalg.lu_solve, torch.lu_solve", "jax.scipy.linalg.lu_solve", "", "",
			func(e *graph.Example) node {
				return LUSolve(e.Of("lu", "n", "n"), e.As(graph.Int32, "pivots", "n"), e.Of("b", "n", "k"))
			}))
}

// luGrad is P·L⁻ᵀ·(tril(Lᵀ·dL, -1) + triu(dU·Uᵀ))·U⁻ᵀ: de Hoog, Anderssen and Lukas, Differentiation of matrix functionals using
// triangular factorization, 2011.
func luGrad(y, dy node, _ int) node {
	a := y.In(0)
	lower, upper := triangles(y)
	inner := Add(Tril(MatMul(transposed(lower), Tril(dy, -1)), -1), Triu(MatMul(Triu(dy, 0), transposed(upper)), 0))
	left := SolveTriangular(lower, inner, TransposedSystem(), UnitDiagonal())
	both := transposed(SolveTriangular(upper, transposed(left), UpperTriangle()))
	return MatMul(transposed(permutation(pivotsOf(a), a.DType())), both)
}

// triangles takes the factors apart.
func triangles(lu node) (lower, upper node) {
	n := lastSize(lu)
	return Add(Tril(lu, -1), Eye(lu.Graph(), lu.DType(), n, n)), Triu(lu, 0)
}

// pivotsOf are the rows, counted from 0, with which each row of square matrices is exchanged.
func pivotsOf(a node) node {
	size := lastSize(a)
	return Cast(Select(factorized(a), -2, size), graph.Int64)
}

// permutation is the matrix P with P·A = L·U, of exchanges of rows: row i of it is that of the identity which comes there.
func permutation(pivots node, t graph.DType) node {
	n, g := lastSize(pivots), pivots.Graph()
	place := Iota(g, 0, n)
	rows := Add(place, Mul(pivots, num64(0))) // in the shape of a batch
	rows = Fori(n, []node{rows}, func(i node, carry []node) []node {
		order := carry[0]
		with := Sum(Where(Equal(place, i), pivots, num64(0)), -1, KeepDims())
		isOne, isOther := Equal(place, i), Equal(place, with)
		one := Sum(Where(isOne, order, num64(0)), -1, KeepDims())
		other := Sum(Where(isOther, order, num64(0)), -1, KeepDims())
		return []node{Where(isOne, other, Where(isOther, one, order))}
	})[0]
	return Cast(Equal(Unsqueeze(rows, -1), place), t)
}

// LU returns the factors of each square matrix of a batch, [..., n, n] of Float32 or Float64, with P·L·U = A: a permutation P, L, which has
// ones on its diagonal and 0 above, and U, which has 0 below. As torch.linalg.lu. The gradient wants a matrix that is not
// singular.
func LU(a *graph.Node) (p, l, u *graph.Node) {
	defer building("LU", a)()
	if bad := notMatrices(refused("LU", a), "linalg.lu"); bad != nil {
		return bad, bad, bad
	}
	both := Apply(opFactorsOfLU, nil, a)
	if both.Err() != nil {
		return both, both, both
	}
	l, u = triangles(both)
	return transposed(permutation(pivotsOf(a), a.DType())), l, u
}

// LUFactor returns the factors of [LU] in one matrix, U and below it L without its diagonal, and with which row, counted from 1 and as
// Int32, each row was exchanged. As torch.linalg.lu_factor.
func LUFactor(a *graph.Node) (lu, pivots *graph.Node) {
	defer building("LUFactor", a)()
	if bad := notMatrices(refused("LUFactor", a), "linalg.lu_factor"); bad != nil {
		return bad, bad
	}
	if lu = Apply(opFactorsOfLU, nil, a); lu.Err() != nil {
		return lu, lu
	}
	return lu, Cast(Add(pivotsOf(a), num64(1)), graph.Int32)
}

// LUSolve returns the solution X of A·X = B, where lu, [..., n, n], and pivots, [..., n], are what [LUFactor] gives for A; B is
// [..., n, k], and leading axes broadcast. A matrix that is singular gives infinities or NaN.
func LUSolve(lu, pivots, b *graph.Node) *graph.Node {
	defer building("LUSolve", lu, pivots, b)()
	call := refused("LUSolve", lu, pivots, b)
	if bad := notMatrices(call, "linalg.lu_solve"); bad != nil {
		return bad
	}
	if !pivots.DType().IsInt() || pivots.Rank() < 1 || b.Rank() < 2 || pivots.Shape()[pivots.Rank()-1] != lastSize(lu) {
		return call.wrong(graph.CodeRank, "linalg.lu_solve: pivots are integers, one for each row of a matrix, and B a matrix; they have the dtypes and shapes %s%s and %s%s",
			pivots.DType(), pivots.Shape(), b.DType(), b.Shape())
	}
	p := permutation(Sub(Cast(pivots, graph.Int64), num64(1)), lu.DType())
	return SolveTriangular(lu, SolveTriangular(lu, MatMul(p, b), UnitDiagonal()), UpperTriangle())
}
