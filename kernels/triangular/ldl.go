package triangular

const (
	// pivotShare is the share of the greatest element of a column from which on the one on the diagonal is a pivot: (1
	// + √17)/8.
	pivotShare = 0.6403882032022076
	// Matrices of fewer rows are factored, and solved for, without blocks: memory of their own takes longer.
	minBlockedLDL, minBlockedSolveLDL = 56, 20
)

// LDL makes of a symmetric matrix of n rows, of which it reads the lower triangle, the factors of P·L·D·Lᵀ·Pᵀ in
// LAPACK's form: D with blocks of one or two rows, and L below them. Pivots count from 1, and are negative and equal
// for the rows of a block of two. Bunch and Kaufman, Some stable methods for calculating inertia and solving symmetric
// linear systems, 1977. The matrix loses what some columns take together.
func LDL[T Number](memory Memory, a []T, n int, pivots []int) {
	if n < minBlockedLDL {
		ldlUnblocked(a, n, pivots)
		return
	}
	f := ldlFactoring[T]{all: newMatrix[T](memory, n+sideOf[T](), n), n: n, pivots: pivots}
	f.all.zero()
	f.all.transposeTriangle(a, n)
	f.l, f.ld = newMatrix[T](memory, blockColumns+sideOf[T](), n+sideOf[T]()),
		newMatrix[T](memory, blockColumns+sideOf[T](), n+sideOf[T]())
	f.l.zero()
	f.ld.zero()
	f.column, f.other, f.factors = Room[T](memory, f.l.columns), Room[T](memory, f.l.columns), Room[T](memory, f.l.rows)
	for k := 0; k < n; {
		for f.pending = 0; k < n && f.pending < blockColumns; {
			k += f.step(k)
		}
		f.update(k)
	}
	f.all.lowerTriangle(a, n)
}

// ldlFactoring is a matrix on the way to its factors: the upper triangle, whose rows become the columns of the factor.
type ldlFactoring[T Number] struct {
	all    matrix[T] // with side rows of zeros behind its own
	n      int
	pivots []int
	// What the matrix is to lose: products of columns of L and of L·D, which are rows here, with the exchanges of rows
	// after them.
	l, ld         matrix[T]
	pending       int
	column, other []T
	factors       []T
}

// step factors a block of one or two rows. It returns how many.
func (f *ldlFactoring[T]) step(k int) (size int) {
	f.columnOf(f.column, k, k)
	own := abs(f.column[k])
	row, greatest := k, T(0)
	for i := k + 1; i < f.n; i++ {
		if v := abs(f.column[i]); v > greatest {
			row, greatest = i, v
		}
	}
	size, with, pivot := 1, k, f.column
	switch {
	case max(own, greatest) == 0 || isNaN(own):
		copy(f.all.row(k)[k:f.n], f.column[k:])
		f.pivots[k] = k + 1
		return 1
	case own >= pivotShare*greatest:
	default:
		f.columnOf(f.other, k, row)
		most := T(0) // of that row beside the diagonal
		for i := k; i < f.n; i++ {
			if i != row {
				most = max(most, abs(f.other[i]))
			}
		}
		switch {
		case own >= pivotShare*greatest*(greatest/most):
		case abs(f.other[row]) >= pivotShare*most:
			with, pivot = row, f.other
		default:
			size, with = 2, row
		}
	}
	last := k + size - 1
	f.exchange(last, with)
	pivot[last], pivot[with] = pivot[with], pivot[last]
	if f.pivots[last] = with + 1; size == 1 {
		f.eliminate(k, pivot)
		return 1
	}
	f.pivots[k], f.pivots[last] = -(with + 1), -(with + 1)
	f.other[last], f.other[with] = f.other[with], f.other[last]
	f.eliminateTwo(k)
	return 2
}

// columnOf writes a column of the matrix, from the row first on, less what it is to lose.
func (f *ldlFactoring[T]) columnOf(to []T, first, column int) {
	from := first / sideOf[T]() * sideOf[T]()
	clear(to[from:])
	for j := first; j < column; j++ {
		to[j] = f.all.row(j)[column]
	}
	copy(to[column:], f.all.row(column)[column:])
	subtractCombined(to, &f.ld, &f.l, f.factors, column, f.pending, from)
}

