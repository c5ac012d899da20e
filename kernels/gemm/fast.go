package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// vectorized is how the tiles of C are computed in vector registers: rows by cols
// elements at a time. See package gen for the loops.
type vectorized struct {
	rows, cols int
	// whole and part hold, by number of rows, the loop for all columns of a tile and for
	// some of them.
	whole, part []func(*tileArgs)
	masks       func(cols int) unsafe.Pointer
	transpose   func(*transposeArgs)
}

// tileArgs are the arguments of a loop. Steps are in bytes; package gen knows the
// offsets.
type tileArgs struct {
	k          int
	a, b, c    unsafe.Pointer
	aRow, aCol int
	bRow       int
	cRow       int
	masks      unsafe.Pointer
	add        int
}

// transposeArgs are the arguments of a transposition of blocks.
type transposeArgs struct {
	blocks         int
	src, dst       unsafe.Pointer
	srcRow, dstRow int
}

// Blocks of B that the second-level cache holds, in bytes.
const blockBytes = 256 << 10

// worthPacking is the number of rows of C from which on B is packed although its rows
// are contiguous.
const worthPacking = 48

// fast computes the rows [first, end) of C in vector registers. Columns of C are
// contiguous.
func (q *job[T]) fast(v *vectorized, first, end int, s *Scratch[T]) {
	f := panels[T]{job: q, v: v, s: s, args: &s.args, size: int(unsafe.Sizeof(q.a.Data[0]))}
	width := blockBytes / (KBlock * f.size) / v.cols * v.cols
	for j := 0; j < q.n; j += width {
		nj := min(width, q.n-j)
		for p := 0; p < q.k; p += KBlock {
			f.takeB(p, min(KBlock, q.k-p), j, nj, end-first)
			for i := first; i < end; i += v.rows {
				f.rows(i, min(v.rows, end-i), p, q.add || p > 0)
			}
		}
	}
}

// panels is a block of B, and how it is read: by panels of as many columns as a tile has.
type panels[T scalar.Number] struct {
	*job[T]
	v    *vectorized
	s    *Scratch[T]
	size int // of an element
	args *tileArgs

	np, j, nj int
	direct    int // the number of panels that are read where B lies
}

// takeB makes a block of B ready.
func (f *panels[T]) takeB(p, np, j, nj, rows int) {
	f.np, f.j, f.nj = np, j, nj
	cols := f.v.cols
	f.direct = 0
	if f.b.Col == 1 && rows < worthPacking {
		f.direct = nj / cols
	}
	for at := f.direct * cols; at < nj; at += cols {
		f.packB(f.s.b[at*np:][:cols*np], p, j+at, min(cols, nj-at))
	}
	f.args.k = np
}

// rows multiplies a panel of A of up to as many rows as a tile has with the block of B.
func (f *panels[T]) rows(i, ni, p int, add bool) {
	f.takeA(i, ni, p)
	f.args.add = 0
	if add {
		f.args.add = 1
	}
	f.args.cRow = f.c.Row * f.size
	cols := f.v.cols
	tile := f.v.whole[ni]
	for at := 0; at < f.nj; at += cols {
		if n := f.nj - at; n < cols {
			tile = f.v.part[ni]
			f.args.masks = f.v.masks(n)
		}
		if at < f.direct*cols {
			f.args.b = unsafe.Pointer(&f.b.Data[f.b.Start+p*f.b.Row+f.j+at])
			f.args.bRow = f.b.Row * f.size
		} else {
			f.args.b = unsafe.Pointer(&f.s.b[at*f.np])
			f.args.bRow = cols * f.size
		}
		f.args.c = unsafe.Pointer(&f.c.Data[f.c.Start+i*f.c.Row+f.j+at])
		tile(f.args)
	}
}

// takeA points at the rows of A where they lie, unless their elements would crowd a few
// sets of the cache: then they are copied, side by side.
func (f *panels[T]) takeA(i, ni, p int) {
	at := f.a.Start + i*f.a.Row + p*f.a.Col
	if f.a.Col == 1 && f.a.Row*f.size%1024 != 0 || f.nj <= 2*f.v.cols {
		f.args.a = unsafe.Pointer(&f.a.Data[at])
		f.args.aRow, f.args.aCol = f.a.Row*f.size, f.a.Col*f.size
		return
	}
	panel := f.s.a[:ni*f.np]
	for r := range ni {
		src := at + r*f.a.Row
		for k := r; k < len(panel); k += ni {
			panel[k] = f.a.Data[src]
			src += f.a.Col
		}
	}
	f.args.a = unsafe.Pointer(&panel[0])
	f.args.aRow, f.args.aCol = f.size, ni*f.size
}

// packB copies nj columns of B from (p, j) on into a panel of as many columns as a tile
// has, row by row. Missing columns are zero.
func (f *panels[T]) packB(dst []T, p, j, nj int) {
	b, cols := &f.b, f.v.cols
	at := b.Start + p*b.Row + j*b.Col
	rows := len(dst) / cols
	if nj < cols {
		clear(dst)
	}
	if b.Col == 1 {
		for ; len(dst) > 0; dst = dst[cols:] {
			copy(dst[:nj], b.Data[at:])
			at += b.Row
		}
		return
	}
	done := 0
	side := 32 / f.size
	if b.Row == 1 && rows >= side {
		done = rows / side * side
		t := &f.s.transpose
		*t = transposeArgs{blocks: done / side, srcRow: b.Col * f.size, dstRow: cols * f.size}
		for c := 0; c+side <= nj; c += side {
			t.src, t.dst = unsafe.Pointer(&b.Data[at+c*b.Col]), unsafe.Pointer(&dst[c])
			f.v.transpose(t)
		}
	}
	for c := range nj {
		k := done
		if c >= nj/side*side {
			k = 0
		}
		for ; k < rows; k++ {
			dst[k*cols+c] = b.Data[at+k*b.Row+c*b.Col]
		}
	}
}
