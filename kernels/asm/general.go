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
func (a *Asm) MovLoad(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armMovLoad(r, m)
		return
	}
	a.regMem(0x8b, r, m)
}

// MovLoad32 is r = memory of 32 bits; the upper half becomes zero.
func (a *Asm) MovLoad32(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armMovLoad32(r, m)
		return
	}
	a.narrowRex(uint8(r), m.index(), m.base())
	a.emit(0x8b)
	a.modMem(uint8(r), &m, 1, 0)
}

// MovStore is memory = r.
func (a *Asm) MovStore(m Mem, r Reg) {
	if a.Machine == ARM64 {
		a.armMovStore(m, r)
		return
	}
	a.regMem(0x89, r, m)
}

// MovStore32 stores the low half of r.
func (a *Asm) MovStore32(m Mem, r Reg) {
	if a.Machine == ARM64 {
		a.armMovStore32(m, r)
		return
	}
	a.narrowRex(uint8(r), m.index(), m.base())
	a.emit(0x89)
	a.modMem(uint8(r), &m, 1, 0)
}

// MovStore8 stores the low byte of r.
func (a *Asm) MovStore8(m Mem, r Reg) {
	if a.Machine == ARM64 {
		a.armMovStore8(m, r)
		return
	}
	a.byteRex(r, &m)
	a.emit(0x88)
	a.modMem(uint8(r), &m, 1, 0)
}

// MovLoad8 replaces the low byte of r.
func (a *Asm) MovLoad8(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armMovLoad8(r, m)
		return
	}
	a.byteRex(r, &m)
	a.emit(0x8a)
	a.modMem(uint8(r), &m, 1, 0)
}

// Mov is d = s.
func (a *Asm) Mov(d, s Reg) {
	if a.Machine == ARM64 {
		a.armMov(d, s)
		return
	}
	a.regReg(0x89, s, d)
}

// Mov32 is d = the lower half of s; the upper one becomes zero.
func (a *Asm) Mov32(d, s Reg) {
	if a.Machine == ARM64 {
		a.armMov32(d, s)
		return
	}
	a.narrowRex(uint8(s), 0, uint8(d))
	a.emit(0x89, 0xc0|low(s)<<3|low(d))
}

// MovImm is d = v.
func (a *Asm) MovImm(d Reg, v uint64) {
	if a.Machine == ARM64 {
		a.armMovImm(d, v)
		return
	}
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
	if a.Machine == ARM64 {
		a.armMovStoreImm(m, v)
		return
	}
	a.rex(true, 0, m.index(), m.base())
	a.emit(0xc7)
	a.modMem(0, &m, 1, 4)
	a.emit32(uint32(v))
}

// Lea is r = the address of m.
func (a *Asm) Lea(r Reg, m Mem) {
	if a.Machine == ARM64 {
		a.armLea(r, m)
		return
	}
	a.regMem(0x8d, r, m)
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
	if a.Machine == ARM64 {
		a.armJump(l)
		return
	}
	a.emit(0xe9)
	a.distance(l)
}

// JumpIf goes to a label where the condition holds.
func (a *Asm) JumpIf(c Cond, l Label) {
	if a.Machine == ARM64 {
		a.armJumpIf(c, l)
		return
	}
	a.emit(0x0f, 0x80|byte(c))
	a.distance(l)
}

// Call calls the code at the address in a register.
func (a *Asm) Call(r Reg) {
	if a.Machine == ARM64 {
		a.armCall(r)
		return
	}
	a.narrowRex(0, 0, uint8(r))
	a.emit(0xff, 0xd0|low(r))
}

// Return ends the code.
func (a *Asm) Return() {
	if a.Machine == ARM64 {
		a.armReturn()
		return
	}
	a.emit(0xc3)
}

// StoreFence waits until stores past the caches can be seen by other processors.
func (a *Asm) StoreFence() {
	if a.Machine == ARM64 {
		a.armStoreFence()
		return
	}
	a.emit(0x0f, 0xae, 0xf8)
}

// Prefetch asks for memory to be brought to the first-level cache.
func (a *Asm) Prefetch(m Mem) {
	if a.Machine == ARM64 {
		a.armPrefetch(m)
		return
	}
	a.narrowRex(0, m.index(), m.base())
	a.emit(0x0f, 0x18)
	a.modMem(1, &m, 1, 0)
}

// Zeroupper clears the upper halves of the vector registers, without which later SSE
// code runs slowly.
func (a *Asm) Zeroupper() {
	if a.Machine == ARM64 {
		return
	}
	a.emit(0xc5, 0xf8, 0x77)
}

// TileRelease empties the registers of AMX, so that the system need not save them.
func (a *Asm) TileRelease() { a.emit(0xc4, 0xe2, 0x78, 0x49, 0xc0) }
