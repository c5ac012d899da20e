package codegen

import "github.com/broadloom/broadloom/kernels/asm"

// A row that is too long for one call is processed in chunks: one stage of all chunks after the other. Values that
// outlive a stage are stored in the block of arguments, so that a call can end after a stage and another can continue
// there.

// stageLabels are the places of a stage in the code, and the entries that lead to them.
type stageLabels struct {
	number                int
	chunk, next           asm.Label
	chunkEntry, nextEntry asm.Label
	reductions            []Reduction
}

// endStage writes code that ends a call after a stage, which begins at a label, if the caller asks for it.
func (c *compiler) endStage(number int, begin asm.Label, b *block) {
	c.a.CmpMemImm(inBlock(offHalt), 0)
	c.a.JumpIf(asm.NotEqual, c.exit)
	st := stageLabels{number: number, chunk: begin, next: c.a.Here()}
	for i := range b.accs {
		if acc := &b.accs[i]; acc.value >= 0 {
			st.reductions = append(st.reductions,
				Reduction{acc.kind, acc.typ, int(c.slotOf(acc.value).mem.Disp), acc.room})
		}
	}
	c.stages = append(c.stages, st)
}

// writeEntries writes the entries of the code for chunks.
func (c *compiler) writeEntries() {
	enter := func(l asm.Label) asm.Label {
		entry := c.a.Here()
		c.loadPointers()
		c.a.Jump(l)
		return entry
	}
	for i := range c.stages {
		st := &c.stages[i]
		st.chunkEntry, st.nextEntry = enter(st.chunk), enter(st.next)
	}
}
