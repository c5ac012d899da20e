package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// Crossover points: matrices with fewer rows become those with two diagonals by LAPACK, which is faster for these.
const (
	crossoverVectors        = 32  // eigenvectors and singular vectors
	crossoverEigenvalues    = 56  // eigenvalues alone, of symmetric matrices
	crossoverSingularValues = 120 // singular values alone
)

// Eigh writes the eigenvalues of a symmetric matrix of n rows, rising, and makes of the matrix, of which it reads the lower
// triangle, its eigenvectors, which are columns.
func Eigh(memory Memory, values, a []float64, n int, vectors bool) error {
	if !isFinite(a) {
		return errNotFinite
	}
	if n == 0 {
		return nil
	}
	greatest := 0.0
	for i := range n {
		greatest = max(greatest, maxAbs(a[i*n:i*n+i+1]))
	}
	exponent := scaled(a, greatest)
	defer scale(values, exponent)
	e, tau := memory.Floats(n-1), memory.Floats(n-1)
	byLAPACK := n < crossoverVectors || !vectors && n < crossoverEigenvalues
	if byLAPACK {
		lapack.Dsytd2(blas.Lower, n, a, n, values, e, tau)
	} else {
		triangular.Tridiagonal(memory, a, n, values, e, tau)
	}
	if !vectors {
		return rationalQL(values, e)
	}
	v := memory.Floats(n * n)
	if byLAPACK {
		work := memory.Floats(n)
		lapack.Dorgtr(blas.Lower, n, a, n, tau, work, len(work))
		transpose(v, a, n, n)
		err := implicitQL(values, e, v, n, n)
		transpose(a, v, n, n)
		return err
	}
	if err := tridiagonalVectors(memory, v, values, e); err != nil {
		return err
	}
	columns := memory.Floats(n * n)
	transpose(columns, v, n, n)
	triangular.Reflect(memory, columns[n:], a, tau, n-1, n-1, n)
	copy(a, columns)
	return nil
}

func maxAbs(a []float64) (most float64) {
	for _, v := range a {
		most = max(most, math.Abs(v))
	}
	return most
}

// scaled multiplies numbers, of which the greatest is given, with a power of two, if squares are too great or too small else. It returns the
// exponent of what undoes it.
func scaled(a []float64, greatest float64) (exponent int) {
	if greatest == 0 || greatest > 0x1p-100 && greatest < 0x1p100 {
		return 0
	}
	_, exponent = math.Frexp(greatest)
	scale(a, -exponent)
	return exponent
}

// scale multiplies with a power of two.
func scale(a []float64, exponent int) {
	if exponent != 0 {
		for i, v := range a {
			a[i] = math.Ldexp(v, exponent)
		}
	}
}
