package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// simdTiles says how tiles of C are computed in vector registers: rows by cols elements at a time. See package gen for
// the loops.
type simdTiles struct {
	rows, cols int
	wholeTiles
	// variants are other loops for the same tiles. They give the same bits; which are fastest depends on the processor.
	variants []wholeTiles
	// edge and half hold the loops by number of rows: edge for some columns of a tile, half for half of them or fewer.
	// Those of half can have more rows.
	edge, half []func(*tileArgs)
	// quarter holds loops for a quarter of the columns or fewer, if half has more lanes than these.
	quarter []func(*tileArgs)
	// window is like full, but rows of B have offsets.
	window []func(*tileArgs)
	// windowRows holds, by number of rows, the loops for windows as rows of A; halfWindowRows those for one vector of
	// columns.
	windowRows, halfWindowRows []func(*windowRowsArgs)
	masks, quarterMasks        func(cols int) unsafe.Pointer
	loadsWithMasks             bool                           // of B, where there are masks, but in quarter
	transposers                []transposer                   // the one of the largest blocks first
	copyPieces                 [maxStep + 1]func(*piecesArgs) // by the step of elements
	convert                    [2]func(*convertArgs)          // of Float16 and of BFloat16
	convertScaled              [blockTypes]func(*scaledArgs)  // from Int8Blocks on
	blockPanels                [blockTypes]func(*blockPanelArgs)
	blockTiles                 [blockTypes][]func(*blockTileArgs) // by the number of rows
	lanes                      [blockTypes]laneLoops              // of the same
	convertPieces              [2][maxStep + 1]func(*piecesArgs)
	rowLoops
	halves [2]rowLoops // of a B of Float16 and of BFloat16
}

// rowLoops are loops for few rows of C, which read B in place.
type rowLoops struct {
	thin    []func(*thinArgs) // by the number of rows; nil for none
	addRow  func(*gemvArgs)
	addRows func(*gemvArgs)   // gemvRows of them
	sumRows []func(*gemvArgs) // any number of them, by their vectors, with the sums in registers
}

// rowLoopsOf are the loops for the elements of a factor B.
func (v *simdTiles) rowLoopsOf(b *Factor) *rowLoops {
	if b.isHalf() {
		return &v.halves[b.Type-Float16]
	}
	return &v.rowLoops
}

// wholeTiles are loops for all columns of a tile.
type wholeTiles struct {
	// full holds the loops by number of rows.
	full []func(*tileArgs)
	// packingWindow and packingTile are like the last of window and full, but also copy the panel of B that they
	// multiply. packNextTile copies a row of another panel for every copySteps products of a sum.
	packingWindow, packingTile, packNextTile func(*tileArgs)
}

// A block of A has no more rows than fill it with shortBlock bytes each. It has at least leastTiles tiles, for which a
// panel of B is loaded into a near cache.
const (
	shortBlock = 1 << 10
	leastTiles = 8
)

// mc is the number of rows, each of bytes bytes, in a block of A.
func (v *simdTiles) mc(bytes int) int {
	return max(sizes.block/max(bytes, shortBlock), leastTiles*v.rows)
}

// packedCols is the most columns of C for which B is kept packed while blocks of rows of A pass.
const packedCols = 4096

// nc is the number of columns, each of bytes bytes, for which B is kept packed.
func (v *simdTiles) nc(bytes int) int {
	return min(packedCols, sizes.packed/bytes) / v.cols * v.cols
}

