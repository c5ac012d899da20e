package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of moveArgs, by offset.
const (
	argFrom      = 0
	argFromOther = 8
	argFromStep  = 16
	argTo        = 24
	argToOther   = 32
	argToStep    = 40
	argRows      = 48
	argGroups    = 56
)

// Registers of code that copies numbers.
const (
	from, fromOther     = asm.RSI, asm.R8
	fromStep, from3     = asm.R9, asm.R10
	to, toOther, toStep = asm.RDX, asm.RBX, asm.R11
	rows, groups        = asm.RAX, asm.RCX
	rowFrom, otherFrom  = asm.R12, asm.R13
	rowTo, otherTo      = asm.R14, asm.R15
	halfVector          = 16
	vector              = 32
)

// halves loads 16 bytes, and 16 others into the upper half.
func halves(a *asm.Asm, v asm.Vec, low, high asm.Mem) {
	a.M(asm.MOVUPS, asm.W128, v, 0, low)
	a.M(asm.INSERTF128, asm.W256, v, v, high, 1)
}

// store stores the halves of a vector.
func store(a *asm.Asm, v asm.Vec, low, high asm.Mem) {
	a.M(asm.MOVUPSSt, asm.W128, v, 0, low)
	a.M(asm.EXTRACTF128, asm.W256, v, 0, high, 1)
}

// transpose is the code that transposes a matrix, in groups of as many rows as a vector of 32 bytes has numbers, and
// pieces of 16 bytes of their columns. Even and odd rows have separate pointers, which advance by two rows; so do even
// and odd columns.
func (e element) transpose() *asm.Asm {
	a := asm.New(arch)
	load(a, from, argFrom, fromOther, argFromOther, fromStep, argFromStep, to, argTo, toOther, argToOther, toStep,
		argToStep, groups, argGroups)
	a.Lea(from3, asm.Indexed(fromStep, fromStep, 2, 0))
	group := a.Here()
	for _, p := range [][2]asm.Reg{{rowFrom, from}, {otherFrom, fromOther}, {rowTo, to}, {otherTo, toOther}} {
		a.Mov(p[0], p[1])
	}
	load(a, rows, argRows)
	next := a.Here()
	if e.size == 4 {
		halves(a, 0, asm.At(rowFrom, 0), asm.Indexed(rowFrom, fromStep, 2, 0))
		halves(a, 1, asm.At(otherFrom, 0), asm.Indexed(otherFrom, fromStep, 2, 0))
		halves(a, 2, asm.Indexed(rowFrom, fromStep, 1, 0), asm.Indexed(rowFrom, from3, 1, 0))
		halves(a, 3, asm.Indexed(otherFrom, fromStep, 1, 0), asm.Indexed(otherFrom, from3, 1, 0))
		a.R(asm.UNPCKLPS, asm.W256, 4, 0, 1)
		a.R(asm.UNPCKLPS, asm.W256, 5, 2, 3)
		a.R(asm.UNPCKHPS, asm.W256, 6, 0, 1)
		a.R(asm.UNPCKHPS, asm.W256, 7, 2, 3)
		for i, place := range []asm.Mem{asm.At(rowTo, 0), asm.At(otherTo, 0), asm.Indexed(rowTo, toStep, 1, 0),
			asm.Indexed(otherTo, toStep, 1, 0)} {
			pair := asm.Vec(4 + i/2*2)
			a.R(asm.SHUFPS, asm.W256, 0, pair, pair+1, []byte{0x44, 0xee}[i%2])
			a.M(asm.MOVUPSSt, asm.W256, 0, 0, place)
		}
		a.Lea(rowTo, asm.Indexed(rowTo, toStep, 2, 0))
		a.Lea(otherTo, asm.Indexed(otherTo, toStep, 2, 0))
	} else {
		halves(a, 0, asm.At(rowFrom, 0), asm.Indexed(rowFrom, fromStep, 1, 0))
		halves(a, 1, asm.At(otherFrom, 0), asm.Indexed(otherFrom, fromStep, 1, 0))
		a.R(asm.UNPCKLPD, asm.W256, 2, 0, 1)
		a.R(asm.UNPCKHPD, asm.W256, 3, 0, 1)
		a.M(asm.MOVUPSSt, asm.W256, 2, 0, asm.At(rowTo, 0))
		a.M(asm.MOVUPSSt, asm.W256, 3, 0, asm.At(otherTo, 0))
		a.Add(rowTo, toStep)
		a.Add(otherTo, toStep)
	}
	a.AddImm(rowFrom, halfVector)
	a.AddImm(otherFrom, halfVector)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, next)
	for _, p := range []asm.Reg{from, fromOther} {
		a.Lea(p, asm.Indexed(p, fromStep, uint8(vector/e.size/2), 0))
	}
	a.AddImm(to, vector)
	a.AddImm(toOther, vector)
	a.SubImm(groups, 1)
	a.JumpIf(asm.NotEqual, group)
	return a
}

