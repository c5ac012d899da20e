package codegen

import (
	"github.com/broadloom/broadloom/kernels/amd64/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// laneBytes is the size of all partial results of a reduction over the row: 64 lanes of
// 4 bytes or 32 of 8.
const laneBytes = 256

// accumulator is a reduction over the row, whose partial results lie in memory, or in registers
// where the main loop can hold them, or one over the rows of tiles, which is in registers.
type accumulator struct {
	kind rowprog.Reduction
	typ  rowprog.Type
	reg  int // the first of its registers, -1 for none

	// Over the row:
	value    rowprog.Value
	identity *slot
	room     int // in the block of arguments

	operand int // Over rows.
}

// reduce combines a vector into the partial results.
func (b *block) reduce(v rowprog.Value, in *rowprog.Inst) {
	t := b.c.p.Insts[in.Args[0]].Type
	x := b.arg(in.Args[0])
	if in.Reduction.GivesIndex() {
		b.reduceIndex(v, in.Reduction, t, x)
		return
	}
	identity := scalar.Identity(in.Reduction, t)
	if t == rowprog.Bool && identity == 1 {
		identity = 1<<32 - 1
	}
	old := b.addAccumulator(accumulator{kind: in.Reduction, typ: t, reg: -1, value: v, identity: b.c.constant(laneType(t), identity), room: b.c.layout.room(laneBytes)})
	b.setAccumulator(len(b.accs)-1, b.combine(in.Reduction, t, old, x))
}

// addAccumulator adds an accumulator and gives its value before the current vector.
func (b *block) addAccumulator(a accumulator) vreg {
	b.accs = append(b.accs, a)
	size := laneSize(a.typ)
	return b.add(inst{form: accForm, width: b.width(size), size: uint8(size), operand: len(b.accs) - 1, args: [3]vreg{none, none, none}})
}

// setAccumulator sets an accumulator.
func (b *block) setAccumulator(k int, x vreg) {
	size := laneSize(b.accs[k].typ)
	b.add(inst{form: setAccForm, width: b.width(size), size: uint8(size), operand: k, args: [3]vreg{x, none, none}})
}

// laneType is the type of the lanes that hold elements of a type.
func laneType(t rowprog.Type) rowprog.Type {
	if t == rowprog.Bool {
		return rowprog.I32
	}
	return t
}

// fold makes a block that combines the partial results of a reduction by halves and
// puts the result into its slot.
func (c *compiler) fold(a *accumulator) *block {
	t := a.typ
	bytes, w := c.target.bytes(), c.target.full()
	b := c.newBlock(bytes / laneSize(t))
	x := make([]vreg, laneBytes/bytes)
	for i := range x {
		h := &slot{mem: inBlock(a.room + i*bytes)}
		x[i] = b.at(h)
	}
	for h := len(x) / 2; h > 0; h /= 2 {
		for i := range h {
			x[i] = b.combine(a.kind, t, x[i], x[i+h])
		}
	}
	r := x[0]
	for _, swap := range b.halvings(laneSize(t)) {
		r = b.combine(a.kind, t, r, swap(r))
	}
	b.add(inst{form: slotOutForm, size: lastingSize(t), width: w, slot: c.slotOf(a.value), args: [3]vreg{r, none, none}})
	return b
}

// halvings lists what exchanges the halves of a vector, then those of its halves, and so
// on down to single lanes of a size.
func (b *block) halvings(size int) (swaps []func(x vreg) vreg) {
	w := b.c.target.full()
	blocks := func(imm uint8) {
		swaps = append(swaps, func(x vreg) vreg { return b.binaryImm(asm.SHUFF64X2, w, x, x, imm) })
	}
	lanes := func(imm uint8) {
		swaps = append(swaps, func(x vreg) vreg { return b.unaryImm(asm.PSHUFD, w, x, imm) })
	}
	if b.c.target.isAVX512() {
		blocks(0x4e)
		blocks(0xb1)
	} else {
		swaps = append(swaps, func(x vreg) vreg { return b.binaryImm(asm.PERM2F128, w, x, x, 1) })
	}
	lanes(0x4e)
	if size == 4 {
		lanes(0xb1)
	}
	return swaps
}
