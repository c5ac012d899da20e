package triangular

import (
	"math"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// minBlocked is the number of rows or columns from which on matrices are worked on in blocks, in memory of their own. Smaller ones are worked on where they
// lie, number by number and with the same bits: those of 3 rows, of which there are many, take a fifth of the time so.
const minBlocked = side + 1

// solveUnblocked is [Solve] without blocks.
func solveUnblocked(t []float64, n int, of Form, b []float64, k int) {
	row, column, first, next := n, 1, 0, 1
	if of.Transposed {
		row, column = column, row
	}
	if of.Upper != of.Transposed {
		first, next = n-1, -1
	}
	for c := range k {
		for r := range n {
			i := first + next*r
			x := b[i*k+c]
			for s := range r {
				j := first + next*s
				x = scalar.FMA64(-t[i*row+j*column], b[j*k+c], x)
			}
			if !of.Unit {
				x /= t[i*row+i*column]
			}
			b[i*k+c] = x
		}
	}
}

// solveLUUnblocked is [SolveLU] without blocks.
func solveLUUnblocked(lu []float64, n int, pivots []int, transposed bool, b []float64, k int) {
	swap := func(i int) { exchange(b[i*k:(i+1)*k], b[pivots[i]*k:(pivots[i]+1)*k]) }
	lower, upper := Form{Unit: true, Transposed: transposed}, Form{Upper: true, Transposed: transposed}
	if transposed {
		solveUnblocked(lu, n, upper, b, k)
		solveUnblocked(lu, n, lower, b, k)
		for i := n - 1; i >= 0; i-- {
			swap(i)
		}
		return
	}
	for i := range n {
		swap(i)
	}
	solveUnblocked(lu, n, lower, b, k)
	solveUnblocked(lu, n, upper, b, k)
}

// luUnblocked is [LU] without blocks.
func luUnblocked(a []float64, n, m int, pivots []int) {
	for j := range pivots {
		with, most := j, -1.0
		for i := j; i < n; i++ {
			if v := math.Abs(a[i*m+j]); v > most {
				with, most = i, v
			}
		}
		pivots[j] = with
		own := a[j*m : (j+1)*m]
		exchange(own, a[with*m:(with+1)*m])
		if own[j] == 0 {
			continue
		}
		for i := j + 1; i < n; i++ {
			other := a[i*m : (i+1)*m]
			other[j] /= own[j]
			for c := j + 1; c < m; c++ {
				other[c] = scalar.FMA64(-other[j], own[c], other[c])
			}
		}
	}
}

// choleskyUnblocked is [Cholesky] without blocks.
func choleskyUnblocked(a []float64, n int) (failed int) {
	for i := range n {
		pivot := a[i*n+i]
		if !(pivot > 0) {
			return i + 1
		}
		root := math.Sqrt(pivot)
		for c := i; c < n; c++ {
			a[c*n+i] /= root
		}
		a[i*n+i] = root
		for r := i + 1; r < n; r++ {
			for c := r; c < n; c++ {
				a[c*n+r] -= float64(a[r*n+i] * a[c*n+i])
			}
		}
		clear(a[i*n+i+1 : (i+1)*n])
	}
	return 0
}
