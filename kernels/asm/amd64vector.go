package asm

func (a amd64) vector(op *Op, w Width, dst, v, src Vec, k Mask, imm int) {
	if op.digit >= 0 {
		dst = Vec(op.digit)
	}
	if op.evex(w, k, false) || (dst|v|src) > 15 {
		a.evex(op, w, uint8(dst), uint8(v), uint8(src)>>1&8, uint8(src), k, false)
	} else {
		a.vex(op, w, uint8(dst), uint8(v), 0, uint8(src))
	}
	a.emit(op.op, 0xc0|byte(dst)&7<<3|byte(src)&7)
	if imm != none {
		a.emit(byte(imm))
	}
}

func (a amd64) vectorMem(op *Op, w Width, dst, v Vec, m Mem, k Mask, imm int) {
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
	if imm == none {
		a.modMem(uint8(dst), &m, unit, 0)
		return
	}
	a.modMem(uint8(dst), &m, unit, 1)
	a.emit(byte(imm))
}

// evex reports whether the EVEX form is needed, independent of the registers.
func (o *Op) evex(w Width, k Mask, broadcast bool) bool {
	return o.noVEX || w == W512 || k.K != 0 || broadcast
}

// vex adds the prefix of the VEX form. index and base are those of the operand that is a register (then base) or
// memory.
func (a amd64) vex(o *Op, w Width, reg, v, index, base uint8) {
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
func (a amd64) evex(o *Op, w Width, reg, v, index, base uint8, k Mask, broadcast bool) {
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
