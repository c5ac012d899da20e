package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Epilogue continues with elements of C as soon as their sums are complete. Most of them are still in vector registers
// and are never stored.
type Epilogue interface {
	// Tiles prepares for tiles of full width from column col on. The first begins at a row, counted through the batch;
	// each of the others begins where the one before it ends. The code is called once for each tile.
	Tiles(row, col int) Tiles

	// Stored is called for columns [left, right) of the rows [top, bottom) that fill no tiles and have been stored to
	// C.
	Stored(top, bottom, left, right int)
}

// Tiles says how an Epilogue continues with tiles.
type Tiles struct {
	// Code is the address of machine code. It finds the address of its arguments in RDI, the number of rows in RBX, and
	// the elements in vector registers, row by row. The first word of the arguments is the caller's. The code may use
	// all registers except RDI, RSP and RBP. Otherwise it must obey the rules of package jit, but need not run
	// VZEROUPPER.
	Code uintptr
	Args unsafe.Pointer

	// Far are the addresses, at the first tile, of matrices of C's size and type that the code
	// writes or reads, whose rows are FarRow bytes apart: where C is large, they are fetched
	// while a tile is computed.
	Prefetch    []uintptr
	PrefetchRow int
}

// Tile returns the number of rows of the largest tile of C that registers hold, and of the columns of every tile that
// an Epilogue can continue with. Both are 0 if elements are not computed in tiles.
func Tile[T scalar.Number]() (rows, cols int) {
	if v := simdOf[T](); v != nil {
		return v.rows, v.cols
	}
	return 0, 0
}

// HasTiles reports whether an Epilogue can continue with tiles of C.
func (p *Product[T]) HasTiles() bool {
	v := simdOf[T]()
	return v != nil && !p.isInWords() && p.C.Col == 1 && p.K > 0 && p.M > 1 && p.N >= v.cols
}

// The number of products of a sum that hides the latency of one line of a row of a tile: for a matrix larger than the
// second-level cache, and for one whose rows fall into few sets of the first-level cache. Lines of other matrices
// arrive fast enough.
const (
	slowBytes        = 1 << 20
	largeProducts    = 32
	conflictProducts = 16
)

// FetchesInTime reports whether memory that an epilogue reads or writes arrives in time: a number of matrices of C's
// size whose rows are row elements apart.
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

// RunTiles is like [Product.RunPart], but hands elements of C to an Epilogue. The contents of C are undefined
// afterwards. The product must have tiles.
func (p *Product[T]) RunTiles(lo, hi, left, right int, s *Scratch[T], to Epilogue) {
	s.epilogue = to
	p.RunPart(lo, hi, left, right, s)
	s.epilogue = nil
}

// runsEpilogue reports whether this block of K completes the sums and there is an epilogue.
func (f *macroKernel[T]) runsEpilogue() bool { return f.s.epilogue != nil && f.p+f.np == f.to }

// setEpilogue has tiles hand their sums to the epilogue, if these are complete and fill vectors.
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

// storedToEpilogue tells the epilogue what the last tiles have stored.
func (f *macroKernel[T]) storedToEpilogue(j, nj int) {
	if f.runsEpilogue() && nj < f.v.cols {
		f.s.epilogue.Stored(f.first+f.i, f.first+f.i+f.ni, j, j+nj)
	}
}
