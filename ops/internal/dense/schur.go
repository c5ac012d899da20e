package dense

import (
	"math"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// crossoverHessenberg is up to how many rows a matrix becomes one with a single diagonal below its triangle by LAPACK,
// whose loops are faster for these.
const crossoverHessenberg = 64

// Hessenberg makes of a matrix of n rows the triangle with one diagonal below it, h, and writes the orthonormal q: a =
// q·h·qᵀ.
func Hessenberg(memory Memory, a, q []float64, n int) {
	if n == 0 {
		return
	}
	count := n - 1
	v, tau := memory.Floats(n*n), memory.Floats(count)
	if n <= crossoverHessenberg {
		copy(v, a)
		if lapackHessenberg(memory, v, tau, n) {
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

// lapackHessenberg makes of a matrix of n rows one with a single diagonal below its triangle, and reflections below
// that. It reports whether these are orthonormal: numbers near the least ones of float64 make LAPACK err.
func lapackHessenberg(memory Memory, a, tau []float64, n int) bool {
	work := memory.Floats(n)
	lapack.Dgehd2(n, 0, n-1, a, n, tau, work)
	for i := range n - 1 {
		if below := math.Abs(a[(i+1)*n+i]); below > 0 && below < 0x1p-900 {
			return false
		}
	}
	return true
}

// Schur makes of a matrix of n rows its real Schur form t, a triangle but for blocks of two rows that have complex
// eigenvalues, and writes the orthonormal z: a = z·t·zᵀ.
func Schur(memory Memory, a, z []float64, n int) error {
	if !isFinite(a) {
		return errNotFinite
	}
	if n == 0 {
		return nil
	}
	exponent := scaled(a, maxAbs(a))
	defer scale(a, exponent)
	Hessenberg(memory, a, z, n)
	return realSchur(memory, a, z, memory.Floats(n), memory.Floats(n), n, true)
}
