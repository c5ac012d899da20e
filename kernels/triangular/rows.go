package triangular

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// together is how many rows a loop goes along; it divides side.
const together = 4

// roundUpRows is the least multiple of together that is not below n.
func roundUpRows(n int) int { return (n + together - 1) / together * together }

// rowsArgs are together rows, aRow bytes apart, a vector x that they are multiplied with, and a vector y that their multiples are added to. A sum of products is side sums, of every
// side-th product each.
type rowsArgs struct {
	a       unsafe.Pointer
	aRow    int
	x, y    unsafe.Pointer
	factors *[together]float64
	sums    *[together][side]float64
	strips  int // of side columns
}

func dotsPlain(a *rowsArgs) {
	for at := 0; at < a.strips*side*numberBytes; at += side * numberBytes {
		x := rowAt(a.x, at)
		for r := range a.sums {
			sums := &a.sums[r]
			for c, v := range rowAt(a.a, r*a.aRow+at) {
				sums[c] = scalar.FMA64(v, x[c], sums[c])
			}
		}
	}
}

func addsPlain(a *rowsArgs) {
	for at := 0; at < a.strips*side*numberBytes; at += side * numberBytes {
		y := rowAt(a.y, at)
		for r, factor := range a.factors {
			for c, v := range rowAt(a.a, r*a.aRow+at) {
				y[c] = scalar.FMA64(v, factor, y[c])
			}
		}
	}
}

// rowsWork is what a loop along rows needs memory for.
type rowsWork struct {
	rowsArgs
	ofFactors [together]float64
	ofSums    [together][side]float64
}

// rowsWorks are kept for other calls.
var rowsWorks = sync.Pool{New: func() any {
	w := new(rowsWork)
	w.factors, w.sums = &w.ofFactors, &w.ofSums
	return w
}}

// total is the sum of a row's products.
func (w *rowsWork) total(row int) float64 {
	s := &w.ofSums[row]
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// dots writes the products of rows of m, from one up to an end, with x, along columns from one on. All three are multiples of side.
func (m *matrix) dots(products, x []float64, row, end, column int) {
	if row == end {
		return
	}
	w := rowsWorks.Get().(*rowsWork)
	defer rowsWorks.Put(w)
	w.aRow, w.x = m.step(), unsafe.Pointer(&x[column])
	w.strips = (m.columns - column) / side
	for ; row < end; row += together {
		w.a = m.at(row, column)
		w.ofSums = [together][side]float64{}
		current.dots(&w.rowsArgs)
		for r := range together {
			products[row+r] = w.total(r)
		}
	}
}

// adds adds multiples of rows of m, from one up to an end, to y, along columns from one on. All three are multiples of side.
func (m *matrix) adds(y, factors []float64, row, end, column int) {
	if row == end {
		return
	}
	w := rowsWorks.Get().(*rowsWork)
	defer rowsWorks.Put(w)
	w.aRow, w.y = m.step(), unsafe.Pointer(&y[column])
	w.strips = (m.columns - column) / side
	for ; row < end; row += together {
		w.a = m.at(row, column)
		copy(w.ofFactors[:], factors[row:])
		current.adds(&w.rowsArgs)
	}
}

// symmetric adds the product of m, a symmetric matrix from an element of the diagonal on, a multiple of side, with x to y. Behind blocks of side columns on
// the diagonal nothing is read.
func (m *matrix) symmetric(y, x []float64, first int) {
	w := rowsWorks.Get().(*rowsWork)
	defer rowsWorks.Put(w)
	w.aRow = m.step()
	for row := first; row < m.rows; row += together {
		block := row / side * side
		w.ofSums = [together][side]float64{}
		copy(w.ofFactors[:], x[row:])
		w.a, w.x, w.y = m.at(row, first), unsafe.Pointer(&x[first]), unsafe.Pointer(&y[first])
		w.strips = (block - first) / side
		current.both(&w.rowsArgs)
		w.a, w.x, w.strips = m.at(row, block), unsafe.Pointer(&x[block]), 1
		current.dots(&w.rowsArgs)
		for r := range together {
			y[row+r] += w.total(r)
		}
	}
}

// both writes the products of the rows of m with x, and adds to y the sum of the rows times the elements of x, which are 0 before column: along columns from that one on, a multiple
// of side.
func (m *matrix) both(products, y, x []float64, column int) {
	m.dots(products, x, 0, column, column)
	w := rowsWorks.Get().(*rowsWork)
	defer rowsWorks.Put(w)
	w.aRow, w.x, w.y = m.step(), unsafe.Pointer(&x[column]), unsafe.Pointer(&y[column])
	w.strips = (m.columns - column) / side
	for row := column; row < m.rows; row += together {
		w.a = m.at(row, column)
		w.ofSums = [together][side]float64{}
		copy(w.ofFactors[:], x[row:])
		current.both(&w.rowsArgs)
		for r := range together {
			products[row+r] = w.total(r)
		}
	}
}
