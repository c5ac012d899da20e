package triangular

// Bidiagonal makes of a matrix of n rows and columns an upper bidiagonal one: Qᵀ·a·P has d on its diagonal and e, n-1
// numbers, behind it. Q is the product of reflections: a becomes them, with n rows and columns, and tau has n numbers,
// as for [Reflect]. P keeps the first row as it is, and is that of right, with n-1 rows and columns, and tauRight, n-1
// numbers. Of some columns and rows the matrix loses what their reflections take together, as that of [Tridiagonal].
func Bidiagonal[T Number](memory Memory, a, right []T, n int, d, e, tau, tauRight []T) {
	if n == 0 {
		return
	}
	b := bidiagonalReduction[T]{all: newMatrix[T](memory, n, n), n: n, tau: tau, tauRight: tauRight}
	b.left, b.right, b.factors = newPairs[T](memory, n)
	b.line = Room[T](memory, b.all.columns)
	b.all.fill(a, n, n)
	for first := 0; first < n; first += blockColumns {
		end := min(first+blockColumns, n)
		for j := first; j < end; j++ {
			b.column(j, 2*(j-first), d)
			if j+1 < n {
				b.row(j, 2*(j-first)+1, e)
			}
		}
		keepReflections(a, n, &b.left, 0, first, end, 0)
		keepReflections(right, n-1, &b.right, 1, first, end, 1)
		if end < n {
			b.all.subtractPairs(&b.left, &b.right, end, end, false)
		}
	}
}

// bidiagonalReduction is a matrix on the way to a bidiagonal one. It is to lose the products of columns that are rows
// of left with rows of right: of each column and row in turn the reflection is in one of them, and what comes of its
// product with the matrix in the other one.
type bidiagonalReduction[T Number] struct {
	all           matrix[T]
	n             int
	tau, tauRight []T
	left, right   matrix[T]
	line          []T // a column or a row
	factors       []T // of rows of left and right
}

// column makes a column have nothing below the diagonal.
func (b *bidiagonalReduction[T]) column(j, taken int, d []T) {
	first := j / sideOf[T]() * sideOf[T]()
	line, v, y := b.line, b.left.row(taken), b.right.row(taken)
	clear(line[first:j])
	for i := j; i < len(line); i++ {
		line[i] = b.all.numbers[i*b.all.stride+j]
	}
	subtractCombined(line, &b.right, &b.left, b.factors, j, taken, first)
	clear(v)
	clear(y)
	b.tau[j] = householder(line[j:], 1, b.n-j)
	if d[j] = line[j]; b.tau[j] == 0 {
		return
	}
	copy(v[j+1:], line[j+1:b.n])
	v[j] = 1
	if j+1 == b.n {
		return
	}
	behind := (j + 1) / sideOf[T]() * sideOf[T]()
	b.all.adds(y, v, first, b.all.rows, behind)
	subtractProducts(y, v, &b.left, &b.right, b.factors, taken, first, behind)
	clear(y[:j+1])
	for i := j + 1; i < b.n; i++ {
		y[i] *= b.tau[j]
	}
}

// row makes a row have nothing behind the element next to the diagonal.
func (b *bidiagonalReduction[T]) row(j, taken int, e []T) {
	first := (j + 1) / sideOf[T]() * sideOf[T]()
	line, x, u := b.line, b.left.row(taken), b.right.row(taken)
	copy(line[first:], b.all.row(j)[first:])
	subtractCombined(line, &b.left, &b.right, b.factors, j, taken, first)
	clear(x)
	clear(u)
	b.tauRight[j] = householder(line[j+1:], 1, b.n-j-1)
	if e[j] = line[j+1]; b.tauRight[j] == 0 {
		return
	}
	copy(u[j+2:], line[j+2:b.n])
	u[j+1] = 1
	b.all.dots(x, u, first, b.all.rows, first)
	subtractProducts(x, u, &b.right, &b.left, b.factors, taken, first, first)
	clear(x[:j+1])
	for i := j + 1; i < b.n; i++ {
		x[i] *= b.tauRight[j]
	}
}