// eachRow is the code of a loop over rows.
func eachRow(a *asm.Asm, row func()) {
	load(a, from, argFrom, fromOther, argFromOther, fromStep, argFromStep, to, argTo, toOther, argToOther, toStep,
		argToStep, rows, argRows)
	next := a.Here()
	row()
	for _, p := range []asm.Reg{from, fromOther} {
		a.Add(p, fromStep)
	}
	for _, p := range []asm.Reg{to, toOther} {
		a.Add(p, toStep)
	}
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, next)
}

// part is the code that separates rows of complex numbers into parts, as many in each as an element has lanes. With
// back it reverses them.
func (e element) part(back bool) *asm.Asm {
	a := asm.New(arch)
	eachRow(a, func() {
		for i := range int32(partBytes / vector) {
			at := func(piece int32) asm.Mem {
				if piece += 4 * i; back {
					piece = 4*partBytes/vector - 1 - piece
				}
				return asm.At(from, piece*halfVector)
			}
			if e.size == 4 {
				halves(a, 0, at(0), at(2))
				halves(a, 1, at(1), at(3))
				real, imaginary := byte(0x88), byte(0xdd)
				if back {
					real, imaginary = 0x22, 0x77
				}
				a.R(asm.SHUFPS, asm.W256, 2, 0, 1, real)
				a.R(asm.SHUFPS, asm.W256, 3, 0, 1, imaginary)
			} else {
				halves(a, 0, at(0), at(2))
				halves(a, 1, at(1), at(3))
				a.R(asm.UNPCKLPD, asm.W256, 2, 0, 1)
				a.R(asm.UNPCKHPD, asm.W256, 3, 0, 1)
			}
			a.M(asm.MOVUPSSt, asm.W256, 2, 0, asm.At(to, i*vector))
			a.M(asm.MOVUPSSt, asm.W256, 3, 0, asm.At(toOther, i*vector))
		}
	})
	return a
}

// join is the inverse of part.
func (e element) join(back bool) *asm.Asm {
	a := asm.New(arch)
	eachRow(a, func() {
		for i := range int32(partBytes / vector) {
			at := func(piece int32) asm.Mem {
				if piece += 4 * i; back {
					piece = 4*partBytes/vector - 1 - piece
				}
				return asm.At(to, piece*halfVector)
			}
			a.M(asm.MOVUPS, asm.W256, 0, 0, asm.At(from, i*vector))
			a.M(asm.MOVUPS, asm.W256, 1, 0, asm.At(fromOther, i*vector))
			if e.size == 4 {
				a.R(asm.UNPCKLPS, asm.W256, 2, 0, 1)
				a.R(asm.UNPCKHPS, asm.W256, 3, 0, 1)
				if back {
					a.R(asm.PSHUFD, asm.W256, 2, 0, 2, 0x4e)
					a.R(asm.PSHUFD, asm.W256, 3, 0, 3, 0x4e)
				}
			} else {
				a.R(asm.UNPCKLPD, asm.W256, 2, 0, 1)
				a.R(asm.UNPCKHPD, asm.W256, 3, 0, 1)
			}
			store(a, 2, at(0), at(2))
			store(a, 3, at(1), at(3))
		}
	})
	return a
}
