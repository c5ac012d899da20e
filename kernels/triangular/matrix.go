package triangular

import "unsafe"

// Memory hands out room that lasts as long as a call. Poll is called time and again in a long one, after some elements;
// it may end the call with a panic.
type Memory interface {
	Floats(n int) []float64
	Poll(elements int)
}

// vectorized is how many elements take the time of one, where they are computed in vectors.
const vectorized = 8

// matrix is memory of a multiple of side rows and columns.
type matrix[T Number] struct {
	rows, columns int
	stride        int // from row to row
	first         unsafe.Pointer
	numbers       []T
	memory        Memory
}

// roundUp is the least multiple of side that is not below n.
func roundUp[T Number](n int) int { return (n + sideOf[T]() - 1) / sideOf[T]() * sideOf[T]() }

// newMatrix returns a matrix for some rows and columns, of any values. Rows are an odd number of cache lines apart, so
// that neighbours in a column fall together in few sets of a cache.
func newMatrix[T Number](memory Memory, rows, columns int) matrix[T] {
	m := matrix[T]{rows: roundUp[T](rows), columns: roundUp[T](columns),
		stride: (roundUp[T](columns)/sideOf[T]() | 1) * sideOf[T](), memory: memory}
	numbers := Room[T](memory, m.rows*m.stride+lineBytes/bytesOf[T]())
	p := unsafe.Pointer(unsafe.SliceData(numbers))
	skip := -int(uintptr(p)) & (lineBytes - 1)
	m.first, m.numbers = unsafe.Add(p, skip), numbers[skip/bytesOf[T]():][:m.rows*m.stride]
	return m
}

// row is a row of the matrix.
func (m *matrix[T]) row(i int) []T { return m.numbers[i*m.stride:][:m.columns] }

// zero makes all elements 0.
func (m *matrix[T]) zero() {
	for i := range m.rows {
		clear(m.row(i))
	}
}

// step is how far rows are apart, in bytes.
func (m *matrix[T]) step() int { return m.stride * bytesOf[T]() }

// at is where an element lies.
func (m *matrix[T]) at(row, column int) unsafe.Pointer {
	return unsafe.Add(m.first, row*m.step()+column*bytesOf[T]())
}

// fill copies a matrix of n rows and some columns. Behind these are zeros, but for ones on the diagonal behind the
// rows.
func (m *matrix[T]) fill(a []T, n, columns int) {
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
