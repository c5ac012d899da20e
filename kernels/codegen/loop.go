package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// emitStraight writes a block that runs once.
func (c *compiler) emitStraight(b *block) {
	if len(b.insts) == 0 {
		return
	}
	c.body(b, 1, false, &pins{}, mode{row: true})
}

// mode is how a body is written.
type mode struct {
	row    bool      // outside of the row
	masked bool      // only the first rest lanes take part
	known  int       // how many these are, if not 0
	accReg bool      // accumulators are in registers
	merges bool      // and keep the lanes that do not take part
	stream bool      // vectors are stored past the caches
	fetch  *inst     // if not nil, what loads the operand that is fetched ahead
	tile   *tileRows // if not nil, the row of a tile that is worked on

	vector  int       // of the rows of a block, side by side, the first that is worked on
	ofBlock *rowBlock // if not nil, the block of rows of which what is computed once a row is of one
}

// body writes copies of a block.
func (c *compiler) body(b *block, copies int, interleaved bool, p *pins, m mode) {
	e := &c.e
	e.lanes, e.accs, e.mode = b.lanes, b.accs, m
	e.expand(b, copies, interleaved)
	e.start(p)
	e.run()
}

// dryRun writes copies of a block without pinned slots and discards them. It returns the peak number of registers in
// use and the number of spilled values.
func (c *compiler) dryRun(b *block, copies int, interleaved bool, p *pins, m mode) (peak, spills int) {
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
	pairs       bool // what is left of a row is first worked on in pairs of vectors
	accReg      bool
	pins        pins
}

// The limits of plans.
const (
	smallBody  = 8   // operations up to which 4 of the widest vectors are worked on at a time
	largeBody  = 200 // operations from which only one is
	memoryBody = 40  // instructions up to which memory can be the limit
	spare      = 2   // registers at the end, which hold masks
	leastFree  = 5   // registers that are not pinned

	worthSpilling = 8 // operations for each value that may be spilled to work on vectors side by side
)

// plan decides how many vectors are processed at a time and what stays in registers.
func (c *compiler) plan(b *block) (p plan) {
	operations := b.operations()
	registers := c.target.registers()
	first := registers - spare - 1
	peak, spills := c.dryRun(b, 1, false, &pins{}, mode{})
	copies := laneBytes / c.target.bytes()
	held := copies * len(b.accs)
	if b.isOneReduction() && !b.guard && spills == 0 && peak < registers-held && operations < c.shortBody() &&
		b.accWidth() == c.target.full() {
		p.copies, p.accReg = copies, true
		for i := range held {
			p.pins.acc[first-i] = true
		}
		for k := range b.accs {
			b.accs[k].reg = first - (k+1)*copies + 1
		}
		p.pin(b, first-held, min(registers-peak, registers-spare-leastFree)-held)
		return p
	}
	// Functions are long dependency chains. Interleaved vectors fill the gaps, which is worth some spilling. Wider
	// vectors leave fewer gaps.
	most := 4
	switch {
	case operations >= largeBody:
		most = 1
	case operations > smallBody && c.target != AVX2: // a vector of NEON is two already
		most = 2
	}
	for p.copies = most; p.copies > 1; p.copies /= 2 {
		all, more := c.dryRun(b, p.copies, true, &pins{}, mode{})
		if p.interleaved = isWorthSpilling(more-spills, operations*p.copies); p.interleaved {
			peak = all
			break
		}
	}
	if !p.interleaved {
		p.copies = min(most, 2)
	}
	p.pairs = p.copies == 4 && operations > smallBody
	p.pin(b, first, min(registers-peak, registers-spare-leastFree))
	return p
}

// isWorthSpilling reports whether operations are better interleaved although that spills some more values.
func isWorthSpilling(values, operations int) bool { return values <= operations/worthSpilling }

// operations is the number of operations of a block.
func (b *block) operations() (n int) {
	for i := range b.insts {
		if b.insts[i].form != slotForm {
			n++
		}
	}
	return n
}

// shortBody is the number of operations from which a body with one reduction is better interleaved, with partial
// results in memory, than with these in registers.
func (c *compiler) shortBody() int {
	if c.target.isAVX512() {
		return 40
	}
	return 16
}

// accWidth is the width of the vectors of the first reduction.
func (b *block) accWidth() asm.Width { return b.width(laneSize(b.accs[0].typ)) }

// pin chooses the slots that are used most and keeps them in registers, from first downwards.
func (p *plan) pin(b *block, first, room int) {
	uses := map[*slot]int{}
	var homes []*slot
	for i := range b.insts {
		in := &b.insts[i]
		for k, x := range in.args {
			if x == none || b.insts[x].form != slotForm {
				continue
			}
			h := b.insts[x].slot
			if uses[h] == 0 {
				homes = append(homes, h)
			}
			uses[h] += 2
			if !in.takesMemory(k) {
				uses[h] += 3
			}
		}
	}
	slices.SortStableFunc(homes, func(x, y *slot) int { return uses[y] - uses[x] })
	for i, h := range homes[:max(0, min(len(homes), room))] {
		p.pins.slot[first-i] = h
	}
}

// load loads slots into their registers.
func (p *pins) load(c *compiler) {
	for r, h := range p.slot {
		if h != nil {
			c.a.M(asm.MOVUPS, c.target.full(), asm.Vec(r), 0, h.mem)
		}
	}
}

// takesMemory reports whether an instruction can take argument k from memory.
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

