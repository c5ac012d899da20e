package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// KBlock is the number of products that are summed up before they are added to C.
const KBlock = 256

// RowBlock is the number of rows of A that are packed at a time, to stay in the
// second-level cache.
const RowBlock = 96

// colBlock is the number of columns of B that are packed at a time.
const colBlock = 256

// Scratch is the memory of a call: packed blocks of A and B. It serves any number of
// products, one at a time. The zero value is ready for use and grows by itself.
type Scratch[T scalar.Number] struct {
	a, b      []T
	job       job[T]
	args      tileArgs
	transpose transposeArgs
}

// Reserve prepares for products of the sizes.
func (s *Scratch[T]) Reserve(m, n, k int) { s.reserve(&Product[T]{M: m, N: n, K: k}) }

func (s *Scratch[T]) reserve(p *Product[T]) {
	k := min(p.K, KBlock)
	if v := inVectors[T](); v != nil {
		size := int(unsafe.Sizeof(*new(T)))
		s.a = grow(s.a, k*roundUp(min(p.M, blockPanels*v.rows), v.rows))
		s.b = grow(s.b, k*roundUp(min(p.N, blockBytes/(KBlock*size)), v.cols))
	}
	// One step more than is packed, since the innermost loop's pointers run beyond.
	s.a = grow(s.a, (k+1)*roundUp(min(p.M, RowBlock), tileRows))
	s.b = grow(s.b, (k+1)*roundUp(min(p.N, colBlock), tileCols))
}

func grow[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return make([]T, n)
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// job is one matrix product.
type job[T scalar.Number] struct {
	m, n, k int
	a, b, c Matrix[T]
	add     bool
}

// rows computes the rows [first, end) of C.
func (q *job[T]) rows(first, end int, s *Scratch[T]) {
	if q.k == 0 {
		q.clear(first, end)
		return
	}
	if v := inVectors[T](); v != nil && q.c.Col == 1 {
		q.fast(v, first, end, s)
		return
	}
	if end-first < tileRows && q.b.Col == 1 {
		q.thin(first, end, s)
		return
	}
	for j := 0; j < q.n; j += colBlock {
		nj := min(colBlock, q.n-j)
		for p := 0; p < q.k; p += KBlock {
			np := min(KBlock, q.k-p)
			packB(s.b, &q.b, p, np, j, nj)
			for i := first; i < end; i += RowBlock {
				ni := min(RowBlock, end-i)
				packA(s.a, &q.a, i, ni, p, np)
				q.block(s, i, ni, j, nj, np, q.add || p > 0)
			}
		}
	}
}

// clear makes the sums of no products.
func (q *job[T]) clear(first, end int) {
	if q.add {
		return
	}
	for i := first; i < end; i++ {
		at := q.c.Start + i*q.c.Row
		for range q.n {
			q.c.Data[at] = 0
			at += q.c.Col
		}
	}
}

// block multiplies the packed blocks into the part of C at (i, j).
func (q *job[T]) block(s *Scratch[T], i, ni, j, nj, np int, add bool) {
	var sums [tileRows * tileCols]T
	for jj := 0; jj < nj; jj += tileCols {
		b := s.b[jj*np:]
		for ii := 0; ii < ni; ii += tileRows {
			tile(np, s.a[ii*np:], b, &sums)
			q.put(&sums, i+ii, min(tileRows, ni-ii), j+jj, min(tileCols, nj-jj), add)
		}
	}
}

// put writes a tile of sums to C at (i, j).
func (q *job[T]) put(sums *[tileRows * tileCols]T, i, ni, j, nj int, add bool) {
	for r := range ni {
		q.putRow(sums[r*tileCols:][:nj], i+r, j, add)
	}
}

// putRow writes sums to the row of C at (i, j), or adds them to it.
func (q *job[T]) putRow(sums []T, i, j int, add bool) {
	at := q.c.Start + i*q.c.Row + j*q.c.Col
	for _, v := range sums {
		if add {
			v += q.c.Data[at]
		}
		q.c.Data[at] = v
		at += q.c.Col
	}
}
