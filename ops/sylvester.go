package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/dense"
)

var opSylvester, opSqrtM, opLogM *graph.Op

func init() {
	opSylvester = matrixFunction("sylvester", "sylvester",
		"the solution X of A·X + X·B = C, of operands with the same batch axes.", []int{2, 2, 2, 2},
		func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(2), c.Shape(2) },
		inFloat64(func(a *graph.Arrays, y []float64) error {
			return dense.Sylvester(a, y, numbersOf[float64](a, 0), numbersOf[float64](a, 1), numbersOf[float64](a, 2),
				a.Out.Shape[0], a.Out.Shape[1])
		}), sylvesterGrad)
	opSqrtM = matrixFunction("sqrtm", "SqrtM", "the principal square root of each square matrix: X·X = A.", []int{2, 2},
		squareMatrix("linalg.sqrtm"),
		inFloat64(func(a *graph.Arrays, y []float64) error {
			return dense.Sqrt(a, y, numbersOf[float64](a, 0), a.Out.Shape[0])
		}),
		func(x, dy node, _ int) node { // of X·X = A follows dX·X + X·dX = dA
			return Apply(opSylvester, nil, transposed(x), transposed(x), dy)
		})
	opLogM = matrixFunction("logm", "LogM", "the principal logarithm of each square matrix: MatrixExp of it is A.",
		[]int{2, 2}, squareMatrix("linalg.logm"),
		inFloat64(func(a *graph.Arrays, y []float64) error {
			return dense.Log(a, y, numbersOf[float64](a, 0), a.Out.Shape[0])
		}),
		func(n, dy node, _ int) node { return alongMatrix(LogM, transposed(n.In(0)), dy) })
	composed("SolveSylvester", "the solution X of A·X + X·B = C; leading axes are batches and broadcast.",
		named("scipy.linalg.solve_sylvester", "", "jax.scipy.linalg.solve_sylvester", "", "",
			func(e *graph.Example) node {
				return SolveSylvester(e.Of("a", "n", "n"), e.Of("b", "k", "k"), e.Of("c", "n", "k"))
			}))
	composed("MatrixExpFrechet",
		"the exponential of each square matrix, and its directional derivative along a second one.",
		named("scipy.linalg.expm_frechet", "", "jax.scipy.linalg.expm_frechet", "", "",
			func(e *graph.Example) node {
				return e.Several(MatrixExpFrechet(e.Of("a", "n", "n"), e.Of("along", "n", "n")))
			}))
	opSqrtM.Ref = named("scipy.linalg.sqrtm", "", "jax.scipy.linalg.sqrtm", "", "", func(e *graph.Example) node {
		return SqrtM(e.Of("a", "n", "n"))
	})
	opLogM.Ref = named("scipy.linalg.logm", "", "", "", "", func(e *graph.Example) node {
		return LogM(e.Of("a", "n", "n"))
	})
	opSqrtM.Ref.Cost = "some 100·n³ operations for each matrix"
	opLogM.Ref.Cost = "some 100·n³ operations for each matrix, and 4/3·n³ for each halving of its logarithm"
}

// sylvesterGrad: of A·X + X·B = C, dC = Y with Aᵀ·Y + Y·Bᵀ = dX, dA = -Y·Xᵀ and dB = -Xᵀ·Y: as Giles, Collected matrix
// derivative results, 2008, has it for systems.
func sylvesterGrad(x, dy node, i int) node {
	y := Apply(opSylvester, nil, transposed(x.In(0)), transposed(x.In(1)), dy)
	switch i {
	case 0:
		return Neg(MatMul(y, transposed(x)))
	case 1:
		return Neg(MatMul(transposed(x), y))
	}
	return y
}

// alongMatrix is the derivative of a function of matrices at a along e: the upper right block of the function of
// [[a, e], [0, a]]. Mathias, A chain rule for matrix functions, 1996.
func alongMatrix(f func(*graph.Node) *graph.Node, a, e node) node {
	_, along := withDerivative(f, a, e)
	return along
}

