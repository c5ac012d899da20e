package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Tile is the shape of a tile of a matrix in vector registers, row by row from the first one on, and how a program uses
// it. Columns fill whole vectors.
type Tile struct {
	Rows, Cols int
	// From is the operand whose elements are in the registers.
	From int
	// RowInvariant says for each operand whether it has the same elements for all rows.
	RowInvariant []bool
	// Packed says that the elements are in memory instead, one row after the other, with any number of rows.
	Packed bool
}

// CompileTile makes code that runs a program on tiles, one below the other. The program is elementwise, and may also
// accumulate over all rows. Tiles stay in registers if the program has one result, accumulates nothing else and has
// enough registers; otherwise they are stored to memory first. The error says what there is no code for.
//
// The code is called with the number of rows in RBX, at most Tile.Rows, and the address of its block of arguments in
// RDI. The block holds the addresses of the operands, TileIndex and TileStep, and Delta for the rows of operands with
// one element per row. The code preserves RDI and does not run VZEROUPPER, since its caller continues with vectors.
//
// It accumulates from tile to tile into the elements at an operand's address. After TileLeft rows, and then after every
// TileEvery rows, it continues with other elements, Delta further on. All elements hold the reduction's neutral element
// at first.
//
// Code for packed rows is called like that of [Compile]. It finds their number at TileRows.
func CompileTile(p *rowprog.Program, target Target, t Tile) (code *Code, err error) {
	if !t.Packed {
		code, err = compileTile(p, target, t, (*tileCompiler).registers)
	}
	if code == nil {
		code, err = compileTile(p, target, t, (*tileCompiler).memory)
	}
	return code, err
}

// compileTile makes code in one of these ways.
func compileTile(p *rowprog.Program, target Target, t Tile, write func(*tileCompiler)) (code *Code, err error) {
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, refused(r)
		}
	}()
	c := newCompiler(p, target, 1)
	c.ofTiles = true
	c.findLiveOut()
	write(c.tileCompiler(t))
	return c.finish(), nil
}

// Fields of a block of arguments for tiles, which replace others.
const (
	offTileStep  = 8
	offTileIndex = 16
	offTileRows  = 24 // of the tile at hand
	offTileLeft  = 32
	offTileEvery = 40
	offTileCount = 48 // rows that are accumulated together
)

// TileStep is where the step from row to row is, in elements, of all operands that are not row-invariant and have an
// element for each of a row.
func (l *Layout) TileStep() int { return offTileStep }

// TileIndex is where the number of elements is from the addresses of operands that are not row-invariant to the tile.
// Each call advances it to the next tile.
func (l *Layout) TileIndex() int { return offTileIndex }

// TileRows is where the number of packed rows is.
func (l *Layout) TileRows() int { return offTileRows }

// TileLeft is where the number of rows is, from the next tile on, that are accumulated with those before them.
func (l *Layout) TileLeft() int { return offTileLeft }

// TileEvery is where the number of rows is that are accumulated together.
func (l *Layout) TileEvery() int { return offTileEvery }

// Registers of code for tiles: the addresses of the operands in memory, and the numbers of elements from these to some
// rows.
var (
	tileBases   = []asm.Reg{asm.RSI, asm.R8, asm.R9, asm.R10}
	tileIndices = []asm.Reg{index, asm.R11, asm.R12, asm.R13, asm.R14, asm.R15}
)

// tileCompiler is the state while code for tiles is written.
type tileCompiler struct {
	*compiler
	Tile
	row, vec    *block // of a row, and of its elements
	vectors     int    // of a row
	interleaved bool
	store       inst      // of what each row gives
	sums        []tileSum // of that
}

// tileRows is the current rows of a tile: one in registers, or some in memory.
type tileRows struct {
	*Tile
	indices []asm.Reg // of each row, the number of elements to it from the operands' addresses on
	first   int       // the register in which a row begins
	results []asm.Vec // the registers where its results are kept; nil for rows in memory
}

