package exec

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A kernel goes on with tiles of a product, in vector registers or in the first-level cache, if
// it makes elements of elements, and sums of columns. If it is the only one to read the product,
// most of that is never stored.

// tileProgram says what a kernel does with tiles of the product before it, if it can. It may be
// the last one to read the product.
func (k *kernel) tileProgram(before *product, isLast bool) (t backend.TileProgram, ok bool) {
	c := before.operands[2]
	// takesTiles refuses small products; of those that are known, no code is made.
	if n, known := c.layout.Shape.NumElements().Int(); known && n*int64(before.dtype.Size()) < tiledBytes && !takeAllTiles {
		return t, false
	}
	if t, ok = k.tileOf(c.base, before.dtype); ok && !isLast {
		t.Program, t.Still = t.Program.Storing(t.From), append(t.Still, false)
	}
	return t, ok
}

// A product is worth taking in tiles from a size in bytes on, as a smaller one stays in the
// first-level cache, and from a number of rows on: tiles of fewer save less than it takes to
// prepare for the columns of each.
const (
	tiledBytes = 32 << 10
	tiledRows  = 48
)

// takesTiles tells how a kernel goes on with the product's tiles: nil if it does not.
func (t *typedProduct[T]) takesTiles(b *binding, k *boundPart) *tiled {
	tiles := k.part.tiles
	if tiles == nil || !t.p.HasTiles() || t.sums != nil {
		return nil
	}
	f := b.newTiled(k, append(slices.Clone(t.p.Batch), t.p.M), t.p.N)
	if f == nil || f.colStep(tiles.From) != 1 {
		return nil
	}
	f.isLarge = make([]bool, len(tiles.Program.Operands))
	others, large := 0, 0 // of the matrices besides, results among them
	for i, o := range tiles.Program.Operands {
		if o.Domain != rowprog.Vec || tiles.Still[i] || i == tiles.From {
			continue
		}
		if others++; others == 1 {
			f.step = f.rowStep(i)
		}
		if f.rowStep(i) != f.step {
			return nil
		}
		if o.Type.Size() == t.spec.dtype.Size() {
			f.isLarge[i] = true
			large++
		}
	}
	if !takeAllTiles && (t.p.Rows()*t.p.N*t.spec.dtype.Size() < tiledBytes || t.p.M < tiledRows || !t.p.FetchesInTime(large, f.step)) {
		return nil
	}
	if f.sums != nil {
		t.divideInto(f.chunk)
	}
	return f
}

// epilogue is a goroutine's work on tiles: a gemm.Epilogue.
type epilogue struct {
	*tiled
	block backend.TileBlock
	ws    *workspace
	row   int       // of the last tiles
	lines []line    // of that row, of all operands that are in memory
	far   []uintptr // the large ones
}

// line is where a row of an operand begins.
type line struct {
	operand int
	start   unsafe.Pointer
	size    int // bytes from column to column
	isLarge bool
}

// begin prepares for tiles of a product.
func (e *epilogue) begin(f *tiled, ws *workspace) {
	e.tiled, e.ws = f, ws
	f.begin(&e.block)
	e.row, e.lines = -1, e.lines[:0]
	for i, o := range f.k.part.tiles.Program.Operands {
		if i != f.k.part.tiles.From && o.Access != rowprog.Acc {
			e.lines = append(e.lines, line{operand: i, size: f.colStep(i) * o.Type.Size(), isLarge: f.isLarge[i]})
		}
	}
}

// end lets go of what begin was given.
func (e *epilogue) end() {
	e.block.End()
	e.tiled, e.ws = nil, nil
	clear(e.lines)
}

// Tiles implements gemm.Epilogue.
func (e *epilogue) Tiles(row, col int) gemm.Tiles {
	if row != e.row {
		e.row = row
		for i := range e.lines {
			e.lines[i].start = e.at(e.lines[i].operand, row, 0)
		}
	}
	e.far = e.far[:0]
	farRow := 0
	for i := range e.lines {
		l := &e.lines[i]
		at := unsafe.Add(l.start, col*l.size)
		e.block.Point(l.operand, at)
		if l.isLarge && !slices.Contains(e.far, uintptr(at)) { // it may be written in place
			e.far, farRow = append(e.far, uintptr(at)), e.step*l.size
		}
	}
	e.pointSums(&e.block, row, col)
	code, args := e.block.Call()
	return gemm.Tiles{Code: code, Args: args, Far: e.far, FarRow: farRow}
}

// Stored implements gemm.Epilogue: what is in memory is worked on as rows.
func (e *epilogue) Stored(top, bottom, left, right int) { e.runRows(e.ws, top, bottom, left, right) }

var _ gemm.Epilogue = (*epilogue)(nil)