// tileArgs are the arguments of a loop. Steps are in bytes. Package gen knows the offsets of the fields. Addresses are
// integers, since the loop moves some past the memory.
type tileArgs struct {
	k            int
	a, b, c      uintptr
	aRow, aCol   int
	bRow         int
	cRow         int
	masks        unsafe.Pointer
	add          int
	tiles        int // to compute, one below the other; a and c are moved on by as many
	aTile, cTile int
	// Tiles prefetch for later ones from fetch on: stretch bytes for each product of a sum during which B is not copied
	// and no listed line is prefetched. fetch advances by fetchTile for the next tile.
	fetch     uintptr
	fetchTile int
	stretch   int
	fetchC    int     // not 0 if rows of C are fetched before the products
	to        uintptr // where a row of B is copied next, whole rows of a tile one behind the other
	from      uintptr // the row of B that is copied, if not the one that is read
	fromRow   int
	// If rows of B have offsets, b points at these. They are added to the addresses of the first vector of columns,
	// from, and of the second one.
	second uintptr
	// Code that continues with complete sums, if not 0, and its arguments: see Epilogue.
	code     uintptr
	codeArgs unsafe.Pointer
	// Offsets of other lines to prefetch, from an address that advances by farTile for the next tile. listed is how
	// many are prefetched, one with each product of a sum.
	listed       int
	list         *int
	prefetchBase uintptr
	prefetchTile int
	// If continues is not 0, sums start from memory with C's layout, this many bytes from C; else from 0.
	continues int
	begun     uintptr
}

// fetchRows is how many rows ahead rows of B are prefetched.
const fetchRows = 24

// copySteps is the number of products of a sum for which tiles copy one row of the next panel of B. So it is also the
// number of tiles that copy a whole panel.
const copySteps = 4

// simd computes a part of C, whose columns are contiguous, in vector registers. A block of A stays in the second-level
// cache while panels of B, as wide as a tile, pass through it.
func (q *problem[T]) simd(v *simdTiles, c region, s *Scratch[T]) {
	f := q.begin(v, c, s)
	switch rows := c.bottom - c.top; {
	case rows == 1 && f.packedB == nil && f.b.Col == 1 && f.readsElements() && f.offsets == nil && s.epilogue == nil &&
		!q.continues():
		// the others take tiles
		if f.region.left = f.addedRows(); f.region.left < c.right {
			f.fewRows()
		}
	case rows <= v.rows:
		f.fewRows()
	default:
		f.manyRows()
	}
}

// macroKernel is a block of A, of ni rows and np columns at (i, p), and how it is read.
type macroKernel[T scalar.Number] struct {
	*problem[T]
	region
	v    *simdTiles
	s    *Scratch[T]
	size int // of an element
	args *tileArgs

	i, ni, p, np int
	copiedA      int // where in the scratch memory rows of A begin that are copied
	// The panel of B is packed at packed in the scratch memory. With keeps, all panels stay there, and isPacked says
	// that they are there already. copied is how many of its rows tiles of the panel before have copied, unless that
	// one ends at stop.
	packed          int
	keeps, isPacked bool
	copied, stop    int
	readsWindow     bool // the panel is read where its vectors lie
	isGrouped       bool // see grouped
	comesAgain      bool // the next block of A is multiplied by the same panel

	pairs  *pairTiles // the loops for pairs, if the product multiplies them
	leastA int        // the least exponent of the block of A
}

// begin prepares for a part of C.
func (q *problem[T]) begin(v *simdTiles, c region, s *Scratch[T]) macroKernel[T] {
	return macroKernel[T]{problem: q, v: v, s: s, args: &s.args, size: sizeOf[T](), region: c, stop: c.right,
		pairs: q.pairsOf(c.bottom - c.top)}
}

// fewRows computes a region that is no higher than a tile: B is read once, in memory order.
func (f *macroKernel[T]) fewRows() {
	f.i, f.ni = f.top, f.bottom-f.top
	if f.packedB == nil && f.b.Col == 1 {
		for f.p = f.from; f.p < f.to; f.p += f.np {
			f.np = f.pieceLen(f.p)
			f.prepareA()
			for j := f.left; j < f.right; j += f.v.cols {
				f.panelPass(j, min(f.v.cols, f.right-j))
			}
		}
		return
	}
	j := f.left
	if f.hasBlockTiles() {
		j = f.blockTiles()
	}
	for ; j < f.right; j += f.v.cols {
		for f.p = f.from; f.p < f.to; f.p += f.np {
			f.np = f.pieceLen(f.p)
			f.prepareA()
			f.panelPass(j, min(f.v.cols, f.right-j))
		}
	}
}

