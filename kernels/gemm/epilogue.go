package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Epilogue goes on with elements of C as soon as they are whole: most of them while they are
// in vector registers, and without ever being stored.
type Epilogue interface {
	// Tiles prepares for tiles of all columns from col on that a tile has, the first of which
	// begins at a row, counted through the batch; the others follow it, each where the one
	// before it ends. Its code is called for each.
	Tiles(row, col int) Tiles

	// Stored is told of columns [left, right) of the rows [top, bottom) that fill no tiles
	// and have been stored to C.
	Stored(top, bottom, left, right int)
}

// Tiles is how an Epilogue goes on with tiles.
type Tiles struct {
	// Code is the address of machine code. It finds the address of its arguments in RDI, the
	// number of rows in RBX and the elements in vector registers, row by row. The first word of
	// the arguments is the caller's. The code may use all registers but RDI, RSP and RBP and
	// must obey the rules of package jit otherwise, but that it need not run VZEROUPPER.
	Code uintptr
	Args unsafe.Pointer

	// Far are the addresses, at the first tile, of matrices of C's size and type that the code
	// writes or reads, whose rows are FarRow bytes apart: where C is large, they are fetched
	// while a tile is computed.
	Prefetch    []uintptr
	PrefetchRow int
}

// Tile is the number of rows of the largest tile of C that registers hold, and of columns of
// all that an Epilogue can go on with; none where elements are not computed in tiles.
func Tile[T scalar.Number]() (rows, cols int) {
	if v := simdOf[T](); v != nil {
		return v.rows, v.cols
	}
	return 0, 0
}

// HasTiles reports whether an Epilogue can go on with tiles of C.
func (p *Product[T]) HasTiles() bool {
	v := simdOf[T]()
	return v != nil && !p.isInWords() && p.C.Col == 1 && p.K > 0 && p.M > 1 && p.N >= v.cols
}

// How many products of a sum it takes to wait for no line of a row of a tile: of a matrix that is
// larger than the second-level cache, and of one whose rows fall into few sets of the first-level
// cache. Those of other matrices come fast enough.
const (
	slowBytes        = 1 << 20
	largeProducts    = 32
	conflictProducts = 16
)

// FetchesInTime reports whether what code goes through in tiles comes in time: some matrices of C's
// size whose rows are some elements apart.
func (p *Product[T]) FetchesInTime(matrices, row int) bool {
	width, step := simdOf[T]().cols*sizeOf[T](), row*sizeOf[T]()
	lines := width / line
	if step%line != 0 {
		lines++
	}
	products := 0
	switch {
	case p.Rows()*p.N*sizeOf[T]() > slowBytes:
		products = largeProducts
	case sameSets(step):
		products = conflictProducts
	}
	return p.K*width >= products*matrices*lines*line
}

// RunTiles is like [Product.RunPart], but hands elements of C on, whose memory is then
// undefined. The product must have tiles.
func (p *Product[T]) RunTiles(lo, hi, left, right int, s *Scratch[T], to Epilogue) {
	s.epilogue = to
	p.RunPart(lo, hi, left, right, s)
	s.epilogue = nil
}

// runsEpilogue reports whether sums are whole after this block of K and somebody goes on with them.
func (f *macroKernel[T]) runsEpilogue() bool { return f.s.epilogue != nil && f.p+f.np == f.to }

// setEpilogue has tiles hand their sums to the epilogue, if these are whole and fill vectors.
func (f *macroKernel[T]) setEpilogue(j, nj int) {
	args := f.args
	args.code, args.codeArgs = 0, nil
	if f.runsEpilogue() && nj == f.v.cols {
		t := f.s.epilogue.Tiles(f.first+f.i, j)
		args.code, args.codeArgs = t.Code, t.Args
		f.s.prefetch.matrices, f.s.prefetch.row = append(f.s.prefetch.matrices[:0], t.Prefetch...), t.PrefetchRow
		if args.add == 0 { // C is not touched
			args.fetchC = 0
		}
	}
}

// storedToEpilogue tells the epilogue of what the last tiles have stored.
func (f *macroKernel[T]) storedToEpilogue(j, nj int) {
	if f.runsEpilogue() && nj < f.v.cols {
		f.s.epilogue.Stored(f.first+f.i, f.first+f.i+f.ni, j, j+nj)
	}
}
