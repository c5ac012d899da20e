package gemm

import (
	"cmp"
	"math"
	"unsafe"
)

// transposer is a loop that transposes square blocks of side bytes per side.
type transposer struct {
	bytes int
	run   func(*transposeArgs)
}

// transposeArgs are the arguments of a transposition of blocks. Steps are in bytes. If ahead is not 0, the row that is
// ahead of each is prefetched.
type transposeArgs struct {
	blocks         int
	src, dst       unsafe.Pointer
	srcRow, dstRow int
	ahead          int
}

// If rows are farRow bytes or more apart, the processor does not prefetch the next ones by itself: the block after the
// next one is prefetched.
const (
	farRow      = 1 << 10
	blocksAhead = 2
)

// transposition writes the rows of a matrix, which begins at from in src, as the columns of another, which begins at to
// in dst. Rows are some elements apart.
type transposition[T any] struct {
	src, dst       []T
	from, to       int
	srcRow, dstRow int
	rows, cols     int
	farRow         int // bytes between rows from which on others are prefetched; 0 is the usual number
}

// noRow is so far that nothing is prefetched.
const noRow = math.MaxInt

// part is the transposition of a part of the matrix.
func (m transposition[T]) part(row, col, rows, cols int) transposition[T] {
	m.from, m.to = m.from+row*m.srcRow+col, m.to+col*m.dstRow+row
	m.rows, m.cols = rows, cols
	return m
}

// transpose runs a transposition with some loops, in the largest blocks that fit.
func (f *macroKernel[T]) transpose(m transposition[T], loops []transposer) {
	if len(loops) == 0 {
		for r := range m.rows {
			for c := range m.cols {
				m.dst[m.to+c*m.dstRow+r] = m.src[m.from+r*m.srcRow+c]
			}
		}
		return
	}
	side := loops[0].bytes / f.size
	rows, cols := m.rows/side*side, m.cols/side*side
	args := &f.s.transpose
	for r := 0; cols > 0 && r < rows; r += side {
		*args = transposeArgs{blocks: cols / side, srcRow: m.srcRow * f.size, dstRow: m.dstRow * f.size}
		if args.srcRow >= cmp.Or(m.farRow, farRow) {
			args.ahead = blocksAhead * side * args.srcRow
		}
		args.src, args.dst = unsafe.Pointer(&m.src[m.from+r*m.srcRow]), unsafe.Pointer(&m.dst[m.to+r])
		loops[0].run(args)
	}
	if cols < m.cols {
		f.transpose(m.part(0, cols, rows, m.cols-cols), loops[1:])
	}
	if rows < m.rows {
		f.transpose(m.part(rows, 0, m.rows-rows, m.cols), loops[1:])
	}
}
