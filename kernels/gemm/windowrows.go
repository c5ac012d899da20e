package gemm

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// windowRowsArgs are the arguments of a loop for one tile whose rows of A are windows. Steps are in bytes.
type windowRowsArgs struct {
	k       int
	offsets *int    // of the columns of A, in elements
	b, c    uintptr // b is a packed panel
	cRow    int
	add     int // not 0 to add to C
	rows    [mostWindowRows]uintptr
}

// mostWindowRows is the most rows of such a tile.
const mostWindowRows = 14

const (
	// Windows become rows if C has at most this many rows, which then become columns.
	turnedWindowRows = 512
	// A is packed once for a batch, or the transposed result of several blocks of K is kept, if it takes at most this
	// many bytes.
	turnedWindowBytes = 4 << 20
	// Otherwise, this many bytes of the transposed result are computed before they are transposed back.
	turnedResultBytes = 48 << 10
)

// turnsWindows reports whether a part of a product with windows is better computed as its transpose. Its rows are
// windows, which are read in place. Transposing an element of the result takes about as long as copying one of a
// window. once says that A is packed once for a batch.
func (q *problem[T]) turnsWindows(c region, s *Scratch[T], once bool) bool {
	v := simdOf[T]()
	if q.offsets == nil || v == nil || !q.canTurn(s) {
		return false
	}
	rows, places, width := c.bottom-c.top, c.right-c.left, roundUp(c.bottom-c.top, v.cols/2)
	of, ofA := 1, 1 // what copying an element of a window costs where A is packed once, and for each matrix
	if q.offsets.along != alongColumns {
		of, ofA = 2, 4
	}
	const most = 4. / 3 // columns by those that are stored
	switch {
	case q.m > turnedWindowRows || float64(width) > most*float64(rows) || places < v.rows || q.offsets.areNear:
		return false
	case !once && ofA*places < rows:
		return false
	}
	return of*q.k >= width && turnedPlaces[T](v, q.m, q.n, q.k, once) > 0
}

// packsOnce reports whether A is packed once for all matrices of a batch.
func (p *Product[T]) packsOnce(v *simdTiles) bool {
	return len(p.Batch) > 0 && p.Rows() > p.M &&
		!slices.ContainsFunc(p.StepA, func(step int) bool { return step != 0 }) &&
		p.K*roundUp(p.M, v.cols)*sizeOf[T]() <= turnedWindowBytes
}

// windowScratch is how many elements packed panels and transposed results need.
func (p *Product[T]) windowScratch(v *simdTiles) (packed, turned int) {
	if p.Offsets == nil || p.M == 0 || p.M > turnedWindowRows {
		return 0, 0
	}
	width, k, once := roundUp(p.M, v.cols), BlockLen(p.K), p.packsOnce(v)
	if once {
		k = p.K
	}
	return k * width, turnedPlaces[T](v, p.M, p.N, p.K, once) * width
}

// turnedPlaces is the number of n windows whose results, m rows each, are kept before they are transposed. It is n if A
// is packed again for each of several blocks of K, or 0 if they take too much memory.
func turnedPlaces[T scalar.Number](v *simdTiles, m, n, k int, once bool) int {
	width, size := roundUp(m, v.cols), sizeOf[T]()
	if once || k <= BlockLen(k) {
		return min(n, roundUp(max(turnedResultBytes/(width*size), 1), v.rows))
	}
	if n*width*size > turnedWindowBytes {
		return 0
	}
	return n
}

// runWindows computes such a part. once says that A is packed for a batch, packed that it already is.
func (q *problem[T]) runWindows(c region, s *Scratch[T], once, packed bool) {
	v := simdOf[T]()
	f := q.begin(v, c, s)
	t := &s.other
	*t = *q
	t.transpose() // whose B is packed
	ofA := t.begin(v, c.transposed(), s)
	width, places := roundUp(c.bottom-c.top, v.cols), turnedPlaces[T](v, q.m, q.n, q.k, once)
	if once && !packed {
		for p := 0; p < q.k; p += blockSize(p, q.k) {
			ofA.packAll(p, p*width)
		}
	}
	args := &s.windows
	args.cRow = width * f.size
	for left, n := c.left, 0; left < c.right; left += n {
		n = min(places, c.right-left)
		if last := c.right - left - n; 0 < last && last < fewTileRows { // enough for a tile are left
			n -= v.rows / 2
		}
		for p := 0; p < q.k; p += blockSize(p, q.k) {
			at := 0
			if once {
				at = p * width
			} else if left == c.left {
				ofA.packAll(p, 0)
			}
			f.windowBlock(p, at, q.offsets.Cols[left:][:n])
		}
		f.transpose(transposition[T]{src: s.turned, dst: q.c.Data, to: q.c.Start + c.top*q.c.Row + left, srcRow: width,
			dstRow: q.c.Row,
			rows:   n, cols: c.bottom - c.top}, v.transposers)
		if s.epilogue != nil {
			s.epilogue.Stored(q.first+c.top, q.first+c.bottom, left, left+n)
		}
	}
}

// packAll packs all columns of B as panels, in the block of K that begins at p.
func (f *macroKernel[T]) packAll(p, at int) {
	f.p, f.np = p, blockSize(p, f.k)
	for j := f.left; j < f.right; j += f.v.cols {
		f.packed = at + (j-f.left)*f.np
		f.packB(j, min(f.v.cols, f.right-j))
	}
}

// windowBlock multiplies the windows at some places by panels of packed columns, in a block of K.
func (f *macroKernel[T]) windowBlock(p, packed int, places []int) {
	args, np := &f.s.windows, blockSize(p, f.k)
	args.k, args.offsets, args.add = np, &f.offsets.Rows[p], 0
	if p > 0 {
		args.add = 1
	}
	for j := 0; j < f.bottom-f.top; j += f.v.cols {
		loops := f.v.windowRows
		if 2*(f.bottom-f.top-j) <= f.v.cols {
			loops = f.v.halfWindowRows
		}
		args.b, args.c = address(f.s.b, packed+j*np), address(f.s.turned, j)
		f.windowTiles(places, loops)
	}
}

// windowTiles computes tiles of windows at some places, one below the other.
func (f *macroKernel[T]) windowTiles(places []int, loops []func(*windowRowsArgs)) {
	args := &f.s.windows
	first := address(f.b.Data, f.b.Start)
	for len(places) > 0 {
		rows := min(len(loops)-1, len(places))
		if left := len(places) - rows; 0 < left && left < fewTileRows {
			rows = (rows + left + 1) / 2
		}
		for r, at := range places[:rows] {
			args.rows[r] = first + uintptr(at*f.size)
		}
		loops[rows](args)
		args.c += uintptr(rows * args.cRow)
		places = places[rows:]
	}
}
