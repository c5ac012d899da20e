package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of transposeArgs, by offset.
const (
	argBlocks = 0
	argSrc    = 8
	argDst    = 16
	argSrcRow = 24
	argDstRow = 32
	argAhead  = 40
)

// transposer is the code of a transposition of square blocks, as wide as a vector of the width.
type transposer struct {
	element
	width asm.Width
}

// Registers of a transposition. Its vectors come from rows at blockBases, and those one, two and three rows after each.
const (
	blocks    = asm.RAX
	dst       = asm.RDX
	srcRow    = asm.R8
	dstRow    = asm.R9
	thrice    = asm.R10
	ahead     = asm.R12 // from a row to the one that is fetched, in bytes; 0 if none is
	following = asm.RCX
	rowsEach  = 4
)

var blockBases = []asm.Reg{asm.RSI, asm.R11, asm.RBX, asm.R13}

// lanes is the number of pieces of 16 bytes of a row of a block.
func (t transposer) lanes() int { return t.width.Bytes() / 16 }

// perLane is the number of elements of 16 bytes.
func (t transposer) perLane() int { return 16 / int(t.size) }

// code is the code that writes the rows of square blocks, side by side, as columns of blocks one below the other.
func (t transposer) code() []byte {
	a := asm.New(arch)
	load(a, []field{{blocks, argBlocks}, {blockBases[0], argSrc}, {dst, argDst}, {srcRow, argSrcRow},
		{dstRow, argDstRow}, {ahead, argAhead}})
	a.Lea(thrice, asm.Indexed(srcRow, srcRow, 2, 0))
	rows := t.lanes() * t.perLane()
	used := blockBases[:(rows+rowsEach-1)/rowsEach]
	for i := range used[1:] {
		a.Lea(used[i+1], asm.Indexed(used[i], srcRow, rowsEach, 0))
	}
	row := func(r int, at int32) asm.Mem { return rowOn(used[r/rowsEach], int32(r%rowsEach), srcRow, thrice, at) }
	loop := a.Here()
	t.fetch(a, rows)
	if t.width == asm.W512 {
		t.store(a, t.wholeLines(a, func(r int) asm.Mem { return row(r, 0) }))
	} else {
		for lane := range int32(t.lanes()) {
			t.store(a, t.columns(a, func(r int) asm.Mem { return row(r, 16*lane) }))
		}
	}
	for _, base := range used {
		a.AddImm(base, int32(t.width.Bytes()))
	}
	a.SubImm(blocks, 1)
	a.JumpIf(asm.NotEqual, loop)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// fetch prefetches as many rows further down, if rows are so far apart that the processor does not prefetch them
// itself.
func (t transposer) fetch(a *asm.Asm, rows int) {
	none := a.NewLabel()
	a.Test(ahead, ahead)
	a.JumpIf(asm.Equal, none)
	a.Lea(following, asm.Indexed(blockBases[0], ahead, 1, 0))
	for range rows {
		a.Prefetch(asm.At(following, 0))
		a.Add(following, srcRow)
	}
	a.Bind(none)
}

// store stores columns as rows one below the other.
func (t transposer) store(a *asm.Asm, columns []asm.Vec) {
	for _, column := range columns {
		a.M(asm.MOVUPSSt, t.width, column, 0, asm.At(dst, 0))
		a.Add(dst, dstRow)
	}
}

// columns returns registers with some columns of a square block: those whose elements are in 16 bytes of each row. Rows
// further down are loaded next to those at the top, so that no elements need to cross lanes later.
func (t transposer) columns(a *asm.Asm, row func(int) asm.Mem) []asm.Vec {
	n := t.perLane()
	for r := range n {
		a.M(asm.MOVUPS, asm.W128, asm.Vec(r), 0, row(r))
		for lane := 1; lane < t.lanes(); lane++ {
			insert := asm.INSERTF128
			if t.width == asm.W512 {
				insert = asm.INSERTF32X4
			}
			a.M(insert, t.width, asm.Vec(r), asm.Vec(r), row(r+lane*n), byte(lane))
		}
	}
	return t.inLanes(a, 0, asm.Vec(n))
}

// inLanes transposes within each lane as many vectors, from one on, as a lane has elements. It writes the result, and
// intermediate ones, to others from to on, and returns those that have the result.
func (t transposer) inLanes(a *asm.Asm, from, to asm.Vec) []asm.Vec {
	if t.size == 8 {
		a.R(asm.UNPCKLPD, t.width, to, from, from+1)
		a.R(asm.UNPCKHPD, t.width, to+1, from, from+1)
		return []asm.Vec{to, to + 1}
	}
	for pair := range asm.Vec(2) {
		a.R(asm.UNPCKLPS, t.width, to+pair, from+2*pair, from+2*pair+1)
		a.R(asm.UNPCKHPS, t.width, to+2+pair, from+2*pair, from+2*pair+1)
	}
	for i, halves := range []byte{0x44, 0xee} {
		a.R(asm.SHUFPS, t.width, from+asm.Vec(i), to, to+1, halves)
		a.R(asm.SHUFPS, t.width, from+asm.Vec(2+i), to+2, to+3, halves)
	}
	return []asm.Vec{from, from + 1, from + 2, from + 3}
}

// wholeLines returns registers with all columns of a square block of vectors of four lanes. Each row is read at once:
// if rows fall into a few sets of the cache, a line may be evicted soon.
func (t transposer) wholeLines(a *asm.Asm, row func(int) asm.Mem) []asm.Vec {
	const lanes = 4
	n := t.perLane()
	rows := lanes * n
	var lane [lanes][]asm.Vec // transposed rows n*i to n*i+n-1, by lanes
	for i := range lanes {
		first := asm.Vec(i * n)
		for r := range n {
			a.M(asm.MOVUPS, t.width, first+asm.Vec(r), 0, row(i*n+r))
		}
		lane[i] = t.inLanes(a, first, first+asm.Vec(rows))
	}
	columns := make([]asm.Vec, rows)
	const even, odd = 0x88, 0xdd // lanes of either operand
	spare := asm.Vec(2 * rows % 32)
	if spare == 0 { // those of the first step are free
		spare = asm.Vec(rows)
	}
	for c := range n {
		x0, x1, x2, x3 := lane[0][c], lane[1][c], lane[2][c], lane[3][c]
		s := spare + asm.Vec(lanes*c)
		a.R(asm.SHUFF32X4, t.width, s, x0, x1, even)
		a.R(asm.SHUFF32X4, t.width, s+1, x0, x1, odd)
		a.R(asm.SHUFF32X4, t.width, s+2, x2, x3, even)
		a.R(asm.SHUFF32X4, t.width, s+3, x2, x3, odd)
		for i, from := range [lanes]asm.Vec{s, s + 1, s, s + 1} {
			column := lane[i][c]
			a.R(asm.SHUFF32X4, t.width, column, from, from+2, []byte{even, odd}[i/2])
			columns[i*n+c] = column
		}
	}
	return columns
}
