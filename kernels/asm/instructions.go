package asm

// Instructions are jumps and instructions on general registers, as a machine encodes them. An [Asm] has these, and
// those on vectors.
type Instructions interface {
	// MovLoad is r = memory.
	MovLoad(r Reg, m Mem)
	// MovLoad32 is r = memory of 32 bits; the upper half becomes zero.
	MovLoad32(r Reg, m Mem)
	// MovLoad8 replaces the low byte of r.
	MovLoad8(r Reg, m Mem)
	// MovStore is memory = r.
	MovStore(m Mem, r Reg)
	// MovStore32 stores the low half of r.
	MovStore32(m Mem, r Reg)
	// MovStore8 stores the low byte of r.
	MovStore8(m Mem, r Reg)
	// MovStoreImm stores a sign-extended number as 64 bits.
	MovStoreImm(m Mem, v int32)
	// Mov is d = s.
	Mov(d, s Reg)
	// Mov32 is d = the lower half of s; the upper one becomes zero.
	Mov32(d, s Reg)
	// MovImm is d = v.
	MovImm(d Reg, v uint64)
	// Lea is r = the address of m.
	Lea(r Reg, m Mem)

	// Add is d += s.
	Add(d, s Reg)
	// AddLoad is r += memory.
	AddLoad(r Reg, m Mem)
	// AddStore is memory += r.
	AddStore(m Mem, r Reg)
	// AddImm is r += v.
	AddImm(r Reg, v int32)
	// Sub is d -= s.
	Sub(d, s Reg)
	// SubLoad is r -= memory.
	SubLoad(r Reg, m Mem)
	// SubImm is r -= v.
	SubImm(r Reg, v int32)
	// Dec is memory -= 1, on 64 bits.
	Dec(m Mem)
	// MulLoad is r *= memory, truncated to 64 bits.
	MulLoad(r Reg, m Mem)
	// And is d &= s.
	And(d, s Reg)
	// AndImm is r &= v.
	AndImm(r Reg, v int32)
	// Xor is d ^= s.
	Xor(d, s Reg)
	// XorImm is r ^= v.
	XorImm(r Reg, v int32)
	// Not inverts all bits of r.
	Not(r Reg)
	// Shl is r <<= n.
	Shl(r Reg, n uint8)
	// Shr is r >>= n, filling with zeros.
	Shr(r Reg, n uint8)
	// TrailingZeros is d = the number of zero bits below the lowest set bit of s.
	TrailingZeros(d, s Reg)
	// SpreadBits sets each byte of d to one of the low 8 bits of s. It overwrites mask.
	SpreadBits(d, s, mask Reg)

	// CmpLoad compares r with memory.
	CmpLoad(r Reg, m Mem)
	// CmpMemImm compares 64 bits of memory with v, which has 8 bits.
	CmpMemImm(m Mem, v int8)
	// Test sets the flags of x & y.
	Test(x, y Reg)
	// Jump jumps to a label.
	Jump(l Label)
	// JumpIf jumps to a label if the condition holds.
	JumpIf(c Cond, l Label)
	// Call calls the code at the address in a register.
	Call(r Reg)
	// Return ends the code.
	Return()

	// StoreFence waits until other processors can see non-temporal stores.
	StoreFence()
	// Prefetch prefetches memory into the first-level cache.
	Prefetch(m Mem)
	// Zeroupper clears the upper halves of the vector registers. Without it, later SSE code runs slowly.
	Zeroupper()
	// Align pads the code to a multiple of n bytes.
	Align(n int)

	// vector is [Asm.RK], and vectorMem [Asm.MK]; imm is none if there is no immediate.
	vector(op *Op, w Width, dst, v, src Vec, k Mask, imm int)
	vectorMem(op *Op, w Width, dst, v Vec, m Mem, k Mask, imm int)
	// reach fills in the distance of a label in the code that refers to it.
	reach(at []byte, distance int)
}

// Cond is a condition on the flags.
type Cond uint8

// The conditions. Less and its variants are for signed numbers, Below and its variants for unsigned ones.
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
