package asm

import "encoding/binary"

// amd64 has the instructions of amd64.
type amd64 struct{ *buffer }

// rex is the prefix of an instruction on general registers, 64 bits wide if wide.
func (a amd64) rex(wide bool, reg, index, base uint8) {
	p := byte(0x40) | bit(reg, 3)<<2 | bit(index, 3)<<1 | bit(base, 3)
	if wide {
		p |= 8
	}
	a.emit(p)
}

// narrowRex is the prefix of a 32-bit instruction, which usually needs none.
func (a amd64) narrowRex(reg, index, base uint8) {
	if (reg|index|base)&8 != 0 {
		a.rex(false, reg, index, base)
	}
}

// regMem is a 64-bit instruction on memory and a register, or a digit that selects one of several instructions. after
// is the number of bytes that follow.
func (a amd64) regMem(op byte, r Reg, m Mem, after int) {
	a.rex(true, uint8(r), m.index(), m.base())
	a.emit(op)
	a.modMem(uint8(r), &m, 1, after)
}

// regMem32 is a 32-bit instruction of this kind.
func (a amd64) regMem32(op byte, r Reg, m Mem) {
	a.narrowRex(uint8(r), m.index(), m.base())
	a.emit(op)
	a.modMem(uint8(r), &m, 1, 0)
}

// regMem8 is an instruction of this kind on the low byte of a register. Without a prefix, the numbers 4 to 7 would mean
// other registers.
func (a amd64) regMem8(op byte, r Reg, m Mem) {
	if r >= RSP || (m.index()|m.base())&8 != 0 {
		a.rex(false, uint8(r), m.index(), m.base())
	}
	a.emit(op)
	a.modMem(uint8(r), &m, 1, 0)
}

// regReg is a 64-bit instruction on two registers. The first can also be a digit.
func (a amd64) regReg(op byte, reg, rm Reg) {
	a.rex(true, uint8(reg), 0, uint8(rm))
	a.emit(op, 0xc0|low(reg)<<3|low(rm))
}

func (a amd64) MovLoad(r Reg, m Mem)    { a.regMem(0x8b, r, m, 0) }
func (a amd64) MovLoad32(r Reg, m Mem)  { a.regMem32(0x8b, r, m) }
func (a amd64) MovLoad8(r Reg, m Mem)   { a.regMem8(0x8a, r, m) }
func (a amd64) MovStore(m Mem, r Reg)   { a.regMem(0x89, r, m, 0) }
func (a amd64) MovStore32(m Mem, r Reg) { a.regMem32(0x89, r, m) }
func (a amd64) MovStore8(m Mem, r Reg)  { a.regMem8(0x88, r, m) }

func (a amd64) MovStoreImm(m Mem, v int32) {
	a.regMem(0xc7, 0, m, 4)
	a.emit32(uint32(v))
}

func (a amd64) Mov(d, s Reg) { a.regReg(0x89, s, d) }

func (a amd64) Mov32(d, s Reg) {
	a.narrowRex(uint8(s), 0, uint8(d))
	a.emit(0x89, 0xc0|low(s)<<3|low(d))
}