// manyRows computes a region that is higher than a tile, for each product that shares A. If it is higher than a block
// of A, B stays packed from block to block.
func (f *macroKernel[T]) manyRows() {
	first, count := f.index, f.count
	cols := f.v.nc(BlockLen(f.k) * f.size)
	for left := f.region.left; left < f.region.right; left += cols {
		right := min(left+cols, f.region.right)
		each := max(cols/(f.v.panels(right-left)*f.v.cols), 1)
		for at := 0; at < count; at += each {
			f.index, f.count = first+at, min(each, count-at)
			f.packedColumns(left, right)
		}
	}
}

// panels is the number of panels that columns take.
func (v *simdTiles) panels(cols int) int { return (cols + v.cols - 1) / v.cols }

// packedColumns computes as many columns as can stay packed.
func (f *macroKernel[T]) packedColumns(left, right int) {
	height := f.bottom - f.top
	most := f.v.mc(BlockLen(f.k) * f.size)
	rows := f.v.blocks(height, most)
	f.keeps, f.stop = rows < height, right
	for f.p = f.from; f.p < f.to; f.p += f.np {
		f.np, f.isPacked = f.pieceLen(f.p), false
		isLast := f.keeps && f.s.rows.to != nil && f.count == 1 && f.p+f.np == f.to && right == f.region.right
		if isLast {
			rows = f.v.blocks(height, min(max(f.s.rows.most, leastTiles*f.v.rows), most))
		}
		for i := f.top; i < f.bottom; i += rows {
			if f.isStopped() {
				return
			}
			f.i, f.ni, f.packed = i, min(rows, f.bottom-i), 0
			f.prepareA()
			for n := range f.count {
				f.enterMatrix(n)
				for j := left; j < right; j += f.v.cols {
					f.panelPass(j, min(f.v.cols, right-j))
					f.packed = f.nextPacked()
				}
			}
			f.isPacked = f.keeps
			if isLast {
				f.s.rows.whole(f.first + i + f.ni)
			}
		}
	}
}

// enterMatrix continues with a matrix of a batch that shares A.
func (f *macroKernel[T]) enterMatrix(n int) {
	if f.batch == nil {
		return
	}
	q := f.batch.matrix(f.index + n)
	f.b.Start, f.c.Start, f.first = q.b.Start, q.c.Start, q.first
	if q.packedB != nil {
		f.packedB = q.packedB
	}
}

// nextPacked is where the next panel of B is packed: after this one, or, if panels are not kept, in one of two places
// in turn.
func (f *macroKernel[T]) nextPacked() int {
	size := f.v.cols * f.np
	if f.keeps {
		return f.packed + size
	}
	return size - f.packed
}

// blocks divides rows into equal blocks of at most a number of rows. It returns the size of each, a multiple of a
// tile's.
func (v *simdTiles) blocks(rows, most int) int {
	n := (rows + most - 1) / most
	return roundUp((rows+n-1)/n, v.rows)
}

// pointA points at the block of A.
func (f *macroKernel[T]) pointA() {
	args := f.args
	if f.readsA() {
		args.a = address(f.a.Data, f.a.Start+f.i*f.a.Row+f.p*f.a.Col)
		args.aRow, args.aCol = f.a.Row*f.size, f.a.Col*f.size
	} else {
		args.a = address(f.s.a, f.copiedA)
		args.aRow, args.aCol = f.pitch()*f.size, f.size
	}
}

// sizeOf is the size of an element in bytes.
func sizeOf[T scalar.Number]() int { return int(unsafe.Sizeof(*new(T))) }

func address[T any](data []T, at int) uintptr { return uintptr(unsafe.Pointer(&data[at])) }
