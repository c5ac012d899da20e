package lower

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/amd64"
)

// straight writes a block that runs once.
func (c *compiler) straight(b *block) {
	if len(b.insts) == 0 {
		return
	}
	c.body(b, 1, false, &pins{}, mode{row: true})
}

// mode is how a body is written.
type mode struct {
	row    bool // outside of the row
	masked bool // only the first rest lanes take part
	accReg bool // accumulators are in registers
	stream bool // vectors are stored past the caches
}

// body writes copies of a block.
func (c *compiler) body(b *block, copies int, interleaved bool, p *pins, m mode) {
	e := &c.e
	e.lanes, e.accs, e.mode = b.lanes, b.accs, m
	e.expand(b, copies, interleaved)
	e.start(p)
	e.run()
}

// try writes copies of a block without pinned homes, forgets them and tells the most
// registers that were in use and how many values were spilled.
func (c *compiler) try(b *block, copies int, interleaved bool, p *pins, m mode) (peak, spills int) {
	mark, stubs, size := c.a.Mark(), len(c.stubs), c.layout.Size
	c.body(b, copies, interleaved, p, m)
	c.a.Rewind(mark)
	c.stubs, c.layout.Size = c.stubs[:stubs], size
	return c.e.peak, c.e.spills
}

// plan is how a section of the row is written.
type plan struct {
	copies      int
	interleaved bool
	accReg      bool
	pins        pins
}

// The limits of plans.
const (
	smallBody = 8   // operations up to which 4 vectors are worked on at a time
	largeBody = 200 // operations from which only one is
	accCopies = laneBytes / vectorBytes
	firstPin  = 13 // the registers above hold masks
	mostPins  = 9
	accTemps  = 7 // registers that are left beside accumulators and a pinned value
)

// plan decides how many vectors are worked on at a time and what stays in registers.
func (c *compiler) plan(b *block) (p plan) {
	operations := 0
	for i := range b.insts {
		if b.insts[i].form != homeForm {
			operations++
		}
	}
	peak, spills := c.try(b, 1, false, &pins{}, mode{})
	if len(b.accs) == 1 && !b.guard && spills == 0 && peak <= accTemps && operations < 40 && b.accWidth() == amd64.W256 {
		p.copies, p.accReg = accCopies, true
		for i := range accCopies {
			p.pins.acc[firstPin-i] = true
		}
		b.accs[0].reg = firstPin - accCopies + 1
		p.pin(b, firstPin-accCopies, vectorRegs-accCopies-peak)
		return p
	}
	p.copies = 2
	switch {
	case operations <= smallBody:
		p.copies = 4
	case operations >= largeBody || spills > 0:
		p.copies = 1
	}
	if p.copies > 1 {
		both, more := c.try(b, p.copies, true, &pins{}, mode{})
		if p.interleaved = more == 0 && both <= vectorRegs-2; p.interleaved {
			peak = both
		}
	}
	p.pin(b, firstPin, vectorRegs-peak)
	return p
}

// accWidth is the width of the vectors of the first reduction.
func (b *block) accWidth() amd64.Width { return b.width(laneSize(b.accs[0].typ)) }

// pin chooses homes that stay in registers from first downwards: those that are used
// most.
func (p *plan) pin(b *block, first, room int) {
	uses := map[*home]int{}
	var homes []*home
	for i := range b.insts {
		in := &b.insts[i]
		for k, x := range in.args {
			if x == none || b.insts[x].form != homeForm {
				continue
			}
			h := b.insts[x].home
			if uses[h] == 0 {
				homes = append(homes, h)
			}
			uses[h] += 2
			if !in.takesMemory(k) {
				uses[h] += 3
			}
		}
	}
	slices.SortStableFunc(homes, func(x, y *home) int { return uses[y] - uses[x] })
	for i, h := range homes[:max(0, min(len(homes), room, mostPins))] {
		p.pins.home[first-i] = h
	}
}

// takesMemory tells whether an instruction can take argument k from memory.
func (in *inst) takesMemory(k int) bool {
	switch in.form {
	case unaryForm:
		return true
	case binaryForm:
		return k == 1 || in.flips
	case fusedForm, blendForm:
		return k > 0
	}
	return false
}

