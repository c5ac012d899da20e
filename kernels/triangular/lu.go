package triangular

import "math"

// LU makes of a matrix of n rows and m columns its factors L, below the diagonal of ones, and U. Row i was exchanged with row pivots[i]; there are as many pivots as the
// lesser of both. Columns are factored in halves, down to side of them: Toledo, Locality of reference in LU decomposition with partial pivoting,
// 1997.
func LU(memory Memory, a []float64, n, m int, pivots []int) {
	if n == 0 || m == 0 {
		return
	}
	f := factoring{newMatrix(memory, n, m), n, pivots}
	f.all.fill(a, n, m)
	f.columns(0, whole(m))
	for i := range n {
		copy(a[i*m:(i+1)*m], f.all.row(i))
	}
}

// factoring is a matrix on the way to its factors.
type factoring struct {
	all    matrix
	rows   int // without those that were added
	pivots []int
}

// columns factors columns up to an end, whose rows above are done.
func (f *factoring) columns(first, end int) {
	if first >= len(f.pivots) {
		return
	}
	if end-first <= side {
		f.panel(first)
		return
	}
	half := (end - first) / 2 / side * side
	middle := first + half
	f.columns(first, middle)
	rows := min(half, f.all.rows-first)
	s := system{mode: unit, l: f.all.at(first, first), lRow: f.all.step(), lColumn: numberBytes, c: f.all.at(first, middle), cRow: f.all.step(), rows: rows, columns: end - middle}
	s.run(0)
	if below := f.all.rows - middle; below > 0 {
		s.mode, s.x, s.xRow = less, s.c, s.cRow
		s.l, s.c, s.rows = f.all.at(middle, first), f.all.at(middle, middle), below
		s.run(half)
	}
	f.columns(middle, end)
}

// panel factors side columns.
func (f *factoring) panel(first int) {
	last := min(first+side, len(f.pivots))
	with := f.greatest(first)
	for j := first; j < last; j++ {
		f.pivots[j] = with
		exchange(f.all.row(j), f.all.row(with))
		own := f.all.row(j)[first : first+side]
		pivot, at := own[j-first], j-first
		with = j + 1
		if pivot == 0 {
			if j+1 < last {
				with = f.greatest(j + 1)
			}
			continue
		}
		most := -1.0
		for i := j + 1; i < f.rows; i++ {
			row := f.all.row(i)[first : first+side]
			by := row[at] / pivot
			row[at] = by
			for c := at + 1; c < side; c++ {
				row[c] -= float64(by * own[c])
			}
			if at+1 < side {
				if v := math.Abs(row[at+1]); v > most {
					most, with = v, i
				}
			}
		}
	}
}

// greatest returns the row, not before that of the diagonal, whose element in a column is the greatest.
func (f *factoring) greatest(column int) (row int) {
	row = column
	most := -1.0
	for i := column; i < f.rows; i++ {
		if v := math.Abs(f.all.row(i)[column]); v > most {
			most, row = v, i
		}
	}
	return row
}

// exchange exchanges two rows, or leaves one as it is.
func exchange(a, b []float64) {
	if &a[0] == &b[0] {
		return
	}
	for k, v := range a {
		a[k], b[k] = b[k], v
	}
}

// SolveLU makes of b, of n rows and k columns, the solution x of a·x = b, for the matrix a that [LU] has factored, or of aᵀ·x = b.
func SolveLU(memory Memory, lu []float64, n int, pivots []int, transposed bool, b []float64, k int) {
	if n == 0 || k == 0 {
		return
	}
	x := newColumns(memory, b, n, k)
	lower, upper := Form{Unit: true, Transposed: transposed}, Form{Upper: true, Transposed: transposed}
	if transposed {
		x.solve(memory, lu, upper)
		x.solve(memory, lu, lower)
		for i := n - 1; i >= 0; i-- {
			exchange(x.row(i), x.row(pivots[i]))
		}
	} else {
		for i, with := range pivots[:n] {
			exchange(x.row(i), x.row(with))
		}
		x.solve(memory, lu, lower)
		x.solve(memory, lu, upper)
	}
	x.get(b)
}
