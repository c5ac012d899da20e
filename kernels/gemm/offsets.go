package gemm

import (
	"iter"
	"slices"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Offsets are the places of the rows and columns of a matrix whose axes are each several axes of the memory, such as
// the windows of an image: element (i, j) is Data[Start+Rows[i]+Cols[j]].
type Offsets struct {
	Rows, Cols []int

	// Runs of elements that are step apart, along the columns or along the rows, are copied in pieces. pieces holds
	// those of each panel of columns, or of each block of rows.
	along  axis
	step   int
	pieces [][]piece
	// Long runs along the rows are transposed in place, if columns are colStep apart. runs holds those of each block of
	// rows.
	runs    [][]run
	colStep int

	panelCols  int    // columns of a panel
	contiguous []bool // whether each vector of columns of a panel is contiguous
	// Whether most panels are contiguous, or runs of rows are so long that copying them takes about as long as copying
	// A.
	areNear      bool
	highestRows  []int // of the offsets of each block of rows
	highestPanel []int // of the offsets of each panel
}

// maxStep is the greatest step of elements that are copied together.
const maxStep = 2

// axis is one of a matrix.
type axis uint8

const (
	neither axis = iota
	alongColumns
	alongRows
)

// piece is up to pieceBytes of elements that are step apart: from an offset to a place in the panel or the block.
type piece struct{ from, to int }

// pieceBytes is what is copied at a time.
const pieceBytes = 32

// leastRun is the mean length from which runs are copied in pieces.
const leastRun = 4

// run is a number of contiguous elements: from an offset to a place in the block.
type run struct{ from, to, len int }

// nearRun is the mean length of runs along the rows from which windows are not read in place.
const nearRun = 16

// longRun is the mean length from which runs are transposed in place.
const longRun = 64

// SetOffsets gives B offsets of its rows and columns instead of strides. The caller must not change them afterwards.
func (p *Product[T]) SetOffsets(rows, cols []int) {
	o := &Offsets{Rows: rows, Cols: cols}
	p.Offsets = o
	v := simdOf[T]()
	if v == nil {
		return
	}
	o.panelCols, o.highestRows, o.highestPanel = v.cols, highest(blocks[T](rows)), highest(slices.Chunk(cols, v.cols))
	near := 0
	for panel := range slices.Chunk(cols, v.cols) {
		half := v.cols / 2
		o.contiguous = append(o.contiguous, len(panel) == v.cols && runLength(panel, 1) >= half &&
			runLength(panel[half:], 1) == half)
		if o.contiguous[len(o.contiguous)-1] {
			near++
		}
	}
	o.areNear = 2*near > len(o.contiguous) || countRuns(rows, 1)*nearRun <= len(rows)
	side := pieceBytes / sizeOf[T]()
	for o.step = 1; o.step <= maxStep; o.step++ {
		switch {
		case countRuns(cols, o.step)*leastRun <= len(cols):
			o.along, o.pieces = alongColumns, cutPieces(slices.Chunk(cols, v.cols), o.step, side)
			return
		case countRuns(rows, o.step)*leastRun <= len(rows):
			o.along, o.pieces = alongRows, cutPieces(blocks[T](rows), o.step, side)
			if o.step == 1 && len(cols) > 1 && countRuns(cols, cols[1]-cols[0]) == 1 &&
				countRuns(rows, 1)*longRun <= len(rows) {
				o.runs, o.colStep = cutRuns(blocks[T](rows)), cols[1]-cols[0]
			}
			return
		}
	}
}

// blocks returns the offsets of each block of K.
func blocks[T scalar.Number](rows []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for p, np := 0, 0; p < len(rows); p += np {
			np = blockSize(p, len(rows))
			if !yield(rows[p : p+np]) {
				return
			}
		}
	}
}

// cutPieces cuts parts of offsets into pieces of up to side elements.
func cutPieces(offsets iter.Seq[[]int], step, side int) (parts [][]piece) {
	for part := range offsets {
		var pieces []piece
		for at := 0; at < len(part); {
			n := min(runLength(part[at:], step), side)
			pieces = append(pieces, piece{part[at], at})
			at += n
		}
		parts = append(parts, pieces)
	}
	return parts
}

// cutRuns cuts parts of offsets into runs.
func cutRuns(offsets iter.Seq[[]int]) (parts [][]run) {
	for part := range offsets {
		var runs []run
		for at := 0; at < len(part); {
			n := runLength(part[at:], 1)
			runs = append(runs, run{part[at], at, n})
			at += n
		}
		parts = append(parts, runs)
	}
	return parts
}

// highest returns the greatest offset of each part.
func highest(offsets iter.Seq[[]int]) (list []int) {
	for part := range offsets {
		list = append(list, slices.Max(part))
	}
	return list
}

// stays reports whether the copy of whole pieces of a block of rows and a panel from j stays within n elements.
func (o *Offsets) stays(block, j, start, side, n int) bool {
	return j%o.panelCols == 0 && start+o.highestRows[block]+o.highestPanel[j/o.panelCols]+side <= n
}

// countRuns counts the runs of offsets step apart.
func countRuns(offsets []int, step int) int {
	n := 0
	for at := 0; at < len(offsets); at += runLength(offsets[at:], step) {
		n++
	}
	return n
}

// runLength is the number of offsets at the beginning that are step apart.
func runLength(offsets []int, step int) int {
	n := 1
	for n < len(offsets) && offsets[n] == offsets[n-1]+step {
		n++
	}
	return n
}

// extent is the range of the sums of a row's and a column's offset; empty if there are no elements.
func (o *Offsets) extent() (lo, hi int) {
	if len(o.Rows) == 0 || len(o.Cols) == 0 {
		return 0, -1
	}
	return slices.Min(o.Rows) + slices.Min(o.Cols), slices.Max(o.Rows) + slices.Max(o.Cols)
}
