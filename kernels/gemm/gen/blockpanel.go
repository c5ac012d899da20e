package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of blockPanelArgs, by offset.
const (
	blockPanelBlocks = 0
	blockPanelWords  = 8
	blockPanelFrom   = 16
	blockPanelTo     = 24
	blockPanelScales = 32
	blockPanelMinima = 40
	blockPanelLevels = 48
)

// blockPanel is the code that makes a panel of float32 of words, each of which has consecutive integers of a column:
//
//	for b := range blocks {
//		for w := range words {
//			for i := range 32/bits {
//				to[b][w][i][c] = scales[b][c] * float32(from[b][w][c].integer(i)) + minima[b][c]
//			}
//		}
//	}
//
// A row has the columns of a panel, which are two vectors.
type blockPanel struct {
	laneSums // for its machine and its integers
}

// panelVectors is the number of vectors of a row.
const panelVectors = 2

// blockPanels writes the loops of a machine for panels.
func (m machine) blockPanels(add func(name, args, doc string, code []byte)) {
	for _, ints := range allBlockInts {
		add("blockPanel"+ints.String()+m.name, "blockPanelArgs", "makes a panel of float32 of words of "+ints.dtype(),
			blockPanel{laneSums{m, ints, 1}}.code())
	}
}

func (t blockPanel) code() []byte {
	a := asm.New(arch)
	const blocks, words, from, to, scales, minima = asm.RAX, asm.RCX, asm.RSI, asm.RDX, asm.R8, asm.R9
	const raw, scale, minimum, number = asm.Vec(0), asm.Vec(2), asm.Vec(4), asm.Vec(6)
	bytes := int32(t.width.Bytes())
	row := panelVectors * bytes
	load(a, []field{{blocks, blockPanelBlocks}, {from, blockPanelFrom}, {to, blockPanelTo}, {scales, blockPanelScales}})
	if t.unsigned {
		load(a, []field{{minima, blockPanelMinima}})
	}
	if t.looksUp() {
		load(a, []field{{words, blockPanelLevels}})
		a.M(asm.MOVUPS, t.width, laneLevels, 0, asm.At(words, 0))
	}
	nextBlock := a.Here()
	load(a, []field{{words, blockPanelWords}})
	for v := range asm.Vec(panelVectors) {
		a.M(asm.MOVUPS, t.width, scale+v, 0, asm.At(scales, int32(v)*bytes))
		if t.unsigned {
			a.M(asm.MOVUPS, t.width, minimum+v, 0, asm.At(minima, int32(v)*bytes))
		}
	}
	nextWord := a.Here()
	for v := range asm.Vec(panelVectors) {
		a.M(asm.MOVUPS, t.width, raw+v, 0, asm.At(from, int32(v)*bytes))
	}
	for i := range 32 / t.bits {
		for v := range asm.Vec(panelVectors) {
			t.integer(a, number+v, raw+v, i)
			a.R(asm.MULPS, t.width, number+v, number+v, scale+v)
			if t.unsigned {
				a.R(asm.ADDPS, t.width, number+v, number+v, minimum+v)
			}
			a.M(asm.MOVUPSSt, t.width, number+v, 0, asm.At(to, int32(i)*row+int32(v)*bytes))
		}
	}
	a.AddImm(from, row)
	a.AddImm(to, int32(32/t.bits)*row)
	a.SubImm(words, 1)
	a.JumpIf(asm.NotEqual, nextWord)
	a.AddImm(scales, row)
	if t.unsigned {
		a.AddImm(minima, row)
	}
	a.SubImm(blocks, 1)
	a.JumpIf(asm.NotEqual, nextBlock)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// integer makes numbers of one of the integers of words.
func (t blockPanel) integer(a *asm.Asm, number, raw asm.Vec, i int) {
	shift := byte(i * t.bits)
	if t.looksUp() { // the lower 4 bits of a word are an index
		if i > 0 {
			a.R(asm.PSRLD, t.width, 0, number, raw, shift)
			raw = number
		}
		a.R(asm.PERMPS, t.width, number, raw, laneLevels)
		return
	}
	last := byte(32 - t.bits)
	if shift < last {
		a.R(asm.PSLLD, t.width, 0, number, raw, last-shift)
		raw = number
	}
	a.R(t.shiftRight(), t.width, 0, number, raw, last)
	a.R(asm.CVTDQ2PS, t.width, number, 0, number)
}
