package codegen

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/amd64/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// micro is a value of a block: the index of the micro-operation that makes it.
type micro int32

// none stands where there is no value.
const none micro = -1

// form says how a micro-operation is encoded.
type form uint8

const (
	homeForm    form = iota // a value in memory with equal lanes; no code
	loadForm                // a vector of an operand
	bytesForm               // a vector of an operand of Bool, widened to lanes of 4 or 8 bytes
	splatForm               // one element of an operand in all lanes
	indexForm               // the index in the row of the first lane, in all lanes
	axisForm                // the index along an outer axis, in all lanes
	unaryForm               // dst = op x
	binaryForm              // dst = op x, y
	shiftForm               // dst = op x by an immediate number
	fusedForm               // dst = x*y + z and its kin
	blendForm               // dst = y where z, else x
	upperForm               // dst = the upper half of x
	routineForm             // dst = what a routine makes of its arguments
	secondForm              // the second result of a routine; no code
	accForm                 // an accumulator of a reduction; no code
	// Effects.
	setAccForm   // accumulator = x
	storeForm    // operand = x
	bytesOutForm // operand of Bool = x, a mask
	splatOutForm // one element = x's first lane
	byteOutForm  // one Bool = x's first lane, a mask
	homeOutForm  // a home = x's first lane in all lanes
	guardForm    // note a fault where the mask x is false
	keepForm     // x is stored later: see compiler.tiles
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
	args    [3]micro
	operand int // operand, axis or accumulator
	home    *home
	routine routine
	code    rowprog.FaultCode
}

// home is a place in memory with a vector of equal lanes.
type home struct {
	mem  asm.Mem
	bits uint64 // of a constant
	cons bool
}

// block is the micro-operations of a section.
type block struct {
	c     *compiler
	lanes int
	insts []inst
	homes map[*home]micro
	known map[inst]micro // equal operations on registers are made once
	vals  map[rowprog.Value]masked
	accs  []accumulator
	guard bool // some operation is a guard
	// Indices within the row are I32, and so are these values.
	narrowIndex bool
	narrowed    []narrowed
}

// masked is the micro value of a value; of a Bool, in each width of lanes that has been
// asked for.
type masked struct{ v, wide micro }

func (c *compiler) newBlock(lanes int) *block {
	return &block{c: c, lanes: lanes, homes: map[*home]micro{}, known: map[inst]micro{}, vals: map[rowprog.Value]masked{}}
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

func (b *block) add(in inst) micro {
	b.insts = append(b.insts, in)
	return micro(len(b.insts) - 1)
}

// pure adds an operation without effect unless there is an equal one.
func (b *block) pure(in inst) micro {
	if v, ok := b.known[in]; ok {
		return v
	}
	v := b.add(in)
	b.known[in] = v
	return v
}

// at is the value of a home.
func (b *block) at(h *home) micro {
	v, ok := b.homes[h]
	if !ok {
		v = b.add(inst{form: homeForm, home: h, args: [3]micro{none, none, none}})
		b.homes[h] = v
	}
	return v
}

// bits is a constant.
func (b *block) bits(t rowprog.Type, bits uint64) micro { return b.at(b.c.constant(t, bits)) }

// isConst reports whether a value is a constant, and its bits.
func (b *block) isConst(v micro) (bits uint64, ok bool) {
	h := b.insts[v].home
	if h == nil || !h.cons {
		return 0, false
	}
	return h.bits, true
}

func (b *block) unary(op *asm.Op, w asm.Width, x micro) micro {
	return b.pure(inst{form: unaryForm, op: op, width: w, args: [3]micro{x, none, none}})
}

func (b *block) unaryImm(op *asm.Op, w asm.Width, x micro, imm uint8) micro {
	if b.c.target.wide() {
		op = roundOp(op)
	}
	return b.pure(inst{form: unaryForm, op: op, width: w, args: [3]micro{x, none, none}, imm: imm, hasImm: true})
}

func (b *block) binary(op *asm.Op, w asm.Width, x, y micro) micro {
	return b.pure(inst{form: binaryForm, op: op, width: w, args: [3]micro{x, y, none}})
}

// either is binary for operations whose operands may be exchanged.
func (b *block) either(op *asm.Op, w asm.Width, x, y micro) micro {
	return b.pure(inst{form: binaryForm, op: op, width: w, args: [3]micro{x, y, none}, flips: true})
}

func (b *block) binaryImm(op *asm.Op, w asm.Width, x, y micro, imm uint8) micro {
	return b.pure(inst{form: binaryForm, op: op, width: w, args: [3]micro{x, y, none}, imm: imm, hasImm: true})
}

func (b *block) shift(op *asm.Op, w asm.Width, x micro, n uint8) micro {
	return b.pure(inst{form: shiftForm, op: op, width: w, args: [3]micro{x, none, none}, imm: n, hasImm: true})
}

func (b *block) fma(ops *[3]*asm.Op, w asm.Width, x, y, z micro) micro {
	return b.pure(inst{form: fusedForm, fused: ops, width: w, args: [3]micro{x, y, z}})
}

// choose is y where the mask is set, else x.
func (b *block) choose(w asm.Width, size int, mask, y, x micro) micro {
	op := asm.BLENDVPS
	if size == 8 {
		op = asm.BLENDVPD
	}
	return b.pure(inst{form: blendForm, op: op, width: w, args: [3]micro{x, y, mask}})
}

// run is the first result of a routine on elements of a size.
func (b *block) run(r routine, size int, args ...micro) micro {
	in := inst{form: routineForm, routine: r, width: b.width(size), size: uint8(size), args: [3]micro{none, none, none}}
	copy(in.args[:], args)
	return b.pure(in)
}

// upper is the upper half of a whole vector.
func (b *block) upper(x micro) micro {
	op := asm.EXTRACTF128
	if b.c.target.wide() {
		op = asm.EXTRACTF256
	}
	return b.pure(inst{form: upperForm, op: op, width: b.c.target.full(), hasImm: true, imm: 1, args: [3]micro{x, none, none}})
}

// narrow brings lanes of 8 bytes to 4 bytes each, dropping the upper halves.
func (b *block) narrow(x micro) micro {
	if b.c.target.wide() {
		return b.pure(inst{form: upperForm, op: asm.PMOVQD, width: asm.W512, args: [3]micro{x, none, none}})
	}
	return b.binaryImm(asm.SHUFPS, asm.W128, x, b.upper(x), 0x88)
}

// not inverts all bits.
func (b *block) not(w asm.Width, x micro) micro {
	return b.either(asm.XORPS, w, x, b.bits(rowprog.I64, 1<<64-1))
}

// pairs reports whether lanes may have 8 bytes.
func (b *block) pairs() bool { return b.lanes*8 == b.c.target.bytes() }

// mask returns a Bool in lanes of a size.
func (b *block) mask(v rowprog.Value, size int) micro {
	m := b.vals[v]
	if !b.pairs() || size != 8 {
		if m.v == none {
			m.v = b.narrow(m.wide)
			b.vals[v] = m
		}
		return m.v
	}
	if m.wide == none {
		if b.insts[m.v].form == homeForm { // equal lanes of any width
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

func (u unsupported) Error() string { return "lower: no machine code for " + u.what }

// refused is the error in a panic of refuse.
func refused(r any) error {
	u, ok := r.(unsupported)
	if !ok {
		panic(r)
	}
	return u
}

// refuse gives up a program.
func refuse(format string, args ...any) { panic(unsupported{fmt.Sprintf(format, args...)}) }
