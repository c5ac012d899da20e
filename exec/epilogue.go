package exec

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A kernel goes on with tiles of a product, in vector registers or in the first-level cache, if
// it makes elements of elements, and sums of columns. If it is the only one to read the product,
// most of that is never stored.

// tileProgram says what a kernel does with tiles of the product before it, if it can. It may be
// the last one to read the product.
func (k *kernel) tileProgram(before *product, isLast bool) (t backend.TileProgram, ok bool) {
	part, c := k.parts[0], before.operands[2]
	// takesTiles refuses small products; of those that are known, no code is made.
	if n, known := c.layout.Shape.NumElements().Int(); known && n*int64(before.dtype.Size()) < tiledBytes && !takeAllTiles {
		return t, false
	}
	t.Program, t.From, t.Still = part.prog, -1, make([]bool, len(part.operands))
	result := shapeinfer.Storage(c.base)
	for i, o := range part.operands {
		t.Still[i] = part.isStill(o)
		switch spec := &part.prog.Operands[i]; {
		case spec.Access == rowprog.Acc && !t.Still[i]:
			return t, false
		case spec.Access != rowprog.In || spec.Domain != rowprog.Vec || t.Still[i]:
		case shapeinfer.Storage(o.base) != result:
		case t.From < 0:
			t.From = i
		default: // another view of the product, which is not stored
			return t, false
		}
	}
	switch before.dtype {
	case graph.Float32:
		t.Rows, t.Cols = gemm.Tile[float32]()
	case graph.Float64:
		t.Rows, t.Cols = gemm.Tile[float64]()
	}
	if t.From < 0 || t.Cols == 0 {
		return t, false
	}
	if !isLast {
		t.Program, t.Still = part.prog.Storing(t.From), append(t.Still, false)
	}
	return t, true
}

// isStill reports whether an operand has the same elements for all rows.
func (p *part) isStill(o operand) bool {
	if o.base == nil || len(p.axes) < 2 {
		return false
	}
	for _, axes := range p.axes[:len(p.axes)-1] {
		for _, axis := range axes {
			if o.layout.Strides[axis] != graph.Dim(0) {
				return false
			}
		}
	}
	return true
}

// tilePrograms lists kernels that can go on with tiles of products, and what they do with them.
func (p *Program) tilePrograms() (parts []*part, programs []backend.TileProgram) {
	for i, k := range p.kernels {
		if !k.follows {
			continue
		}
		before := p.kernels[i-1].matmul
		if t, ok := k.tileProgram(before, p.storageOf[before.operands[2].base].last == i); ok {
			parts, programs = append(parts, k.parts[0]), append(programs, t)
		}
	}
	return parts, programs
}

// inRows gives a program of one row an outer axis, so that it can be run on some columns of a
// matrix.
func inRows(p *rowprog.Program) *rowprog.Program {
	q := *p
	q.Outer = 1
	return &q
}

// tiled is a kernel that goes on with tiles of a product: where its operands lie, seen from
// the product.
type tiled struct {
	k     *boundPart
	sizes []int   // the product's batch axes and rows
	steps [][]int // of each operand along these, and columns
	step  int     // from row to row of all matrices

	isLarge []bool // whether an operand is a matrix of elements of the product's size

	sums  []*bind.ChunkSums // of columns
	chunk int               // rows that these have together
}

// A product is worth taking in tiles from a size in bytes on, as a smaller one stays in the
// first-level cache, and from a number of rows on: tiles of fewer save less than it takes to
// prepare for the columns of each.
const (
	tiledBytes = 32 << 10
	tiledRows  = 48
)

// takeAllTiles is set by tests: all tiles are taken, be it worth it or not.
var takeAllTiles bool

// takesTiles tells how a kernel goes on with the product's tiles: nil if it does not.
func (t *typedProduct[T]) takesTiles(b *binding, k *boundPart) *tiled {
	tiles := k.part.tiles
	if tiles == nil || !t.p.HasTiles() || t.sums != nil {
		return nil
	}
	prog := tiles.Program
	f := &tiled{k: k, sizes: append(slices.Clone(t.p.Batch), t.p.M), isLarge: make([]bool, len(prog.Operands))}
	args := b.argsOf(k.part)
	if f.steps = args.Reshaped(append(f.sizes, t.p.N)); f.steps == nil {
		return nil
	}
	if len(f.steps) < len(prog.Operands) { // the product is stored
		f.steps = append(f.steps, f.steps[tiles.From])
	}
	var matrices []int // the results among them
	large := 0
	for i, o := range prog.Operands {
		along := 0
		if o.Domain == rowprog.Vec {
			along = 1
		}
		if f.steps[i][len(f.sizes)] != along || tiles.Still[i] && f.rowStep(i) != 0 {
			return nil
		}
		if along > 0 && !tiles.Still[i] && i != tiles.From {
			matrices = append(matrices, i)
		}
	}
	for _, i := range matrices {
		f.step = f.rowStep(matrices[0])
		if f.rowStep(i) != f.step {
			return nil
		}
		if prog.Operands[i].Type.Size() == t.spec.dtype.Size() {
			f.isLarge[i] = true
			large++
		}
	}
	if !takeAllTiles && (t.p.Rows()*t.p.N*t.spec.dtype.Size() < tiledBytes || t.p.M < tiledRows || !t.p.FetchesInTime(large, f.step)) {
		return nil
	}
	if prog.ReducesOutermost() {
		f.sumColumns(k.part.prog, args)
		t.divideInto(f.chunk)
	}
	return f
}