func withDerivative(f func(*graph.Node) *graph.Node, a, e node) (y, along node) {
	n := lastSize(a)
	upper := Slice(f(Concat(-2, Concat(-1, a, e), Concat(-1, ZerosLike(a), a))), -2, 0, n, 1)
	return Slice(upper, -1, 0, n, 1), Slice(upper, -1, n, n.Times(2), 1)
}

// SolveSylvester returns the solution X of A·X + X·B = C for A, [..., n, n], B, [..., k, k], and C, [..., n, k],
// Float32 or Float64. Leading axes broadcast. If A and -B have a common eigenvalue, the run stops with an error that
// has the position in the batch. It is scipy.linalg.solve_sylvester.
func SolveSylvester(a, b, c *graph.Node) *graph.Node {
	defer building("SolveSylvester", a, b, c)()
	defer inFloat32(&a, &b, &c)()
	call := refused("SolveSylvester", a, b, c)
	if bad := notMatrices(call, "linalg.solve_sylvester"); bad != nil {
		return bad
	}
	for i, x := range []node{b, c} {
		switch {
		case x.DType() != a.DType():
			return call.wrongDType(oneFloat(a, b, c),
				"linalg.solve_sylvester: all must have the same dtype, but A has %s and %s has %s", a.DType(),
				[]string{"B", "C"}[i], x.DType())
		case x.Rank() < 2:
			return call.wrong(graph.CodeRank,
				"linalg.solve_sylvester: %s must have at least two axes, but has shape %s", []string{"B", "C"}[i],
				x.Shape())
		}
	}
	square := []sameSize{squareSides(a), squareSides(b)}
	if bad := call.unequal(graph.CodeRank, square...); bad != nil {
		return bad
	}
	all := MatMul(MatMul(a, c), b) // in whose shape the batches meet
	if all.Err() != nil || !all.Judged() {
		return all
	}
	batch := all.Shape()[:all.Rank()-2]
	x := Apply(opSylvester, nil, inBatches(a, 2, batch), inBatches(b, 2, batch), inBatches(c, 2, batch))
	requireEqual(x, square...)
	return x
}

// squareSides are the sides of matrices that must be square.
func squareSides(a node) sameSize {
	return sameSize{a: a, i: a.Rank() - 2, b: a, j: a.Rank() - 1, of: "rows and columns",
		says: fmt.Sprintf("linalg.solve_sylvester: A and B must be batches of square matrices, but %s has shape %s",
			a.Called(), a.Shape())}
}

// SqrtM returns the principal square root of each square matrix of a batch, [..., n, n], Float32 or Float64: the one
// whose eigenvalues have no negative real part. If a matrix has a negative eigenvalue, the run stops with an error
// that has its position in the batch; so does the gradient of a singular matrix. A matrix with numbers that are not
// finite gives NaN. It is scipy.linalg.sqrtm where that is real.
func SqrtM(a *graph.Node) *graph.Node { return Apply(opSqrtM, nil, a) }

// LogM returns the principal logarithm of each square matrix of a batch, [..., n, n], Float32 or Float64, the inverse
// of [MatrixExp]. If a matrix is singular or has a negative eigenvalue, the run stops with an error that has its
// position in the batch. A matrix with numbers that are not finite gives NaN. It is scipy.linalg.logm where that is
// real.
func LogM(a *graph.Node) *graph.Node { return Apply(opLogM, nil, a) }

// MatrixExpFrechet returns the exponential of each square matrix A of a batch, [..., n, n], Float32 or Float64, and
// its Fréchet (directional) derivative along a matrix of the same shape. It is scipy.linalg.expm_frechet.
func MatrixExpFrechet(a, along *graph.Node) (exp, derivative *graph.Node) {
	defer building("MatrixExpFrechet", a, along)()
	defer inFloat32(&a, &along)()
	call := refused("MatrixExpFrechet", a, along)
	if bad := notMatrices(call, "linalg.expm_frechet"); bad != nil {
		return bad, bad
	}
	if along.DType() != a.DType() || along.Rank() != a.Rank() {
		bad := call.wrong(graph.CodeRank,
			"linalg.expm_frechet: both operands must have the same dtype and shape, but have %s%s and %s%s", a.DType(),
			a.Shape(), along.DType(), along.Shape())
		return bad, bad
	}
	return withDerivative(MatrixExp, a, along)
}
