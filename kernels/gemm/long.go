package gemm

import "unsafe"

// longRows and longCols are the sizes of a tile of integers of 64 bits, and longVector the elements of a vector.
const (
	longRows, longCols = 4, 16
	longVector         = 8
)

// longTile is the arguments of code for a tile of C, of up to longRows rows and longCols columns.
type longTile struct {
	a, c          [longRows]unsafe.Pointer // rows; another one stands for each that is missing
	b             unsafe.Pointer
	k             int
	stepA, stepB  int   // bytes from one product of a sum to the next one
	first, second uint8 // which columns of both vectors there are
	adds          bool  // to C
}

// isLong reports whether there is code for tiles of integers of 64 bits, and the product is one of such.
func (q *problem[T]) isLong() bool {
	_, long := any(*new(T)).(int64)
	return long && multipliesLong() && q.c.Col == 1 && q.offsets == nil && !q.continues() && !q.isConverted()
}

// long computes a product of integers of 64 bits: it packs some columns of a block of B, and multiplies them by all
// rows of A, which are read where they are.
func (q *problem[T]) long(c region, s *Scratch[T]) {
	size := sizeOf[T]()
	for p, np := q.from, 0; p < q.to; p += np {
		np = q.pieceLen(p)
		for j := c.left; j < c.right; j += longCols {
			cols := min(longCols, c.right-j)
			q.packColumns(s.b, p, np, j, cols)
			t := longTile{b: unsafe.Pointer(&s.b[0]), k: np, stepA: q.a.Col * size, stepB: cols * size,
				first: vectorMask(cols), second: vectorMask(cols - longVector), adds: q.add || p > q.from}
			for i := c.top; i < c.bottom; i += longRows {
				for r := range longRows {
					row := min(i+r, c.bottom-1)
					t.a[r] = unsafe.Pointer(&q.a.Data[q.a.Start+row*q.a.Row+p*q.a.Col])
					t.c[r] = unsafe.Pointer(&q.c.Data[q.c.Start+row*q.c.Row+j])
				}
				t.run()
			}
		}
	}
}

// packColumns copies columns of some rows of B, row by row.
func (q *problem[T]) packColumns(to []T, p, np, j, cols int) {
	for i := range np {
		row, at := to[i*cols:][:cols], q.b.Start+(p+i)*q.b.Row+j*q.b.Col
		if q.b.Col == 1 {
			copy(row, q.b.Data[at:])
			continue
		}
		for k := range row {
			row[k] = q.b.Data[at]
			at += q.b.Col
		}
	}
}

// vectorMask has a bit for each of the first n elements of a vector.
func vectorMask(n int) uint8 { return uint8(1<<min(max(n, 0), longVector) - 1) }
