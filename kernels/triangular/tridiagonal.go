package triangular

// Tridiagonal makes of a symmetric matrix of n rows, of which it reads the lower triangle, a tridiagonal one: Qᵀ·a·Q
// has d on its diagonal and e, n-1 numbers, beside it. Q keeps the first row as it is, and is the product of
// reflections behind: a becomes them, with n-1 rows and columns, and tau has n-1 numbers, as for [Reflect]. Of some
// columns the matrix loses what their reflections take together, v·wᵀ + w·vᵀ of each: Dongarra, Hammarling and
// Sorensen, Block reduction of matrices to condensed forms for eigenvalue computations, 1989.
func Tridiagonal[T Number](memory Memory, a []T, n int, d, e, tau []T) {
	if n == 0 {
		return
	}
	t := tridiagonalReduction[T]{all: newMatrix[T](memory, n, n), n: n, tau: tau}
	t.vw, t.wv, t.factors = newPairs[T](memory, n)
	t.column = Room[T](memory, t.all.columns)
	for i := range t.all.rows {
		row, have := t.all.row(i), 0
		if i < n {
			have = copy(row, a[i*n:i*n+i+1])
		}
		clear(row[have:])
		for r := i / sideOf[T]() * sideOf[T](); r < i; r++ { // blocks on the diagonal are whole
			t.all.row(r)[i] = row[r]
		}
	}
	for first := 0; first < n; first += blockColumns {
		end := min(first+blockColumns, n)
		for j := first; j < end; j++ {
			t.reduce(j, 2*(j-first), d, e)
		}
		keepReflections(a, n-1, &t.vw, 0, first, end, 1)
		if end < n {
			t.all.subtractPairs(&t.vw, &t.wv, end, end, true)
		}
	}
}

// tridiagonalReduction is a matrix on the way to a tridiagonal one. Its diagonal has blocks of side rows, which are
// whole.
type tridiagonalReduction[T Number] struct {
	all     matrix[T]
	n       int
	tau     []T
	vw, wv  matrix[T] // v and w of columns, in turn, and in the other turn
	column  []T       // of the matrix
	factors []T       // of rows of vw
}

// reduce makes a column of the matrix, which is to lose so many products, one of the tridiagonal one.
func (t *tridiagonalReduction[T]) reduce(j, taken int, d, e []T) {
	first := j / sideOf[T]() * sideOf[T]()
	v, w := t.vw.row(taken), t.vw.row(taken+1)
	column := t.column
	clear(column[first:j])
	for i := j; i < len(column); i++ {
		column[i] = t.all.numbers[i*t.all.stride+j]
	}
	subtractCombined(column, &t.wv, &t.vw, t.factors, j, taken, first)
	d[j] = column[j]
	if j+1 == t.n {
		return
	}
	for i := range 2 {
		clear(t.vw.row(taken + i))
		clear(t.wv.row(taken + i))
	}
	t.tau[j] = householder(column[j+1:], 1, t.n-j-1)
	e[j] = column[j+1]
	if t.tau[j] == 0 {
		return
	}
	copy(v[j+1:], column[j+1:t.n])
	v[j+1] = 1
	first = (j + 1) / sideOf[T]() * sideOf[T]()
	t.all.symmetric(w, v, first)
	subtractProducts(w, v, &t.wv, &t.vw, t.factors, taken, first, first)
	clear(w[:j+1])
	along := T(0)
	for i := j + 1; i < t.n; i++ {
		w[i] *= t.tau[j]
		along += T(w[i] * v[i])
	}
	along *= t.tau[j] / 2
	for i := j + 1; i < t.n; i++ {
		w[i] -= T(along * v[i])
	}
	copy(t.wv.row(taken), w)
	copy(t.wv.row(taken+1), v)
}
