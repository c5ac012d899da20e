package main

import (
	"bytes"
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
)

// The fields of blockTileArgs, by offset.
const (
	blockTileWords  = 0
	blockTileFirst  = 8
	blockTileEach   = 16
	blockTileFrom   = 24
	blockTileScales = 32
	blockTileMinima = 40
	blockTileLevels = 48
	blockTileA      = 56
	blockTileARow   = 64
	blockTileC      = 72
	blockTileCRow   = 80
	blockTileAdd    = 88
	blockTileList   = 96
	blockTileFetch  = 104
)

// fetchesOfWord is the number of listed lines that are prefetched with a vector of words.
const fetchesOfWord = 2

// blockTile is the code that multiplies some rows of A, whose columns are contiguous, by words of a panel, as
// blockPanel converts them:
//
//	sums := [rows][columns]float32{}
//	for w := range words { // the first block has the first of them, the others each
//		for i := range 32/bits {
//			number := scales[c] * float32(from[w][c].integer(i)) + minima[c]
//			sums[r][c] = fma(a[r][w*32/bits+i], number, sums[r][c])
//		}
//		prefetch the next two lines of the list
//	}
//	c[r] = sums[r], or c[r] += sums[r]
type blockTile struct{ blockPanel }

// blockRows is the number of rows of the largest such tile.
func (m machine) blockRows() int {
	if m.width == asm.W512 {
		return 8
	}
	return 5
}

// blockTiles writes the loops of a machine for such tiles.
func (m machine) blockTiles(table *bytes.Buffer, add func(name, args, doc string, code []byte)) {
	fmt.Fprintf(table, "var blockTiles%s = [blockTypes][]func(*blockTileArgs){\n", m.name)
	for _, ints := range allBlockInts {
		table.WriteString("\t{nil")
		for rows := 1; rows <= m.blockRows(); rows++ {
			name := fmt.Sprintf("blockTile%s%sRows%d", ints, m.name, rows)
			add(name, "blockTileArgs", fmt.Sprintf("multiplies %d rows by words of %s", rows, ints.dtype()),
				blockTile{blockPanel{laneSums{m, ints, rows}}}.code())
			fmt.Fprintf(table, ", %s", name)
		}
		table.WriteString("},\n")
	}
	table.WriteString("}\n\n")
}

// Registers of the loop, next to those of rows.
const (
	blockWord   = asm.RAX // words that are left of the block
	blockLeft   = asm.RCX // and behind it
	blockFrom   = asm.RDX
	blockStep   = asm.R8
	blockScale  = asm.R9
	blockMinima = asm.R10
	blockList   = asm.R12
	blockFetch  = asm.R14
	blockLine   = asm.R15
)

func (t blockTile) sum(r, v int) asm.Vec    { return asm.Vec(panelVectors*r + v) }
func (t blockTile) spare(i int) asm.Vec     { return asm.Vec(panelVectors*t.rows + i) }
func (t blockTile) scaleOf(v int) asm.Mem   { return asm.At(blockScale, int32(v*t.width.Bytes())) }
func (t blockTile) minimumOf(v int) asm.Mem { return asm.At(blockMinima, int32(v*t.width.Bytes())) }

func (t blockTile) code() []byte {
	a := asm.New(arch)
	row := int32(panelVectors * t.width.Bytes())
	load(a, []field{{blockLeft, blockTileWords}, {blockFrom, blockTileFrom}, {blockStep, blockTileARow},
		{bases[0], blockTileA}, {blockScale, blockTileScales}, {blockMinima, blockTileMinima},
		{blockList, blockTileList}, {blockFetch, blockTileFetch}, {blockWord, blockTileLevels}})
	if t.looksUp() {
		a.M(asm.MOVUPS, t.width, laneLevels, 0, asm.At(blockWord, 0))
	}
	used := pointBases(a, t.rows, blockStep)
	for i := range asm.Vec(panelVectors * t.rows) {
		a.R(asm.XORPS, asm.W256, i, i, i)
	}
	load(a, []field{{blockWord, blockTileFirst}})
	nextBlock, isWhole := a.Here(), a.NewLabel()
	a.Sub(blockLeft, blockWord)
	a.JumpIf(asm.NotLess, isWhole)
	a.Add(blockWord, blockLeft)
	a.Xor(blockLeft, blockLeft)
	a.Bind(isWhole)
	a.Align(32)
	nextWord := a.Here()
	t.word(a)
	for i := range int32(fetchesOfWord) {
		a.MovLoad(blockLine, asm.At(blockList, 8*i))
		a.Prefetch(asm.Indexed(blockFetch, blockLine, 1, 0))
	}
	a.AddImm(blockList, 8*fetchesOfWord)
	for _, base := range used {
		a.AddImm(base, int32(4*32/t.bits))
	}
	a.AddImm(blockFrom, row)
	a.SubImm(blockWord, 1)
	a.JumpIf(asm.NotEqual, nextWord)
	a.AddImm(blockScale, row)
	a.AddImm(blockMinima, row)
	load(a, []field{{blockWord, blockTileEach}})
	a.SubImm(blockLeft, 0)
	a.JumpIf(asm.NotEqual, nextBlock)
	t.store(a)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// word multiplies by the integers of a vector of words.
func (t blockTile) word(a *asm.Asm) {
	raw, number, element := t.spare(0), t.spare(panelVectors), t.spare(2*panelVectors)
	for v := range panelVectors {
		a.M(asm.MOVUPS, t.width, raw+asm.Vec(v), 0, asm.At(blockFrom, int32(v*t.width.Bytes())))
	}
	for i := range 32 / t.bits {
		for v := range panelVectors {
			n := number + asm.Vec(v)
			t.integer(a, n, raw+asm.Vec(v), i)
			a.M(asm.MULPS, t.width, n, n, t.scaleOf(v))
			if t.unsigned {
				a.M(asm.ADDPS, t.width, n, n, t.minimumOf(v))
			}
		}
		for r := range t.rows {
			from := rowAt(r, blockStep)
			from.Disp = int32(4 * i)
			a.M(asm.BROADCASTSS, t.width, element, 0, from)
			for v := range panelVectors {
				a.R(asm.FMADDPS[2], t.width, t.sum(r, v), number+asm.Vec(v), element)
			}
		}
	}
}

// store stores the sums, or adds them.
func (t blockTile) store(a *asm.Asm) {
	load(a, []field{{bases[0], blockTileC}, {blockStep, blockTileCRow}})
	pointBases(a, t.rows, blockStep)
	replaces := a.NewLabel()
	at := func(r, v int) asm.Mem {
		to := rowAt(r, blockStep)
		to.Disp = int32(v * t.width.Bytes())
		return to
	}
	a.CmpMemImm(asm.At(asm.RDI, blockTileAdd), 0)
	a.JumpIf(asm.Equal, replaces)
	for r := range t.rows {
		for v := range panelVectors {
			a.M(asm.ADDPS, t.width, t.sum(r, v), t.sum(r, v), at(r, v))
		}
	}
	a.Bind(replaces)
	for r := range t.rows {
		for v := range panelVectors {
			a.M(asm.MOVUPSSt, t.width, t.sum(r, v), 0, at(r, v))
		}
	}
}
