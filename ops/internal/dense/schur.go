package dense

import (
	"errors"

	kinds "gonum.org/v1/gonum/lapack"
)

// Hessenberg makes of a matrix of n rows the triangle with one diagonal below it, h, and writes the orthonormal q: a = q·h·qᵀ.
func Hessenberg(memory Memory, a, q []float64, n int) {
	if n == 0 {
		return
	}
	var size [1]float64
	tau := memory.Floats(max(n-1, 0))
	lapack.Dgehrd(n, 0, n-1, a, n, tau, size[:], -1)
	room := int(size[0])
	lapack.Dorghr(n, 0, n-1, q, n, tau, size[:], -1)
	work := memory.Floats(max(room, int(size[0])))
	lapack.Dgehrd(n, 0, n-1, a, n, tau, work, len(work))
	copy(q, a)
	lapack.Dorghr(n, 0, n-1, q, n, tau, work, len(work))
	for i := 2; i < n; i++ {
		clear(a[i*n : i*n+i-1])
	}
}

// Schur makes of a matrix of n rows its real Schur form t, a triangle but for blocks of two rows that have complex eigenvalues,
// and writes the orthonormal z: a = z·t·zᵀ.
func Schur(memory Memory, a, z []float64, n int) error {
	if !finite(a) {
		return errNotFinite
	}
	if n == 0 {
		return nil
	}
	Hessenberg(memory, a, z, n)
	var size [1]float64
	re, im := memory.Floats(n), memory.Floats(n)
	lapack.Dhseqr(kinds.EigenvaluesAndSchur, kinds.SchurOrig, n, 0, n-1, a, n, re, im, z, n, size[:], -1)
	work := memory.Floats(int(size[0]))
	if lapack.Dhseqr(kinds.EigenvaluesAndSchur, kinds.SchurOrig, n, 0, n-1, a, n, re, im, z, n, work, len(work)) != 0 {
		return errNoConverged
	}
	return nil
}

var errEigNotFinite = errors.New("the input tensor contains infs or NaNs")

// Eig writes the eigenvalues of a matrix of n rows, which it overwrites, and, with room for them, its eigenvectors, columns
// of length 1 whose greatest element is real: real and imaginary parts apart.
func Eig(memory Memory, re, im, vre, vim, a []float64, n int) error {
	if !finite(a) {
		return errEigNotFinite
	}
	if n == 0 {
		return nil
	}
	job, v, width := kinds.RightEVNone, []float64(nil), 1
	if vre != nil {
		job, v, width = kinds.RightEVCompute, vre, n
	}
	var size [1]float64
	lapack.Dgeev(kinds.LeftEVNone, job, n, a, n, re, im, nil, 1, v, width, size[:], -1)
	work := memory.Floats(int(size[0]))
	if lapack.Dgeev(kinds.LeftEVNone, job, n, a, n, re, im, nil, 1, v, width, work, len(work)) != 0 {
		return errNoConverged
	}
	if vre == nil {
		return nil
	}
	// Columns k and k+1 are the parts of the vector of a pair, the first of which has the positive imaginary part.
	clear(vim)
	for k := 0; k < n; k++ {
		if im[k] == 0 {
			continue
		}
		for i := range n {
			part := vre[i*n+k+1]
			vim[i*n+k], vim[i*n+k+1] = part, -part
			vre[i*n+k+1] = vre[i*n+k]
		}
		k++
	}
	return nil
}
