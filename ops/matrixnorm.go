package ops

import (
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// MatrixNormOrder is the order of a matrix norm.
type MatrixNormOrder uint8

// The matrix norms.
const (
	FrobeniusNorm      MatrixNormOrder = iota // the square root of the sum of squares
	NuclearNorm                               // the sum of singular values
	SpectralNorm                              // the greatest singular value; PyTorch's order 2
	ColumnSumNorm                             // the greatest sum of magnitudes in a column; PyTorch's order 1
	RowSumNorm                                // the greatest sum of magnitudes in a row; PyTorch's order inf
	LeastSingularValue                        // PyTorch's order -2
	LeastColumnSum                            // the least sum of magnitudes in a column; PyTorch's order -1
	LeastRowSum                               // the least sum of magnitudes in a row; PyTorch's order -inf
)

var matrixNorms = [...]string{"FrobeniusNorm", "NuclearNorm", "SpectralNorm", "ColumnSumNorm", "RowSumNorm",
	"LeastSingularValue", "LeastColumnSum", "LeastRowSum"}

// String returns the name of the constant.
func (o MatrixNormOrder) String() string {
	if int(o) < len(matrixNorms) {
		return "ops." + matrixNorms[o]
	}
	return fmt.Sprintf("ops.MatrixNormOrder(%d)", uint8(o))
}

// MatrixNorm returns a norm of each matrix of a batch: [...] of [..., m, n], Float32 or Float64. It is
// torch.linalg.matrix_norm.
func MatrixNorm(a *graph.Node, order MatrixNormOrder) *graph.Node {
	defer building("MatrixNorm", a, order)()
	call := refused("MatrixNorm", a).with(order)
	if bad := notMatrices(call, "linalg.matrix_norm"); bad != nil {
		return bad
	}
	switch order {
	case FrobeniusNorm:
		return Norm(a, 2, -2, -1)
	case NuclearNorm:
		return Sum(SingularValues(a), -1)
	case SpectralNorm:
		return Max(SingularValues(a), -1)
	case ColumnSumNorm:
		return Max(Sum(Abs(a), -2), -1)
	case RowSumNorm:
		return Max(Sum(Abs(a), -1), -1)
	case LeastSingularValue:
		return Min(SingularValues(a), -1)
	case LeastColumnSum:
		return Min(Sum(Abs(a), -2), -1)
	case LeastRowSum:
		return Min(Sum(Abs(a), -1), -1)
	}
	return call.noOrder("linalg.matrix_norm", order)
}

func (r refusedCall) noOrder(word string, order MatrixNormOrder) node {
	return refusal(r, &graph.Mistake{Code: graph.CodeOperand,
		Summary: fmt.Sprintf("%s: there is no order %s", word, order),
		Help: []string{"orders are " + strings.Join(matrixNorms[:len(matrixNorms)-1], ", ") + " and " +
			matrixNorms[len(matrixNorms)-1]}})
}

// ConditionNumber returns a norm of each matrix of a batch times that of its inverse: [...] of [..., n, n], Float32
// or Float64. The default order is SpectralNorm. With this order and with LeastSingularValue, matrices may be [...,
// m, n], and the result is the greatest singular value divided by the least, or the reverse. A singular matrix gives
// +Inf, or 0 with LeastSingularValue. It is torch.linalg.cond.
func ConditionNumber(a *graph.Node, order ...MatrixNormOrder) *graph.Node {
	args := []any{a}
	for _, o := range order {
		args = append(args, o)
	}
	defer building("ConditionNumber", args...)()
	defer inFloat32(&a)()
	call := refused("ConditionNumber", a).with(args[1:]...)
	if bad := notMatrices(call, "linalg.cond"); bad != nil {
		return bad
	}
	if len(order) > 1 {
		return call.wrong(graph.CodeOperand, "linalg.cond takes one order, but got %d", len(order))
	}
	switch of := append(order, SpectralNorm)[0]; {
	case of == SpectralNorm:
		values := SingularValues(a)
		return Div(Max(values, -1), Min(values, -1))
	case of == LeastSingularValue:
		values := SingularValues(a)
		return Div(Min(values, -1), Max(values, -1))
	case int(of) >= len(matrixNorms):
		return call.noOrder("linalg.cond", of)
	default:
		return normsOfBoth(a, of)
	}
}

// normsOfBoth is the norm of a matrix times that of its inverse. A singular matrix has none: that of the identity
// stands in its place.
func normsOfBoth(a node, order MatrixNormOrder) node {
	sign, _ := SlogDet(a)
	if sign.Err() != nil || !sign.Judged() {
		return sign
	}
	isSingular, n := Equal(sign, num(0)), lastSize(a)
	inverse := Inv(Where(eachMatrix(isSingular), Eye(a.Graph(), a.DType(), n, n), a))
	return Where(isSingular, num(math.Inf(1)), Mul(MatrixNorm(a, order), MatrixNorm(inverse, order)))
}

func init() {
	composed("MatrixNorm",
		"a norm of each matrix: the root of the sum of squares, the sum or the greatest of the singular values, or the greatest sum of a column or a row.",
		named("numpy.linalg.matrix_norm", "torch.linalg.matrix_norm, torch.nuclear_norm, torch.frobenius_norm",
			"jax.numpy.linalg.matrix_norm", "", "",
			func(e *graph.Example) node { return MatrixNorm(e.Of("a", "n", "4"), FrobeniusNorm) }))
	composed("ConditionNumber",
		"the norm of each matrix, times that of its inverse: by default the largest singular value, divided by the smallest.",
		named("numpy.linalg.cond", "torch.linalg.cond", "jax.numpy.linalg.cond", "", "",
			func(e *graph.Example) node { return ConditionNumber(e.Of("a", "3", "4")) }))
}
