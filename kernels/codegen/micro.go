package codegen

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// vreg is a value of a block: the index of the micro-operation that makes it.
type vreg int32

// none is the absence of a value.
const none vreg = -1

// form says how a micro-operation is encoded.
type form uint8

const (
	slotForm       form = iota // a value in memory with equal lanes; no code
	loadForm                   // a vector of an operand
	apartForm                  // elements of an operand that are some elements apart
	widenForm                  // a vector of an operand whose elements are smaller than lanes
	splatForm                  // one element of an operand in all lanes
	indexForm                  // the index in the row of the first lane, in all lanes
	axisForm                   // the index along an outer axis, in all lanes
	perRowForm                 // a value of each row of a block of rows, side by side
	repeatForm                 // the same for elements of rows that lie side by side, again for each element of a row
	unaryForm                  // dst = op x
	binaryForm                 // dst = op x, y
	shiftForm                  // dst = op x by an immediate number
	fusedForm                  // dst = x*y + z and its kin
	fusedWhereForm             // dst = x*y + a constant where z, else 0; with AVX-512
	blendForm                  // dst = y where z, else x
	upperForm                  // dst = the upper half of x
	pickForm                   // dst = the elements of an operand at places x
	routineForm                // dst = what a routine makes of its arguments
	furtherForm                // a further result of a routine; no code
	accForm                    // an accumulator of a reduction; no code
	// Effects.
	setAccForm    // accumulator = x
	storeForm     // operand = x
	packedForm    // operand = x, the elements of lanes side by side
	bytesOutForm  // operand of Bool = x, a mask
	splatOutForm  // one element = x's first lane
	byteOutForm   // one Bool = x's first lane, a mask
	slotOutForm   // a slot = x's first lane in all lanes
	perRowOutForm // the values of rows of a block of rows = x
	partialForm   // a vector of the row of a block of rows = x
	guardForm     // note a fault where the mask x is false
	deferForm     // x is stored later: see compiler.tiles
)

// inst is a micro-operation.
type inst struct {
	form    form
	width   asm.Width
	flips   bool // binary: x and y may be exchanged
	hasImm  bool
	imm     uint8
	size    uint8 // bytes of an element
	op      *asm.Op
	fused   *[3]*asm.Op
	args    [3]vreg
	operand int // operand, axis or accumulator
	slot    *slot
	routine routine
	code    rowprog.FaultCode
}

// slot is a place in memory with a vector of equal lanes.
type slot struct {
	mem  asm.Mem
	bits uint64 // of a constant
	cons bool
	// rows is where its values for a block of rows are, contiguous, each of size bytes; 0 for none.
	rows int
	size uint8
}

// block is the micro-operations of a section.
type block struct {
	c     *compiler
	lanes int
	// rows says that lanes are rows of a block of rows.
	rows  bool
	insts []inst
	slots map[*slot]vreg
	known map[inst]vreg // equal operations on registers are made once
	vals  map[rowprog.Value]masked
	accs  []accumulator
	held  *held // of a block whose accumulators are in registers
	guard bool  // some operation is a guard
	// Some values are rounded to types for memory alone, perhaps only for stores.
	rounds bool
	// elements are the elements of numbers that were rounded to 8 bits.
	elements map[vreg]vreg
	// Indices within the row are I32, and so are these values.
	narrowIndex bool
	narrowed    []narrowed
	rowPicks    []rowPick
}

// masked is the virtual register of a value; of a Bool, one for each requested lane size.
type masked struct{ v, wide vreg }

// newBlock makes an empty block. It is valid until the compiler has finished.
func (c *compiler) newBlock(lanes int) *block {
	if c.used == len(c.blocks) {
		c.blocks = append(c.blocks,
			&block{slots: map[*slot]vreg{}, known: map[inst]vreg{}, vals: map[rowprog.Value]masked{}})
	}
	b := c.blocks[c.used]
	c.used++
	clear(b.slots)
	clear(b.known)
	clear(b.vals)
	*b = block{c: c, lanes: lanes, insts: b.insts[:0], slots: b.slots, known: b.known, vals: b.vals}
	return b
}

// width is the width of vectors of elements of a size.
func (b *block) width(size int) asm.Width {
	switch b.lanes * size {
	case 64:
		return asm.W512
	case 32:
		return asm.W256
	}
	return asm.W128
}

func (b *block) add(in inst) vreg {
	b.insts = append(b.insts, in)
	return vreg(len(b.insts) - 1)
}

// cse adds an operation without side effects, unless there is an equal one.
func (b *block) cse(in inst) vreg {
	if v, ok := b.known[in]; ok {
		return v
	}
	v := b.add(in)
	b.known[in] = v
	return v
}

// at is the value of a slot.
func (b *block) at(h *slot) vreg {
	v, ok := b.slots[h]
	if !ok {
		v = b.add(inst{form: slotForm, slot: h, args: [3]vreg{none, none, none}})
		b.slots[h] = v
	}
	return v
}

// bits is a constant.
func (b *block) bits(t rowprog.Type, bits uint64) vreg { return b.at(b.c.constant(t, bits)) }

// isConst reports whether a value is a constant, and its bits.
func (b *block) isConst(v vreg) (bits uint64, ok bool) {
	h := b.insts[v].slot
	if h == nil || !h.cons {
		return 0, false
	}
	return h.bits, true
}

