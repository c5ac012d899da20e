package triangular

import "unsafe"

// Memory hands out room that lasts as long as a call.
type Memory interface{ Floats(n int) []float64 }

// matrix is memory of a multiple of side rows and columns.
type matrix struct {
	rows, columns int
	stride        int // from row to row
	first         unsafe.Pointer
	numbers       []float64
}

// roundUp is the least multiple of side that is not below n.
func roundUp(n int) int { return (n + side - 1) / side * side }

const lineBytes = 64

// newMatrix returns a matrix for some rows and columns, of any values. Rows are an odd number of cache lines apart, so that neighbours in a column fall
// together in few sets of a cache.
func newMatrix(memory Memory, rows, columns int) matrix {
	m := matrix{rows: roundUp(rows), columns: roundUp(columns), stride: (roundUp(columns)/side | 1) * side}
	numbers := memory.Floats(m.rows*m.stride + lineBytes/numberBytes)
	p := unsafe.Pointer(unsafe.SliceData(numbers))
	skip := -int(uintptr(p)) & (lineBytes - 1)
	m.first, m.numbers = unsafe.Add(p, skip), numbers[skip/numberBytes:][:m.rows*m.stride]
	return m
}

// row is a row of the matrix.
func (m *matrix) row(i int) []float64 { return m.numbers[i*m.stride:][:m.columns] }

// zero makes all elements 0.
func (m *matrix) zero() {
	for i := range m.rows {
		clear(m.row(i))
	}
}

// step is how far rows are apart, in bytes.
func (m *matrix) step() int { return m.stride * numberBytes }

// at is where an element lies.
func (m *matrix) at(row, column int) unsafe.Pointer {
	return unsafe.Add(m.first, row*m.step()+column*numberBytes)
}

// fill copies a matrix of n rows and some columns. Behind these are zeros, but for ones on the diagonal behind the rows.
func (m *matrix) fill(a []float64, n, columns int) {
	for i := range m.rows {
		row := m.row(i)
		k := 0
		if i < n {
			k = copy(row, a[i*columns:(i+1)*columns])
		}
		clear(row[k:])
		if i >= n && i < len(row) {
			row[i] = 1
		}
	}
}
