package dense

import (
	"fmt"

	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/broadloom/broadloom/kernels/triangular"
)

var lapack gonum.Implementation

// Cholesky makes of a symmetric matrix of n rows, of which it reads the lower triangle, its factor L: L·Lᵀ is the
// matrix.
func Cholesky[T Number](memory Memory, a []T, n int) error {
	if order := triangular.Cholesky(memory, a, n); order > 0 {
		return fmt.Errorf(
			"the factorization could not be completed because the input is not positive-definite (the leading minor of order %d is not positive-definite)",
			order)
	}
	return nil
}