func (b *block) unary(op *asm.Op, w asm.Width, x vreg) vreg {
	return b.cse(inst{form: unaryForm, op: op, width: w, args: [3]vreg{x, none, none}})
}

func (b *block) unaryImm(op *asm.Op, w asm.Width, x vreg, imm uint8) vreg {
	if b.c.target.isAVX512() {
		op = roundOp(op)
	}
	return b.cse(inst{form: unaryForm, op: op, width: w, args: [3]vreg{x, none, none}, imm: imm, hasImm: true})
}

func (b *block) binary(op *asm.Op, w asm.Width, x, y vreg) vreg {
	return b.cse(inst{form: binaryForm, op: op, width: w, args: [3]vreg{x, y, none}})
}

// either is binary for commutative operations.
func (b *block) either(op *asm.Op, w asm.Width, x, y vreg) vreg {
	return b.cse(inst{form: binaryForm, op: op, width: w, args: [3]vreg{x, y, none}, flips: true})
}

func (b *block) binaryImm(op *asm.Op, w asm.Width, x, y vreg, imm uint8) vreg {
	return b.cse(inst{form: binaryForm, op: op, width: w, args: [3]vreg{x, y, none}, imm: imm, hasImm: true})
}

func (b *block) shift(op *asm.Op, w asm.Width, x vreg, n uint8) vreg {
	return b.cse(inst{form: shiftForm, op: op, width: w, args: [3]vreg{x, none, none}, imm: n, hasImm: true})
}

func (b *block) fma(ops *[3]*asm.Op, w asm.Width, x, y, z vreg) vreg {
	return b.cse(inst{form: fusedForm, fused: ops, width: w, args: [3]vreg{x, y, z}})
}

// fmaWhere is x*y + z if the mask is set, else 0; it needs AVX-512.
func (b *block) fmaWhere(mask vreg, ops *[3]*asm.Op, w asm.Width, x, y vreg, z *slot) vreg {
	return b.cse(inst{form: fusedWhereForm, fused: ops, width: w, args: [3]vreg{x, y, mask}, slot: z})
}

// choose is y if the mask is set, else x.
func (b *block) choose(w asm.Width, size int, mask, y, x vreg) vreg {
	op := asm.BLENDVPS
	if size == 8 {
		op = asm.BLENDVPD
	}
	return b.cse(inst{form: blendForm, op: op, width: w, args: [3]vreg{x, y, mask}})
}

// zero is 0 if the mask is set, else x.
func (b *block) zero(w asm.Width, size int, mask, x vreg) vreg {
	if b.c.target.isAVX512() { // where masks have registers of their own
		t := rowprog.F32
		if size == 8 {
			t = rowprog.F64
		}
		return b.choose(w, size, mask, b.bits(t, 0), x)
	}
	return b.binary(asm.ANDNPS, w, mask, x)
}

// run is the first result of a routine on elements of a size.
func (b *block) run(r routine, size int, args ...vreg) vreg {
	in := inst{form: routineForm, routine: r, width: b.width(size), size: uint8(size), args: [3]vreg{none, none, none}}
	copy(in.args[:], args)
	return b.cse(in)
}

// further is the result of a routine that is behind places after the first.
func (b *block) further(first vreg, behind uint8) vreg {
	return b.cse(inst{form: furtherForm, imm: behind, args: [3]vreg{first, none, none}})
}

// upper is the upper half of a whole vector.
func (b *block) upper(x vreg) vreg {
	op := asm.EXTRACTF128
	if b.c.target.isAVX512() {
		op = asm.EXTRACTF256
	}
	return b.cse(inst{form: upperForm, op: op, width: b.c.target.full(), hasImm: true, imm: 1,
		args: [3]vreg{x, none, none}})
}

// narrow narrows lanes of 8 bytes to 4 bytes, dropping the upper halves.
func (b *block) narrow(x vreg) vreg {
	if b.c.target.isAVX512() {
		return b.cse(inst{form: upperForm, op: asm.PMOVQD, width: asm.W512, args: [3]vreg{x, none, none}})
	}
	return b.binaryImm(asm.SHUFPS, asm.W128, x, b.upper(x), 0x88)
}

// not inverts all bits.
func (b *block) not(w asm.Width, x vreg) vreg {
	return b.either(asm.XORPS, w, x, b.bits(rowprog.I64, 1<<64-1))
}

// pairs reports whether lanes may have 8 bytes.
func (b *block) pairs() bool { return b.lanes*8 == b.c.target.bytes() }

// mask returns a Bool in lanes of a size.
func (b *block) mask(v rowprog.Value, size int) vreg {
	m := b.vals[v]
	if !b.pairs() || size != 8 {
		if m.v == none {
			m.v = b.narrow(m.wide)
			b.vals[v] = m
		}
		return m.v
	}
	if m.wide == none {
		if b.insts[m.v].form == slotForm { // equal lanes of any width
			m.wide = m.v
		} else {
			m.wide = b.unary(asm.PMOVSXDQ, b.width(8), m.v)
		}
		b.vals[v] = m
	}
	return m.wide
}

// unsupported is why a program cannot be compiled.
type unsupported struct{ what string }

func (u unsupported) Error() string { return "codegen: no machine code for " + u.what }

// refused is the error in a panic of refuse.
func refused(r any) error {
	u, ok := r.(unsupported)
	if !ok {
		panic(r)
	}
	return u
}

// refuse aborts the compilation of a program.
func refuse(format string, args ...any) { panic(unsupported{fmt.Sprintf(format, args...)}) }