// at is where an operand's element for a row and a column of the product lies.
func (f *tiled) at(operand, row, col int) unsafe.Pointer {
	steps, last := f.steps[operand], len(f.sizes)
	offset := col * steps[last]
	for axis := last - 1; axis > 0 && row > 0; axis-- {
		offset += row % f.sizes[axis] * steps[axis]
		row /= f.sizes[axis]
	}
	offset += row * steps[0]
	tiles, memory := f.k.part.tiles, f.k.args.Ptr
	if operand == len(memory) { // the product
		operand = tiles.From
	}
	return unsafe.Add(memory[operand], offset*tiles.Program.Operands[operand].Type.Size())
}

// rowStep is an operand's step from row to row.
func (f *tiled) rowStep(operand int) int { return f.steps[operand][len(f.sizes)-1] }

// rows is the number of rows of the product.
func (f *tiled) rows() int {
	rows := 1
	for _, n := range f.sizes {
		rows *= n
	}
	return rows
}

// sumColumns makes room for sums of columns.
func (f *tiled) sumColumns(prog *rowprog.Program, args *bind.Args) {
	for i := range prog.Insts {
		if in := &prog.Insts[i]; in.Op == rowprog.OpAccumulate {
			f.sums = append(f.sums, bind.NewChunkSums(prog, in, args))
		}
	}
	f.chunk = bind.ChunkLen(args)
}

// beginSums prepares for a run's sums of columns.
func (f *tiled) beginSums() {
	for _, s := range f.sums {
		s.Reset()
	}
}

// endSums gives a run's sums of columns.
func (f *tiled) endSums() {
	for _, s := range f.sums {
		s.Combine(f.k.args.Ptr[s.Operand])
	}
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
	e.block.Begin(f.k.part.tiles, f.step)
	e.row, e.lines = -1, e.lines[:0]
	for _, s := range f.sums {
		e.block.Step(s.Operand, s.Step())
	}
	for i, o := range f.k.part.tiles.Program.Operands {
		if o.Domain == rowprog.Row {
			e.block.Step(i, f.rowStep(i))
		}
		if i != f.k.part.tiles.From && o.Access != rowprog.Acc {
			e.lines = append(e.lines, line{operand: i, size: f.steps[i][len(f.sizes)] * o.Type.Size(), isLarge: f.isLarge[i]})
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
	if e.sums != nil {
		e.block.Accumulate(e.chunk-row%e.chunk, e.chunk)
	}
	for _, s := range e.sums {
		e.block.Point(s.Operand, s.At(row/e.chunk, col))
	}
	code, args := e.block.Call()
	return gemm.Tiles{Code: code, Args: args, Far: e.far, FarRow: farRow}
}

// Stored implements gemm.Epilogue: what is in memory is worked on as rows; where columns are
// summed, all rows of a chunk together.
func (e *epilogue) Stored(top, bottom, left, right int) {
	if e.sums == nil {
		e.storedRows(top, bottom, left, right)
		return
	}
	rows := e.rows()
	for first := top / e.chunk * e.chunk; first < bottom; first += e.chunk {
		if end := min(first+e.chunk, rows); end <= bottom {
			e.storedRows(first, end, left, right)
		}
	}
}

// storedRows works on some rows and columns.
func (e *epilogue) storedRows(top, bottom, left, right int) {
	outer := max(e.k.part.prog.Outer, 1)
	a := e.ws.argsOf(outer, len(e.k.part.prog.Operands))
	a.N, a.Whole = right-left, 0
	for axis := range a.Outer {
		a.Outer[axis] = 1
	}
	a.Outer[outer-1] = bottom - top
	for i := range a.Stride {
		clear(a.Stride[i])
		a.Stride[i][outer-1], a.Stride[i][outer] = e.rowStep(i), e.steps[i][len(e.sizes)]
		a.Ptr[i] = e.at(i, top, left)
	}
	for _, s := range e.sums {
		a.Ptr[s.Operand] = s.At(top/e.chunk, left)
	}
	e.k.part.edges.Run(a, &e.ws.scratch)
}

var _ gemm.Epilogue = (*epilogue)(nil)
