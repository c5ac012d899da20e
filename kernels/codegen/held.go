package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// held says where a loop with accumulators in registers continues at its end.
type held struct {
	whole asm.Label // where no element is left of the row
	sure  asm.Label // where the sum that tells NaNs is NaN, if unsure
	// unsure is for sums of elements with their signs. They can be NaN although no element is, but take one operation
	// less per vector than sums of magnitudes. The row then has no remainder.
	unsure bool
}

// isOneReduction reports whether a block has one reduction whose accumulators can stay in registers.
func (b *block) isOneReduction() bool {
	return len(b.accs) == 1 && !b.accs[0].isOverRows() || len(b.accs) == 2 && b.accs[0].nans
}

// writes reports whether a block writes operands, so that it cannot run again.
func (b *block) writes() bool {
	return slices.ContainsFunc(b.insts, func(in inst) bool { return in.form > setAccForm && in.form != slotOutForm })
}

// holding returns the block of a stage's main loop, which holds its accumulators in registers. It has what follows the
// loop written at the end of the code: the end of the reduction if no element is left, which continues at folded, and
// the loop with sure sums, which continues at after.
func (c *compiler) holding(stage int, b *block, p plan, after, folded asm.Label) *block {
	a := c.a
	h := &held{whole: a.NewLabel()}
	main := *b
	if b.accs[0].nans && !b.writes() {
		h.unsure, h.sure = true, a.NewLabel()
		c.signed = true
		main = *c.section(rowprog.VecSection(stage))
		c.signed = false
		main.accs = b.accs
		if len(main.narrowed) > 0 { // it has copies of its own
			c.emitStraight(c.narrow32(main.narrowed))
			p.pins.load(c)
		}
		a.Mov(temp, rest)
		a.AndImm(temp, int32(p.copies*b.lanes-1))
		a.JumpIf(asm.NotEqual, h.sure)
	}
	main.held = h
	c.atEnd = append(c.atEnd, func() {
		a.Bind(h.whole)
		var registers pins
		var end *block
		if b.accs[0].nans && !h.unsure {
			end = c.foldExtreme(&b.accs[0], &b.accs[1], &registers)
		} else {
			end = c.fold(&b.accs[0], &registers)
		}
		c.body(end, 1, false, &registers, mode{row: true})
		a.Jump(folded)
		if h.unsure {
			a.Bind(h.sure)
			c.beginRow()
			c.vectors(b, &p, p.copies, mode{accReg: true})
			a.Jump(after)
		}
	})
	return &main
}

// hold assigns registers to accumulators.
func (c *compiler) hold(b *block, copies int) {
	for k := range b.accs {
		for u := range copies {
			c.a.M(asm.MOVUPS, c.target.full(), asm.Vec(b.accs[k].reg+u), 0, b.accs[k].identity.mem)
		}
	}
}

// release stores the accumulators to memory if elements of the row are left. rest is their number less a step.
func (c *compiler) release(b *block, copies int, step int32) {
	a, w := c.a, c.target.full()
	switch h := b.held; {
	case h == nil:
	case h.unsure:
		c.testSum(&b.accs[1], copies, h.sure)
		a.Jump(h.whole)
		return
	default:
		a.Mov(temp, rest)
		a.AddImm(temp, step)
		a.JumpIf(asm.Equal, h.whole)
	}
	for k := range b.accs {
		for u := range copies {
			a.M(asm.MOVUPSSt, w, asm.Vec(b.accs[k].reg+u), 0, inBlock(b.accs[k].room+u*c.target.bytes()))
		}
	}
}

// testSum jumps to a label if a sum in registers is NaN in any lane.
func (c *compiler) testSum(acc *accumulator, copies int, isNaN asm.Label) {
	a, w, f, sum := c.a, c.target.full(), floatOpsOf(acc.typ), asm.Vec(acc.reg)
	for n := copies / 2; n > 0; n /= 2 {
		for u := range asm.Vec(n) {
			a.R(f.add, w, sum+u, sum+u, sum+u+asm.Vec(n))
		}
	}
	k, _ := compareOp(f.cmp)
	a.R(k, w, workMask, sum, sum, cmpUnord)
	a.R(asm.KMOVWSt, asm.W128, asm.Vec(temp), 0, workMask)
	a.Test(temp, temp)
	a.JumpIf(asm.NotEqual, isNaN)
}
