package asm

// Add is d += s.
func (a *Asm) Add(d, s Reg) {
	if a.Machine == ARM64 {
		a.armAdd(d, s)
		return
	}
	a.regReg(0x01, s, d)
}

// AddLoad is r += memory.
func (a *Asm) AddLoad(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armAddLoad(r, m)
		return
	}
	a.regMem(0x03, r, m)
}

// AddStore is memory += r.
func (a *Asm) AddStore(m Mem, r Reg) {
	if a.Machine == ARM64 {
		a.armAddStore(m, r)
		return
	}
	a.regMem(0x01, r, m)
}

// Sub is d -= s.
func (a *Asm) Sub(d, s Reg) {
	if a.Machine == ARM64 {
		a.armSub(d, s)
		return
	}
	a.regReg(0x29, s, d)
}

// SubLoad is r -= memory.
func (a *Asm) SubLoad(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armSubLoad(r, m)
		return
	}
	a.regMem(0x2b, r, m)
}

// And is d &= s.
func (a *Asm) And(d, s Reg) {
	if a.Machine == ARM64 {
		a.armAnd(d, s)
		return
	}
	a.regReg(0x21, s, d)
}

// Xor is d ^= s.
func (a *Asm) Xor(d, s Reg) {
	if a.Machine == ARM64 {
		a.armXor(d, s)
		return
	}
	a.regReg(0x31, s, d)
}

// Not inverts all bits of r.
func (a *Asm) Not(r Reg) {
	if a.Machine == ARM64 {
		a.armNot(r)
		return
	}
	a.rex(true, 0, 0, uint8(r))
	a.emit(0xf7, 0xd0|low(r))
}

// MulLoad is r *= memory, of which it keeps 64 bits.
func (a *Asm) MulLoad(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armMulLoad(r, m)
		return
	}
	a.rex(true, uint8(r), m.index(), m.base())
	a.emit(0x0f, 0xaf)
	a.modMem(uint8(r), &m, 1, 0)
}

// CmpLoad compares r with memory.
func (a *Asm) CmpLoad(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armCmpLoad(r, m)
		return
	}
	a.regMem(0x3b, r, m)
}

// Test sets the flags of x & y.
func (a *Asm) Test(x, y Reg) {
	if a.Machine == ARM64 {
		a.armTest(x, y)
		return
	}
	a.regReg(0x85, y, x)
}

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
func (a *Asm) AddImm(r Reg, v int32) {
	if a.Machine == ARM64 {
		a.armAddImm(r, v)
		return
	}
	a.immediate(immAdd, r, v)
}

// SubImm is r -= v.
func (a *Asm) SubImm(r Reg, v int32) {
	if a.Machine == ARM64 {
		a.armSubImm(r, v)
		return
	}
	a.immediate(immSub, r, v)
}

// AndImm is r &= v.
func (a *Asm) AndImm(r Reg, v int32) {
	if a.Machine == ARM64 {
		a.armAndImm(r, v)
		return
	}
	a.immediate(immAnd, r, v)
}

// XorImm is r ^= v.
func (a *Asm) XorImm(r Reg, v int32) {
	if a.Machine == ARM64 {
		a.armXorImm(r, v)
		return
	}
	a.immediate(immXor, r, v)
}

// CmpMemImm compares 64 bits of memory with v, which is of 8 bits.
func (a *Asm) CmpMemImm(m Mem, v int8) {
	if a.Machine == ARM64 {
		a.armCmpMemImm(m, v)
		return
	}
	a.rex(true, 0, m.index(), m.base())
	a.emit(0x83)
	a.modMem(immCmp, &m, 1, 1)
	a.emit(byte(v))
}

// Dec is memory -= 1, on 64 bits.
func (a *Asm) Dec(m Mem) {
	if a.Machine == ARM64 {
		a.armDec(m)
		return
	}
	a.rex(true, 0, m.index(), m.base())
	a.emit(0xff)
	a.modMem(1, &m, 1, 0)
}

// Shl is r <<= n.
func (a *Asm) Shl(r Reg, n uint8) {
	if a.Machine == ARM64 {
		a.armShl(r, n)
		return
	}
	a.rex(true, 0, 0, uint8(r))
	a.emit(0xc1, 0xe0|low(r), n)
}

// Shr is r >>= n, filling with zeros.
func (a *Asm) Shr(r Reg, n uint8) {
	if a.Machine == ARM64 {
		a.armShr(r, n)
		return
	}
	a.rex(true, 0, 0, uint8(r))
	a.emit(0xc1, 0xe8|low(r), n)
}

// TrailingZeros is d = the number of zero bits below the lowest set bit of s.
func (a *Asm) TrailingZeros(d, s Reg) {
	if a.Machine == ARM64 {
		a.armTrailingZeros(d, s)
		return
	}
	a.emit(0xf3)
	a.rex(true, uint8(d), 0, uint8(s))
	a.emit(0x0f, 0xbc, 0xc0|low(d)<<3|low(s))
}

// SpreadBits is d = the low 8 bits of s, each the last one of a byte. It overwrites mask.
func (a *Asm) SpreadBits(d, s, mask Reg) {
	if a.Machine == ARM64 {
		a.armSpreadBits(d, s)
		return
	}
	a.MovImm(mask, 0x0101010101010101)
	a.deposit(d, s, mask)
}

// deposit is d = the low bits of s spread to the set bits of mask (PDEP).
func (a *Asm) deposit(d, s, mask Reg) {
	a.vex(&Op{mm: 2, pp: 3, w: 1}, W128, uint8(d), uint8(s), 0, uint8(mask))
	a.emit(0xf5, 0xc0|low(d)<<3|low(mask))
}
