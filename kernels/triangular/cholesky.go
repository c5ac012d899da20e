package triangular

// Cholesky makes of a symmetric matrix of n rows, of which it reads the lower triangle, its factor L: L·Lᵀ is the
// matrix. Where there is none it returns the order of the least leading minor that is not positive-definite, else 0.
func Cholesky[T Number](memory Memory, a []T, n int) (failed int) {
	if n == 0 {
		return 0
	}
	if n < minBlocked[T]() {
		return choleskyUnblocked(a, n)
	}
	u := newMatrix[T](memory, n, n) // Lᵀ
	for i := range u.rows {
		clear(u.row(i))
		if i >= n {
			u.row(i)[i] = 1
		}
	}
	u.transposeTriangle(a, n)
	for i := 0; i < u.rows; i += sideOf[T]() {
		s := system[T]{memory: memory, l: u.at(0, i), lRow: bytesOf[T](), lColumn: u.step(), cRow: u.step(),
			rows: sideOf[T]()}
		s.x, s.xRow, s.c, s.columns = u.at(0, i), u.step(), u.at(i, i), sideOf[T]()
		s.run(i)
		if failed := u.factorDiagonal(i); failed > 0 {
			return failed
		}
		if s.columns = u.columns - i - sideOf[T](); s.columns > 0 {
			s.mode, s.c = solved, u.at(i, i+sideOf[T]())
			s.run(i)
		}
	}
	for i := range n {
		clear(a[i*n : (i+1)*n])
	}
	u.lowerTriangle(a, n)
	return 0
}

// lowerTriangle writes the transpose of an upper triangle of n rows, by tiles, which stay in a cache.
func (m *matrix[T]) lowerTriangle(a []T, n int) {
	for i := 0; i < n; i += sideOf[T]() {
		for j := i; j < n; j += sideOf[T]() {
			for k := i; k < min(i+sideOf[T](), n); k++ {
				row := m.row(k)
				for c := max(j, k); c < min(j+sideOf[T](), n); c++ {
					a[c*n+k] = row[c]
				}
			}
		}
	}
}

// transposeTriangle makes m the transpose of a lower triangle of n rows, by tiles.
func (m *matrix[T]) transposeTriangle(a []T, n int) {
	for i := 0; i < n; i += sideOf[T]() {
		for j := 0; j <= i; j += sideOf[T]() {
			for k := i; k < min(i+sideOf[T](), n); k++ {
				for c, v := range a[k*n+j : k*n+min(j+sideOf[T]()-1, k)+1] {
					m.numbers[(j+c)*m.stride+k] = v
				}
			}
		}
	}
}

// factorDiagonal factors a block on the diagonal of an upper triangle.
func (m *matrix[T]) factorDiagonal(first int) (failed int) {
	for i := first; i < first+sideOf[T](); i++ {
		row := m.row(i)[first : first+sideOf[T]()]
		pivot := row[i-first]
		if !(pivot > 0) {
			return i + 1
		}
		root := sqrt(pivot)
		for c := i - first; c < sideOf[T](); c++ {
			row[c] /= root
		}
		row[i-first] = root
		for r := i - first + 1; r < sideOf[T](); r++ {
			below, by := m.row(first + r)[first:first+sideOf[T]()], row[r]
			for c := r; c < sideOf[T](); c++ {
				below[c] -= T(by * row[c])
			}
		}
	}
	return 0
}
