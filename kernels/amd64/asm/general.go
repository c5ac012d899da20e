package asm

import "encoding/binary"

// rex is the prefix of an instruction on general registers, 64 bits wide if wide.
func (a *Asm) rex(wide bool, reg, index, base uint8) {
	p := byte(0x40) | bit(reg, 3)<<2 | bit(index, 3)<<1 | bit(base, 3)
	if wide {
		p |= 8
	}
	a.emit(p)
}

// narrowRex is the prefix of a 32-bit instruction, which most often needs none.
func (a *Asm) narrowRex(reg, index, base uint8) {
	if (reg|index|base)&8 != 0 {
		a.rex(false, reg, index, base)
	}
}

// byteRex is the prefix of an instruction on the low byte of reg. Without one, the
// numbers 4 to 7 would mean other registers.
func (a *Asm) byteRex(reg Reg, m *Mem) {
	if reg >= RSP || (m.index()|m.base())&8 != 0 {
		a.rex(false, uint8(reg), m.index(), m.base())
	}
}

// regMem is a 64-bit instruction on a register and memory.
func (a *Asm) regMem(op byte, r Reg, m Mem) {
	a.rex(true, uint8(r), m.index(), m.base())
	a.emit(op)
	a.modMem(uint8(r), &m, 1, 0)
}

// regReg is a 64-bit instruction on two registers.
func (a *Asm) regReg(op byte, reg, rm Reg) {
	a.rex(true, uint8(reg), 0, uint8(rm))
	a.emit(op, 0xc0|low(reg)<<3|low(rm))
}

// MovLoad is r = memory.
func (a *Asm) MovLoad(r Reg, m Mem) { a.regMem(0x8b, r, m) }

// MovLoad32 is r = memory of 32 bits; the upper half becomes zero.
func (a *Asm) MovLoad32(r Reg, m Mem) {
	a.narrowRex(uint8(r), m.index(), m.base())
	a.emit(0x8b)
	a.modMem(uint8(r), &m, 1, 0)
}

// MovStore is memory = r.
func (a *Asm) MovStore(m Mem, r Reg) { a.regMem(0x89, r, m) }

// MovStore32 stores the low half of r.
func (a *Asm) MovStore32(m Mem, r Reg) {
	a.narrowRex(uint8(r), m.index(), m.base())
	a.emit(0x89)
	a.modMem(uint8(r), &m, 1, 0)
}

// MovStore8 stores the low byte of r.
func (a *Asm) MovStore8(m Mem, r Reg) {
	a.byteRex(r, &m)
	a.emit(0x88)
	a.modMem(uint8(r), &m, 1, 0)
}

// MovLoad8 replaces the low byte of r.
func (a *Asm) MovLoad8(r Reg, m Mem) {
	a.byteRex(r, &m)
	a.emit(0x8a)
	a.modMem(uint8(r), &m, 1, 0)
}

// Mov is d = s.
func (a *Asm) Mov(d, s Reg) { a.regReg(0x89, s, d) }

// Mov32 is d = the lower half of s; the upper one becomes zero.
func (a *Asm) Mov32(d, s Reg) {
	a.narrowRex(uint8(s), 0, uint8(d))
	a.emit(0x89, 0xc0|low(s)<<3|low(d))
}

// MovImm is d = v.
func (a *Asm) MovImm(d Reg, v uint64) {
	if v>>32 == 0 {
		a.narrowRex(0, 0, uint8(d))
		a.emit(0xb8 | low(d))
		a.emit32(uint32(v))
		return
	}
	a.rex(true, 0, 0, uint8(d))
	a.emit(0xb8 | low(d))
	a.code = binary.LittleEndian.AppendUint64(a.code, v)
}

// MovStoreImm stores a sign-extended number as 64 bits.
func (a *Asm) MovStoreImm(m Mem, v int32) {
	a.rex(true, 0, m.index(), m.base())
	a.emit(0xc7)
	a.modMem(0, &m, 1, 4)
	a.emit32(uint32(v))
}

// Lea is r = the address of m.
func (a *Asm) Lea(r Reg, m Mem) { a.regMem(0x8d, r, m) }

// Add is d += s.
func (a *Asm) Add(d, s Reg) { a.regReg(0x01, s, d) }

// AddLoad is r += memory.
func (a *Asm) AddLoad(r Reg, m Mem) { a.regMem(0x03, r, m) }

// AddStore is memory += r.
func (a *Asm) AddStore(m Mem, r Reg) { a.regMem(0x01, r, m) }

// Sub is d -= s.
func (a *Asm) Sub(d, s Reg) { a.regReg(0x29, s, d) }

// SubLoad is r -= memory.
func (a *Asm) SubLoad(r Reg, m Mem) { a.regMem(0x2b, r, m) }

// And is d &= s.
func (a *Asm) And(d, s Reg) { a.regReg(0x21, s, d) }

// Xor is d ^= s.
func (a *Asm) Xor(d, s Reg) { a.regReg(0x31, s, d) }

// Not inverts all bits of r.
func (a *Asm) Not(r Reg) {
	a.rex(true, 0, 0, uint8(r))
	a.emit(0xf7, 0xd0|low(r))
}

