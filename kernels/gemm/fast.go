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

// blockPanels is the number of panels of A that are copied at a time.
const blockPanels = 16

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
				if (i-first)%(v.rows*blockPanels) == 0 {
					f.takeA(i, min(v.rows*blockPanels, end-i), p)
				}
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
	first     int // the row of A at which the copied panels begin
}

// takeB makes a block of B ready.
func (f *panels[T]) takeB(p, np, j, nj, rows int) {
	f.np, f.j, f.nj = np, j, nj
	cols := f.v.cols
	f.direct = 0
	if f.b.Col == 1 && rows < worthPacking {
		f.direct = nj / cols
	}
	whole := f.direct
	if f.b.Col == 1 {
		whole = nj / cols
		f.packRows(p, f.direct, whole)
	}
	for at := whole * cols; at < nj; at += cols {
		f.packB(f.s.b[at*np:][:cols*np], p, j+at, min(cols, nj-at))
	}
	f.args.k = np
}

// rows multiplies a panel of A of up to as many rows as a tile has with the block of B.
func (f *panels[T]) rows(i, ni, p int, add bool) {
	f.pointA(i, ni, p)
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

// readsA reports whether A is read where it lies: not if its elements would crowd a few
// sets of the cache, or a few of each line were used; unless little is computed from it.
func (f *panels[T]) readsA() bool {
	return f.a.Col == 1 && f.a.Row*f.size%1024 != 0 || f.nj <= 2*f.v.cols
}

// takeA copies a block of rows of A if it is not read where it lies: contiguous rows one
// behind the other, others into panels of as many rows as a tile has, column by column.
func (f *panels[T]) takeA(i, ni, p int) {
	if f.readsA() {
		return
	}
	f.first = i
	rows := f.v.rows
	whole := 0
	if f.a.Row == 1 {
		whole = ni / rows
		f.packColumns(i, whole, p)
	}
	for r := whole * rows; r < ni; r++ {
		src := f.a.Start + (i+r)*f.a.Row + p*f.a.Col
		if f.a.Col == 1 {
			copy(f.s.a[r*f.np:][:f.np], f.a.Data[src:])
			continue
		}
		panel := r / rows * rows
		count := min(rows, ni-panel)
		dst := f.s.a[panel*f.np:]
		for k := range f.np {
			dst[k*count+r-panel] = f.a.Data[src]
			src += f.a.Col
		}
	}
}

// packColumns copies whole panels of a transposed A, a few columns at a time, so that each
// line of memory is read once.
func (f *panels[T]) packColumns(i, whole, p int) {
	const few = 8
	rows := f.v.rows
	for k := 0; k < f.np; k += few {
		for panel := range whole {
			src := f.a.Start + i + panel*rows + (p+k)*f.a.Col
			dst := panel*rows*f.np + k*rows
			copyLines(unsafe.Pointer(&f.s.a[dst]), unsafe.Pointer(&f.a.Data[src]), min(few, f.np-k), rows*f.size, f.a.Col*f.size)
		}
	}
}

// pointA points at a panel of A.
func (f *panels[T]) pointA(i, ni, p int) {
	if f.readsA() {
		f.args.a = unsafe.Pointer(&f.a.Data[f.a.Start+i*f.a.Row+p*f.a.Col])
		f.args.aRow, f.args.aCol = f.a.Row*f.size, f.a.Col*f.size
		return
	}
	f.args.a = unsafe.Pointer(&f.s.a[(i-f.first)*f.np])
	f.args.aRow, f.args.aCol = f.size, ni*f.size
	if f.a.Col == 1 {
		f.args.aRow, f.args.aCol = f.np*f.size, f.size
	}
}

// copyLines copies n lines of some bytes, which lie step bytes apart, one behind the
// other. The lengths are those of the rows and columns of tiles; each is a copy of its own
// since a call for so few bytes would take longer.
func copyLines(dst, src unsafe.Pointer, n, bytes, step int) {
	switch bytes {
	case 24:
		copyEach[[3]uint64](dst, src, n, step)
	case 48:
		copyEach[[6]uint64](dst, src, n, step)
	case 56:
		copyEach[[7]uint64](dst, src, n, step)
	case 64:
		copyEach[[8]uint64](dst, src, n, step)
	case 112:
		copyEach[[14]uint64](dst, src, n, step)
	case 128:
		copyEach[[16]uint64](dst, src, n, step)
	}
}

func copyEach[L any](dst, src unsafe.Pointer, n, step int) {
	for i := range n {
		if i > 0 { // the last step would leave the memory
			dst, src = unsafe.Add(dst, unsafe.Sizeof(*(*L)(dst))), unsafe.Add(src, step)
		}
		*(*L)(dst) = *(*L)(src)
	}
}

// packRows copies the panels from first to end of a block whose rows are contiguous. It
// takes a few rows at a time, so that few pages of memory are in use at once.
func (f *panels[T]) packRows(p, first, end int) {
	const few = 8
	cols := f.v.cols
	for r := 0; r < f.np; r += few {
		for panel := first; panel < end; panel++ {
			at := f.b.Start + (p+r)*f.b.Row + f.j + panel*cols
			dst := panel*cols*f.np + r*cols
			copyLines(unsafe.Pointer(&f.s.b[dst]), unsafe.Pointer(&f.b.Data[at]), min(few, f.np-r), cols*f.size, f.b.Row*f.size)
		}
	}
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
