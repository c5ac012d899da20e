package dense

import (
	"errors"
	"math"

	kinds "gonum.org/v1/gonum/lapack"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// fewByLAPACK is up to how many rows a matrix becomes one with a single diagonal below its triangle by LAPACK, whose loops are faster for these.
const fewByLAPACK = 64

// Hessenberg makes of a matrix of n rows the triangle with one diagonal below it, h, and writes the orthonormal q: a = q·h·qᵀ.
func Hessenberg(memory Memory, a, q []float64, n int) {
	if n == 0 {
		return
	}
	count := n - 1
	v, tau := memory.Floats(n*n), memory.Floats(count)
	if n <= fewByLAPACK {
		copy(v, a)
		if hessenbergOfFew(memory, v, tau, n) {
			copy(a, v)
			copy(q, v)
			work := memory.Floats(n)
			lapack.Dorghr(n, 0, count, q, n, tau, work, len(work))
			for i := 2; i < n; i++ {
				clear(a[i*n : i*n+i-1])
			}
			return
		}
	}
	v = v[:count*count]
	triangular.Hessenberg(memory, a, v, tau, n)
	triangular.Orthonormal(memory, v, v, tau, count, count, count)
	clear(q)
	q[0] = 1
	for i := range count {
		copy(q[(i+1)*n+1:], v[i*count:(i+1)*count])
	}
}

// hessenbergOfFew makes of a matrix of n rows one with a single diagonal below its triangle, and reflections below that. It reports whether these are orthonormal: numbers near the
// least ones of float64 make LAPACK err.
func hessenbergOfFew(memory Memory, a, tau []float64, n int) bool {
	work := memory.Floats(n)
	lapack.Dgehd2(n, 0, n-1, a, n, tau, work)
	for i := range n - 1 {
		if below := math.Abs(a[(i+1)*n+i]); below > 0 && below < 0x1p-900 {
			return false
		}
	}
	return true
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
	exponent := scaled(a, mostOf(a))
	defer scale(a, exponent)
	Hessenberg(memory, a, z, n)
	return quasiTriangle(memory, a, z, memory.Floats(n), memory.Floats(n), n, true)
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
	if vre == nil {
		return eigenvalues(memory, re, im, a, n)
	}
	var size [1]float64
	lapack.Dgeev(kinds.LeftEVNone, kinds.RightEVCompute, n, a, n, re, im, nil, 1, vre, n, size[:], -1)
	work := memory.Floats(int(size[0]))
	if lapack.Dgeev(kinds.LeftEVNone, kinds.RightEVCompute, n, a, n, re, im, nil, 1, vre, n, work, len(work)) != 0 {
		return errNoConverged
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

// eigenvalues writes those of a matrix of n rows, which it overwrites.
func eigenvalues(memory Memory, re, im, a []float64, n int) error {
	exponent := scaled(a, mostOf(a))
	first, last := lapack.Dgebal(kinds.PermuteScale, n, a, n, memory.Floats(n))
	size := last - first + 1
	for i := range n {
		re[i], im[i] = a[i*n+i], 0
	}
	for i := range size { // what is left of the block is not wanted any more
		copy(a[i*size:(i+1)*size], a[(first+i)*n+first:])
	}
	block, tau := a[:size*size], memory.Floats(size-1)
	if size <= fewByLAPACK {
		hessenbergOfFew(memory, block, tau, size)
		for i := 2; i < size; i++ {
			clear(block[i*size : i*size+i-1])
		}
	} else {
		triangular.Hessenberg(memory, block, memory.Floats((size-1)*(size-1)), tau, size)
	}
	err := quasiTriangle(memory, block, nil, re[first:last+1], im[first:last+1], size, false)
	scale(re, exponent)
	scale(im, exponent)
	return err
}
