package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
)

// vectorRegs is the most vector registers of any target.
const vectorRegs = 32

// node is a micro-operation of one copy of an unrolled body. Its number in the list is also that of its value.
type node struct {
	in   *inst
	args [3]int32
	next [3]int32 // where each argument is used next, never if this is its last use
	copy int32
}

const never = math.MaxInt32

// emitter writes the code of a list of nodes and allocates registers by a linear scan. If no register is free, it
// evicts the value whose next use is farthest. An evicted value is read again from its memory slot, its operand or a
// spill slot.
type emitter struct {
	c      *compiler
	a      *asm.Asm
	lanes  int
	stored uint32 // copies of which operands have been written, so that they cannot be read again
	mode
	accs []accumulator
	pins *pins

	at     int32 // the node that is written
	holds  [vectorRegs]int32
	busy   uint32 // registers that the current operation needs
	peak   int    // the most registers in use at once
	spills int    // how often a value had to be stored
	taken  uint8  // mask registers in use

	accIndex uint8 // the size of elements for which temp2 holds the place among the lanes
	lists
}

// lists are the lists of an emitter. The next block reuses their memory.
type lists struct {
	nodes  []node
	nodeOf []int32 // of each micro-operation, copy by copy
	reg    []int8  // of each value, -1 for none
	slot   []int32 // where a value was spilled, 0 if it was not
	use    []int32 // where each value is used next
	inMask []uint8 // the mask register of a value that is held in one, else 0
	slots  []int32
}

// What a register holds if not a value.
const (
	vacant int32 = -1
	pinned int32 = -2
)

// expand lists the nodes of copies of a block: operation by operation if interleaved, else copy by copy.
func (e *emitter) expand(b *block, copies int, interleaved bool) {
	e.nodes = e.nodes[:0]
	n := len(b.insts)
	e.nodeOf = resize(e.nodeOf, n*copies)
	at := e.nodeOf
	put := func(i, u int) {
		in := &b.insts[i]
		if in.form == slotForm && u > 0 {
			at[u*n+i] = at[i]
			return
		}
		nd := node{in: in, copy: int32(u)}
		for k, x := range in.args {
			nd.args[k] = -1
			if x != none {
				nd.args[k] = at[u*n+int(x)]
			}
		}
		at[u*n+i] = int32(len(e.nodes))
		e.nodes = append(e.nodes, nd)
	}
	if interleaved {
		for i := range n {
			for u := range copies {
				put(i, u)
			}
		}
	} else {
		for u := range copies {
			for i := range n {
				put(i, u)
			}
		}
	}
	e.findUses()
}

// findUses records where values are used, from the end backwards.
func (e *emitter) findUses() {
	n := len(e.nodes)
	e.use = resize(e.use, n)
	e.reg = resize(e.reg, n)
	e.slot = resize(e.slot, n)
	for i := range n {
		e.use[i], e.reg[i], e.slot[i] = never, -1, 0
	}
	for i := n - 1; i >= 0; i-- {
		nd := &e.nodes[i]
		for k, x := range nd.args {
			if x >= 0 {
				nd.next[k] = e.use[x]
			}
		}
		for _, x := range nd.args {
			if x >= 0 {
				e.use[x] = int32(i)
			}
		}
	}
}

func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, n+n/2)
}

// start prepares to write nodes with slots pinned to registers.
func (e *emitter) start(pins *pins) {
	e.pins = pins
	for r := range e.holds {
		e.holds[r] = vacant
		if r >= e.c.target.registers() {
			e.holds[r] = pinned
		}
	}
	e.stored, e.busy, e.peak, e.spills, e.accIndex = 0, 0, 0, 0, 0
	e.slots = e.slots[:0]
	e.taken = 0
	e.inMask = resize(e.inMask, len(e.nodes))
	clear(e.inMask)
	if e.masked && !e.c.target.isAVX512() {
		e.holds[e.c.target.mask4()], e.holds[e.c.target.mask8()] = pinned, pinned
	}
	for r, h := range pins.slot {
		if h != nil || pins.acc[r] {
			e.holds[r] = pinned
		}
	}
	for i := range e.nodes {
		switch in := e.nodes[i].in; {
		case in.form == slotForm:
			e.reg[i] = pins.of(in.slot)
		case e.isInTile(&e.nodes[i]):
			r := e.tile.first + int(e.nodes[i].copy)
			e.reg[i], e.holds[r] = int8(r), int32(i)
		}
	}
}

