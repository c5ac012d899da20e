package triangular

// Bidiagonal makes of a matrix of n rows and columns an upper bidiagonal one: Qᵀ·a·P has d on its diagonal and e, n-1 numbers, behind it. Q is the product of reflections: a becomes
// them, with n rows and columns, and tau has n numbers, as for [Reflect]. P keeps the first row as it is, and is that of right, with n-1 rows and columns, and tauRight, n-1
// numbers. Of some columns and rows the matrix loses what their reflections take together, as that of [Tridiagonal].
func Bidiagonal(memory Memory, a, right []float64, n int, d, e, tau, tauRight []float64) {
	if n == 0 {
		return
	}
	b := bidiagonalizing{all: newMatrix(memory, n, n), n: n, tau: tau, tauRight: tauRight}
	b.left, b.right = newMatrix(memory, 2*reflected, n), newMatrix(memory, 2*reflected, n)
	b.line, b.factors = memory.Floats(b.all.columns), memory.Floats(2*reflected)
	for i := range b.all.rows {
		row, have := b.all.row(i), 0
		if i < n {
			have = copy(row, a[i*n:(i+1)*n])
		}
		clear(row[have:])
	}
	for i := range b.left.rows {
		clear(b.left.row(i))
		clear(b.right.row(i))
	}
	for first := 0; first < n; first += reflected {
		end := min(first+reflected, n)
		for j := first; j < end; j++ {
			b.column(j, 2*(j-first), d)
			if j+1 < n {
				b.row(j, 2*(j-first)+1, e)
			}
		}
		for i := first; i < n; i++ {
			for j := first; j < min(end, i); j++ {
				a[i*n+j] = b.left.row(2 * (j - first))[i]
				if i < n-1 {
					right[i*(n-1)+j] = b.right.row(2*(j-first) + 1)[i+1]
				}
			}
		}
		for row := end; row < b.all.rows && end < n; row += updated {
			s := system{l: b.left.at(0, row), lRow: numberBytes, lColumn: b.left.step(), x: b.right.at(0, end), xRow: b.right.step(),
				c: b.all.at(row, end), cRow: b.all.step(), rows: min(updated, b.all.rows-row), columns: b.all.columns - end}
			s.run(b.left.rows)
		}
	}
}

// bidiagonalizing is a matrix on the way to a bidiagonal one. It is to lose the products of columns that are rows of left with rows of right: of each column and row in turn the
// reflection is in one of them, and what comes of its product with the matrix in the other one.
type bidiagonalizing struct {
	all           matrix
	n             int
	tau, tauRight []float64
	left, right   matrix
	line          []float64 // a column or a row
	factors       []float64 // of rows of left and right
}

// column makes a column have nothing below the diagonal.
func (b *bidiagonalizing) column(j, taken int, d []float64) {
	first := j / side * side
	line, v, y := b.line, b.left.row(taken), b.right.row(taken)
	clear(line[first:j])
	for i := j; i < len(line); i++ {
		line[i] = b.all.numbers[i*b.all.stride+j]
	}
	lessCombined(line, &b.right, &b.left, b.factors, j, taken, first)
	clear(v)
	clear(y)
	b.tau[j] = reflection(line[j:], 1, b.n-j)
	if d[j] = line[j]; b.tau[j] == 0 {
		return
	}
	copy(v[j+1:], line[j+1:b.n])
	v[j] = 1
	if j+1 == b.n {
		return
	}
	behind := (j + 1) / side * side
	b.all.adds(y, v, first, b.all.rows, behind)
	lessProducts(y, v, &b.left, &b.right, b.factors, taken, first, behind)
	clear(y[:j+1])
	for i := j + 1; i < b.n; i++ {
		y[i] *= b.tau[j]
	}
}

// row makes a row have nothing behind the element next to the diagonal.
func (b *bidiagonalizing) row(j, taken int, e []float64) {
	first := (j + 1) / side * side
	line, x, u := b.line, b.left.row(taken), b.right.row(taken)
	copy(line[first:], b.all.row(j)[first:])
	lessCombined(line, &b.left, &b.right, b.factors, j, taken, first)
	clear(x)
	clear(u)
	b.tauRight[j] = reflection(line[j+1:], 1, b.n-j-1)
	if e[j] = line[j+1]; b.tauRight[j] == 0 {
		return
	}
	copy(u[j+2:], line[j+2:b.n])
	u[j+1] = 1
	b.all.dots(x, u, first, b.all.rows, first)
	lessProducts(x, u, &b.right, &b.left, b.factors, taken, first, first)
	clear(x[:j+1])
	for i := j + 1; i < b.n; i++ {
		x[i] *= b.tauRight[j]
	}
}
