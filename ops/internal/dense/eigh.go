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

// Eigh writes the eigenvalues of a symmetric matrix of n rows, rising, and makes of the matrix, of which it reads the
// lower triangle, its eigenvectors, which are columns.
func Eigh[T Number](memory Memory, values, a []T, n int, vectors bool) error {
	if !isFinite(a) {
		return errNotFinite
	}
	if n == 0 {
		return nil
	}
	greatest := T(0)
	for i := range n {
		greatest = max(greatest, maxAbs(a[i*n:i*n+i+1]))
	}
	exponent := scaled(a, greatest)
	defer scale(values, exponent)
	if x, is := any(a).([]float64); is && (n < crossoverVectors || !vectors && n < crossoverEigenvalues) {
		return eighByLAPACK(memory, any(values).([]float64), x, n, vectors)
	}
	beside, tau := triangular.Room[T](memory, n-1), triangular.Room[T](memory, n-1)
	triangular.Tridiagonal(memory, a, n, values, beside, tau)
	d, e := widened(memory, values), widened(memory, beside)
	defer narrowed(values, d)
	if !vectors {
		return rationalQL(memory, d, e)
	}
	v := triangular.Room[T](memory, n*n)
	if err := tridiagonalVectors(memory, v, d, e); err != nil {
		return err
	}
	columns := triangular.Room[T](memory, n*n)
	transpose(columns, v, n, n)
	triangular.Reflect(memory, columns[n:], a, tau, n-1, n-1, n)
	copy(a, columns)
	return nil
}

func eighByLAPACK(memory Memory, values, a []float64, n int, vectors bool) error {
	e, tau := memory.Floats(n-1), memory.Floats(n-1)
	lapack.Dsytd2(blas.Lower, n, a, n, values, e, tau)
	if !vectors {
		return rationalQL(memory, values, e)
	}
	v, work := memory.Floats(n*n), memory.Floats(n)
	lapack.Dorgtr(blas.Lower, n, a, n, tau, work, len(work))
	transpose(v, a, n, n)
	err := implicitQL(values, e, v, n, n)
	transpose(a, v, n, n)
	return err
}

func maxAbs[T Number](a []T) (most T) {
	for _, v := range a {
		most = max(most, abs(v))
	}
	return most
}

// scaled multiplies numbers, of which the greatest is given, with a power of two, if squares, or of float32 products
// with some numbers, are too great or too small else. It returns the exponent of what undoes it.
func scaled[T Number](a []T, greatest T) (exponent int) {
	least := 0x1p-100
	if isSingle[T]() {
		least = 0x1p-50
	}
	if most := float64(greatest); most == 0 || most > least && most < 1/least {
		return 0
	}
	_, exponent = math.Frexp(float64(greatest))
	scale(a, -exponent)
	return exponent
}

// scale multiplies with a power of two.
func scale[T Number](a []T, exponent int) {
	if exponent == 0 {
		return
	}
	const most = 120 // of which the power is a number of float32
	if by := T(math.Ldexp(1, exponent)); exponent >= -most && exponent <= most {
		for i := range a {
			a[i] *= by
		}
		return
	}
	for i, v := range a {
		a[i] = T(math.Ldexp(float64(v), exponent))
	}
}