// tileCompiler prepares for tiles.
func (c *compiler) tileCompiler(t Tile) *tileCompiler {
	p := c.p
	if !p.Columnwise() || p.Stages != 1 || p.Operands[t.From].Access != rowprog.In {
		refuse("tiles of such a program")
	}
	w := &tileCompiler{compiler: c, Tile: t, row: c.section(rowprog.RowSection(0)),
		vec: c.section(rowprog.VecSection(0))}
	if w.row.guard || w.vec.guard || w.vec.lanes*p.Operands[t.From].Type.Size() != c.target.bytes() {
		refuse("tiles of such elements")
	}
	for _, acc := range w.vec.accs {
		if acc.typ == rowprog.Bool || acc.typ.Size() != p.Operands[t.From].Type.Size() {
			refuse("such sums of rows of tiles")
		}
	}
	w.vectors = t.Cols / w.vec.lanes
	if 4*len(w.vec.accs)*w.vectors > max(w.target.registers(), 16) {
		refuse("so many sums of rows of tiles")
	}
	return w
}

// hasRoutine reports whether routines run on the elements of a row.
func (w *tileCompiler) hasRoutine() bool {
	return slices.ContainsFunc(w.vec.insts, func(in inst) bool { return in.form == routineForm })
}

// point loads the addresses of operands whose elements are loaded or stored into registers.
func (w *tileCompiler) point(free []asm.Reg) {
	w.bases = make([]asm.Reg, len(w.p.Operands))
	for i := range w.p.Operands {
		if i == w.From || w.p.Operands[i].Access == rowprog.Acc {
			continue
		}
		if len(free) == 0 {
			refuse("tiles of so many operands")
		}
		w.bases[i], free = free[0], free[1:]
		w.a.MovLoad(w.bases[i], inBlock(w.layout.Pointer(i)))
	}
}

// registers writes the code of whole tiles, and that of partial ones, which stay in registers.
func (w *tileCompiler) registers() {
	if w.hasRoutine() {
		refuse("routines for tiles in registers")
	}
	a := w.a
	w.deferStore()
	w.point(tileBases)
	w.body(w.section(rowprog.CallSection), 1, false, w.reserved(), mode{row: true})
	w.interleaved = w.fits()
	others := a.NewLabel()
	a.SubImm(rest, int32(w.Rows))
	a.JumpIf(asm.NotEqual, others)
	if w.sums == nil {
		w.fullTile()
		a.Bind(others)
		a.AddImm(rest, int32(w.Rows))
		w.partialTile()
		return
	}
	a.MovLoad(temp, inBlock(offTileLeft))
	a.SubImm(temp, int32(w.Rows))
	a.JumpIf(asm.Less, others)
	w.fullTile()
	a.Bind(others)
	a.AddImm(rest, int32(w.Rows))
	w.vec = w.section(rowprog.VecSection(0))
	w.memory()
}

// deferStore keeps the stored value in a register. It must be the only result of each row and the only value that is
// accumulated.
func (w *tileCompiler) deferStore() {
	var only *inst
	for i := range w.vec.insts {
		switch in := &w.vec.insts[i]; in.form {
		case storeForm, packedForm, bytesOutForm:
			if only != nil || in.form != storeForm {
				refuse("such results of tiles in registers")
			}
			only = in
		}
	}
	if only == nil {
		refuse("tiles in registers without a result")
	}
	w.store = *only
	only.form = deferForm
	w.takeSums()
}

// reserved is the registers of a tile before any row is taken from them.
func (w *tileCompiler) reserved() *pins {
	p := &pins{}
	for r := range w.Rows * w.vectors {
		p.acc[r] = true
	}
	return p
}

// take takes a row from the reserved registers.
func (w *tileCompiler) take(held *pins, row int, index asm.Reg) mode {
	clear(held.acc[row*w.vectors:][:w.vectors])
	return mode{tile: &tileRows{Tile: &w.Tile, first: row * w.vectors, indices: []asm.Reg{index},
		results: make([]asm.Vec, w.vectors)}}
}

// fits decides whether the vectors of a row are interleaved or processed one after the other, so that nothing is
// spilled. The first row has the fewest registers.
func (w *tileCompiler) fits() (interleaved bool) {
	held := w.reserved()
	m := w.take(held, 0, index)
	for _, interleaved := range []bool{true, false} {
		if _, spills := w.dryRun(w.vec, w.vectors, interleaved, held, m); spills == 0 {
			return interleaved
		}
	}
	refuse("tiles that need more registers than there are beside them")
	return false
}

// compute writes the code of a row. It returns the registers with the results, which stay reserved until all rows have
// been computed. Loads of a row are often a multiple of 4096 bytes from the stores of the one before, and processors
// take the two for the same memory at first.
func (w *tileCompiler) compute(held *pins, row int, index asm.Reg) (kept []asm.Vec) {
	w.body(w.row, 1, false, held, mode{row: true})
	m := w.take(held, row, index)
	w.body(w.vec, w.vectors, w.interleaved, held, m)
	w.nextRow()
	for _, r := range m.tile.results {
		held.acc[r] = true
	}
	return m.tile.results
}

