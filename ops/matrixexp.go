package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
)

var opMatrixExp *graph.Op

func init() {
	opMatrixExp = matrixFunction("matrix_exp", "MatrixExp", "the exponential of each square matrix, I + A + A²/2 + …",
		[]int{2, 2}, squareMatrix("linalg.matrix_exp"),
		matrixKernel{exponential[float32], exponential[float64]},
		matrixExpGrad)
	opMatrixExp.Ref = named("scipy.linalg.expm", "torch.linalg.matrix_exp, torch.matrix_exp", "jax.scipy.linalg.expm",
		"", "",
		func(e *graph.Example) node { return MatrixExp(e.Of("a", "n", "n")) })
	opMatrixExp.Ref.Cost = "some 16·n³ operations for each matrix, and 2·n³ for each doubling of its norm beyond 5"
	composed("MatrixPower", "each square matrix multiplied with itself; of a negative exponent its inverse.",
		named("numpy.linalg.matrix_power", "torch.linalg.matrix_power, torch.matrix_power",
			"jax.numpy.linalg.matrix_power", "", "",
			func(e *graph.Example) node { return MatrixPower(e.Of("a", "n", "n"), 3) }))
}

func exponential[T triangular.Number](a *graph.Arrays, y []T) error {
	return dense.Exp(a, y, numbersOf[T](a, 0), a.Out.Shape[0])
}

// matrixExpGrad is the upper right block of the exponential of [[Aᵀ, dy], [0, Aᵀ]]: Mathias, A chain rule for matrix
// functions, 1996.
func matrixExpGrad(n, dy node, _ int) node {
	at, size := transposed(n.In(0)), n.Shape()[n.Rank()-1]
	block := Concat(-2, Concat(-1, at, dy), Concat(-1, ZerosLike(at), at))
	return Slice(Slice(MatrixExp(block), -2, 0, size, 1), -1, size, size.Times(2), 1)
}

// MatrixExp returns the exponential of each square matrix of a batch, [..., n, n], Float32 or Float64, by scaling and
// squaring. A matrix with numbers that are not finite gives NaN. It is torch.linalg.matrix_exp.
func MatrixExp(a *graph.Node) *graph.Node { return Apply(opMatrixExp, nil, a) }

// MatrixPower returns the power of each square matrix of a batch, [..., n, n], Float32 or Float64. Exponent 0 gives
// the identity, and a negative one the power of the inverse.
func MatrixPower(a *graph.Node, exponent int) *graph.Node {
	defer building("MatrixPower", a, exponent)()
	if bad := notMatrices(refused("MatrixPower", a).with(exponent), "linalg.matrix_power"); bad != nil {
		return bad
	}
	size := a.Shape()[a.Rank()-1]
	if exponent == 0 {
		return Expand(Eye(a.Graph(), a.DType(), size, size), a.Shape()...)
	}
	left := uint(exponent)
	if exponent < 0 {
		a, left = Inv(a), -left
	}
	var power node
	for ; ; a = MatMul(a, a) {
		if left&1 == 1 {
			if power == nil {
				power = a
			} else {
				power = MatMul(power, a)
			}
		}
		if left >>= 1; left == 0 {
			return power
		}
	}
}
