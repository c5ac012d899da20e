package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The latency between the stages of a short row is longer than its elements take: a reduction is folded, stored and
// loaded into all lanes before the next stage can begin. So rows that are known to be short are processed in blocks.
// Each stage runs over one row after the other, and none waits for the one before. Values per row are computed for all
// rows of the block at once, in lanes of vectors. Each row is computed in the same order as by itself.

// rowBlock writes code that processes blocks of rows.
type rowBlock struct {
	*compiler
	across      *rowprog.Program // with what is of a row in the place of what is of an element
	rows        int              // of a block
	first, next int              // where the addresses of the block's first row are kept, and those of the next block
	counted     int              // where the number of rows is kept that are left with it
	again       asm.Label        // where one goes when some row of the block has a fault
	// Constants: see rowNumbers and columnNumbers.
	ofRow, ofColumn []asm.Label
}

// row is the number of the current row. Outside of blocks, this register may hold the address of an operand, which is
// in memory in blocks.
var row = pointerRegs[len(pointerRegs)-1]

// hasBlocks reports whether a program can run on blocks of rows. Nothing may be checked or picked for each element, and
// nothing may be stored before all is checked, since a block with a fault runs again, row by row.
func (c *compiler) hasBlocks() bool {
	p := c.p
	if p.Row < 2 || p.Outer == 0 {
		return false
	}
	stored := rowprog.Section(p.Sections())
	for _, in := range slices.Backward(p.Insts) {
		switch in.Op {
		case rowprog.OpStore:
			stored = in.Section
		case rowprog.OpGuard:
			if in.Domain == rowprog.Vec || in.Domain == rowprog.Row && in.Section >= stored {
				return false
			}
		case rowprog.OpPick:
			if in.Domain == rowprog.Vec || p.Operands[in.Operand].Domain == rowprog.Vec {
				return false
			}
		}
	}
	return true
}

// blockLoop writes code that processes rows of the last outer axis in blocks, if the caller asks for it. The code is at
// the end: control jumps there from here. Then it jumps back to the code for the remaining rows, or to a place after
// the loop over the axis.
func (c *compiler) blockLoop(after asm.Label) {
	if !c.hasBlocks() || c.p.HasSteps() {
		return
	}
	w := &rowBlock{compiler: c, across: acrossRows(c.p), rows: c.target.bytes() / 4}
	reduces := c.p.Reduces()
	if !reduces && (c.p.Stages > 1 || w.flat(c.section(rowprog.VecSection(0))) == nil) {
		return
	}
	blocks := &RowBlocks{At: c.layout.room(8), Rows: w.rows, SideBySide: w.sideBySide(), MustBeDense: !reduces,
		repeated: c.layout.room(8 * len(c.p.Operands))}
	c.layout.Blocks = blocks
	w.first, w.next, w.counted = c.layout.room(8*len(c.p.Operands)), c.layout.room(8*len(c.p.Operands)),
		c.layout.room(8)
	a, begin, alone := c.a, c.a.NewLabel(), c.a.NewLabel()
	a.CmpMemImm(inBlock(blocks.At), 0)
	a.JumpIf(asm.NotEqual, begin)
	a.Bind(alone)
	c.atEnd = append(c.atEnd, func() {
		counter := inBlock(c.layout.Counter(c.p.Outer - 1))
		a.Bind(begin)
		a.MovLoad(temp, counter)
		a.MovStore(inBlock(w.counted), temp)
		a.SubImm(temp, int32(w.rows))
		a.JumpIf(asm.Less, alone)
		w.again = a.NewLabel()
		w.write()
		a.MovLoad(temp, inBlock(w.counted))
		a.SubImm(temp, int32(w.rows))
		a.MovStore(counter, temp)
		a.JumpIf(asm.NotEqual, begin)
		a.MovLoad(temp, inBlock(c.layout.Count(c.p.Outer-1)))
		a.MovStore(counter, temp)
		a.Jump(after)
		a.Bind(w.again) // after a fault: which row is the first to have one, the rows tell by themselves
		a.MovStoreImm(inBlock(offFaulted), 0)
		a.MovStoreImm(inBlock(blocks.At), 0)
		w.bringPointers(w.first)
		a.MovLoad(temp, inBlock(w.counted))
		a.MovStore(counter, temp)
		a.Jump(alone)
	})
}

// sideBySide lists the operands with one element per row that are loaded or stored for all rows of a block at once.
func (w *rowBlock) sideBySide() (list []int) {
	for i := range w.p.Insts {
		in := &w.p.Insts[i]
		if (in.Op == rowprog.OpLoad || in.Op == rowprog.OpStore) && in.Section.Domain() == rowprog.Row &&
			w.p.Operands[in.Operand].Domain == rowprog.Row {
			list = append(list, in.Operand)
		}
	}
	return list
}

// acrossRows is a program in which values per row become values per element.
func acrossRows(p *rowprog.Program) *rowprog.Program {
	q := *p
	q.Insts, q.Operands = slices.Clone(p.Insts), slices.Clone(p.Operands)
	for i := range q.Insts {
		if q.Insts[i].Domain == rowprog.Row {
			q.Insts[i].Domain = rowprog.Vec
		}
	}
	for i := range q.Operands {
		if q.Operands[i].Domain == rowprog.Row {
			q.Operands[i].Domain = rowprog.Vec
		}
	}
	return &q
}

// write writes the code for one block.
func (w *rowBlock) write() {
	ofRows := make([][]phase, w.p.Stages+1) // before each stage, and after the last
	for s := range ofRows {
		ofRows[s] = w.phases(rowprog.RowSection(s))
		w.keepBetween(ofRows[s])
	}
	for v, h := range w.liveOut {
		if in := &w.p.Insts[v]; h != nil && in.Domain == rowprog.Row {
			h.size = lastingSize(in.Type)
			h.rows = w.layout.room(w.rows * int(h.size))
		}
	}
	w.keepPointers(w.first)
	for i := range w.p.Operands {
		w.a.MovLoad(temp, inBlock(w.layout.Delta(w.p.Outer-1, i)))
		w.a.Shl(temp, log2(uint8(w.rows)))
		w.a.AddLoad(temp, inBlock(w.first+8*i))
		w.a.MovStore(inBlock(w.next+8*i), temp)
	}
	w.bases = pointerRegs[:len(pointerRegs)-1]
	if len(w.p.Operands) > len(w.bases) {
		w.bringPointers(w.first)
	}
	for s := range w.p.Stages {
		w.ofRows(ofRows[s])
		w.stageOfRows(s)
		w.bringPointers(w.first)
	}
	w.ofRows(ofRows[w.p.Stages])
	w.bases = pointerRegs[:]
	w.bringPointers(w.next)
}

// eachRow writes a loop over the rows of a block.
func (w *rowBlock) eachRow(body func()) {
	a := w.a
	a.Xor(row, row)
	a.Align(32)
	again := a.Here()
	body()
	w.advance(w.p.Outer - 1)
	a.AddImm(row, 1)
	a.Mov(temp, row)
	a.SubImm(temp, int32(w.rows))
	a.JumpIf(asm.NotEqual, again)
}
