package triangular

// Tridiagonal makes of a symmetric matrix of n rows, of which it reads the lower triangle, a tridiagonal one: Qᵀ·a·Q has d on its diagonal and e, n-1 numbers, beside it.
// Q keeps the first row as it is, and is the product of reflections behind: a becomes them, with n-1 rows and columns, and tau has n-1 numbers, as for [Reflect]. Of some columns the
// matrix loses what their reflections take together, v·wᵀ + w·vᵀ of each: Dongarra, Hammarling and Sorensen, Block reduction of matrices to condensed forms for
// eigenvalue computations, 1989.
func Tridiagonal(memory Memory, a []float64, n int, d, e, tau []float64) {
	if n == 0 {
		return
	}
	t := tridiagonalizing{all: newMatrix(memory, n, n), n: n, tau: tau}
	t.vw, t.wv = newMatrix(memory, 2*reflected, n), newMatrix(memory, 2*reflected, n)
	t.column, t.factors = memory.Floats(t.all.columns), memory.Floats(2*reflected)
	for i := range t.all.rows {
		row, have := t.all.row(i), 0
		if i < n {
			have = copy(row, a[i*n:i*n+i+1])
		}
		clear(row[have:])
		for r := i / side * side; r < i; r++ { // blocks on the diagonal are whole
			t.all.row(r)[i] = row[r]
		}
	}
	for i := range t.vw.rows {
		clear(t.vw.row(i))
		clear(t.wv.row(i))
	}
	for first := 0; first < n; first += reflected {
		end := min(first+reflected, n)
		for j := first; j < end; j++ {
			t.reduce(j, j-first, d, e)
		}
		t.keep(a, first, min(end, n-1))
		if end < n {
			t.update(end)
		}
	}
}

// tridiagonalizing is a matrix on the way to a tridiagonal one. Its diagonal has blocks of side rows, which are whole.
type tridiagonalizing struct {
	all     matrix
	n       int
	tau     []float64
	vw, wv  matrix    // v and w of columns, in turn, and in the other turn
	column  []float64 // of the matrix
	factors []float64 // of rows of vw
}

// reduce makes a column of the matrix, which is to lose what nth ones before it took, one of the tridiagonal one.
func (t *tridiagonalizing) reduce(j, nth int, d, e []float64) {
	first, taken := j/side*side, 2*nth
	v, w := t.vw.row(taken), t.vw.row(taken+1)
	column := t.column
	clear(column[first:j])
	for i := j; i < len(column); i++ {
		column[i] = t.all.numbers[i*t.all.stride+j]
	}
	lessCombined(column, &t.wv, &t.vw, t.factors, j, taken, first)
	d[j] = column[j]
	if j+1 == t.n {
		return
	}
	for i := range 2 {
		clear(t.vw.row(taken + i))
		clear(t.wv.row(taken + i))
	}
	t.tau[j] = reflection(column[j+1:], 1, t.n-j-1)
	e[j] = column[j+1]
	if t.tau[j] == 0 {
		return
	}
	copy(v[j+1:], column[j+1:t.n])
	v[j+1] = 1
	first = (j + 1) / side * side
	t.all.symmetric(w, v, first)
	lessProducts(w, v, &t.wv, &t.vw, t.factors, taken, first, first)
	clear(w[:j+1])
	along := 0.0
	for i := j + 1; i < t.n; i++ {
		w[i] *= t.tau[j]
		along += float64(w[i] * v[i])
	}
	along *= t.tau[j] / 2
	for i := j + 1; i < t.n; i++ {
		w[i] -= float64(along * v[i])
	}
	copy(t.wv.row(taken), w)
	copy(t.wv.row(taken+1), v)
}

// keep writes the reflections of columns up to an end as columns without the first row.
func (t *tridiagonalizing) keep(a []float64, first, end int) {
	count := t.n - 1
	for i := first; i < count; i++ {
		for j := first; j < min(end, i); j++ {
			a[i*count+j] = t.vw.row(2 * (j - first))[i+1]
		}
	}
}

// updated is how many rows lose at once what reflections take.
const updated = 6 * side

// update takes from the matrix, from an element of the diagonal on, what the columns before it took together.
func (t *tridiagonalizing) update(first int) {
	for row := first; row < t.all.rows; row += updated {
		end := min(row+updated, t.all.rows)
		s := system{l: t.vw.at(0, row), lRow: numberBytes, lColumn: t.vw.step(), x: t.wv.at(0, first), xRow: t.wv.step(),
			c: t.all.at(row, first), cRow: t.all.step(), rows: end - row, columns: end - first}
		s.run(t.vw.rows)
	}
}