// MulLoad is r *= memory, of which it keeps 64 bits.
func (a *Asm) MulLoad(r Reg, m Mem) {
	a.rex(true, uint8(r), m.index(), m.base())
	a.emit(0x0f, 0xaf)
	a.modMem(uint8(r), &m, 1, 0)
}

// CmpLoad compares r with memory.
func (a *Asm) CmpLoad(r Reg, m Mem) { a.regMem(0x3b, r, m) }

// Test sets the flags of x & y.
func (a *Asm) Test(x, y Reg) { a.regReg(0x85, y, x) }

// The digits that choose among the instructions with an immediate operand.
const (
	immAdd = 0
	immAnd = 4
	immSub = 5
	immXor = 6
	immCmp = 7
)

func (a *Asm) immediate(digit byte, r Reg, v int32) {
	a.rex(true, 0, 0, uint8(r))
	if v == int32(int8(v)) {
		a.emit(0x83, 0xc0|digit<<3|low(r), byte(v))
		return
	}
	a.emit(0x81, 0xc0|digit<<3|low(r))
	a.emit32(uint32(v))
}

// AddImm is r += v.
func (a *Asm) AddImm(r Reg, v int32) { a.immediate(immAdd, r, v) }

// SubImm is r -= v.
func (a *Asm) SubImm(r Reg, v int32) { a.immediate(immSub, r, v) }

// AndImm is r &= v.
func (a *Asm) AndImm(r Reg, v int32) { a.immediate(immAnd, r, v) }

// XorImm is r ^= v.
func (a *Asm) XorImm(r Reg, v int32) { a.immediate(immXor, r, v) }

// CmpMemImm compares 64 bits of memory with v, which is of 8 bits.
func (a *Asm) CmpMemImm(m Mem, v int8) {
	a.rex(true, 0, m.index(), m.base())
	a.emit(0x83)
	a.modMem(immCmp, &m, 1, 1)
	a.emit(byte(v))
}

// Dec is memory -= 1, on 64 bits.
func (a *Asm) Dec(m Mem) {
	a.rex(true, 0, m.index(), m.base())
	a.emit(0xff)
	a.modMem(1, &m, 1, 0)
}

// Shl is r <<= n.
func (a *Asm) Shl(r Reg, n uint8) {
	a.rex(true, 0, 0, uint8(r))
	a.emit(0xc1, 0xe0|low(r), n)
}

// Shr is r >>= n, filling with zeros.
func (a *Asm) Shr(r Reg, n uint8) {
	a.rex(true, 0, 0, uint8(r))
	a.emit(0xc1, 0xe8|low(r), n)
}

// TrailingZeros is d = the number of zero bits below the lowest set bit of s.
func (a *Asm) TrailingZeros(d, s Reg) {
	a.emit(0xf3)
	a.rex(true, uint8(d), 0, uint8(s))
	a.emit(0x0f, 0xbc, 0xc0|low(d)<<3|low(s))
}

// Cond is a condition on the flags.
type Cond uint8

// The conditions; Less and its kin are of signed numbers, Below and its kin unsigned.
const (
	Below    Cond = 0x2
	AtLeast  Cond = 0x3 // unsigned >=
	Equal    Cond = 0x4
	NotEqual Cond = 0x5
	Negative Cond = 0x8
	Less     Cond = 0xc
	NotLess  Cond = 0xd
	NotAbove Cond = 0xe // signed <=
	Greater  Cond = 0xf
)

// Jump goes to a label.
func (a *Asm) Jump(l Label) {
	a.emit(0xe9)
	a.distance(l)
}

// JumpIf goes to a label where the condition holds.
func (a *Asm) JumpIf(c Cond, l Label) {
	a.emit(0x0f, 0x80|byte(c))
	a.distance(l)
}

// Call calls the code at the address in a register.
func (a *Asm) Call(r Reg) {
	a.narrowRex(0, 0, uint8(r))
	a.emit(0xff, 0xd0|low(r))
}

// Return ends the code.
func (a *Asm) Return() { a.emit(0xc3) }

// StoreFence waits until stores past the caches can be seen by other processors.
func (a *Asm) StoreFence() { a.emit(0x0f, 0xae, 0xf8) }

// Prefetch asks for memory to be brought to the first-level cache.
func (a *Asm) Prefetch(m Mem) {
	a.narrowRex(0, m.index(), m.base())
	a.emit(0x0f, 0x18)
	a.modMem(1, &m, 1, 0)
}

// Zeroupper clears the upper halves of the vector registers, without which later SSE
// code runs slowly.
func (a *Asm) Zeroupper() { a.emit(0xc5, 0xf8, 0x77) }

// TileRelease empties the registers of AMX, so that the system need not save them.
func (a *Asm) TileRelease() { a.emit(0xc4, 0xe2, 0x78, 0x49, 0xc0) }

// Deposit is d = the low bits of s spread to the set bits of mask (PDEP).
func (a *Asm) Deposit(d, s, mask Reg) {
	a.vex(&Op{mm: 2, pp: 3, w: 1}, W128, uint8(d), uint8(s), 0, uint8(mask))
	a.emit(0xf5, 0xc0|low(d)<<3|low(mask))
}
