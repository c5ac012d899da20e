package triangular

// What matrices have in common that reflections of both sides make tridiagonal, bidiagonal, or a triangle with one
// diagonal below: they lose products of columns, rows of a matrix left, with rows of a matrix right, two for each
// column that is done. Of reflected columns they lose them together, and else what is wanted of them as it comes.

// updateRows is how many rows lose products at once.
func updateRows[T Number]() int { return 6 * sideOf[T]() }

// newPairs returns memory for what a matrix of n rows and columns is to lose: left, right, and factors of their rows.
func newPairs[T Number](memory Memory, n int) (left, right matrix[T], factors []T) {
	left, right = newMatrix[T](memory, 2*blockColumns, n), newMatrix[T](memory, 2*blockColumns, n)
	left.zero()
	right.zero()
	return left, right, Room[T](memory, 2*blockColumns)
}

// subtractPairs takes from the rows of m from one on, along columns from one on, the products of all columns that left
// has as rows with rows of right. Of a symmetric m it leaves out blocks behind the diagonal.
func (m *matrix[T]) subtractPairs(left, right *matrix[T], row, column int, isSymmetric bool) {
	for ; row < m.rows; row += updateRows[T]() {
		s := system[T]{memory: m.memory, l: left.at(0, row), lRow: bytesOf[T](), lColumn: left.step(), x: right.at(0,
			column),
			xRow: right.step(),
			c:    m.at(row, column), cRow: m.step(), rows: min(updateRows[T](), m.rows-row),
			columns: m.columns - column}
		if isSymmetric {
			s.columns = row + s.rows - column
		}
		s.run(left.rows)
	}
}

// keepReflections writes every other row of from as a column below the diagonal of a matrix of n rows, for columns from
// one up to an end. Rows of from begin with so many numbers more.
func keepReflections[T Number](a []T, n int, from *matrix[T], row, first, end, more int) {
	for i := first; i < n; i++ {
		for j := first; j < min(end, i); j++ {
			a[i*n+j] = from.row(row + 2*(j-first))[i+more]
		}
	}
}

// subtractProducts takes from y the products of taken rows of one matrix with x, times those of the other one: along
// columns from one on.
func subtractProducts[T Number](y, x []T, ofX, ofY *matrix[T], factors []T, taken, first, firstOfY int) {
	factors = factors[:roundUpRows(taken)]
	ofX.dots(factors, x, 0, len(factors), first)
	for s, v := range factors[:taken] {
		factors[s] = -v
	}
	clear(factors[taken:])
	ofY.adds(y, factors, 0, len(factors), firstOfY)
}

// subtractCombined takes from y taken rows of one matrix, times the elements of a column of the other one, along
// columns from one on.
func subtractCombined[T Number](y []T, shares, rows *matrix[T], factors []T, column, taken, first int) {
	factors = factors[:roundUpRows(taken)]
	clear(factors)
	for s := range taken {
		factors[s] = -shares.numbers[s*shares.stride+column]
	}
	rows.adds(y, factors, 0, len(factors), first)
}
