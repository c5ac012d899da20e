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

// fetchBytes is how far ahead of use rows are fetched.
const fetchBytes = 256

// transpose is the code that writes the rows of square blocks, side by side, as columns
// of blocks one below the other. A row of a block is 32 bytes.
func (e element) transpose() []byte {
	a := &amd64.Asm{}
	const blocks, src, dst, srcRow, dstRow, at = amd64.RAX, amd64.RSI, amd64.RDX, amd64.R8, amd64.R9, amd64.R10
	for _, f := range []struct {
		r  amd64.Reg
		at int32
	}{{blocks, argBlocks}, {src, argSrc}, {dst, argDst}, {srcRow, argSrcRow}, {dstRow, argDstRow}} {
		a.MovLoad(f.r, amd64.At(amd64.RDI, f.at))
	}
	side := int(32 / e.size)
	loop := a.Here()
	a.Mov(at, src)
	for r := range side {
		a.M(amd64.MOVUPS, amd64.W256, amd64.Vec(r), 0, amd64.At(at, 0))
		a.Prefetch(amd64.At(at, fetchBytes))
		a.Add(at, srcRow)
	}
	exchange := exchange8
	if e.size == 4 {
		exchange = exchange4
	}
	first := exchange(a)
	for r := range side {
		a.M(amd64.MOVUPSSt, amd64.W256, first+amd64.Vec(r), 0, amd64.At(dst, 0))
		a.Add(dst, dstRow)
	}
	a.AddImm(src, 32)
	a.SubImm(blocks, 1)
	a.JumpIf(amd64.NotEqual, loop)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// exchange4 transposes the 8 rows of 8 elements in registers 0 to 7. It gives the first
// register of the result.
func exchange4(a *amd64.Asm) amd64.Vec {
	const w = amd64.W256
	for i := amd64.Vec(0); i < 8; i += 2 { // pairs of rows, interleaved
		a.R(amd64.UNPCKLPS, w, 8+i, i, i+1)
		a.R(amd64.UNPCKHPS, w, 9+i, i, i+1)
	}
	for half := amd64.Vec(0); half < 8; half += 4 { // fours of rows
		for i := amd64.Vec(0); i < 2; i++ {
			low, high := 8+half+i, 8+half+i+2
			a.R(amd64.SHUFPS, w, half+2*i, low, high, 0x44)
			a.R(amd64.SHUFPS, w, half+2*i+1, low, high, 0xee)
		}
	}
	for i := amd64.Vec(0); i < 4; i++ {
		a.R(amd64.PERM2F128, w, 8+i, i, 4+i, 0x20)
		a.R(amd64.PERM2F128, w, 12+i, i, 4+i, 0x31)
	}
	return 8
}

// exchange8 transposes the 4 rows of 4 elements in registers 0 to 3.
func exchange8(a *amd64.Asm) amd64.Vec {
	const w = amd64.W256
	for i := amd64.Vec(0); i < 4; i += 2 {
		a.R(amd64.UNPCKLPD, w, 8+i, i, i+1)
		a.R(amd64.UNPCKHPD, w, 9+i, i, i+1)
	}
	for i := amd64.Vec(0); i < 2; i++ {
		a.R(amd64.PERM2F128, w, i, 8+i, 10+i, 0x20)
		a.R(amd64.PERM2F128, w, 2+i, 8+i, 10+i, 0x31)
	}
	return 0
}
