package main

import "github.com/broadloom/broadloom/kernels/amd64"

// The fields of dotRowsArgs, by offset.
const (
	argRowBlocks = 0
	argRowsA     = 8
	argRowsB     = 16
	argRowsStep  = 24
	argRowsSums  = 32
	argRowsHigh  = 40
	argRowsHighA = 48
	argRowsAhead = 56
)

// dotRows is the number of rows of which products are summed up side by side: a half of
// them from where B points, the others some distance away, with elements of A which are some
// distance away too.
const dotRows = 16

// dotRowsCode is the code that multiplies contiguous rows with one of them and sums up:
//
//	for i := range blocks * 32 bytes {
//		for r := range dotRows {
//			sums[r] = fma(a[i], b[r][i], sums[r])
//		}
//	}
//
// Blocks of as many rows as a vector has elements are transposed in registers, so that the
// sums of different rows stand side by side.
func (e element) dotRowsCode() []byte {
	a := &amd64.Asm{}
	const blocks, x, highX, low, high, sums = amd64.RAX, amd64.RSI, amd64.RBX, amd64.RDX, amd64.RCX, amd64.R12
	const step, step3, step5, step7 = amd64.R8, amd64.R9, amd64.R10, amd64.R11
	for _, f := range []struct {
		r  amd64.Reg
		at int32
	}{{blocks, argRowBlocks}, {x, argRowsA}, {low, argRowsB}, {step, argRowsStep}, {sums, argRowsSums}} {
		a.MovLoad(f.r, amd64.At(amd64.RDI, f.at))
	}
	a.Lea(step3, amd64.Indexed(step, step, 2, 0))
	a.Lea(step5, amd64.Indexed(step, step, 4, 0))
	a.Lea(step7, amd64.Indexed(step3, step, 4, 0))
	a.MovLoad(high, amd64.At(amd64.RDI, argRowsHigh))
	a.Add(high, low)
	a.MovLoad(highX, amd64.At(amd64.RDI, argRowsHighA))
	a.Add(highX, x)
	const lowAhead, highAhead = amd64.R13, amd64.R15
	a.MovLoad(lowAhead, amd64.At(amd64.RDI, argRowsAhead))
	a.Lea(highAhead, amd64.Indexed(high, lowAhead, 1, 0))
	a.Add(lowAhead, low)
	rowAt := func(r int, low, high amd64.Reg) amd64.Mem {
		base := low
		if r >= dotRows/2 {
			base = high
		}
		switch r %= 8; r {
		case 0:
			return amd64.At(base, 0)
		case 1, 2, 4:
			return amd64.Indexed(base, step, uint8(r), 0)
		case 6:
			return amd64.Indexed(base, step3, 2, 0)
		}
		return amd64.Indexed(base, map[int]amd64.Reg{3: step3, 5: step5, 7: step7}[r], 1, 0)
	}
	side := int(32 / e.size)
	groups := dotRows / side
	sum := func(group int) amd64.Vec { return amd64.Vec(15 - group) }
	for g := range groups {
		a.M(amd64.MOVUPS, amd64.W256, sum(g), 0, amd64.At(sums, int32(g*32)))
	}
	a.Align(32)
	loop := a.Here()
	for r := range dotRows {
		a.Prefetch(rowAt(r, lowAhead, highAhead))
	}
	for g := range groups {
		factors := x
		if g*side >= dotRows/2 {
			factors = highX
		}
		for i, column := range e.columns(a, func(r int) amd64.Mem { return rowAt(g*side+r, low, high) }) {
			const transposed, factor = amd64.Vec(8), amd64.Vec(9)
			a.R(amd64.PERM2F128, amd64.W256, transposed, column.low, column.high, column.halves)
			a.M(e.broadcast, amd64.W256, factor, 0, amd64.At(factors, int32(i)*e.size))
			a.R(e.fma, amd64.W256, sum(g), transposed, factor)
		}
	}
	for _, p := range []amd64.Reg{x, highX, low, high, lowAhead, highAhead} {
		a.AddImm(p, 32)
	}
	a.SubImm(blocks, 1)
	a.JumpIf(amd64.NotEqual, loop)
	for g := range groups {
		a.M(amd64.MOVUPSSt, amd64.W256, sum(g), 0, amd64.At(sums, int32(g*32)))
	}
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// column is halves of two registers that make up a column of a block.
type column struct {
	low, high amd64.Vec
	halves    byte
}

// columns interleaves the rows of a square block in registers 0 to 7, with 8 to 9 as room,
// and tells of which halves its columns consist.
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