// pins says which registers keep a slot's value or an accumulator throughout a loop.
type pins struct {
	slot [vectorRegs]*slot
	acc  [vectorRegs]bool
}

// of is the register of a slot, or -1.
func (p *pins) of(h *slot) int8 {
	for r, x := range p.slot {
		if x == h && h != nil {
			return int8(r)
		}
	}
	return -1
}

// take allocates a register for the current operation.
func (e *emitter) take() asm.Vec {
	used, free := 1, -1
	for r := range vectorRegs {
		switch {
		case e.holds[r] == vacant && e.busy>>r&1 == 0:
			if free < 0 {
				free = r
			}
		case e.holds[r] != pinned && !e.isLent(r):
			used++
		}
	}
	e.peak = max(e.peak, used)
	if free < 0 {
		free = e.evict()
	}
	e.busy |= 1 << free
	return asm.Vec(free)
}

// isLent reports whether a register has a slot's value that the current operation does not need there.
func (e *emitter) isLent(r int) bool {
	v := e.holds[r]
	return v >= 0 && e.busy>>r&1 == 0 && e.nodes[v].in.form == slotForm
}

// lend loads slots that the next node uses too into free registers. Otherwise each interleaved copy would read memory,
// which delivers two vectors per cycle: as many as can be multiplied and added.
func (e *emitter) lend(nd *node) {
	for k, v := range nd.args {
		if v < 0 || e.nodes[v].in.form != slotForm || e.inReg(v) || nd.next[k] != e.at+1 {
			continue
		}
		if e.c.target == NEON && nd.in.form == fusedForm && k == 2 { // which is read into the register of the result
			continue
		}
		r := e.spare()
		if r < 0 {
			return
		}
		if h := e.holds[r]; h != vacant {
			e.reg[h] = -1
		}
		e.read(v, asm.Vec(r))
		e.reg[v], e.holds[r] = int8(r), v
	}
}

// spare is a free register, or the register of the slot whose next use is farthest, if neither this node nor the next
// uses it; or -1.
func (e *emitter) spare() int {
	best, last := -1, e.at+2
	for r := vectorRegs - 1; r >= 0; r-- {
		switch h := e.holds[r]; {
		case h == vacant:
			return r
		case e.isLent(r) && e.use[h] >= last:
			best, last = r, e.use[h]
		}
	}
	return best
}

// evict frees the register of the slot, or else of the value, whose next use is farthest.
func (e *emitter) evict() int {
	best := -1
	for r, v := range e.holds {
		if v < 0 || e.busy>>r&1 != 0 {
			continue
		}
		if best < 0 || e.isLent(r) && !e.isLent(best) ||
			e.isLent(r) == e.isLent(best) && e.use[v] > e.use[e.holds[best]] {
			best = r
		}
	}
	if best < 0 {
		refuse("an operation that needs more registers than there are")
	}
	v := e.holds[best]
	if !e.inMemory(v) {
		e.spills++
		e.slot[v] = e.freeSlot()
		e.a.M(asm.MOVUPSSt, e.c.target.full(), asm.Vec(best), 0, inBlock(int(e.slot[v])))
	}
	e.reg[v], e.holds[best] = -1, vacant
	return best
}

// freeSlot finds a spill slot for a vector.
func (e *emitter) freeSlot() int32 {
	if n := len(e.slots); n > 0 {
		s := e.slots[n-1]
		e.slots = e.slots[:n-1]
		return s
	}
	return int32(e.c.layout.room(vectorBytes))
}

