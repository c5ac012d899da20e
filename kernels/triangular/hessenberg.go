package triangular

// Hessenberg makes of a matrix of n rows and columns one with a single diagonal below its upper triangle, Qᵀ·a·Q. Q
// keeps the first row as it is, and is the product of the reflections that v, with n-1 rows and columns, and tau, with
// n-1 numbers, become, as for [Reflect]. The matrix loses what the reflections of some columns take together, v·yᵀ +
// x·vᵀ of each, as that of [Tridiagonal].
func Hessenberg[T Number](memory Memory, a, v, tau []T, n int) {
	if n < 2 {
		return
	}
	h := hessenbergReduction[T]{all: newMatrix[T](memory, n, n), n: n, tau: tau}
	h.left, h.right, h.factors = newPairs[T](memory, n)
	h.column = Room[T](memory, h.all.columns)
	h.all.fill(a, n, n)
	for first := 0; first < n; first += blockColumns {
		end := min(first+blockColumns, n)
		for j := first; j < end; j++ {
			h.reduce(j, 2*(j-first))
			for i, value := range h.column[:min(j+2, n)] {
				a[i*n+j] = value
			}
		}
		for i := first; i < n; i++ {
			clear(a[i*n+first : i*n+max(min(end, i-1), first)])
		}
		keepReflections(v, n-1, &h.left, 0, first, end, 1)
		if end < n {
			h.all.subtractPairs(&h.left, &h.right, 0, end, false)
		}
	}
}

// hessenbergReduction is a matrix on the way to one with a single diagonal below its triangle. It is to lose the
// products of columns that are rows of left, v and x in turn, with rows of right, y and v.
type hessenbergReduction[T Number] struct {
	all         matrix[T]
	n           int
	tau         []T
	left, right matrix[T]
	column      []T
	factors     []T // of rows of left and right
}

// reduce makes a column have nothing below the element beside the diagonal, after others took so many products.
func (h *hessenbergReduction[T]) reduce(j, taken int) {
	column := h.column
	for i := range column {
		column[i] = h.all.numbers[i*h.all.stride+j]
	}
	subtractCombined(column, &h.right, &h.left, h.factors, j, taken, 0)
	if j+1 == h.n {
		return
	}
	v, x, y, again := h.left.row(taken), h.left.row(taken+1), h.right.row(taken), h.right.row(taken+1)
	for _, row := range [][]T{v, x, y, again} {
		clear(row)
	}
	tau := householder(column[j+1:], 1, h.n-j-1)
	if h.tau[j] = tau; tau == 0 {
		return
	}
	copy(v[j+2:], column[j+2:h.n])
	v[j+1] = 1
	copy(again, v)
	first := (j + 1) / sideOf[T]() * sideOf[T]()
	h.all.both(x, y, v, first)
	subtractProducts(x, v, &h.right, &h.left, h.factors, taken, first, 0)
	subtractProducts(y, v, &h.left, &h.right, h.factors, taken, first, first)
	clear(y[:j+1])
	clear(x[h.n:])
	along := T(0)
	for i := range x {
		x[i] *= tau
		along += T(x[i] * v[i])
	}
	along *= tau
	for i := j + 1; i < h.n; i++ {
		y[i] = T(tau*y[i]) - T(along*v[i])
	}
}
