package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opFactorsOfLU *graph.Op

func init() {
	opFactorsOfLU = define(graph.Op{
		Name: "lu_factors", Func: "luFactors",
		Doc:   "the triangular factors of matrices in one: U, and below it L without its diagonal of ones.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Batch: onLastAxes, Autocast: graph.AutocastWidens,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.MatrixBatch(c, "linalg.lu_factor")
			return c.DType(0), s
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			return Cast(Slice(factorized(in[0]), -2, 0, n.Shape()[n.Rank()-2], 1), n.DType())
		},
		Grad: luGrad,
	})
	composed(
		"LU", "the factors of each matrix: P·L·U = A with a permutation P, L with ones on its diagonal, and an upper triangle U.",
		named("scipy.linalg.lu", "torch.linalg.lu", "jax.scipy.linalg.lu", "", "", func(e *graph.Example) node {
			return e.Several(LU(e.Of("a", "n", "n")))
		}))
	composed("LUFactor", "the triangular factors of matrices in one, and the exchanges of rows.",
		named("scipy.linalg.lu_factor", "torch.linalg.lu_factor, torch.linalg.lu_factor_ex, torch.lu",
			"jax.scipy.linalg.lu_factor, jax.lax.linalg.lu", "", "",
			func(e *graph.Example) node { return e.Several(LUFactor(e.Of("a", "n", "n"))) }))
	composed("LUUnpack", "the factors P, L and U from the result of LUFactor.",
		shownAs("LUUnpack(lu, pivots)", named("", "torch.lu_unpack", "", "", "",
			func(e *graph.Example) node {
				lu, pivots := LUFactor(e.Of("a", "n", "n"))
				return e.Several(LUUnpack(lu, pivots))
			})))
	composed("LUSolve", "the solution of a system whose matrix is factored.",
		shownAs("LUSolve(lu, pivots, b)", named(
			"scipy.linalg.lu_solve", "torch.linalg.lu_solve, torch.lu_solve", "jax.scipy.linalg.lu_solve", "", "",
			func(e *graph.Example) node {
				lu, pivots := LUFactor(e.Of("a", "n", "n"))
				return LUSolve(lu, pivots, e.Of("b", "n", "k"))
			})))
}

// luGrad is, of square matrices, P·L⁻ᵀ·(tril(Lᵀ·dL, -1) + triu(dU·Uᵀ))·U⁻ᵀ: de Hoog, Anderssen and Lukas,
// Differentiation of matrix functionals using triangular factorization, 2011. Columns behind the square are L times
// those of U, and rows below it those of L times U: their gradients are those of the products.
func luGrad(y, dy node, _ int) node {
	a := y.In(0)
	rows, cols, k := sidesOf(a)
	lower, upper := triangles(Slice(Slice(y, -2, 0, k, 1), -1, 0, k, 1))
	top := Slice(dy, -2, 0, k, 1)
	square := Slice(top, -1, 0, k, 1)
	dl, du := Tril(square, -1), Triu(square, 0)
	var behind, below node
	if k != cols {
		behind = SolveTriangular(lower, Slice(top, -1, k, cols, 1), TransposedSystem(), UnitDiagonal())
		dl = Sub(dl, MatMul(behind, transposed(Slice(Slice(y, -2, 0, k, 1), -1, k, cols, 1))))
	}
	if k != rows {
		below = transposed(SolveTriangular(upper, transposed(Slice(Slice(dy, -2, k, rows, 1), -1, 0, k, 1)),
			UpperTriangle()))
		du = Sub(du, MatMul(transposed(Slice(Slice(y, -2, k, rows, 1), -1, 0, k, 1)), below))
	}
	inner := Add(Tril(MatMul(transposed(lower), dl), -1), Triu(MatMul(du, transposed(upper)), 0))
	left := SolveTriangular(lower, inner, TransposedSystem(), UnitDiagonal())
	grad := transposed(SolveTriangular(upper, transposed(left), UpperTriangle()))
	if behind != nil {
		grad = Concat(-1, grad, behind)
	}
	if below != nil {
		if behind != nil { // where sizes decide, one of both is empty
			below = Pad(below, -1, 0, cols.Plus(k.Times(-1)), 0)
		}
		grad = Concat(-2, grad, below)
	}
	return MatMul(transposed(permutation(pivotsOf(a), rows, a.DType())), grad)
}

// sidesOf are the rows and columns of matrices, and the lesser of both.
func sidesOf(a node) (rows, cols, least graph.Dim) {
	rows, cols = a.Shape()[a.Rank()-2], lastSize(a)
	return rows, cols, graph.MinDim(rows, cols)
}

// triangles takes the factors apart.
func triangles(lu node) (lower, upper node) {
	rows, cols, k := sidesOf(lu)
	lower, upper = lu, lu
	if k != cols {
		lower = Slice(lu, -1, 0, k, 1)
	}
	if k != rows {
		upper = Slice(lu, -2, 0, k, 1)
	}
	return Add(Tril(lower, -1), Eye(lu.Graph(), lu.DType(), rows, k)), Triu(upper, 0)
}

// pivotsOf are the rows, counted from 0, with which each of the first rows of matrices is exchanged.
func pivotsOf(a node) node {
	rows, cols, k := sidesOf(a)
	pivots := Select(factorized(a), -2, rows)
	if k != cols {
		pivots = Slice(pivots, -1, 0, k, 1)
	}
	return Cast(pivots, graph.Int64)
}