// nextRow advances operands that have one element per row to the next row.
func (w *tileCompiler) nextRow() {
	for i := range w.p.Operands {
		if w.moves(i) {
			w.a.AddLoad(w.bases[i], inBlock(w.layout.Delta(0, i)))
		}
	}
}

// moves reports whether an operand's address advances from row to row.
func (w *tileCompiler) moves(operand int) bool {
	return w.p.Operands[operand].Domain == rowprog.Row && !w.RowInvariant[operand]
}

// put stores the results of a row.
func (w *tileCompiler) put(kept []asm.Vec, index asm.Reg) {
	t := tileRows{Tile: &w.Tile, indices: []asm.Reg{index}}
	for v, r := range kept {
		w.a.M(asm.MOVUPSSt, w.store.width, r, 0, t.address(w.bases[w.store.operand], &w.store, int32(v*w.vec.lanes)))
	}
}

// address is where elements of an operand are, on elements after the first row's.
func (t *tileRows) address(base asm.Reg, in *inst, on int32) asm.Mem {
	cols, size := int32(t.Cols), int32(in.size)
	switch {
	case in.operand == t.From:
		return asm.At(tileSums, on*size)
	case t.RowInvariant[in.operand]:
		return asm.At(base, on%cols*size)
	}
	return asm.Indexed(base, t.indices[on/cols], in.size, on%cols*size)
}

// fullTile writes the code of whole tiles, some rows at a time: as many as there are indices.
func (w *tileCompiler) fullTile() {
	a, held := w.a, w.reserved()
	kept := make([][]asm.Vec, w.Rows)
	n := len(tileIndices)
	a.MovLoad(index, inBlock(offTileIndex))
	for row := range w.Rows {
		if row%n == 0 {
			w.setIndices(row)
		}
		kept[row] = w.compute(held, row, tileIndices[row%n])
	}
	w.accumulateKept(kept)
	if w.Rows > n {
		a.MovLoad(index, inBlock(offTileIndex))
	}
	for row := range w.Rows {
		if w.Rows > n && row%n == 0 {
			w.setIndices(row)
		}
		w.put(kept[row], tileIndices[row%n])
	}
	last := tileIndices[(w.Rows-1)%n]
	a.AddLoad(last, inBlock(offTileStep))
	w.end(last)
}

// setIndices sets the indices of a row, whose first is known, and of those after it.
func (w *tileCompiler) setIndices(row int) {
	a, n := w.a, len(tileIndices)
	a.MovLoad(temp, inBlock(offTileStep))
	if row > 0 {
		a.Lea(tileIndices[0], asm.Indexed(tileIndices[n-1], temp, 1, 0))
	}
	for i := 1; i < min(w.Rows-row, n); i++ {
		a.Lea(tileIndices[i], asm.Indexed(tileIndices[i-1], temp, 1, 0))
	}
}

// partialTile writes the code of tiles of fewer rows.
func (w *tileCompiler) partialTile() {
	a, held := w.a, w.reserved()
	kept := make([][]asm.Vec, w.Rows-1)
	goOn := func(done asm.Label) {
		a.AddLoad(index, inBlock(offTileStep))
		a.SubImm(rest, 1)
		a.JumpIf(asm.Equal, done)
	}
	computed, stored := a.NewLabel(), a.NewLabel()
	a.MovStore(inBlock(offTileRows), rest)
	a.MovLoad(index, inBlock(offTileIndex))
	for row := range kept {
		kept[row] = w.compute(held, row, index)
		goOn(computed)
	}
	a.Bind(computed)
	a.MovLoad(rest, inBlock(offTileRows))
	a.MovLoad(index, inBlock(offTileIndex))
	for _, vectors := range kept {
		w.put(vectors, index)
		goOn(stored)
	}
	a.Bind(stored)
	w.end(index)
}

// end ends a call.
func (w *tileCompiler) end(index asm.Reg) {
	w.a.MovStore(inBlock(offTileIndex), index)
	for i := range w.p.Operands {
		if w.moves(i) {
			w.a.MovStore(inBlock(w.layout.Pointer(i)), w.bases[i])
		}
	}
	if w.Packed {
		w.a.Zeroupper()
	}
	w.a.Return()
}
