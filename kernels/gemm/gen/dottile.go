package main

import "github.com/broadloom/broadloom/kernels/asm"

// tileDot is a loop that multiplies bytes, or pairs of bfloat16, in the tile registers of AMX.
type tileDot struct {
	name, doc string
	op        *asm.Op
}

var tileDots = []tileDot{
	{"tilesUS", "unsigned bytes by signed ones", asm.TDPBUSD},
	{"tilesSU", "signed bytes by unsigned ones", asm.TDPBSUD},
	{"tilesSS", "signed bytes", asm.TDPBSSD},
	{"tilesUU", "unsigned bytes", asm.TDPBUUD},
	{"tilesBF16", "pairs of bfloat16", asm.TDPBF16PS},
}

// tileBytes is the size of a row of a tile register: the words of sixteen columns, or of sixteen steps.
const tileBytes = 64

// code multiplies 32 rows of A by 32 columns of B, sixteen words at a time:
//
//	for ; words > 0; words -= 16 {
//		for r := range 2 {
//			for v := range 2 {
//				sum[r][v] += A[r]·B[v]
//			}
//		}
//	}
//
// The configuration says how many rows there are. At the end the registers are released.
func (t tileDot) code() []byte {
	a := asm.New(asm.AMD64)
	const left, right = 4, 6 // registers: the sums are the first four
	const below, bRow, cBelow = asm.R9, asm.R10, asm.R11
	a.MovLoad(asm.RAX, asm.At(asm.RDI, dotConfig))
	a.M(asm.LDTILECFG, asm.W128, 0, 0, asm.At(asm.RAX, 0))
	a.MovImm(bRow, 2*tileBytes)
	again := a.Here()
	throughC := func(op *asm.Op) {
		load(a, []field{{c, dotC}, {cRow, dotCRow}})
		a.Mov(cBelow, cRow)
		a.Shl(cBelow, 4)
		a.Add(cBelow, c)
		for i := range asm.Vec(4) {
			a.M(op, asm.W128, i, 0, asm.Indexed([]asm.Reg{c, cBelow}[i/2], cRow, 1, int32(i%2)*tileBytes))
		}
	}
	load(a, []field{{count, dotWords}, {bases[0], dotA}, {b, dotB}, {aRow, dotARow}})
	a.Mov(below, aRow)
	a.Shl(below, 4)
	a.Add(below, bases[0])
	zero, begun := a.NewLabel(), a.NewLabel()
	a.CmpMemImm(asm.At(asm.RDI, dotAdd), 0)
	a.JumpIf(asm.Equal, zero)
	throughC(asm.TILELOADD)
	a.Jump(begun)
	a.Bind(zero)
	for i := range asm.Vec(4) {
		a.R(asm.TILEZERO, asm.W128, i, 0, 0)
	}
	a.Bind(begun)
	a.Align(32)
	loop := a.Here()
	for i := range asm.Vec(2) {
		a.M(asm.TILELOADD, asm.W128, right+i, 0, asm.Indexed(b, bRow, 1, int32(i)*tileBytes))
	}
	for i := range asm.Vec(2) {
		a.M(asm.TILELOADD, asm.W128, left+i, 0, asm.Indexed([]asm.Reg{bases[0], below}[i], aRow, 1, 0))
		for j := range asm.Vec(2) {
			a.R(t.op, asm.W128, 2*i+j, right+j, left+i)
		}
	}
	a.AddImm(bases[0], tileBytes)
	a.AddImm(below, tileBytes)
	a.AddImm(b, 16*2*tileBytes)
	a.SubImm(count, 16)
	a.JumpIf(asm.NotEqual, loop)
	throughC(asm.TILESTORED)
	passTiles(a, again)
	a.R(asm.TILERELEASE, asm.W128, 0, 0, 0)
	a.Return()
	return finish(a)
}
