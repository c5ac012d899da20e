package main

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/kernels/asm"
)

// conversion converts elements of 16 bits to float32.
type conversion struct{ name, doc string }

var conversions = []conversion{{"F16", "float16"}, {"BF16", "bfloat16"}}

// load converts as many elements as a register of float32 has.
func (t conversion) load(a *asm.Asm, width asm.Width, to asm.Vec, from asm.Mem) {
	if t.name == "F16" {
		a.M(asm.CVTPH2PS, width, to, 0, from)
		return
	}
	a.M(asm.PMOVZXWD, width, to, 0, from)
	a.R(asm.PSLLD, width, 0, to, to, 16)
}

// The fields of convertArgs, by offset.
const (
	convertRows    = 0
	convertGroups  = 8
	convertFrom    = 16
	convertFromRow = 24
	convertTo      = 32
	convertToRow   = 40
)

// code converts rows of groups of eight elements:
//
//	for r := range rows {
//		for g := range 8*groups {
//			to[r][g] = float32(from[r][g])
//		}
//	}
func (t conversion) code() []byte {
	a := asm.New(arch)
	const rows, groups, from, to = asm.RAX, asm.RCX, asm.RSI, asm.RDX
	const fromRow, toRow, source, target = asm.R8, asm.R9, asm.R10, asm.R11
	load(a, []field{{rows, convertRows}, {source, convertFrom}, {fromRow, convertFromRow}, {target, convertTo},
		{toRow, convertToRow}})
	nextRow := a.Here()
	load(a, []field{{groups, convertGroups}})
	a.Mov(from, source)
	a.Mov(to, target)
	next := a.Here()
	t.load(a, asm.W256, 0, asm.At(from, 0))
	a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.At(to, 0))
	a.AddImm(from, 16)
	a.AddImm(to, 32)
	a.SubImm(groups, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Add(source, fromRow)
	a.Add(target, toRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, nextRow)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// The fields of scaledArgs, by offset.
const (
	scaledRows      = 0
	scaledBlocks    = 8
	scaledGroups    = 16
	scaledFrom      = 24
	scaledFromRow   = 32
	scaledTo        = 40
	scaledToRow     = 48
	scaledScales    = 56
	scaledScalesRow = 64
	scaledPlaces    = 72
	scaledMinima    = 80
)

// blockInts are the integers of blocks. Those without signs have minima.
type blockInts struct {
	bits     int
	unsigned bool
}

var allBlockInts = []blockInts{{8, false}, {4, false}, {8, true}, {4, true}}

// String is what names of loops have.
func (i blockInts) String() string {
	if i.unsigned {
		return fmt.Sprintf("Uint%d", i.bits)
	}
	return fmt.Sprintf("Int%d", i.bits)
}

func (i blockInts) dtype() string { return strings.ToLower(i.String()) }

// widen converts bytes to words of 32 bits, and shiftRight moves their bits: with or without signs.
func (i blockInts) widen() *asm.Op {
	if i.unsigned {
		return asm.PMOVZXBD
	}
	return asm.PMOVSXBD
}

func (i blockInts) shiftRight() *asm.Op {
	if i.unsigned {
		return asm.PSRLD
	}
	return asm.PSRAD
}

// scaledCode converts rows of blocks of groups of eight integers of 8 or 4 bits:
//
//	for r := range rows {
//		for b := range blocks {
//			for g := range 8*groups {
//				to[r][b*8*groups+g] = scales[r][b] * float32(from[r][b*8*groups+g]) + minima[r][b]
//			}
//		}
//	}
func scaledCode(ints blockInts) []byte {
	a, bits := asm.New(arch), ints.bits
	const rows, blocks, groups, from, to, scale = asm.RAX, asm.RBX, asm.RCX, asm.RSI, asm.RDX, asm.R11
	const source, target, scales, step, minimum = asm.R8, asm.R9, asm.R10, asm.R12, asm.R13
	load(a, []field{{rows, scaledRows}, {source, scaledFrom}, {target, scaledTo}, {scales, scaledScales}})
	const places = asm.Vec(2)
	if bits == 4 {
		load(a, []field{{step, scaledPlaces}})
		a.M(asm.MOVUPS, asm.W256, places, 0, asm.At(step, 0))
	}
	if ints.unsigned { // minima have the steps of scales
		load(a, []field{{minimum, scaledMinima}})
		a.Sub(minimum, scales)
	}
	nextRow := a.Here()
	load(a, []field{{blocks, scaledBlocks}})
	a.Mov(from, source)
	a.Mov(to, target)
	a.Mov(scale, scales)
	nextBlock := a.Here()
	load(a, []field{{groups, scaledGroups}})
	a.M(asm.BROADCASTSS, asm.W256, 1, 0, asm.At(scale, 0))
	if ints.unsigned {
		a.M(asm.BROADCASTSS, asm.W256, 3, 0, asm.Indexed(scale, minimum, 1, 0))
	}
	next := a.Here()
	if bits == 4 { // each lane has all eight, and moves its own to the highest bits
		a.M(asm.PBROADCASTD, asm.W256, 0, 0, asm.At(from, 0))
		a.R(asm.PMULLD, asm.W256, 0, 0, places)
		a.R(ints.shiftRight(), asm.W256, 0, 0, 0, 28)
	} else {
		a.M(ints.widen(), asm.W256, 0, 0, asm.At(from, 0))
	}
	a.R(asm.CVTDQ2PS, asm.W256, 0, 0, 0)
	a.R(asm.MULPS, asm.W256, 0, 0, 1)
	if ints.unsigned {
		a.R(asm.ADDPS, asm.W256, 0, 0, 3)
	}
	a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.At(to, 0))
	a.AddImm(from, int32(bits))
	a.AddImm(to, 32)
	a.SubImm(groups, 1)
	a.JumpIf(asm.NotEqual, next)
	a.AddImm(scale, 4)
	a.SubImm(blocks, 1)
	a.JumpIf(asm.NotEqual, nextBlock)
	for _, row := range []field{{source, scaledFromRow}, {target, scaledToRow}, {scales, scaledScalesRow}} {
		load(a, []field{{step, row.at}})
		a.Add(row.r, step)
	}
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, nextRow)
	a.Zeroupper()
	a.Return()
	return finish(a)
}
