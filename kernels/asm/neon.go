package asm

import (
	"fmt"
	"math/bits"
)

// neon is an instruction on vectors with the operands of [Asm.RK] and [Asm.MK].
type neon struct {
	*arm64
	w           Width
	dst, v, src Vec
	imm         uint8
}

// halves are the registers of NEON that make up a vector register.
func halves(v Vec) [2]uint32 {
	if v > 15 {
		panic("arm64: there is no such vector register")
	}
	return [2]uint32{uint32(v), uint32(v) + 16}
}

// The registers for intermediate values, in the order in which they are used. A memory operand is loaded into the last
// one.
const (
	memoryTemporary = FirstTemporary + 2
	temporary       = FirstTemporary + 1
	temporary2      = FirstTemporary
)

// count is the number of halves in use.
func (n neon) count() int {
	switch n.w {
	case W128:
		return 1
	case W256:
		return 2
	}
	panic("arm64: vectors have 32 bytes at most")
}

// Halves are the registers of NEON that make up a register, the lower half first.
func (v Vec) Halves() [2]Vec { h := halves(v); return [2]Vec{Vec(h[0]), Vec(h[1])} }

// each calls write for each half of the operands and of a temporary.
func (n neon) each(write func(d, v, s, t uint32)) {
	d, v, s, t := halves(n.dst), halves(n.v), halves(n.src), halves(temporary)
	for h := range n.count() {
		write(d[h], v[h], s[h], t[h])
	}
}

// move is d = s.
func (a *arm64) move(d, s uint32) {
	if d != s {
		a.three(neonOrr, d, s, s)
	}
}

// The instructions of NEON. Arithmetic is on float32 or integers of 32 bits; ofPairs makes it 64 bits.
const (
	neonAnd   = 0x4e201c00
	neonBic   = 0x4e601c00 // n and not m
	neonOrr   = 0x4ea01c00
	neonEor   = 0x6e201c00
	neonBsl   = 0x6e601c00 // d chooses n or m
	neonBit   = 0x6ea01c00 // d, but n where m is set
	neonBif   = 0x6ee01c00 // d, but n where m is not set
	neonNot   = 0x6e205800
	neonFadd  = 0x4e20d400
	neonFsub  = 0x4ea0d400
	neonFmul  = 0x6e20dc00
	neonFdiv  = 0x6e20fc00
	neonFmla  = 0x4e20cc00
	neonFmls  = 0x4ea0cc00
	neonFneg  = 0x6ea0f800
	neonFsqrt = 0x6ea1f800
	neonFcmgt = 0x6ea0e400
	neonFcmge = 0x6e20e400
	neonFcmeq = 0x4e20e400
	neonRintn = 0x4e218800
	neonRintm = 0x4e219800
	neonRintp = 0x4ea18800
	neonRintz = 0x4ea19800
	neonAdd   = 0x4ea08400
	neonSub   = 0x6ea08400
	neonMul   = 0x4ea09c00
	neonFmin  = 0x4ea0f400
	neonFmax  = 0x4e20f400
	neonUqsub = 0x6ea02c00
	neonSmin  = 0x4ea06c00
	neonSmax  = 0x4ea06400
	neonAbs   = 0x4ea0b800
	neonCmeq  = 0x6ea08c00
	neonCmgt  = 0x4ea03400
	neonZip1  = 0x4e803800
	neonZip2  = 0x4e807800
	neonUzp1  = 0x4e801800
	neonUzp2  = 0x4e805800
	neonScvtf = 0x4e21d800
	neonZs    = 0x4ea1b800 // float to integer, towards zero
	neonShl   = 0x4f005400
	neonUshr  = 0x6f000400
	neonSshr  = 0x4f000400
	ofPairs   = 1 << 22
	unsigned  = 1 << 29 // of the lesser and the greater integer
	ofWords   = 1 << 23 // without it, ofPairs makes elements of 16 bits, and nothing those of 8

	neonFmlaLane  = 0x4f801000 // times a lane of m
	neonExt       = 0x6e000000
	neonDup       = 0x4e000400 // an element in all lanes; its number and size go to elementAt
	neonIns       = 0x6e000400 // an element in a lane
	neonInsX      = 0x4e001c00 // a general register in a lane
	neonDupX      = 0x4e000c00
	neonTbl       = 0x4e000000 // bytes of a register
	neonTbl2      = 0x4e002000 // bytes of two registers
	neonZero      = 0x6f00e400
	neonOnes      = 0x6f07e7e0 // all bits
	neonUmull     = 0x2ea0c000 // integers of 64 bits of two of 32
	neonSxtl      = 0x0f00a400 // the size of elements goes to elementAt
	neonUxtl      = 0x2f00a400
	neonUpper     = 1 << 30 // of instructions that widen and narrow: those of the upper half
	neonXtn       = 0x0e212800
	neonSqxtn     = 0x0e214800
	neonSqxtun    = 0x2e212800
	neonFcvtl     = 0x0e617800 // float64 of float32
	neonFcvtn     = 0x0e616800
	neonFcvtlHalf = 0x0e217800 // float32 of float16
	neonFcvtnHalf = 0x0e216800
	neonAddv8     = 0x0e31b800 // the sum of 8 bytes
	neonUmovX     = 0x4e083c00
	neonUmovW     = 0x0e003c00
	fmovToD       = 0x9e670000
	fmovFromD     = 0x9e660000
	neonLd1r      = 0x4d40c000 // an element of memory in all lanes; the logarithm of its size is in the bits from 10 on
	neonLd1       = 0x0d400000 // a lane
	neonSt1       = 0x0d000000
	ldpQ          = 0xad400000
	stpQ          = 0xad000000
	ldrQLiteral   = 0x9c000000
)

