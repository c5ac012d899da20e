package triangular

import (
	"sync"
	"unsafe"
)

// Form says which triangle of a matrix a system is solved with.
type Form struct {
	Upper      bool // else the lower one
	Transposed bool // the matrix of the system is the triangle's transpose
	Unit       bool // the diagonal counts as ones, and is not read
}

// Solve makes of b, of n rows and k columns, the solution x of t·x = b, for a triangle t of n rows. Where the diagonal
// has a 0, x is infinite or NaN.
func Solve[T Number](memory Memory, t []T, n int, of Form, b []T, k int) {
	if n == 0 || k == 0 {
		return
	}
	if isUnblocked[T](n, k) {
		solveUnblocked(t, n, of, b, k)
		return
	}
	x := newColumns[T](memory, n, k)
	s := x.system(memory, t, of)
	x.each(b, k, func() { s.run(0) })
}

// columns are what a system is solved for, n rows of up to k numbers at a time. There is room for side rows before and
// behind them.
type columns[T Number] struct {
	matrix[T]
	n, k int
}

// partBytes is how much of columns is worked on at a time, so that it stays in the second-level cache.
const partBytes = 1 << 18

// newColumns makes room for up to k columns of n rows.
func newColumns[T Number](memory Memory, n, k int) columns[T] {
	k = min(k, max(roundUp[T](partBytes/bytesOf[T]()/(n+2*sideOf[T]())), 8*sideOf[T]()))
	x := columns[T]{newMatrix[T](memory, n+2*sideOf[T](), k), n, k}
	x.zero()
	return x
}

// each has f change the k columns of b, some at a time.
func (x *columns[T]) each(b []T, k int, f func()) {
	for at := 0; at < k; at += x.k {
		part := min(x.k, k-at)
		for i := range x.n {
			row := x.row(i)
			clear(row[copy(row, b[i*k+at:][:part]):])
		}
		f()
		for i := range x.n {
			copy(b[i*k+at:][:part], x.row(i))
		}
	}
}

func (x *columns[T]) row(i int) []T { return x.matrix.row(sideOf[T]() + i) }

// system is that of a triangle, to solve for x. An upper one is a lower one from its end on.
func (x *columns[T]) system(memory Memory, t []T, of Form) (s system[T]) {
	s = system[T]{memory: memory, l: unsafe.Pointer(unsafe.SliceData(t)), lRow: x.n * bytesOf[T](),
		lColumn: bytesOf[T](),
		c:       x.at(sideOf[T](), 0), cRow: x.step(), rows: x.n, columns: x.matrix.columns, mode: solved,
		skips: x.n >= 4*sideOf[T]()}
	if of.Transposed {
		s.lRow, s.lColumn = s.lColumn, s.lRow
	}
	if of.Unit {
		s.mode = unit
	}
	if of.Upper != of.Transposed {
		s.backwards()
	}
	s.withTail(memory)
	return s
}

// system is rows of c that are computed in blocks, from those of l and, in mode less, of x.
type system[T Number] struct {
	memory        Memory // to poll
	mode          mode
	l             unsafe.Pointer
	lRow, lColumn int
	x             unsafe.Pointer
	xRow          int
	c             unsafe.Pointer
	cRow          int
	rows, columns int // of c
	// Where there are rows behind the last block, tail has them as a block of their own.
	tail    unsafe.Pointer
	tailRow int
	skips   bool // zeros that c begins with, which stay zeros: looking for them wants some rows
}

// withTail makes a block of the last rows of a system, if they are none. Rows that it has besides are those of the
// identity.
func (s *system[T]) withTail(memory Memory) {
	rows := loopsOf[T]().rows
	left := s.rows % rows
	if left == 0 {
		return
	}
	before := s.rows - left
	t := newMatrix[T](memory, sideOf[T](), before+rows)
	for r := range rows {
		row := t.row(r)
		if r < left {
			for k := range before + r + 1 {
				row[k] = *number[T](s.l, (before+r)*s.lRow+k*s.lColumn)
			}
		} else {
			clear(row)
			row[before+r] = 1
		}
	}
	s.tail, s.tailRow = t.first, t.step()
}

// backwards goes from the end of a system on: an upper triangle is a lower one so.
func (s *system[T]) backwards() {
	last := s.rows - 1
	s.l, s.c = unsafe.Add(s.l, last*(s.lRow+s.lColumn)), unsafe.Add(s.c, last*s.cRow)
	s.lRow, s.lColumn, s.cRow = -s.lRow, -s.lColumn, -s.cRow
}

// arguments are kept for other calls.
var arguments = sync.Pool{New: func() any { return new(blockArgs) }}

// run computes all blocks. Of a system, before rows of c are solved already, and lie before it.
func (s *system[T]) run(before int) {
	loops := loopsOf[T]()
	a := arguments.Get().(*blockArgs)
	defer arguments.Put(a)
	*a = blockArgs{xRow: s.xRow, cRow: s.cRow}
	if s.mode != less {
		s.x, a.xRow = unsafe.Add(s.c, -before*s.cRow), s.cRow
	}
	skipped, work := 0, 0
	for at := 0; at < s.columns; {
		strips := min((s.columns-at)/sideOf[T](), loops.strips)
		block := loops.blocks[s.mode][strips-1]
		if s.skips && at%(mostStrips*sideOf[T]()) == 0 { // as many with all processors
			skipped = s.zeros(at)
		}
		a.x = unsafe.Add(s.x, at*bytesOf[T]()+skipped*a.xRow)
		a.inner = before
		for r := skipped; r < s.rows; r += loops.rows {
			a.l, a.lRow, a.lColumn = unsafe.Add(s.l, r*s.lRow), s.lRow, s.lColumn
			if r+loops.rows > s.rows {
				a.l, a.lRow, a.lColumn = s.tail, s.tailRow, bytesOf[T]()
			}
			a.l = unsafe.Add(a.l, skipped*a.lColumn)
			a.c = unsafe.Add(s.c, r*s.cRow+at*bytesOf[T]())
			block(a)
			if work += loops.rows * strips * sideOf[T]() * (a.inner + loops.rows); work >= polledWork {
				s.memory.Poll(work / vectorized)
				work = 0
			}
			if s.mode != less {
				a.inner += loops.rows
			}
		}
		at += strips * sideOf[T]()
	}
	s.memory.Poll(work / vectorized)
}

// polledWork is how many products are added before a system polls.
const polledWork = 1 << 18

// zeros is how many rows c begins with, in whole blocks, that are zeros in the strips of a block.
func (s *system[T]) zeros(at int) (rows int) {
	width := min(mostStrips*sideOf[T](), s.columns-at)
	for r := range s.rows {
		for _, v := range unsafe.Slice(number[T](s.c, r*s.cRow+at*bytesOf[T]()), width) {
			if v != 0 {
				return r / sideOf[T]() * sideOf[T]()
			}
		}
	}
	return s.rows / sideOf[T]() * sideOf[T]()
}
