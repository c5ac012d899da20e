package gemm

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// thinArgs are the arguments of an addition of rows of B, times factors, to sums. Steps are
// in bytes.
type thinArgs struct {
	vectors    int
	sums       uintptr
	b          uintptr
	bRow       int
	factors    uintptr
	factorStep int
}

// thinRows is the number of rows that are added at a time, and thinCols that of columns
// whose sums stay in the first-level cache.
const (
	thinRows = 8
	thinCols = 1024
)

// addedRows computes a part of one row, where rows of B are contiguous: they are read as
// they lie in memory, several at a time. It gives the column up to which it got: vectors
// are whole.
func (f *panels[T]) addedRows() int {
	lanes := f.v.cols / 2
	right := f.left + (f.right-f.left)/lanes*lanes
	args := &f.s.thin
	for j := f.left; j < right; j += thinCols {
		nj := min(thinCols, right-j)
		sums := f.s.b[:nj]
		for p, np := 0, 0; p < f.k; p += np {
			np = blockSize(p, f.k)
			end := p + np
			clear(sums)
			*args = thinArgs{vectors: nj / lanes, sums: address(sums, 0), bRow: f.b.Row * f.size, factorStep: f.a.Col * f.size}
			for k := p; k < end; {
				args.b = address(f.b.Data, f.b.Start+k*f.b.Row+j)
				args.factors = address(f.a.Data, f.a.Start+f.top*f.a.Row+k*f.a.Col)
				if k+thinRows <= end {
					f.v.addRows(args)
					k += thinRows
				} else {
					f.v.addRow(args)
					k++
				}
			}
			f.putRow(sums, f.top, j, f.add || p > 0)
		}
	}
	return right
}

// dotArgs are the arguments of sums of products of blocks of contiguous elements.
type dotArgs struct {
	k    int
	a, b uintptr
	sums unsafe.Pointer
}

// dotBlocks is the number of blocks that are summed up side by side.
const dotBlocks = 8

// dots computes a single element from contiguous ones. It does nothing where they are not,
// or too few.
func (f *panels[T]) dots() bool {
	const most = dotBlocks * KBlock
	whole := f.fullBlocks() / dotBlocks * most
	if f.a.Col != 1 || f.b.Row != 1 || f.offsets != nil || whole == 0 {
		return false
	}
	a, b := f.a.Data[f.a.Start+f.top*f.a.Row:], f.b.Data[f.b.Start+f.left*f.b.Col:]
	c := &f.c.Data[f.c.Start+f.top*f.c.Row+f.left*f.c.Col]
	add := f.add
	for p := 0; p < whole; p += most {
		f.s.dot = dotArgs{KBlock, address(a, p), address(b, p), unsafe.Pointer(&f.s.sums[0])}
		f.v.dot(&f.s.dot)
		for _, sum := range f.s.sums[:dotBlocks] {
			if add {
				sum += *c
			}
			*c, add = sum, true
		}
	}
	f.a.Start, f.b.Start = f.a.Start+whole, f.b.Start+whole
	f.k, f.add = f.k-whole, true
	if f.k > 0 {
		f.low()
	}
	return true
}

// fullBlocks counts the blocks of KBlock products: all, or all but the last.
func (q *job[T]) fullBlocks() int {
	if n := countBlocks(q.k); q.k != n*KBlock {
		return max(n-1, 0)
	}
	return q.k / KBlock
}

// dotRowsArgs are the arguments of sums of products of contiguous rows of B, in blocks of
// 32 bytes, with one of A.
type dotRowsArgs struct {
	blocks int
	a, b   uintptr
	bRow   int
	sums   unsafe.Pointer
	ahead  int // from the rows that are read to those that are fetched
}

// dotSums is the number of sums that are made side by side: of as many rows, or of fours
// blocks of each of fewer rows.
const (
	dotSums = 16
	fours   = 4
)

// farBytes is the size of a matrix from which on whole rows are fetched ahead: it is not
// in a cache.
const farBytes = 12 << 20

