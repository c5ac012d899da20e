package asm

// Vec is the number of a vector register: 0 to 15 with VEX, 0 to 31 with EVEX.
type Vec uint8

// Width is the width of the vectors that an instruction works on.
type Width uint8

// The widths in bits.
const (
	W128 Width = iota
	W256
	W512
)

// Bytes is the number of bytes of a vector.
func (w Width) Bytes() int { return 16 << w }

// Op describes a vector instruction. The table in optable.go names them.
type Op struct {
	Name   string
	mm     uint8 // opcode map: 1 for 0F, 2 for 0F38, 3 for 0F3A
	pp     uint8 // prefix: 0 for none, 1 for 66, 2 for F3, 3 for F2
	w      uint8 // the W bit of the VEX form
	op     byte
	digit  int8  // of an instruction whose register field chooses among several; else -1
	ew     uint8 // the W bit of the EVEX form
	unit   unit  // of memory, for 8-bit displacements of the EVEX form
	noVEX  bool
	noEVEX bool
}

// unit says how much memory an instruction accesses.
type unit uint8

const (
	fullUnit    unit = iota // a whole vector
	elem1Unit               // one byte
	elem2Unit               // one element of 2 bytes
	elem4Unit               // one element of 4 bytes
	elem8Unit               // one element of 8 bytes
	halfUnit                // half a vector
	quarterUnit             // a quarter of a vector
	xmmUnit                 // 16 bytes
	ymmUnit                 // 32 bytes
)

// bytes is the size of the unit at a width.
func (u unit) bytes(w Width) int32 {
	full := int32(w.Bytes())
	switch u {
	case elem1Unit:
		return 1
	case elem2Unit:
		return 2
	case elem4Unit:
		return 4
	case elem8Unit:
		return 8
	case halfUnit:
		return full / 2
	case quarterUnit:
		return full / 4
	case xmmUnit:
		return 16
	case ymmUnit:
		return 32
	}
	return full
}

// Mask is the use of a mask register in an EVEX instruction: lanes whose bit is clear
// keep the destination, or become zero.
type Mask struct {
	K    uint8 // 1 to 7; 0 is no mask
	Zero bool
}

// R is the instruction op on registers: dst, and src if the instruction has two
// register operands, or dst, v and src if it has three. Instructions that shift by an
// immediate number have their destination in v and ignore dst.
func (a *Asm) R(op *Op, w Width, dst, v, src Vec, imm ...byte) {
	a.RK(op, w, dst, v, src, Mask{}, imm...)
}

// RK is R with a mask.
func (a *Asm) RK(op *Op, w Width, dst, v, src Vec, k Mask, imm ...byte) {
	if a.Machine == ARM64 {
		a.armVector(op, w, dst, v, src, k, imm)
		return
	}
	if op.digit >= 0 {
		dst = Vec(op.digit)
	}
	if op.evex(w, k, false) || (dst|v|src) > 15 {
		a.evex(op, w, uint8(dst), uint8(v), uint8(src)>>1&8, uint8(src), k, false)
	} else {
		a.vex(op, w, uint8(dst), uint8(v), 0, uint8(src))
	}
	a.emit(op.op, 0xc0|byte(dst)&7<<3|byte(src)&7)
	a.emit(imm...)
}

// M is R with memory in the place of src. For a store, dst is what is stored.
func (a *Asm) M(op *Op, w Width, dst, v Vec, m Mem, imm ...byte) {
	a.MK(op, w, dst, v, m, Mask{}, imm...)
}

// MK is M with a mask.
func (a *Asm) MK(op *Op, w Width, dst, v Vec, m Mem, k Mask, imm ...byte) {
	if a.Machine == ARM64 {
		a.armVectorMem(op, w, dst, v, m, k, imm)
		return
	}
	if op.digit >= 0 {
		dst = Vec(op.digit)
	}
	unit := int32(1)
	if op.evex(w, k, m.Broadcast) || (dst|v) > 15 {
		unit = op.unit.bytes(w)
		if m.Broadcast {
			unit = 4 << op.ew
		}
		a.evex(op, w, uint8(dst), uint8(v), m.index(), m.base(), k, m.Broadcast)
	} else {
		a.vex(op, w, uint8(dst), uint8(v), m.index(), m.base())
	}
	a.emit(op.op)
	a.modMem(uint8(dst), &m, unit, len(imm))
	a.emit(imm...)
}

// evex reports whether the EVEX form is needed whatever the registers.
func (o *Op) evex(w Width, k Mask, broadcast bool) bool {
	return o.noVEX || w == W512 || k.K != 0 || broadcast
}

// vex adds the prefix of the VEX form. index and base are those of the operand that is
// a register (then base) or memory.
func (a *Asm) vex(o *Op, w Width, reg, v, index, base uint8) {
	if o.noVEX {
		panic("amd64: " + o.Name + " has no VEX form")
	}
	r, x, b := ^bit(reg, 3)&1, ^bit(index, 3)&1, ^bit(base, 3)&1
	last := ^v&15<<3 | byte(w)<<2 | o.pp
	if o.mm == 1 && o.w == 0 && x&b == 1 {
		a.emit(0xc5, r<<7|last)
		return
	}
	a.emit(0xc4, r<<7|x<<6|b<<5|o.mm, o.w<<7|last)
}

// evex adds the prefix of the EVEX form.
func (a *Asm) evex(o *Op, w Width, reg, v, index, base uint8, k Mask, broadcast bool) {
	if o.noEVEX {
		panic("amd64: " + o.Name + " has no EVEX form")
	}
	p0 := ^bit(reg, 3)&1<<7 | ^bit(index, 3)&1<<6 | ^bit(base, 3)&1<<5 | ^bit(reg, 4)&1<<4 | o.mm
	p1 := o.ew<<7 | ^v&15<<3 | 4 | o.pp
	p2 := byte(w)<<5 | ^bit(v, 4)&1<<3 | k.K
	if k.Zero {
		p2 |= 0x80
	}
	if broadcast {
		p2 |= 0x10
	}
	a.emit(0x62, p0, p1, p2)
}
