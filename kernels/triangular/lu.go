package triangular

// LU makes of a matrix of n rows and m columns its factors L, below the diagonal of ones, and U. Row i was exchanged
// with row pivots[i]; there are as many pivots as the lesser of both. Columns are factored in halves, down to side of
// them: Toledo, Locality of reference in LU decomposition with partial pivoting, 1997.
func LU[T Number](memory Memory, a []T, n, m int, pivots []int) {
	if n == 0 || m == 0 {
		return
	}
	if max(n, m) < minBlocked[T]() {
		luUnblocked(a, n, m, pivots)
		return
	}
	f := luFactoring[T]{all: newMatrix[T](memory, n+sideOf[T](), m),
		own: newMatrix[T](memory, 1, mostStrips*sideOf[T]()), n: n, rows: roundUp[T](n), pivots: pivots}
	f.all.fill(a, n, m)
	f.factorColumns(0, f.all.columns)
	for i := range n {
		copy(a[i*m:(i+1)*m], f.all.row(i))
	}
}

// luFactoring is a matrix on the way to its factors.
type luFactoring[T Number] struct {
	all    matrix[T] // with side rows of zeros behind its own
	own    matrix[T] // what other rows of a panel lose multiples of
	n      int       // rows of the user's
	rows   int       // a multiple of side
	pivots []int
}

// factorColumns factors columns up to an end, whose rows above are done.
func (f *luFactoring[T]) factorColumns(first, end int) {
	if first >= len(f.pivots) {
		return
	}
	if end-first <= sideOf[T]() || f.all.columns <= mostStrips*sideOf[T]() {
		f.factorPanel(first, end)
		return
	}
	half := (end - first) / 2 / sideOf[T]() * sideOf[T]()
	middle := first + half
	f.factorColumns(first, middle)
	rows := min(half, f.rows-first)
	s := system[T]{memory: f.all.memory, mode: unit, l: f.all.at(first, first), lRow: f.all.step(),
		lColumn: bytesOf[T](),
		c:       f.all.at(first, middle), cRow: f.all.step(), rows: rows, columns: end - middle}
	s.run(0)
	if below := f.rows - middle; below > 0 {
		s.mode, s.x, s.xRow = less, s.c, s.cRow
		s.l, s.c, s.rows = f.all.at(middle, first), f.all.at(middle, middle), below
		s.run(half)
	}
	f.factorColumns(middle, end)
}

// factorPanel factors columns one by one: side of them, or those of a matrix which has no more than a block.
func (f *luFactoring[T]) factorPanel(first, end int) {
	a := arguments.Get().(*blockArgs)
	defer arguments.Put(a)
	step := f.all.stride
	for j := first; j < min(end, len(f.pivots)); j++ {
		f.pivots[j] = f.pivotRow(j)
		own := f.all.row(j)
		exchange(own, f.all.row(f.pivots[j]))
		pivot := own[j]
		if pivot == 0 {
			continue
		}
		below := f.all.numbers[j:]
		for at := (j + 1) * step; at < f.n*step; at += step {
			below[at] /= pivot
		}
		f.takeFromRows(a, j, end)
	}
}

// takeFromRows takes multiples of row j from the rows below it, in columns behind j up to an end.
func (f *luFactoring[T]) takeFromRows(a *blockArgs, j, end int) {
	from := j / sideOf[T]() * sideOf[T]()
	f.all.memory.Poll((f.n - j) * (end - from) / vectorized)
	own := f.own.row(0)[:end-from]
	clear(own[:j+1-from])
	copy(own[j+1-from:], f.all.row(j)[j+1:end])
	*a = blockArgs{lRow: f.all.step(), lColumn: bytesOf[T](), xRow: f.own.step(), cRow: f.all.step(), inner: 1}
	for at := from; at < end; {
		strips := min((end-at)/sideOf[T](), loopsOf[T]().strips)
		block := loopsOf[T]().blocks[less][strips-1]
		a.x = f.own.at(0, at-from)
		for r := j + 1; r < f.n; r += loopsOf[T]().rows {
			a.l, a.c = f.all.at(r, j), f.all.at(r, at)
			block(a)
		}
		at += strips * sideOf[T]()
	}
}

// pivotRow returns the row, not before that of the diagonal, whose element in a column is the greatest.
func (f *luFactoring[T]) pivotRow(column int) (row int) {
	row = column
	most, numbers, step := T(-1), f.all.numbers[column:], f.all.stride
	at := column * step
	for i := column; i < f.n; i++ {
		if v := abs(numbers[at]); v > most {
			most, row = v, i
		}
		at += step
	}
	return row
}

// exchange exchanges two rows, or leaves one as it is.
func exchange[T Number](a, b []T) {
	if len(a) == 0 || &a[0] == &b[0] {
		return
	}
	for k, v := range a {
		a[k], b[k] = b[k], v
	}
}

// SolveLU makes of b, of n rows and k columns, the solution x of a·x = b, for the matrix a that [LU] has factored, or
// of aᵀ·x = b.
func SolveLU[T Number](memory Memory, lu []T, n int, pivots []int, transposed bool, b []T, k int) {
	if n == 0 || k == 0 {
		return
	}
	if isUnblocked[T](n, k) {
		solveLUUnblocked(lu, n, pivots, transposed, b, k)
		return
	}
	x := newColumns[T](memory, n, k)
	lower := x.system(memory, lu, Form{Unit: true, Transposed: transposed})
	upper := x.system(memory, lu, Form{Upper: true, Transposed: transposed})
	x.each(b, k, func() {
		if transposed {
			upper.run(0)
			lower.run(0)
			for i := n - 1; i >= 0; i-- {
				exchange(x.row(i), x.row(pivots[i]))
			}
			return
		}
		for i, with := range pivots[:n] {
			exchange(x.row(i), x.row(with))
		}
		lower.run(0)
		upper.run(0)
	})
}
