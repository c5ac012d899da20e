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
	for _, c := range e.columns(a, func(r int) amd64.Mem { return rowAt(r, srcRow) }) {
		const transposed = amd64.Vec(8)
		a.R(amd64.PERM2F128, amd64.W256, transposed, c.low, c.high, c.halves)
		a.M(amd64.MOVUPSSt, amd64.W256, transposed, 0, amd64.At(dst, 0))
		a.Add(dst, dstRow)
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

// column is halves of two registers that make up a column of a block.
type column struct {
	low, high amd64.Vec
	halves    byte
}

// columns interleaves the rows of a square block in registers 0 to 7, with 8 as room, and
// tells of which halves its columns consist.
func (e element) columns(a *amd64.Asm, row func(int) amd64.Mem) []column {
	const w, room = amd64.W256, amd64.Vec(8)
	if e.size == 8 {
		for i := range amd64.Vec(2) { // pairs of rows
			a.M(amd64.MOVUPS, w, room, 0, row(int(2*i)))
			a.M(amd64.UNPCKLPD, w, 2*i, room, row(int(2*i+1)))
			a.M(amd64.UNPCKHPD, w, 2*i+1, room, row(int(2*i+1)))
		}
		return []column{{0, 2, 0x20}, {1, 3, 0x20}, {0, 2, 0x31}, {1, 3, 0x31}}
	}
	for i := range amd64.Vec(4) { // pairs of rows
		a.M(amd64.MOVUPS, w, room, 0, row(int(2*i)))
		a.M(amd64.UNPCKLPS, w, 2*i, room, row(int(2*i+1)))
		a.M(amd64.UNPCKHPS, w, 2*i+1, room, row(int(2*i+1)))
	}
	for half := amd64.Vec(0); half < 8; half += 4 { // fours of rows
		for i := range amd64.Vec(2) {
			low, high := half+i, half+i+2
			a.R(amd64.SHUFPS, w, room, low, high, 0x44)
			a.R(amd64.SHUFPS, w, high, low, high, 0xee)
			a.R(amd64.MOVUPS, w, low, 0, room)
		}
	}
	return []column{{0, 4, 0x20}, {2, 6, 0x20}, {1, 5, 0x20}, {3, 7, 0x20}, {0, 4, 0x31}, {2, 6, 0x31}, {1, 5, 0x31}, {3, 7, 0x31}}
}