// dottedRows computes a part of one row, where columns of B are contiguous. It gives the
// column up to which it got.
func (f *panels[T]) dottedRows() int {
	right := f.left + (f.right-f.left)/dotSums*dotSums
	whole := f.fullBlocks() / fours * fours * KBlock
	for p := 0; p < whole; p += fours * KBlock {
		f.arrangeFours(p)
		for j := f.left; j < right; j += dotSums / fours {
			f.dotFours(j, p)
		}
	}
	for j := f.left; j < right; j += dotSums {
		for p, np := whole, 0; p < f.k; p += np {
			np = blockSize(p, f.k)
			f.dotRows(j, p, np)
			f.putRow(f.s.sums[:dotSums], f.top, j, f.add || p > 0)
		}
	}
	return right
}

// arrangeFours lays elements of four blocks of A out side by side, in whole vectors.
func (f *panels[T]) arrangeFours(p int) {
	side := pieceBytes / f.size
	a := f.a.Data[f.a.Start+f.top*f.a.Row+p:]
	for i := range KBlock {
		to := f.s.fours[i*side:][:side]
		for lane := range fours {
			to[lane] = a[lane*KBlock+i]
		}
		copy(to[fours:], to[:fours])
	}
}

// dotFours adds up four blocks of products from p on for the column j of B and the next
// ones.
func (f *panels[T]) dotFours(j, p int) {
	sums, step := f.s.sums[:dotSums], f.b.Col*f.size
	clear(sums)
	f.s.dotRows = dotRowsArgs{KBlock * f.size / pieceBytes / 2, address(f.s.fours[:], 0), address(f.b.Data, f.b.Start+j*f.b.Col+p), step, unsafe.Pointer(&sums[0]), 0}
	f.s.dotRows.ahead = 256
	if far := 2 * dotSums / fours; f.n*step >= farBytes && j+far+dotSums/fours <= f.n {
		f.s.dotRows.ahead = far * step
	}
	f.v.dotFours(&f.s.dotRows)
	for at := 0; at < dotSums; at += fours {
		c := &f.c.Data[f.c.Start+f.top*f.c.Row+j+at/fours]
		for block, sum := range sums[at : at+fours] {
			if f.add || p > 0 || block > 0 {
				sum += *c
			}
			*c = sum
		}
	}
}

// dotRows sums up np products from p on for the column j of B and the next ones.
func (f *panels[T]) dotRows(j, p, np int) {
	args, side := &f.s.dotRows, pieceBytes/f.size
	sums, step := f.s.sums[:dotSums], f.b.Col*f.size
	clear(sums)
	a, b := f.a.Start+f.top*f.a.Row+p, f.b.Start+j*f.b.Col+p
	*args = dotRowsArgs{np / side, address(f.a.Data, a), address(f.b.Data, b), step, unsafe.Pointer(&sums[0]), 0}
	switch {
	case step%4096 == 0: // more rows would crowd the cache
		args.ahead = 512
	case j+2*dotSums <= f.n:
		args.ahead = dotSums * step
	}
	if args.blocks > 0 {
		f.v.dotRows(args)
	}
	if rest := np % side; rest > 0 {
		f.dotTail(a+np-rest, b+np-rest, rest)
	}
}

// dotTail adds the last products of rows, from a and b on, that fill no vector: it fills
// one with products of -0, which change no sum.
func (f *panels[T]) dotTail(a, b, n int) {
	side := pieceBytes / f.size
	tail := f.s.tail[:(dotSums+1)*side]
	clear(tail)
	copy(tail, f.a.Data[a:][:n])
	for i := n; i < side; i++ {
		tail[i] = minusZero[T]()
	}
	for r := range dotSums {
		copy(tail[(r+1)*side:], f.b.Data[b+r*f.b.Col:][:n])
	}
	args := &f.s.dotRows
	args.blocks, args.a, args.b = 1, address(tail, 0), address(tail, side)
	args.bRow = pieceBytes
	f.v.dotRows(args)
}

func minusZero[T scalar.Number]() T { return T(math.Copysign(0, -1)) }