// elementAt is an element's number and size, in the bits from 16 on.
func elementAt(i, size int) uint32 { return uint32((2*i + 1) * size << 16) }

// lane is the place of an element in an instruction that loads or stores it.
func lane(i, size int) uint32 {
	at := uint32(i * size)
	kind := [...]uint32{0, 0x4000, 0x8000, 0x8400}[bits.TrailingZeros(uint(size))]
	return kind | at>>3&1<<30 | at>>2&1<<12 | at>>1&1<<11 | at&1<<10
}

// duplicate is d = an element of s in all lanes.
func (a *arm64) duplicate(d, s uint32, i, size int) { a.two(neonDup|elementAt(i, size), d, s) }

// insert is an element of d = an element of s.
func (a *arm64) insert(d uint32, i int, s uint32, j, size int) {
	a.two(neonIns|elementAt(i, size)|uint32(j*size)<<11, d, s)
}

// laneMem loads or stores a lane.
func (a *arm64) laneMem(op uint32, r uint32, i, size int, m Mem) {
	a.two(op|lane(i, size), r, a.pointer(m))
}

// load reads a vector.
func (a *arm64) load(w Width, v Vec, m Mem) { a.vectors(loadQ, ldpQ, w, v, m) }

// store writes a vector.
func (a *arm64) store(w Width, v Vec, m Mem) { a.vectors(storeQ, stpQ, w, v, m) }

// vectors loads or stores a vector: by one instruction for both halves if its offset fits, else by x for each.
func (a *arm64) vectors(x access, both uint32, w Width, v Vec, m Mem) {
	r := halves(v)
	if m.Label != NoLabel && both == ldpQ && m.Disp == 0 {
		for h := range int(w) + 1 {
			a.fixups = append(a.fixups, fixup{len(a.code), len(a.code) - 16*h, m.Label})
			a.emit32(ldrQLiteral | r[h])
		}
		return
	}
	base, disp := a.address(m)
	switch {
	case w == W128:
		a.memAt(x, r[0], base, disp)
	case w == W256 && disp%16 == 0 && disp < 1024:
		a.emit32(both | uint32(disp/16)&0x7f<<15 | r[1]<<10 | base<<5 | r[0])
	case w == W256:
		a.memAt(x, r[0], base, disp)
		a.memAt(x, r[1], base, disp+16)
	default:
		panic("arm64: vectors have 32 bytes at most")
	}
}

func (a *arm64) vector(op *Op, w Width, dst, v, src Vec, k Mask, imm int) {
	k.refuse()
	write := vectorForms()[op]
	if write == nil {
		panic(fmt.Sprintf("arm64: there is no form of %s", op.Name))
	}
	write(neon{a, w, dst, v, src, uint8(imm)})
}

func (a *arm64) vectorMem(op *Op, w Width, dst, v Vec, m Mem, k Mask, imm int) {
	k.refuse()
	if m.Broadcast {
		panic("arm64: memory is not repeated")
	}
	if write := memoryForms()[op]; write != nil {
		write(neon{a, w, dst, v, memoryTemporary, uint8(imm)}, m)
		return
	}
	switch op.unit.bytes(w) {
	case 32, 16:
		a.load(Width(op.unit.bytes(w)/32), memoryTemporary, m)
	case 8:
		a.mem(loadD, uint32(memoryTemporary), m)
	case 4:
		a.mem(loadS, uint32(memoryTemporary), m)
	default:
		panic(fmt.Sprintf("arm64: there is no form of %s of memory", op.Name))
	}
	a.vector(op, w, dst, v, memoryTemporary, k, imm)
}

// refuse panics if a program uses a mask register: there are none.
func (k Mask) refuse() {
	if k.K != 0 {
		panic("arm64: there are no mask registers")
	}
}

// SpreadBits needs no mask, and leaves it unchanged.
func (a *arm64) SpreadBits(d, s, _ Reg) {
	spread, byBit := uint32(temporary), uint32(memoryTemporary)
	a.number(scratch, 0x8040201008040201)
	a.two(fmovToD, byBit, scratch)
	a.two(neonDupX|elementAt(0, 1), spread, uint32(s))
	a.three(neonAnd, spread, spread, byBit)
	a.three(neonCmeq&^(3<<22), spread, spread, byBit) // of bytes
	a.two(neonUshr|(16-7)<<16, spread, spread)
	a.two(fmovFromD, uint32(d), spread)
	a.sums.change(d)
}
