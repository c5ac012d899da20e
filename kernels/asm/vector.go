package asm

// Vec is the number of a vector register: 0 to 15 with VEX, 0 to 31 with EVEX.
type Vec uint8

// Width is the width of an instruction's vectors.
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

// Mask is the use of a mask register in an EVEX instruction. Lanes whose bit is clear keep the destination, or become
// zero.
type Mask struct {
	K    uint8 // 1 to 7; 0 is no mask
	Zero bool
}

// R is the instruction op on registers: dst and src, or dst, v and src if it has three register operands. Instructions
// that shift by an immediate have their destination in v and ignore dst.
func (a *Asm) R(op *Op, w Width, dst, v, src Vec, imm ...byte) {
	a.vector(op, w, dst, v, src, Mask{}, immediate(imm))
}

// RK is R with a mask.
func (a *Asm) RK(op *Op, w Width, dst, v, src Vec, k Mask, imm ...byte) {
	a.vector(op, w, dst, v, src, k, immediate(imm))
}

// M is R with memory instead of src. For a store, dst is the stored register.
func (a *Asm) M(op *Op, w Width, dst, v Vec, m Mem, imm ...byte) {
	a.vectorMem(op, w, dst, v, m, Mask{}, immediate(imm))
}

// MK is M with a mask.
func (a *Asm) MK(op *Op, w Width, dst, v Vec, m Mem, k Mask, imm ...byte) {
	a.vectorMem(op, w, dst, v, m, k, immediate(imm))
}

// none is the immediate of an instruction without one.
const none = -1

// immediate returns the immediate; there is at most one.
func immediate(imm []byte) int {
	if len(imm) == 0 {
		return none
	}
	return int(imm[0])
}
