package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Registers of code for tiles in memory: the addresses of other operands, that of the first row of sums, and the
// indices of rows that are interleaved. Routines use the last index register too, but then rows are not interleaved.
// Masked vectors use it in other code, but tiles have none.
var (
	rowBases   = []asm.Reg{asm.RSI, asm.R8, asm.R9, asm.R10, asm.R12, asm.R13, asm.R14}
	tileSums   = asm.R11
	rowIndices = []asm.Reg{index, asm.R15}
)

// memory writes code that stores sums to the block of arguments, unless they are in memory already, and processes them
// row by row, with all registers.
func (w *tileCompiler) memory() {
	a := w.a
	sums := 0
	if !w.Packed {
		sums = w.putSums()
	}
	w.point(rowBases)
	w.emitStraight(w.section(rowprog.CallSection))
	if w.Packed {
		a.MovLoad(tileSums, inBlock(w.layout.Pointer(w.From)))
		a.MovLoad(rest, inBlock(offTileRows))
	} else {
		a.Lea(tileSums, inBlock(sums))
	}
	a.MovLoad(index, inBlock(offTileIndex))
	if len(w.vec.accs) > 0 {
		w.accumulatePieces()
	} else {
		w.allRows()
	}
	w.end(index)
}

// putSums stores sums to the block of arguments.
func (w *tileCompiler) putSums() (at int) {
	bytes := w.target.bytes()
	at = w.layout.room(w.Rows * w.vectors * bytes)
	for r := range w.Rows * w.vectors {
		w.a.M(asm.MOVUPSSt, w.target.full(), asm.Vec(r), 0, inBlock(at+r*bytes))
	}
	return at
}

// allRows writes loops over the rows in rest.
func (w *tileCompiler) allRows() {
	a, done := w.a, w.a.NewLabel()
	for rows := w.rowsAtOnce(); rows > 0; rows-- {
		over := a.NewLabel()
		a.SubImm(rest, int32(rows))
		a.JumpIf(asm.Less, over)
		w.rows(rows)
		a.Bind(over)
		a.AddImm(rest, int32(rows))
		a.JumpIf(asm.Equal, done)
	}
	a.Bind(done)
}

// rowsAtOnce is the number of rows that are interleaved. It is two if vectors are short, so that functions, which are
// long dependency chains, wait less.
func (w *tileCompiler) rowsAtOnce() int {
	if w.target.isAVX512() || len(w.row.insts) > 0 || len(w.vec.accs) > 0 || w.hasRoutine() {
		return 1
	}
	for i := range w.p.Operands {
		if w.moves(i) {
			return 1
		}
	}
	return len(rowIndices)
}

// rows writes a loop over n rows at a time, as long as that many are left beyond those in rest.
func (w *tileCompiler) rows(n int) {
	a := w.a
	m := mode{accReg: true, tile: &tileRows{Tile: &w.Tile, indices: rowIndices}}
	p := w.planRows(n, m)
	if len(w.row.insts) == 0 {
		p.pins.load(w.compiler)
	}
	a.Align(32)
	again := a.Here()
	if len(w.row.insts) > 0 {
		w.body(w.row, 1, false, &pins{acc: p.pins.acc}, mode{row: true})
		p.pins.load(w.compiler)
	}
	for i := 1; i < n; i++ {
		a.Mov(rowIndices[i], rowIndices[i-1])
		a.AddLoad(rowIndices[i], inBlock(offTileStep))
	}
	w.body(w.vec, p.copies, p.interleaved, &p.pins, m)
	w.nextRow()
	a.Mov(index, rowIndices[n-1])
	a.AddLoad(index, inBlock(offTileStep))
	a.AddImm(tileSums, int32(p.copies*w.target.bytes()))
	a.SubImm(rest, int32(n))
	a.JumpIf(asm.NotLess, again)
}

// planRows decides how the vectors of some rows are processed, and what stays in registers.
func (w *tileCompiler) planRows(rows int, m mode) plan {
	p := plan{copies: rows * w.vectors}
	accs := len(w.vec.accs) * w.vectors
	free := w.target.registers() - accs
	for r := range accs {
		p.pins.acc[free+r] = true
	}
	peak, spills := w.dryRun(w.vec, p.copies, false, &p.pins, m)
	all, more := w.dryRun(w.vec, p.copies, true, &p.pins, m)
	if p.interleaved = isWorthSpilling(more-spills, w.vec.operations()*p.copies); p.interleaved {
		peak = all
	}
	p.pin(w.vec, free-1, free-peak)
	return p
}
