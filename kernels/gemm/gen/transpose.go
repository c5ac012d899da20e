package main

import "github.com/broadloom/broadloom/kernels/amd64"

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
	a := &amd64.Asm{}
	const blocks, dst, srcRow, dstRow = amd64.RAX, amd64.RDX, amd64.R8, amd64.R9
	load(a, []field{{blocks, argBlocks}, {bases[0], argSrc}, {dst, argDst}, {srcRow, argSrcRow}, {dstRow, argDstRow}})
	used := pointBases(a, int(32/e.size), srcRow)
	loop := a.Here()
	for half := range int32(2) {
		for _, column := range e.columns(a, func(r int) amd64.Mem {
			m := rowAt(r, srcRow)
			m.Disp = 16 * half
			return m
		}) {
			a.M(amd64.MOVUPSSt, amd64.W256, column, 0, amd64.At(dst, 0))
			a.Add(dst, dstRow)
		}
	}
	for _, base := range used {
		a.AddImm(base, 32)
	}
	a.SubImm(blocks, 1)
	a.JumpIf(amd64.NotEqual, loop)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// columns gives registers with the columns of half a square block: those whose elements are
// in 16 bytes of each row. Rows in the lower half of the block are loaded beside those in the
// upper one, so that no elements pass from one half of a register to the other later.
func (e element) columns(a *amd64.Asm, row func(int) amd64.Mem) []amd64.Vec {
	const w = amd64.W256
	n := 16 / int(e.size)
	for r := range n {
		a.M(amd64.MOVUPS, amd64.W128, amd64.Vec(r), 0, row(r))
		a.M(amd64.INSERTF128, w, amd64.Vec(r), amd64.Vec(r), row(r+n), 1)
	}
	if e.size == 8 {
		a.R(amd64.UNPCKLPD, w, 2, 0, 1)
		a.R(amd64.UNPCKHPD, w, 3, 0, 1)
		return []amd64.Vec{2, 3}
	}
	for pair := range amd64.Vec(2) {
		a.R(amd64.UNPCKLPS, w, 4+pair, 2*pair, 2*pair+1)
		a.R(amd64.UNPCKHPS, w, 6+pair, 2*pair, 2*pair+1)
	}
	for i, halves := range []byte{0x44, 0xee} {
		a.R(amd64.SHUFPS, w, amd64.Vec(i), 4, 5, halves)
		a.R(amd64.SHUFPS, w, amd64.Vec(2+i), 6, 7, halves)
	}
	return []amd64.Vec{0, 1, 2, 3}
}
