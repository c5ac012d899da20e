package triangular

import (
	"sync"
	"unsafe"
)

// maxSide is the side of matrices of float32.
const maxSide = 16

// together is how many rows a loop goes along; it divides side.
const together = 4

// roundUpRows is the least multiple of together that is not below n.
func roundUpRows(n int) int { return (n + together - 1) / together * together }

// rowsArgs are together rows, aRow bytes apart, a vector x that they are multiplied with, and a vector y that their
// multiples are added to. A sum of products is side sums, of every side-th product each.
type rowsArgs struct {
	a       unsafe.Pointer
	aRow    int
	x, y    unsafe.Pointer
	factors unsafe.Pointer // together of them
	sums    unsafe.Pointer // side for each row
	strips  int            // of side columns
}

func dotsPlain[T Number](a *rowsArgs) {
	for at := 0; at < a.strips*sideOf[T]()*bytesOf[T](); at += sideOf[T]() * bytesOf[T]() {
		x := rowAt[T](a.x, at)
		for r := range together {
			sums := rowAt[T](a.sums, r*lineBytes)
			for c, v := range rowAt[T](a.a, r*a.aRow+at) {
				sums[c] = fma(v, x[c], sums[c])
			}
		}
	}
}

func addsPlain[T Number](a *rowsArgs) {
	for at := 0; at < a.strips*sideOf[T]()*bytesOf[T](); at += sideOf[T]() * bytesOf[T]() {
		y := rowAt[T](a.y, at)
		for r := range together {
			factor := *number[T](a.factors, r*bytesOf[T]())
			for c, v := range rowAt[T](a.a, r*a.aRow+at) {
				y[c] = fma(v, factor, y[c])
			}
		}
	}
}

// rowsWork is what a loop along rows needs memory for.
type rowsWork[T Number] struct {
	rowsArgs
	ofFactors [together]T
	ofSums    [together * maxSide]T // side for each row
}

// Works are kept for other calls.
var works32, works64 = sync.Pool{New: newRowsWork[float32]}, sync.Pool{New: newRowsWork[float64]}

func newRowsWork[T Number]() any {
	w := new(rowsWork[T])
	w.factors, w.sums = unsafe.Pointer(&w.ofFactors), unsafe.Pointer(&w.ofSums)
	return w
}

func rowsWorks[T Number]() *sync.Pool {
	if bytesOf[T]() == 4 {
		return &works32
	}
	return &works64
}

// total is the sum of a row's products.
func (w *rowsWork[T]) total(row int) T {
	side := sideOf[T]()
	s := w.ofSums[row*side:][:side]
	if side == maxSide {
		for i, v := range s[side/2:] {
			s[i] += v
		}
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// dots writes the products of rows of m, from one up to an end, with x, along columns from one on. All three are
// multiples of side.
func (m *matrix[T]) dots(products, x []T, row, end, column int) {
	if row == end {
		return
	}
	m.memory.Poll((end - row) * (m.columns - column) / vectorized)
	w := rowsWorks[T]().Get().(*rowsWork[T])
	defer rowsWorks[T]().Put(w)
	w.aRow, w.x = m.step(), unsafe.Pointer(&x[column])
	w.strips = (m.columns - column) / sideOf[T]()
	for ; row < end; row += together {
		w.a = m.at(row, column)
		clear(w.ofSums[:])
		loopsOf[T]().dots(&w.rowsArgs)
		for r := range together {
			products[row+r] = w.total(r)
		}
	}
}

// adds adds multiples of rows of m, from one up to an end, to y, along columns from one on. All three are multiples of
// side.
func (m *matrix[T]) adds(y, factors []T, row, end, column int) {
	if row == end {
		return
	}
	m.memory.Poll((end - row) * (m.columns - column) / vectorized)
	w := rowsWorks[T]().Get().(*rowsWork[T])
	defer rowsWorks[T]().Put(w)
	w.aRow, w.y = m.step(), unsafe.Pointer(&y[column])
	w.strips = (m.columns - column) / sideOf[T]()
	for ; row < end; row += together {
		w.a = m.at(row, column)
		copy(w.ofFactors[:], factors[row:])
		loopsOf[T]().adds(&w.rowsArgs)
	}
}

// symmetric adds the product of m, a symmetric matrix from an element of the diagonal on, a multiple of side, with x to
// y. Behind blocks of side columns on the diagonal nothing is read.
func (m *matrix[T]) symmetric(y, x []T, first int) {
	m.memory.Poll((m.rows - first) * (m.columns - first) / vectorized)
	w := rowsWorks[T]().Get().(*rowsWork[T])
	defer rowsWorks[T]().Put(w)
	w.aRow = m.step()
	for row := first; row < m.rows; row += together {
		block := row / sideOf[T]() * sideOf[T]()
		clear(w.ofSums[:])
		copy(w.ofFactors[:], x[row:])
		w.a, w.x, w.y = m.at(row, first), unsafe.Pointer(&x[first]), unsafe.Pointer(&y[first])
		w.strips = (block - first) / sideOf[T]()
		loopsOf[T]().both(&w.rowsArgs)
		w.a, w.x, w.strips = m.at(row, block), unsafe.Pointer(&x[block]), 1
		loopsOf[T]().dots(&w.rowsArgs)
		for r := range together {
			y[row+r] += w.total(r)
		}
	}
}

// both writes the products of the rows of m with x, and adds to y the sum of the rows times the elements of x, which
// are 0 before column: along columns from that one on, a multiple of side.
func (m *matrix[T]) both(products, y, x []T, column int) {
	m.memory.Poll((m.rows - column) * (m.columns - column) / vectorized)
	m.dots(products, x, 0, column, column)
	w := rowsWorks[T]().Get().(*rowsWork[T])
	defer rowsWorks[T]().Put(w)
	w.aRow, w.x, w.y = m.step(), unsafe.Pointer(&x[column]), unsafe.Pointer(&y[column])
	w.strips = (m.columns - column) / sideOf[T]()
	for row := column; row < m.rows; row += together {
		w.a = m.at(row, column)
		clear(w.ofSums[:])
		copy(w.ofFactors[:], x[row:])
		loopsOf[T]().both(&w.rowsArgs)
		for r := range together {
			products[row+r] = w.total(r)
		}
	}
}