// permutation is the matrix P with P·A = L·U, of exchanges of so many rows: row i of it is that of the identity which
// comes there.
func permutation(pivots node, count graph.Dim, t graph.DType) node {
	n, g := lastSize(pivots), pivots.Graph()
	place, turn := Iota(g, 0, count), Iota(g, 0, n)
	rows := Expand(place, slices.Concat(pivots.Shape()[:pivots.Rank()-1], graph.Shape{count})...)
	rows = Fori(n, []node{rows}, func(i node, carry []node) []node {
		order := carry[0]
		with := Sum(Where(Equal(turn, i), pivots, num64(0)), -1, KeepDims())
		isOne, isOther := Equal(place, i), Equal(place, with)
		one := Sum(Where(isOne, order, num64(0)), -1, KeepDims())
		other := Sum(Where(isOther, order, num64(0)), -1, KeepDims())
		return []node{Where(isOne, other, Where(isOther, one, order))}
	})[0]
	return Cast(Equal(Unsqueeze(rows, -1), place).Silence(graph.CodeMutualExpand), t)
}

// LU returns the factors P·L·U = A of each matrix of a batch, [..., m, n], Float32 or Float64. P is a permutation,
// [..., m, m]; L, [..., m, k], is lower triangular with ones on its diagonal; and U, [..., k, n], is upper
// triangular, where k is the lesser of m and n. The gradient needs a nonsingular matrix of the first k rows, after
// pivoting, and the first k columns. It is torch.linalg.lu.
func LU(a *graph.Node) (p, l, u *graph.Node) {
	defer building("LU", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("LU", a), "linalg.lu"); bad != nil {
		return bad, bad, bad
	}
	both := Apply(opFactorsOfLU, nil, a)
	if both.Err() != nil {
		return both, both, both
	}
	l, u = triangles(both)
	return transposed(permutation(pivotsOf(a), a.Shape()[a.Rank()-2], a.DType())), l, u
}

// LUFactor returns the factors of [LU] in one matrix of the shape of A: U, and below it L without its diagonal.
// pivots, Int32, are the rows, counted from 1, with which each of the first rows was exchanged. It is
// torch.linalg.lu_factor.
func LUFactor(a *graph.Node) (lu, pivots *graph.Node) {
	defer building("LUFactor", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("LUFactor", a), "linalg.lu_factor"); bad != nil {
		return bad, bad
	}
	if lu = Apply(opFactorsOfLU, nil, a); lu.Err() != nil {
		return lu, lu
	}
	return lu, Cast(Add(pivotsOf(a), num64(1)), graph.Int32)
}

// givenPivots are pivots that count from 1, counted from 0, after a check that they are rows of lu.
func givenPivots(pivots, lu node) node {
	pivots = lu.Graph().Convert(pivots, graph.Int64)
	areRows := And(GreaterEqual(pivots, num64(1)),
		LessEqual(pivots, Size(lu.Graph(), graph.Int64, lu.Shape()[lu.Rank()-2])))
	return Sub(Assert(pivots, areRows, "pivots must be row numbers from 1 on, as LUFactor returns them"), num64(1))
}

// LUUnpack returns the factors P, L and U of [LU] from the results of [LUFactor]: lu, [..., m, n], and pivots, [...,
// k]. A pivot that is not a row stops the run. It is torch.lu_unpack.
func LUUnpack(lu, pivots *graph.Node) (p, l, u *graph.Node) {
	defer building("LUUnpack", lu, pivots)()
	call := refused("LUUnpack", lu, pivots)
	if bad := notMatrices(call, "lu_unpack"); bad != nil {
		return bad, bad, bad
	}
	if !pivots.DType().IsInt() || pivots.Rank() != lu.Rank()-1 {
		bad := call.wrong(graph.CodeRank,
			"lu_unpack: pivots are integers, some for each matrix; they have the dtype and shape %s%s, and the matrices %s",
			pivots.DType(), pivots.Shape(), lu.Shape())
		return bad, bad, bad
	}
	l, u = triangles(lu)
	return transposed(permutation(givenPivots(pivots, lu), lu.Shape()[lu.Rank()-2], lu.DType())), l, u
}

// LUSolve returns the solution X of A·X = B from the results of [LUFactor] for A: lu, [..., n, n], and pivots, [...,
// n]. B is [..., n, k], and leading axes broadcast. With [TransposedSystem], the only option, it solves Aᵀ·X = B. A
// pivot that is not a row stops the run. A singular matrix gives infinities or NaN. It is torch.linalg.lu_solve.
func LUSolve(lu, pivots, b *graph.Node, opts ...TriangularOption) *graph.Node {
	a := triangularOf(opts)
	defer graph.BeginCall("LUSolve", a, lu, pivots, b)()
	defer inFloat32(&lu, &b)()
	call := refused("LUSolve", lu, pivots, b)
	if a.Upper || a.Unit {
		return call.wrong(graph.CodeOperand, "the only option of LUSolve is TransposedSystem")
	}
	if bad := notMatrices(call, "linalg.lu_solve"); bad != nil {
		return bad
	}
	if !pivots.DType().IsInt() || pivots.Rank() < 1 || b.Rank() < 2 || pivots.Shape()[pivots.Rank()-1] != lastSize(lu) {
		return call.wrong(graph.CodeRank,
			"linalg.lu_solve: pivots are integers, one for each row of a matrix, and B a matrix; they have the dtypes and shapes %s%s and %s%s",
			pivots.DType(), pivots.Shape(), b.DType(), b.Shape())
	}
	p := permutation(givenPivots(pivots, lu), lastSize(lu), lu.DType())
	if a.Transposed {
		upper := SolveTriangular(lu, b, UpperTriangle(), TransposedSystem())
		return MatMul(transposed(p), SolveTriangular(lu, upper, UnitDiagonal(), TransposedSystem()))
	}
	return SolveTriangular(lu, SolveTriangular(lu, MatMul(p, b), UnitDiagonal()), UpperTriangle())
}
