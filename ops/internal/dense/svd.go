package dense

import (
	"errors"

	"gonum.org/v1/gonum/blas"
	kinds "gonum.org/v1/gonum/lapack"

	"github.com/broadloom/broadloom/kernels/triangular"
)

var (
	errNotFinite = errors.New(
		"the algorithm failed to converge because the input matrix contained non-finite values")
	errNotConverged = errors.New("the algorithm failed to converge")
)

// SVD writes the singular values of a matrix of n rows and m columns, falling, and its singular vectors: the columns of
// u, of n rows, and the rows of vt, of m columns. There are as many of each as singular values, min(n, m). With nil u
// and vt it computes the values alone.
func SVD[T Number](memory Memory, u, s, vt, a []T, n, m int) error {
	if !isFinite(a) {
		return errNotFinite
	}
	if n == 0 || m == 0 {
		return nil
	}
	rows, k := max(n, m), min(n, m)
	copied := triangular.Room[T](memory, n*m)
	if wide, is := any(copied).([]float64); is &&
		(u == nil && k < crossoverSingularValues || k < crossoverVectors && rows < max(2*k, 64)) {
		copy(copied, a)
		return lapackSVD(memory, any(u).([]float64), any(s).([]float64), any(vt).([]float64), wide, n, m)
	}
	if n >= m {
		copy(copied, a)
	} else {
		transpose(copied, a, n, m)
	}
	exponent := scaled(copied, maxAbs(a))
	defer scale(s, exponent)
	if u == nil {
		return tallSVD(memory, nil, s, nil, copied, rows, k)
	}
	other := triangular.Room[T](memory, rows*k)
	if n >= m {
		v := other[:k*k]
		err := tallSVD(memory, u, s, v, copied, rows, k)
		transpose(vt, v, k, k)
		return err
	}
	err := tallSVD(memory, other, s, u, copied, rows, k)
	transpose(vt, other, rows, k)
	return err
}

func lapackSVD(memory Memory, u, s, vt, a []float64, n, m int) error {
	job, k := kinds.SVDStore, min(n, m)
	if u == nil {
		job = kinds.SVDNone
	}
	var size [1]float64
	lapack.Dgesvd(job, job, n, m, a, m, s, u, k, vt, m, size[:], -1)
	work := memory.Floats(int(size[0]))
	if !lapack.Dgesvd(job, job, n, m, a, m, s, u, k, vt, m, work, len(work)) {
		return errNotConverged
	}
	return nil
}

// tallSVD writes the singular values of a matrix of n rows and k columns, of which there are not more, and the vectors:
// the columns of u, of n rows, and of v.
func tallSVD[T Number](memory Memory, u, s, v, a []T, n, k int) error {
	square, tau := a, triangular.Room[T](memory, k)
	if n > k {
		square = triangular.Room[T](memory, k*k)
		triangular.QR(memory, a, tau, n, k)
		clear(square)
		for i := range k {
			copy(square[i*k+i:(i+1)*k], a[i*k+i:(i+1)*k])
		}
	}
	if u == nil {
		return squareSVD(memory, nil, s, nil, square, k)
	}
	clear(u[k*k:])
	err := squareSVD(memory, u[:k*k], s, v, square, k)
	if n > k {
		triangular.Reflect(memory, u, a, tau, n, k, k)
	}
	return err
}

// squareSVD is [tallSVD] of as many rows as columns.
func squareSVD[T Number](memory Memory, u, s, v, a []T, k int) error {
	if wide, is := any(a).([]float64); is && k < crossoverVectors {
		vt := memory.Floats(k * k)
		err := lapackSVD(memory, any(u).([]float64), any(s).([]float64), vt, wide, k, k)
		transpose(any(v).([]float64), vt, k, k)
		return err
	}
	right, beside := triangular.Room[T](memory, (k-1)*(k-1)), triangular.Room[T](memory, k-1)
	tauLeft, tauRight := triangular.Room[T](memory, k), triangular.Room[T](memory, k-1)
	triangular.Bidiagonal(memory, a, right, k, s, beside, tauLeft, tauRight)
	d, e := widened(memory, s), widened(memory, beside)
	defer narrowed(s, d)
	if u == nil {
		work := memory.Floats(4 * k)
		if !lapack.Dbdsqr(blas.Upper, k, 0, 0, 0, d, e, nil, 1, nil, 1, nil, 1, work) {
			return errNotConverged
		}
		return nil
	}
	rowsOfU, rowsOfV := triangular.Room[T](memory, k*k), triangular.Room[T](memory, k*k)
	bidiagonalVectors(memory, rowsOfU, rowsOfV, d, e)
	reverse(d, 1)
	reverse(rowsOfU, k)
	reverse(rowsOfV, k)
	transpose(u, rowsOfU, k, k)
	transpose(v, rowsOfV, k, k)
	triangular.Reflect(memory, u, a, tauLeft, k, k, k)
	triangular.Reflect(memory, v[k:], right, tauRight, k-1, k-1, k)
	return nil
}

// reverse puts rows of some columns in the other order.
func reverse[T Number](a []T, columns int) {
	for i, j := 0, len(a)-columns; i < j; i, j = i+columns, j-columns {
		for c := range columns {
			a[i+c], a[j+c] = a[j+c], a[i+c]
		}
	}
}
