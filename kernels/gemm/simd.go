package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// simdTiles is how the tiles of C are computed in vector registers: rows by cols
// elements at a time. See package gen for the loops.
type simdTiles struct {
	rows, cols int
	wholeTiles
	// variants are other loops for the same tiles: they give the same bits, and which are fastest depends
	// on the processor.
	variants []wholeTiles
	// edge and half hold, by number of rows, the loop for some columns of a tile, and for
	// half of them or less, which can have more rows.
	edge, half []func(*tileArgs)
	// quarter holds loops for a quarter of the columns or less, if half has more lanes than these.
	quarter []func(*tileArgs)
	// window is as full, but rows of B have offsets.
	window []func(*tileArgs)
	// windowRows hold, by number of rows, the loop for windows as rows of A, and halfWindowRows that for one vector of columns.
	windowRows, halfWindowRows []func(*windowRowsArgs)
	masks, quarterMasks        func(cols int) unsafe.Pointer
	loadsWithMasks             bool                           // of B, where there are masks, but in quarter
	transposers                []transposer                   // the one of the largest blocks first
	copyPieces                 [maxStep + 1]func(*piecesArgs) // by the step of elements
	convert                    [2]func(*convertArgs)          // of Float16 and of BFloat16
	convertPieces              [2][maxStep + 1]func(*piecesArgs)
	thin                       []func(*thinArgs) // by the number of rows
	addRow                     func(*gemvArgs)
	addRows                    func(*gemvArgs) // gemvRows of them
}

// wholeTiles are loops for all columns of a tile.
type wholeTiles struct {
	// full holds the loops by number of rows.
	full []func(*tileArgs)
	// packingWindow and packingTile are as the last of window and full, but they copy the panel of B
	// that they multiply. packNextTile copies a row of another one for every copySteps products of
	// a sum.
	packingWindow, packingTile, packNextTile func(*tileArgs)
}

// A block of A has no more rows than fill it with shortBlock bytes each, and no fewer than
// leastTiles of tiles, for which a panel of B is brought near.
const (
	shortBlock = 1 << 10
	leastTiles = 8
)

// mc is the number of rows, of some bytes each, of a block of A.
func (v *simdTiles) mc(bytes int) int {
	return max(sizes.block/max(bytes, shortBlock), leastTiles*v.rows)
}

// packedCols is the number of columns of C, at most, for which B is kept packed while blocks of
// rows of A pass.
const packedCols = 4096

// nc is the number of columns for which B is kept packed, of some bytes each.
func (v *simdTiles) nc(bytes int) int {
	return min(packedCols, sizes.packed/bytes) / v.cols * v.cols
}

// tileArgs are the arguments of a loop. Steps are in bytes; package gen knows the
// offsets. Addresses are numbers since the loop moves some beyond the memory.
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
	// What a tile fetches for later ones begins at fetch, is as long as stretch for each product of
	// a sum where B is not copied and none is listed, and is moved on by fetchTile for the next tile.
	fetch     uintptr
	fetchTile int
	stretch   int
	fetchC    int     // not 0 if rows of C are fetched before the products
	to        uintptr // where a row of B is copied next, whole rows of a tile one behind the other
	from      uintptr // the row of B that is copied, if not the one that is read
	fromRow   int
	// Where rows of B have offsets: b points at those, which are added to these addresses of
	// the first vector of columns, which is from, and the second one.
	second uintptr
	// Code that goes on with whole sums, if not 0, and its arguments: see Epilogue.
	code     uintptr
	codeArgs unsafe.Pointer
	// Offsets of what is fetched besides, from an address that is moved on by farTile for the
	// next tile: as many are listed as are fetched one with each product of a sum.
	listed       int
	list         *int
	prefetchBase uintptr
	prefetchTile int
	// Sums begin with what lies as C does, so many bytes from it, if continues is not 0; else with 0.
	continues int
	begun     uintptr
}

// fetchRows is how many rows of B are fetched before they are used.
const fetchRows = 24

// copySteps is the number of products of a sum for which tiles copy a row of the next panel
// of B, and so the number of tiles that copy all.
const copySteps = 4

// simd computes a part of C, whose columns are contiguous, in vector registers. A block
// of rows of A and of its columns stays in the second-level cache, while panels of B of as
// many columns as a tile has pass through it.
func (q *problem[T]) simd(v *simdTiles, c region, s *Scratch[T]) {
	f := q.begin(v, c, s)
	switch rows := c.bottom - c.top; {
	case rows == 1 && f.packedB == nil && f.b.Col == 1 && !f.hasHalves() && f.offsets == nil && s.epilogue == nil && !q.continues(): // the others take tiles
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
	// The panel of B is packed at packed in the scratch memory; with keeps, all of them stay
	// there, and isPacked tells that they are there already. So many of its rows have been
	// copied by tiles of the panel before, if that does not end at stop.
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
	return macroKernel[T]{problem: q, v: v, s: s, args: &s.args, size: sizeOf[T](), region: c, stop: c.right, pairs: q.pairsOf(c.bottom - c.top)}
}

// fewRows computes a region that is no higher than a tile: B is read once, in the order in which it
// lies.
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
	for j := f.left; j < f.right; j += f.v.cols {
		for f.p = f.from; f.p < f.to; f.p += f.np {
			f.np = f.pieceLen(f.p)
			f.prepareA()
			f.panelPass(j, min(f.v.cols, f.right-j))
		}
	}
}

// manyRows computes a region that is higher than a tile, for each product of one A. If it is
// higher than a block of A, B stays packed from block to block.
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
			f.i, f.ni, f.packed = i, min(rows, f.bottom-i), 0
			f.prepareA()
			for n := range f.count {
				if f.batch != nil {
					q := f.batch.matrix(f.index + n)
					f.b.Start, f.c.Start, f.first = q.b.Start, q.c.Start, q.first
					if q.packedB != nil {
						f.packedB = q.packedB
					}
				}
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

// nextPacked is where the next panel of B is packed: behind this one, or, if none stays,
// in one of two places by turns.
func (f *macroKernel[T]) nextPacked() int {
	size := f.v.cols * f.np
	if f.keeps {
		return f.packed + size
	}
	return size - f.packed
}

// blocks cuts rows into equal blocks of some at most: it gives the size of each, whole tiles.
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