// exchange exchanges two rows and columns of what is left.
func (f *ldlFactoring[T]) exchange(first, second int) {
	if first == second {
		return
	}
	x, y := f.all.row(first), f.all.row(second)
	for i := second + 1; i < f.n; i++ {
		x[i], y[i] = y[i], x[i]
	}
	for j := first + 1; j < second; j++ {
		between := f.all.row(j)
		x[j], between[second] = between[second], x[j]
	}
	x[first], y[second] = y[second], x[first]
	for t := range f.pending {
		for _, m := range []*matrix[T]{&f.l, &f.ld} {
			row := m.row(t)
			row[first], row[second] = row[second], row[first]
		}
	}
}

// eliminate makes a column one of L.
func (f *ldlFactoring[T]) eliminate(k int, column []T) {
	l, ld, done := f.l.row(f.pending), f.ld.row(f.pending), f.all.row(k)
	f.pending++
	by := column[k]
	done[k] = by
	for i := k + 1; i < f.n; i++ {
		v := column[i]
		ld[i] = v
		v /= by
		l[i], done[i] = v, v
	}
}

// eliminateTwo makes two columns those of L.
func (f *ldlFactoring[T]) eliminateTwo(k int) {
	var l, ld, done [2][]T
	for i := range l {
		l[i], ld[i], done[i] = f.l.row(f.pending+i), f.ld.row(f.pending+i), f.all.row(k+i)
	}
	f.pending += 2
	x, y := f.column, f.other
	done[0][k], done[0][k+1], done[1][k+1] = x[k], x[k+1], y[k+1]
	beside := x[k+1]
	second, first := y[k+1]/beside, x[k]/beside
	by := 1 / (T(first*second) - 1) / beside
	for i := k + 2; i < f.n; i++ {
		left, right := by*(T(second*x[i])-y[i]), by*(T(first*y[i])-x[i])
		l[0][i], done[0][i], ld[0][i] = left, left, x[i]
		l[1][i], done[1][i], ld[1][i] = right, right, y[i]
	}
}

// update takes from the matrix, from a row on, what it is to lose.
func (f *ldlFactoring[T]) update(first int) {
	end := first + roundUp[T](f.n-first)
	for row := first; row < end; row += updateRows[T]() {
		from := row / sideOf[T]() * sideOf[T]()
		s := system[T]{memory: f.all.memory, l: f.ld.at(0, row), lRow: bytesOf[T](), lColumn: f.ld.step(),
			x:    f.l.at(0, from),
			xRow: f.l.step(),
			c:    f.all.at(row, from), cRow: f.all.step(), rows: min(updateRows[T](), end-row),
			columns: f.all.columns - from}
		s.run(f.pending)
	}
}

// SolveLDL makes of b, of n rows and m columns, the solution of the system of a matrix that [LDL] has factored.
func SolveLDL[T Number](memory Memory, ld []T, n int, pivots []int, b []T, m int) {
	if n < minBlockedSolveLDL || m == 0 {
		solveLDLUnblocked(ld, n, pivots, b, m)
		return
	}
	// L with the exchanges of rows that come after its columns, and without D.
	l := Room[T](memory, n*n)
	copy(l, ld)
	for k := 0; k < n; k++ {
		row, with := k, pivots[k]-1
		if pivots[k] < 0 {
			row, with = k+1, -pivots[k]-1
			l[row*n+k] = 0
		}
		if row != with {
			exchange(l[row*n:row*n+k], l[with*n:with*n+k])
			exchange(b[row*m:(row+1)*m], b[with*m:(with+1)*m])
		}
		if pivots[k] < 0 {
			k++
		}
	}
	Solve(memory, l, n, Form{Unit: true}, b, m)
	for k := 0; k < n; k++ {
		x := b[k*m : (k+1)*m]
		if pivots[k] > 0 {
			for c := range x {
				x[c] /= ld[k*n+k]
			}
			continue
		}
		y, beside := b[(k+1)*m:(k+2)*m], ld[(k+1)*n+k]
		first, second := ld[k*n+k]/beside, ld[(k+1)*n+k+1]/beside
		by := T(first*second) - 1
		for c, v := range x {
			upper, lower := v/beside, y[c]/beside
			x[c], y[c] = (T(second*upper)-lower)/by, (T(first*lower)-upper)/by
		}
		k++
	}
	Solve(memory, l, n, Form{Unit: true, Transposed: true}, b, m)
	for k := n - 1; k >= 0; k-- {
		with := pivots[k] - 1
		if pivots[k] < 0 {
			with = -pivots[k] - 1
		}
		if k != with {
			exchange(b[k*m:(k+1)*m], b[with*m:(with+1)*m])
		}
		if pivots[k] < 0 {
			k--
		}
	}
}