func (a amd64) MovImm(d Reg, v uint64) {
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

func (a amd64) Lea(r Reg, m Mem) { a.regMem(0x8d, r, m, 0) }

func (a amd64) Add(d, s Reg)          { a.regReg(0x01, s, d) }
func (a amd64) AddLoad(r Reg, m Mem)  { a.regMem(0x03, r, m, 0) }
func (a amd64) AddStore(m Mem, r Reg) { a.regMem(0x01, r, m, 0) }
func (a amd64) Sub(d, s Reg)          { a.regReg(0x29, s, d) }
func (a amd64) SubLoad(r Reg, m Mem)  { a.regMem(0x2b, r, m, 0) }
func (a amd64) Dec(m Mem)             { a.regMem(0xff, 1, m, 0) }
func (a amd64) And(d, s Reg)          { a.regReg(0x21, s, d) }
func (a amd64) Xor(d, s Reg)          { a.regReg(0x31, s, d) }
func (a amd64) Not(r Reg)             { a.regReg(0xf7, 2, r) }
func (a amd64) CmpLoad(r Reg, m Mem)  { a.regMem(0x3b, r, m, 0) }
func (a amd64) Test(x, y Reg)         { a.regReg(0x85, y, x) }

func (a amd64) MulLoad(r Reg, m Mem) {
	a.rex(true, uint8(r), m.index(), m.base())
	a.emit(0x0f, 0xaf)
	a.modMem(uint8(r), &m, 1, 0)
}

// immCmp is the digit of a comparison among the instructions with an immediate operand.
const immCmp = 7

// immediate is one of these instructions, selected by a digit.
func (a amd64) immediate(digit, r Reg, v int32) {
	if v == int32(int8(v)) {
		a.regReg(0x83, digit, r)
		a.emit(byte(v))
		return
	}
	a.regReg(0x81, digit, r)
	a.emit32(uint32(v))
}

func (a amd64) AddImm(r Reg, v int32) { a.immediate(0, r, v) }
func (a amd64) AndImm(r Reg, v int32) { a.immediate(4, r, v) }
func (a amd64) SubImm(r Reg, v int32) { a.immediate(5, r, v) }
func (a amd64) XorImm(r Reg, v int32) { a.immediate(6, r, v) }

func (a amd64) CmpMemImm(m Mem, v int8) {
	a.regMem(0x83, immCmp, m, 1)
	a.emit(byte(v))
}

func (a amd64) Shl(r Reg, n uint8) {
	a.regReg(0xc1, 4, r)
	a.emit(n)
}

func (a amd64) Shr(r Reg, n uint8) {
	a.regReg(0xc1, 5, r)
	a.emit(n)
}

func (a amd64) TrailingZeros(d, s Reg) {
	a.emit(0xf3)
	a.rex(true, uint8(d), 0, uint8(s))
	a.emit(0x0f, 0xbc, 0xc0|low(d)<<3|low(s))
}

func (a amd64) SpreadBits(d, s, mask Reg) {
	a.MovImm(mask, 0x0101010101010101)
	a.deposit(d, s, mask)
}

// deposit is d = the low bits of s spread to the set bits of mask (PDEP).
func (a amd64) deposit(d, s, mask Reg) {
	a.vex(&Op{mm: 2, pp: 3, w: 1}, W128, uint8(d), uint8(s), 0, uint8(mask))
	a.emit(0xf5, 0xc0|low(d)<<3|low(mask))
}

func (a amd64) Jump(l Label) {
	a.emit(0xe9)
	a.distance(l, 0)
}

func (a amd64) JumpIf(c Cond, l Label) {
	a.emit(0x0f, 0x80|byte(c))
	a.distance(l, 0)
}

func (a amd64) Call(r Reg) {
	a.narrowRex(0, 0, uint8(r))
	a.emit(0xff, 0xd0|low(r))
}

func (a amd64) Return()     { a.emit(0xc3) }
func (a amd64) StoreFence() { a.emit(0x0f, 0xae, 0xf8) }
func (a amd64) Zeroupper()  { a.emit(0xc5, 0xf8, 0x77) }

func (a amd64) Prefetch(m Mem) {
	a.narrowRex(0, m.index(), m.base())
	a.emit(0x0f, 0x18)
	a.modMem(1, &m, 1, 0)
}

// nops are the recommended no-op instructions, by length.
var nops = [...][]byte{{}, {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0}, {0x0f, 0x1f, 0x40, 0}, {0x0f, 0x1f, 0x44, 0, 0},
	{0x66, 0x0f, 0x1f, 0x44, 0, 0}, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}}

func (a amd64) Align(n int) {
	for pad := -len(a.code) & (n - 1); pad > 0; {
		k := min(pad, len(nops)-1)
		a.emit(nops[k]...)
		pad -= k
	}
}

func (a amd64) reach(at []byte, distance int) {
	binary.LittleEndian.PutUint32(at, uint32(int32(distance)))
}

func low(r Reg) byte            { return byte(r) & 7 }
func bit(r uint8, n uint8) byte { return r >> n & 1 }
func (m *Mem) index() uint8     { return number(m.Index) }
func (m *Mem) base() uint8      { return number(m.Base) }

// number is a register's number, or 0 if there is none.
func number(r Reg) uint8 {
	if r == NoReg {
		return 0
	}
	return uint8(r)
}

// distance adds a distance to a label, counted from after bytes later.
func (a amd64) distance(l Label, after int) {
	at := len(a.code)
	a.fixups = append(a.fixups, fixup{at, at + 4 + after, l})
	a.emit32(0)
}

// modMem adds the bytes that describe a memory operand. unit is what an 8-bit
// displacement counts; after is the number of bytes that follow in the instruction.
func (a amd64) modMem(reg uint8, m *Mem, unit int32, after int) {
	r := reg & 7 << 3
	if m.Label != NoLabel {
		a.emit(r | 5)
		a.distance(m.Label, after)
		return
	}
	mode, small := byte(0x80), false
	switch {
	case m.Disp == 0 && low(m.Base) != low(RBP):
		mode = 0
	case m.Disp%unit == 0 && m.Disp/unit == int32(int8(m.Disp/unit)):
		mode, small = 0x40, true
	}
	if m.Index != NoReg || low(m.Base) == low(RSP) {
		index := byte(4) // none
		if m.Index != NoReg {
			index = low(m.Index)
		}
		a.emit(mode|r|4, scaleBits(m.Scale)|index<<3|low(m.Base))
	} else {
		a.emit(mode | r | low(m.Base))
	}
	switch {
	case small:
		a.emit(byte(m.Disp / unit))
	case mode != 0:
		a.emit32(uint32(m.Disp))
	}
}

func scaleBits(scale uint8) byte {
	switch scale {
	case 2:
		return 0x40
	case 4:
		return 0x80
	case 8:
		return 0xc0
	}
	return 0
}
