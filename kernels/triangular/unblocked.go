package triangular

// minBlocked is the number of rows or columns from which on matrices are worked on in blocks, in memory of their own.
// Smaller ones are worked on where they lie, number by number and with the same bits: those of 3 rows, of which there
// are many, take a fifth of the time so.
func minBlocked[T Number]() int { return sideOf[T]() + 1 }

// isUnblocked reports whether a system of n rows and k columns is solved without blocks: of one column or two, blocks
// would fill a fourth of their vectors.
func isUnblocked[T Number](n, k int) bool {
	const few, rows = 2, 24
	return max(n, k) < minBlocked[T]() || k <= few && n <= rows
}

// solveUnblocked is [Solve] without blocks. What is solved is taken from all rows behind it at once, which wait for no
// sum so, and in the order of the columns.
func solveUnblocked[T Number](t []T, n int, of Form, b []T, k int) {
	row, column, first, next := n, 1, 0, 1
	if of.Transposed {
		row, column = column, row
	}
	if of.Upper != of.Transposed {
		first, next = n-1, -1
	}
	if k == 1 {
		solveColumn(t, n, row, column, first, next, of.Unit, b)
		return
	}
	for r := range n {
		i := first + next*r
		x := b[i*k : (i+1)*k]
		if !of.Unit {
			by := t[i*row+i*column]
			for c := range x {
				x[c] /= by
			}
		}
		at, y := i*row+i*column, i*k
		for range n - 1 - r {
			at, y = at+next*row, y+next*k
			l := -t[at]
			for c, v := range x {
				b[y+c] = fma(l, v, b[y+c])
			}
		}
	}
}

// solveColumn is [solveUnblocked] for one column: rows and columns of t are so far apart, and rows are solved from the
// first on, each followed by the next.
func solveColumn[T Number](t []T, n, row, column, first, next int, unit bool, b []T) {
	for r := range n {
		i := first + next*r
		at := i*row + i*column
		x := b[i]
		if !unit {
			x /= t[at]
			b[i] = x
		}
		for range n - 1 - r {
			at, i = at+next*row, i+next
			b[i] = fma(-t[at], x, b[i])
		}
	}
}

// solveLUUnblocked is [SolveLU] without blocks.
func solveLUUnblocked[T Number](lu []T, n int, pivots []int, transposed bool, b []T, k int) {
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
func luUnblocked[T Number](a []T, n, m int, pivots []int) {
	for j := range pivots {
		with, most := j, T(-1)
		for i := j; i < n; i++ {
			if v := abs(a[i*m+j]); v > most {
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
				other[c] = fma(-other[j], own[c], other[c])
			}
		}
	}
}

// choleskyUnblocked is [Cholesky] without blocks.
func choleskyUnblocked[T Number](a []T, n int) (failed int) {
	for i := range n {
		pivot := a[i*n+i]
		if !(pivot > 0) {
			return i + 1
		}
		root := sqrt(pivot)
		for c := i; c < n; c++ {
			a[c*n+i] /= root
		}
		a[i*n+i] = root
		for r := i + 1; r < n; r++ {
			for c := r; c < n; c++ {
				a[c*n+r] -= T(a[r*n+i] * a[c*n+i])
			}
		}
		clear(a[i*n+i+1 : (i+1)*n])
	}
	return 0
}