// loop writes the section of the row of a stage.
func (c *compiler) loop(stage int) {
	c.stage = stage
	b := c.section(rowprog.VecSection(stage))
	if len(b.insts) == 0 {
		return
	}
	a := c.a
	begin := a.Here()
	c.findRows(b)
	for i := range b.accs {
		c.setIdentity(&b.accs[i])
	}
	c.emitStraight(c.narrow32(b.narrowed))
	p := c.plan(b)
	done, folded := a.NewLabel(), a.NewLabel()
	c.beginRow()
	work := c.byteLoop(stage)
	p.pins.load(c)
	if p.copies > 1 {
		normal, after := a.NewLabel(), a.NewLabel()
		if c.streams {
			a.CmpMemImm(inBlock(offStream), 0)
			a.JumpIf(asm.Equal, normal)
			c.vectors(c.streamed(b), &p, p.copies, mode{stream: true})
			a.Jump(after)
		}
		a.Bind(normal)
		c.fetchAhead(b, p, after)
		main := b
		if p.accReg {
			main = c.holding(stage, b, p, after, folded)
		}
		c.vectors(main, &p, p.copies, mode{accReg: p.accReg})
		a.Bind(after)
	}
	p.pins.acc = [vectorRegs]bool{}
	if p.pairs {
		c.vectors(b, &p, 2, mode{})
	}
	c.vectors(b, &p, 1, mode{})
	last := b
	for _, last = range c.narrower(b, &p) {
		c.vectors(last, &p, 1, mode{})
	}
	a.Test(rest, rest)
	a.JumpIf(asm.Equal, done)
	c.loadMasks(last.lanes)
	c.body(last, 1, false, &p.pins, mode{masked: true})
	a.Bind(done)
	if b.guard {
		a.CmpMemImm(inBlock(offFaulted), 0)
		a.JumpIf(asm.NotEqual, c.exit)
	}
	for _, end := range c.folds(b) {
		c.emitStraight(end)
	}
	a.Bind(folded)
	if c.chunked {
		c.endStage(stage, begin, b)
	}
	if work == 0 {
		work = b.work()
	}
	c.work += work
}

// beginRow sets the registers for the first element of a row or a chunk.
func (c *compiler) beginRow() {
	if c.chunked {
		c.a.MovLoad(index, inBlock(offFrom))
	} else {
		c.a.Xor(index, index)
	}
	c.a.MovLoad(rest, inBlock(offN))
}

// work estimates the cycles per element.
func (b *block) work() float64 {
	operations := 0
	for i := range b.insts {
		switch in := &b.insts[i]; in.form {
		case slotForm:
		case routineForm:
			operations += routineWork[in.routine]
		case pickForm:
			operations += pickWork
		case apartForm:
			operations += 2 * int(in.imm)
		default:
			operations++
		}
	}
	return 0.7 * float64(operations) / float64(b.lanes)
}

// vectors writes a loop over whole vectors, some at a time. It leaves the number of remaining elements in rest.
func (c *compiler) vectors(b *block, p *plan, copies int, m mode) {
	a := c.a
	step := int32(copies * b.lanes)
	over := a.NewLabel()
	a.SubImm(rest, step)
	a.JumpIf(asm.Less, over)
	if m.accReg {
		c.hold(b, copies)
	}
	a.Align(32)
	top := a.Here()
	switch {
	case m.fetch != nil:
		c.fetch(m.fetch, step)
	case copies == p.copies && !m.stream && !c.ofTiles:
		c.fetchRows(b, step)
		c.fetchPicks(b, step)
	}
	c.body(b, copies, p.interleaved, &p.pins, m)
	a.AddImm(index, step)
	if b.guard {
		a.CmpMemImm(inBlock(offFaulted), 0)
		a.JumpIf(asm.NotEqual, c.exit)
	}
	a.SubImm(rest, step)
	a.JumpIf(asm.NotLess, top)
	if m.accReg {
		c.release(b, copies, step)
	}
	a.Bind(over)
	a.AddImm(rest, step)
}

// setIdentity fills the partial results of a reduction with its neutral element.
func (c *compiler) setIdentity(acc *accumulator) {
	w, bytes := c.target.full(), c.target.bytes()
	c.a.M(asm.MOVUPS, w, 0, 0, acc.identity.mem)
	for at := 0; at < laneBytes; at += bytes {
		c.a.M(asm.MOVUPSSt, w, 0, 0, inBlock(acc.room+at))
	}
}

// loadMasks sets the masks for the rest lanes, which are fewer than lanes.
func (c *compiler) loadMasks(lanes int) {
	a := c.a
	if c.target.isAVX512() {
		a.Lea(temp2, asm.Labelled(c.maskTable()))
		a.M(asm.KMOVW, asm.W128, tailMask, 0, asm.Indexed(temp2, rest, 2, 0))
		return
	}
	w := asm.W256
	if lanes == 4 {
		w = asm.W128
	}
	a.MovImm(temp, uint64(lanes))
	a.Sub(temp, rest)
	a.Lea(temp2, asm.Labelled(c.maskTable()))
	a.M(asm.MOVUPS, w, c.target.mask4(), 0, asm.Indexed(temp2, temp, 4, int32(4*(8-lanes))))
	if lanes == 4 {
		a.R(asm.PMOVSXDQ, asm.W256, c.target.mask8(), 0, c.target.mask4())
	}
}

// maskTable is 8 lanes that are set and 8 that are not; for mask registers, the masks of 0 to 15 lanes.
func (c *compiler) maskTable() asm.Label {
	if c.masks != asm.NoLabel {
		return c.masks
	}
	var table [64]byte
	for i := range 32 {
		table[i] = 0xff
		if c.target.isAVX512() {
			table[i] = byte((uint16(1)<<(i/2) - 1) >> (i % 2 * 8))
		}
	}
	c.masks = c.a.Data(table[:], 32)
	return c.masks
}
