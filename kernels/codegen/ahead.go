package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Operands are prefetched aheadBytes ahead. The processor prefetches by itself, but not across pages, and not far
// enough to hide the latency of memory.
const aheadBytes = 8 << 10

// mostFetches is the most operands of a section of which one at a time can be prefetched.
const mostFetches = 3

// fetchAhead writes loops that prefetch an operand. They are at the end of the code: control jumps there from here, and
// then to a place after the loop.
func (c *compiler) fetchAhead(b *block, p plan, after asm.Label) {
	loads := c.fetchable(b)
	if len(loads) == 0 {
		return
	}
	a := c.a
	begin, none := a.NewLabel(), a.NewLabel()
	a.CmpMemImm(inBlock(offFetch), 0)
	a.JumpIf(asm.NotEqual, begin)
	a.Bind(none)
	c.atEnd = append(c.atEnd, func() {
		a.Bind(begin)
		for _, load := range loads {
			other := a.NewLabel()
			a.CmpMemImm(inBlock(offFetch), int8(load.operand+1))
			a.JumpIf(asm.NotEqual, other)
			c.vectors(b, &p, p.copies, mode{accReg: p.accReg, fetch: load})
			a.Jump(after)
			a.Bind(other)
		}
		a.Jump(none)
	})
}

// fetchable returns the loads of a section whose operands can be prefetched: those that no other section prefetches.
// There are none if the section is bound by arithmetic, or if it writes as much as it reads.
func (c *compiler) fetchable(b *block) (loads []*inst) {
	if !c.chunked || len(b.insts) > memoryBody {
		return nil
	}
	for i := range b.insts {
		in := &b.insts[i]
		if in.isLoad() && in.operand < len(pointerRegs) && !slices.Contains(c.fetches, in.operand) &&
			len(loads) < mostFetches {
			c.fetches = append(c.fetches, in.operand)
			loads = append(loads, in)
		}
	}
	return loads
}

// fetch prefetches the line that an operand's loads will reach, some elements ahead.
func (c *compiler) fetch(load *inst, elements int32) {
	c.fetchFrom(pointerRegs[load.operand], load, elements, aheadBytes)
}

// fetchFrom prefetches elements that are some bytes ahead.
func (c *compiler) fetchFrom(base asm.Reg, load *inst, elements int32, ahead int32) {
	const line = 64
	for at := int32(0); at < elements*int32(load.size); at += line {
		c.a.Prefetch(asm.Indexed(base, index, load.size, ahead+at))
	}
}

// A body of many operations waits for memory at the beginning of each row, since the loads of the next row come too
// late to overlap. So its operands are prefetched a page ahead. That is often the next row of a matrix whose rows lie
// in those of a larger one, as the gates of a recurrent layer do. After the first stage, fewer operations are enough to
// prefetch the next row, with which the first stage begins.
const (
	heavyBody = 100
	laterBody = 12
	pageBytes = 4 << 10
)

// fetchRows prefetches elements of later rows if a section is not bound by memory.
func (c *compiler) fetchRows(b *block, elements int32) {
	switch operations := b.operations(); {
	case operations >= heavyBody:
		c.eachLoaded(b, func(load *inst) { c.fetchFrom(c.e.base(load.operand), load, elements, pageBytes) })
	case operations >= laterBody && c.stage > 0 && c.p.Outer > 0:
		c.eachLoaded(b, func(load *inst) {
			if c.p.Operands[load.operand].Access == rowprog.In {
				c.a.MovLoad(temp, inBlock(c.layout.Delta(c.p.Outer-1, load.operand)))
				c.a.Add(temp, c.e.base(load.operand))
				c.fetchFrom(temp, load, elements, 0)
			}
		})
	}
}

// isLoad reports whether an instruction loads elements of the operand's own rows, not of a picked row.
func (in *inst) isLoad() bool { return in.form == loadForm && in.slot == nil }

// eachLoaded visits a load of each operand that a section loads.
func (c *compiler) eachLoaded(b *block, visit func(load *inst)) {
	var done []int
	for i := range b.insts {
		if in := &b.insts[i]; in.isLoad() && !slices.Contains(done, in.operand) {
			done = append(done, in.operand)
			visit(in)
		}
	}
}
