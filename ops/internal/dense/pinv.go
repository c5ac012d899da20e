package dense

import (
	"math"

	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/triangular"
)

// PseudoInverse writes the Moore-Penrose inverse, of m rows and n columns, of a matrix of n rows and m columns.
// Singular values up to least, or up to the greatest times share, count as 0.
func PseudoInverse(memory Memory, inverse, a []float64, n, m int, least, share float64) error {
	if inverseByQR(memory, inverse, a, n, m, least, share) {
		return nil
	}
	k := min(n, m)
	u, s, vt := memory.Floats(n*k), memory.Floats(k), memory.Floats(k*m)
	if err := SVD(memory, u, s, vt, a, n, m); err != nil {
		return err
	}
	rank := 0
	for rank < k && s[rank] > max(least, s[0]*share) {
		row := vt[rank*m : (rank+1)*m]
		for c := range row {
			row[c] /= s[rank]
		}
		rank++
	}
	clear(inverse)
	if rank > 0 {
		run(memory, gemm.Product[float64]{M: m, N: n, K: rank, A: columnByColumn(vt, m), B: columnByColumn(u, k),
			C: rowByRow(inverse, n)})
	}
	return nil
}

// maxCondition is up to which condition number a matrix is inverted by its triangle: the norm of an inverse has some
// exact digits there, so that the rank is certain. What rounding does to the inverse is of the order of the condition
// number as by singular values.
const maxCondition = 1e11

// inverseByQR writes the inverse R⁻¹·Qᵀ of a tall matrix Q·R, or that of a wide matrix's transpose, if no singular
// value counts as 0.
func inverseByQR(memory Memory, inverse, a []float64, n, m int, least, share float64) bool {
	rows, k := max(n, m), min(n, m)
	if k == 0 || !isFinite(a) {
		return false
	}
	q, r, qt := memory.Floats(rows*k), memory.Floats(k*k), memory.Floats(k*rows)
	if n >= m {
		copy(q, a)
	} else {
		transpose(q, a, n, m)
	}
	QR(memory, q, r, rows, k)
	x := inverse
	if n < m {
		x = qt
	}
	transpose(x, q, rows, k)
	for i := range k {
		if r[i*k+i] == 0 {
			return false
		}
	}
	triangular.Solve(memory, r, k, triangular.Form{Upper: true}, x, rows)
	// The least singular value is above smallest, rounding included, and the greatest not above whole.
	whole, smallest := frobenius(a), 0.99/frobenius(x)
	if !(whole <= maxCondition*smallest) || !(smallest > 0) {
		return false
	}
	if !(smallest > least) ||
		!(smallest > share*whole || smallest > share*largestSingular(memory, r, k, smallest/share)) {
		return false
	}
	if n < m {
		transpose(inverse, x, k, rows)
	}
	return true
}

// largestSingular is about the greatest singular value of a triangle of n rows, and not below it, by the power method
// from some vectors: that all of them are so poor in its vector that their greatest estimate falls short by a quarter
// has a chance below 1e-8 up to 10000 rows, and less that it falls short by half after few steps, which is enough to
// know that it is below some number. Kuczyński and Woźniakowski, Estimating the largest eigenvalue by the power and
// Lanczos algorithms with a random start, 1992.
func largestSingular(memory Memory, r []float64, n int, below float64) float64 {
	const vectors, fewSteps, steps, fewAbove, above = 8, 5, 12, 2, 1.25
	x, y := memory.Floats(n*vectors), memory.Floats(n*vectors)
	state := uint64(1)
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407 // Knuth's generator
		x[i] = float64(state>>11)*0x1p-53 - 0.5
	}
	greatest := 0.0
	for step := range steps {
		if step == fewSteps && fewAbove*greatest < below {
			return fewAbove * greatest
		}
		multiply(memory, y, r, x, n, n, vectors)
		for c := range vectors {
			before, after := 0.0, 0.0
			for i := c; i < len(x); i += vectors {
				before += float64(x[i] * x[i])
				after += float64(y[i] * y[i])
			}
			stretch := math.Sqrt(after / before)
			greatest = max(greatest, stretch)
			for i := c; i < len(y); i += vectors {
				y[i] /= stretch // so that powers stay in range
			}
		}
		run(memory, gemm.Product[float64]{M: n, N: vectors, K: n, A: columnByColumn(r, n), B: rowByRow(y, vectors),
			C: rowByRow(x, vectors)})
		for i := range x {
			x[i] /= greatest
		}
	}
	return above * greatest
}

// frobenius is the root of the sum of all squares.
func frobenius(a []float64) float64 {
	var sums [4]float64
	for len(a) >= len(sums) {
		for i := range sums {
			sums[i] += float64(a[i] * a[i])
		}
		a = a[len(sums):]
	}
	for _, v := range a {
		sums[0] += float64(v * v)
	}
	return math.Sqrt((sums[0] + sums[1]) + (sums[2] + sums[3]))
}