// loop writes a section of the row.
func (c *compiler) loop(b *block) {
	if len(b.insts) == 0 {
		return
	}
	a := &c.a
	for i := range b.accs {
		c.setIdentity(&b.accs[i])
	}
	c.straight(c.narrow32(b.narrowed))
	p := c.plan(b)
	for r, h := range p.pins.home {
		if h != nil {
			a.M(amd64.MOVUPS, amd64.W256, amd64.Vec(r), 0, h.mem)
		}
	}
	done := a.NewLabel()
	a.Xor(index, index)
	a.MovLoad(rest, inBlock(offN))
	if p.copies > 1 {
		normal, after := a.NewLabel(), a.NewLabel()
		if c.streams {
			a.CmpMemImm(inBlock(offStream), 0)
			a.JumpIf(amd64.Equal, normal)
			c.vectors(b, &p, p.copies, mode{stream: true})
			a.Jump(after)
		}
		a.Bind(normal)
		c.vectors(b, &p, p.copies, mode{accReg: p.accReg})
		a.Bind(after)
	}
	p.pins.acc = [vectorRegs]bool{}
	c.vectors(b, &p, 1, mode{})
	a.Test(rest, rest)
	a.JumpIf(amd64.Equal, done)
	c.loadMasks(b.lanes)
	c.body(b, 1, false, &p.pins, mode{masked: true})
	a.Bind(done)
	if b.guard {
		a.CmpMemImm(inBlock(offFaulted), 0)
		a.JumpIf(amd64.NotEqual, c.leave)
	}
	for i := range b.accs {
		c.straight(c.fold(&b.accs[i]))
	}
}

// vectors writes a loop over whole vectors, some at a time. It leaves the number of
// elements that are left in rest.
func (c *compiler) vectors(b *block, p *plan, copies int, m mode) {
	a := &c.a
	step := int32(copies * b.lanes)
	over := a.NewLabel()
	a.SubImm(rest, step)
	a.JumpIf(amd64.Less, over)
	if m.accReg {
		acc := &b.accs[0]
		for u := range copies {
			a.M(amd64.MOVUPS, amd64.W256, amd64.Vec(acc.reg+u), 0, acc.identity.mem)
		}
	}
	a.Align(32)
	top := a.Here()
	c.body(b, copies, p.interleaved, &p.pins, m)
	a.AddImm(index, step)
	if b.guard {
		a.CmpMemImm(inBlock(offFaulted), 0)
		a.JumpIf(amd64.NotEqual, c.leave)
	}
	a.SubImm(rest, step)
	a.JumpIf(amd64.NotLess, top)
	if m.accReg {
		acc := &b.accs[0]
		for u := range copies {
			a.M(amd64.MOVUPSSt, amd64.W256, amd64.Vec(acc.reg+u), 0, inBlock(acc.room+u*vectorBytes))
		}
	}
	a.Bind(over)
	a.AddImm(rest, step)
}

// setIdentity fills the partial results of a reduction.
func (c *compiler) setIdentity(acc *accumulator) {
	c.a.M(amd64.MOVUPS, amd64.W256, 0, 0, acc.identity.mem)
	for i := range laneBytes / vectorBytes {
		c.a.M(amd64.MOVUPSSt, amd64.W256, 0, 0, inBlock(acc.room+i*vectorBytes))
	}
}

// loadMasks sets the masks of the rest lanes, of which there are less than lanes.
func (c *compiler) loadMasks(lanes int) {
	a := &c.a
	w := amd64.W256
	if lanes == 4 {
		w = amd64.W128
	}
	a.MovImm(temp, uint64(lanes))
	a.Sub(temp, rest)
	a.Lea(temp2, amd64.Labelled(c.maskTable()))
	a.M(amd64.MOVUPS, w, 15, 0, amd64.Indexed(temp2, temp, 4, int32(4*(8-lanes))))
	if lanes == 4 {
		a.R(amd64.PMOVSXDQ, amd64.W256, 14, 0, 15)
	}
}

// maskTable is 8 lanes that are set and 8 that are not.
func (c *compiler) maskTable() amd64.Label {
	if c.masks == amd64.NoLabel {
		var table [64]byte
		for i := range 32 {
			table[i] = 0xff
		}
		c.masks = c.a.Data(table[:], 32)
	}
	return c.masks
}
