package triangular

import "math"

// Cholesky makes of a symmetric matrix of n rows, of which it reads the lower triangle, its factor L: L·Lᵀ is the matrix. Where there is none it
// returns the order of the least leading minor that is not positive-definite, else 0.
func Cholesky(memory Memory, a []float64, n int) (failed int) {
	if n == 0 {
		return 0
	}
	if n < minBlocked {
		return choleskyUnblocked(a, n)
	}
	u := newMatrix(memory, n, n) // Lᵀ
	for i := range u.rows {
		clear(u.row(i))
		if i >= n {
			u.row(i)[i] = 1
		}
	}
	u.transposeTriangle(a, n)
	for i := 0; i < u.rows; i += side {
		s := system{l: u.at(0, i), lRow: numberBytes, lColumn: u.step(), cRow: u.step(), rows: side}
		s.x, s.xRow, s.c, s.columns = u.at(0, i), u.step(), u.at(i, i), side
		s.run(i)
		if failed := u.factorDiagonal(i); failed > 0 {
			return failed
		}
		if s.columns = u.columns - i - side; s.columns > 0 {
			s.mode, s.c = solved, u.at(i, i+side)
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
func (m *matrix) lowerTriangle(a []float64, n int) {
	for i := 0; i < n; i += side {
		for j := i; j < n; j += side {
			for k := i; k < min(i+side, n); k++ {
				row := m.row(k)
				for c := max(j, k); c < min(j+side, n); c++ {
					a[c*n+k] = row[c]
				}
			}
		}
	}
}

// transposeTriangle makes m the transpose of a lower triangle of n rows, by tiles.
func (m *matrix) transposeTriangle(a []float64, n int) {
	for i := 0; i < n; i += side {
		for j := 0; j <= i; j += side {
			for k := i; k < min(i+side, n); k++ {
				for c, v := range a[k*n+j : k*n+min(j+side-1, k)+1] {
					m.numbers[(j+c)*m.stride+k] = v
				}
			}
		}
	}
}

// factorDiagonal factors a block on the diagonal of an upper triangle.
func (m *matrix) factorDiagonal(first int) (failed int) {
	for i := first; i < first+side; i++ {
		row := m.row(i)[first : first+side]
		pivot := row[i-first]
		if !(pivot > 0) {
			return i + 1
		}
		root := math.Sqrt(pivot)
		for c := i - first; c < side; c++ {
			row[c] /= root
		}
		row[i-first] = root
		for r := i - first + 1; r < side; r++ {
			below, by := m.row(first + r)[first:first+side], row[r]
			for c := r; c < side; c++ {
				below[c] -= float64(by * row[c])
			}
		}
	}
	return 0
}
