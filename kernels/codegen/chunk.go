package codegen

import "github.com/broadloom/broadloom/kernels/asm"

// A row that is too long for one call is worked on chunk by chunk: one stage of all its
// chunks after the other. What outlives a stage lies in the block of arguments, so that
// a call can end after a stage and another one go on there.

// stageLabels is the places of a stage in the code, and the entries that lead to them.
type stageLabels struct {
	number                int
	chunk, next           asm.Label
	chunkEntry, nextEntry asm.Label
	reductions            []Reduction
}

// endStage ends a call after a stage, whose code begins at a label, if it is to.
func (c *compiler) endStage(number int, begin asm.Label, b *block) {
	c.a.CmpMemImm(inBlock(offHalt), 0)
	c.a.JumpIf(asm.NotEqual, c.exit)
	st := stageLabels{number: number, chunk: begin, next: c.a.Here()}
	for i := range b.accs {
		if acc := &b.accs[i]; acc.value >= 0 {
			st.reductions = append(st.reductions, Reduction{acc.kind, acc.typ, int(c.slotOf(acc.value).mem.Disp), acc.room})
		}
	}
	c.stages = append(c.stages, st)
}

// writeEntries writes where calls for chunks enter the code.
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
