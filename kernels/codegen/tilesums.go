package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// tileSum is the accumulator of rows of a tile, and one step of accumulation.
type tileSum struct {
	operand int
	step    inst
}

// takeSums removes the accumulation from the operations on elements.
func (w *tileCompiler) takeSums() {
	insts := w.vec.insts
	var taken []vreg
	for i := range insts {
		if insts[i].form != setAccForm {
			continue
		}
		at := insts[i].args[0]
		step := insts[at]
		if step.form != binaryForm || step.hasImm || insts[step.args[0]].form != accForm ||
			step.args[1] != w.store.args[0] {
			refuse("such sums of tiles in registers")
		}
		w.sums = append(w.sums, tileSum{w.vec.accs[insts[i].operand].operand, step})
		taken = append(taken, vreg(i), at, step.args[0])
	}
	var order []int
	for i := range insts {
		if !slices.Contains(taken, vreg(i)) {
			order = append(order, i)
		}
	}
	w.vec.reorder(order)
}

// accumulatePieces writes a loop over groups of the rows in rest that are accumulated together.
func (w *tileCompiler) accumulatePieces() {
	a := w.a
	last := w.target.registers() - 1
	for i := range w.vec.accs {
		w.vec.accs[i].reg = last + 1 - (i+1)*w.vectors
	}
	again, all := a.Here(), a.NewLabel()
	a.MovStore(inBlock(offTileRows), rest)
	a.CmpLoad(rest, inBlock(offTileLeft))
	a.JumpIf(asm.Less, all)
	a.MovLoad(rest, inBlock(offTileLeft))
	a.Bind(all)
	a.MovStore(inBlock(offTileCount), rest)
	w.moveAccumulated(asm.MOVUPS)
	w.allRows()
	w.moveAccumulated(asm.MOVUPSSt)
	a.MovLoad(temp, inBlock(offTileLeft))
	a.SubLoad(temp, inBlock(offTileCount))
	w.setRowsLeft()
	a.MovLoad(rest, inBlock(offTileRows))
	a.SubLoad(rest, inBlock(offTileCount))
	a.JumpIf(asm.NotEqual, again)
}

// setRowsLeft records that temp more rows are accumulated with those before them, as the flags say. After the last one,
// the next accumulator is used.
func (w *tileCompiler) setRowsLeft() {
	a, same := w.a, w.a.NewLabel()
	a.MovStore(inBlock(offTileLeft), temp)
	a.JumpIf(asm.NotEqual, same)
	a.MovLoad(temp, inBlock(offTileEvery))
	a.MovStore(inBlock(offTileLeft), temp)
	for i, o := range w.p.Operands {
		if o.Access == rowprog.Acc {
			a.MovLoad(temp, inBlock(w.layout.Delta(0, i)))
			a.AddStore(inBlock(w.layout.Pointer(i)), temp)
		}
	}
	a.Bind(same)
}

// accumulateKept accumulates the rows of a whole tile, which are kept in registers.
func (w *tileCompiler) accumulateKept(kept [][]asm.Vec) {
	if w.sums == nil {
		return
	}
	a, inUse := w.a, slices.Concat(kept...)
	var free []asm.Vec
	for r := range asm.Vec(w.target.registers()) {
		if !slices.Contains(inUse, r) {
			free = append(free, r)
		}
	}
	for _, sum := range w.sums {
		acc := free[:w.vectors]
		at := func(v int) asm.Mem { return asm.At(temp, int32(v*w.target.bytes())) }
		a.MovLoad(temp, inBlock(w.layout.Pointer(sum.operand)))
		for v, r := range acc {
			a.M(asm.MOVUPS, w.target.full(), r, 0, at(v))
		}
		for _, row := range kept {
			for v, r := range acc {
				a.R(sum.step.op, sum.step.width, r, r, row[v])
			}
		}
		for v, r := range acc {
			a.M(asm.MOVUPSSt, w.target.full(), r, 0, at(v))
		}
	}
	a.MovLoad(temp, inBlock(offTileLeft))
	a.SubImm(temp, int32(w.Rows))
	w.setRowsLeft()
}

// moveAccumulated loads the accumulated values into their registers, or stores them.
func (w *tileCompiler) moveAccumulated(op *asm.Op) {
	for _, acc := range w.vec.accs {
		w.a.MovLoad(temp, inBlock(w.layout.Pointer(acc.operand)))
		for v := range w.vectors {
			w.a.M(op, w.target.full(), asm.Vec(acc.reg+v), 0, asm.At(temp, int32(v*w.target.bytes())))
		}
	}
}
