package dense

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

var lapack gonum.Implementation

// stride is the distance of the rows of a matrix of n columns, which LAPACK wants to be positive.
func stride(n int) int { return max(n, 1) }

// Cholesky makes of a symmetric matrix of n rows, of which it reads the lower triangle, its factor L: L·Lᵀ is the matrix.
func Cholesky(a []float64, n int) error {
	ok := lapack.Dpotrf(blas.Lower, n, a, stride(n))
	for i := range n {
		if pivot := a[i*n+i]; !ok && !(pivot > 0) {
			return fmt.Errorf("the factorization could not be completed because the input is not positive-definite (the leading minor of order %d is not positive-definite)", i+1)
		}
		clear(a[i*n+i+1 : (i+1)*n])
	}
	return nil
}

// Triangle says which triangle of a matrix a system is solved with.
type Triangle struct {
	Upper      bool // else the lower one
	Transposed bool // the matrix of the system is the triangle's transpose
	Unit       bool // the diagonal counts as ones, and is not read
}

// SolveTriangular makes of b, of n rows and k columns, the solution x of t·x = b, for a triangle t of n rows. Where the
// diagonal has a 0, x is infinite or NaN.
func SolveTriangular(t []float64, n int, of Triangle, b []float64, k int) {
	if n == 0 || k == 0 {
		return
	}
	uplo, trans, diag := blas.Lower, blas.NoTrans, blas.NonUnit
	if of.Upper {
		uplo = blas.Upper
	}
	if of.Transposed {
		trans = blas.Trans
	}
	if of.Unit {
		diag = blas.Unit
	}
	blas64.Implementation().Dtrsm(blas.Left, uplo, trans, diag, n, k, 1, t, n, b, k)
}