// inMemory reports whether a value can be read from memory.
func (e *emitter) inMemory(v int32) bool {
	nd := &e.nodes[v]
	switch nd.in.form {
	case slotForm:
		return true
	case loadForm:
		return e.slot[v] != 0 || e.stored>>nd.copy&1 == 0 && !e.masked && !e.isInTile(nd)
	case accForm:
		return !e.accReg
	}
	return e.slot[v] != 0
}

// isInTile reports whether a value arrives in a register and is nowhere in memory.
func (e *emitter) isInTile(nd *node) bool {
	return e.tile != nil && e.tile.results != nil && nd.in.form == loadForm && nd.in.operand == e.tile.From
}

// memory is where a value can be read in memory. It may use the registers pointer and temp2.
func (e *emitter) memory(v int32) asm.Mem {
	nd := &e.nodes[v]
	switch {
	case e.slot[v] != 0:
		return inBlock(int(e.slot[v]))
	case nd.in.form == slotForm:
		return nd.in.slot.mem
	case nd.in.form == accForm:
		return e.accAddress(nd)
	}
	return e.address(nd)
}

// inReg reports whether a value is in a register.
func (e *emitter) inReg(v int32) bool { return e.reg[v] >= 0 }

// lastUse reports whether argument k of a node is not used after it.
func (nd *node) lastUse(k int) bool { return nd.next[k] == never }

// get returns a register with a value, and loads it if needed.
func (e *emitter) get(v int32) asm.Vec {
	if r := e.reg[v]; r >= 0 {
		e.busy |= 1 << r
		return asm.Vec(r)
	}
	r := e.take()
	e.read(v, r)
	e.reg[v], e.holds[r] = int8(r), v
	return r
}

// read loads a value that is in no register into one.
func (e *emitter) read(v int32, r asm.Vec) {
	nd := &e.nodes[v]
	w := e.c.target.full()
	switch {
	case e.slot[v] != 0 || nd.in.form != loadForm && e.inMemory(v):
	case nd.in.form != loadForm:
		refuse("a value that is nowhere") // a mistake of this package
	case e.masked:
		e.loadMasked(nd, r)
		return
	default:
		w = nd.in.width
	}
	e.a.M(asm.MOVUPS, w, r, 0, e.memory(v))
}

// copyTo copies a value to a register that may be overwritten.
func (e *emitter) copyTo(v int32, r asm.Vec, w asm.Width) {
	if x := e.reg[v]; x >= 0 {
		e.a.R(asm.MOVAPS, w, r, 0, asm.Vec(x))
		return
	}
	e.read(v, r)
}

// settle frees the registers of arguments whose last use this is.
func (e *emitter) settle(nd *node) {
	for k, x := range nd.args {
		if x < 0 {
			continue
		}
		e.use[x] = nd.next[k]
		if nd.lastUse(k) {
			e.drop(x)
		}
	}
}

// drop frees a value's register.
func (e *emitter) drop(v int32) {
	e.taken &^= 1 << e.inMask[v] &^ 1 // 0 is none
	if r := e.reg[v]; r >= 0 && e.holds[r] == v {
		e.holds[r] = vacant
		e.busy &^= 1 << r
		e.reg[v] = -1
	}
}

// leave frees the spill slots of arguments whose last use this was, once the operation has been written.
func (e *emitter) leave(nd *node) {
	for k, x := range nd.args {
		if x >= 0 && nd.lastUse(k) && e.slot[x] != 0 {
			e.slots = append(e.slots, e.slot[x])
			e.slot[x] = 0
		}
	}
}

// define gives a node's value a register.
func (e *emitter) define(i int32, r asm.Vec) {
	e.reg[i] = int8(r)
	if e.holds[r] != pinned {
		e.holds[r] = i
	}
	if e.use[i] == never { // of no use
		e.drop(i)
	}
}
