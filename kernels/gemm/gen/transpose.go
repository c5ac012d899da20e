package main

import "github.com/broadloom/broadloom/kernels/amd64/asm"

// The fields of transposeArgs, by offset.
const (
	argBlocks = 0
	argSrc    = 8
	argDst    = 16
	argSrcRow = 24
	argDstRow = 32
)

// transpose is the code that writes the rows of square blocks, side by side, as columns
// of blocks one below the other. A row of a block is 32 bytes.
func (e element) transpose() []byte {
	a := &asm.Asm{}
	const blocks, dst, srcRow, dstRow = asm.RAX, asm.RDX, asm.R8, asm.R9
	load(a, []field{{blocks, argBlocks}, {bases[0], argSrc}, {dst, argDst}, {srcRow, argSrcRow}, {dstRow, argDstRow}})
	used := pointBases(a, int(32/e.size), srcRow)
	loop := a.Here()
	for half := range int32(2) {
		for _, column := range e.columns(a, func(r int) asm.Mem {
			m := rowAt(r, srcRow)
			m.Disp = 16 * half
			return m
		}) {
			a.M(asm.MOVUPSSt, asm.W256, column, 0, asm.At(dst, 0))
			a.Add(dst, dstRow)
		}
	}
	for _, base := range used {
		a.AddImm(base, 32)
	}
	a.SubImm(blocks, 1)
	a.JumpIf(asm.NotEqual, loop)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// columns returns registers with the columns of half a square block: those whose elements are
// in 16 bytes of each row. Rows in the lower half of the block are loaded beside those in the
// upper one, so that no elements pass from one half of a register to the other later.
func (e element) columns(a *asm.Asm, row func(int) asm.Mem) []asm.Vec {
	const w = asm.W256
	n := 16 / int(e.size)
	for r := range n {
		a.M(asm.MOVUPS, asm.W128, asm.Vec(r), 0, row(r))
		a.M(asm.INSERTF128, w, asm.Vec(r), asm.Vec(r), row(r+n), 1)
	}
	if e.size == 8 {
		a.R(asm.UNPCKLPD, w, 2, 0, 1)
		a.R(asm.UNPCKHPD, w, 3, 0, 1)
		return []asm.Vec{2, 3}
	}
	for pair := range asm.Vec(2) {
		a.R(asm.UNPCKLPS, w, 4+pair, 2*pair, 2*pair+1)
		a.R(asm.UNPCKHPS, w, 6+pair, 2*pair, 2*pair+1)
	}
	for i, halves := range []byte{0x44, 0xee} {
		a.R(asm.SHUFPS, w, asm.Vec(i), 4, 5, halves)
		a.R(asm.SHUFPS, w, asm.Vec(2+i), 6, 7, halves)
	}
	return []asm.Vec{0, 1, 2, 3}
}
