package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// MatrixNormOrder is one of the norms of matrices.
type MatrixNormOrder uint8

// The norms of matrices.
const (
	FrobeniusNorm MatrixNormOrder = iota // the root of the sum of squares
	NuclearNorm                          // the sum of singular values
	SpectralNorm                         // the greatest singular value; PyTorch's order 2
	ColumnSumNorm                        // the greatest sum of magnitudes in a column; PyTorch's order 1
	RowSumNorm                           // the greatest sum of magnitudes in a row; PyTorch's order inf
)

var matrixNorms = [...]string{"FrobeniusNorm", "NuclearNorm", "SpectralNorm", "ColumnSumNorm", "RowSumNorm"}

// String is the name of the constant.
func (o MatrixNormOrder) String() string {
	if int(o) < len(matrixNorms) {
		return "ops." + matrixNorms[o]
	}
	return fmt.Sprintf("ops.MatrixNormOrder(%d)", uint8(o))
}

// MatrixNorm returns a norm of each matrix of a batch: [...] of [..., m, n], Float32 or Float64, as torch.linalg.matrix_norm.
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
	}
	return refusal(call, &graph.Mistake{Code: graph.CodeOperand, Summary: fmt.Sprintf("linalg.matrix_norm: there is no order %s", order),
		Help: []string{"orders are FrobeniusNorm, NuclearNorm, SpectralNorm, ColumnSumNorm and RowSumNorm"}})
}

// ConditionNumber returns the greatest singular value of each matrix of a batch, divided by the least: [...] of [..., m, n], Float32 or
// Float64, as torch.linalg.cond of order 2. It is +Inf for singular matrices.
func ConditionNumber(a *graph.Node) *graph.Node {
	defer building("ConditionNumber", a)()
	if bad := notMatrices(refused("ConditionNumber", a), "linalg.cond"); bad != nil {
		return bad
	}
	values := SingularValues(a)
	return Div(Max(values, -1), Min(values, -1))
}

func init() {
	composed("MatrixNorm", "a norm of each matrix: the root of the sum of squares, the sum or the greatest of the singular values, or the greatest sum of a column or a row.",
		named("numpy.linalg.matrix_norm", "torch.linalg.matrix_norm, torch.nuclear_norm, torch.frobenius_norm", "jax.numpy.linalg.matrix_norm", "", "",
			func(e *graph.Example) node { return MatrixNorm(e.Of("a", "n", "4"), FrobeniusNorm) }))
	composed("ConditionNumber", "the greatest singular value of each matrix, divided by the least.",
		named("numpy.linalg.cond", "torch.linalg.cond", "jax.numpy.linalg.cond", "", "",
			func(e *graph.Example) node { return ConditionNumber(e.Of("a", "3", "4")) }))
}
