package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of joinArgs, by offset.
const (
	joinRows    = 0
	joinGroups  = 8
	joinFrom    = 16
	joinFromRow = 24
	joinSecond  = 32
	joinTo      = 40
	joinToRow   = 48
	joinLeast   = 56
)

// join packs the upper halves of two float32, which are bfloat16, into a word: the first one becomes the upper half.
// They are elements of two rows or, with columns, neighbours in a row.
//
//	for r := range rows {
//		for g := range 16*groups { // or 8
//			to[r][g] = first(r, g)>>16<<16 | second(r, g)>>16
//			least = min(least, magnitude(first) - 1, magnitude(second) - 1) // as integers of 16 bits without a sign, in each lane
//		}
//	}
func join(columns bool) []byte {
	a := asm.New(asm.AMD64)
	const w = asm.W512
	const rows, groups, from, to, second = asm.RAX, asm.RCX, asm.RSI, asm.RDX, asm.RBX
	const fromRow, toRow, source, target, least = asm.R8, asm.R9, asm.R10, asm.R11, asm.R12
	const upper, magnitude, ones, smallest, x, y = asm.Vec(0), asm.Vec(1), asm.Vec(2), asm.Vec(3), asm.Vec(4),
		asm.Vec(5)
	load(a, []field{{rows, joinRows}, {source, joinFrom}, {fromRow, joinFromRow}, {target, joinTo}, {toRow, joinToRow},
		{second, joinSecond}, {least, joinLeast}})
	constant := func(v asm.Vec, bits uint64) {
		a.MovImm(asm.RCX, bits)
		a.R(asm.MOVQ, asm.W128, v, 0, asm.Vec(asm.RCX))
		a.R(asm.PBROADCASTQ, w, v, 0, v)
	}
	if columns {
		constant(upper, 0x00000000ffff0000)
	} else {
		constant(upper, 0xffff0000ffff0000)
	}
	constant(magnitude, 0x7fff7fff7fff7fff)
	constant(ones, 0x0001000100010001)
	a.M(asm.MOVUPS, w, smallest, 0, asm.At(least, 0))
	step := int32(64)
	if columns {
		step = 32
	}
	nextRow := a.Here()
	load(a, []field{{groups, joinGroups}})
	a.Mov(from, source)
	a.Mov(to, target)
	next := a.Here()
	if columns {
		a.M(asm.MOVUPS, w, y, 0, asm.At(from, 0))
		a.R(asm.ANDPS, w, x, y, upper)
		a.R(asm.PSRLQ, w, 0, y, y, 48)
		a.R(asm.ORPS, w, x, x, y)
		a.R(asm.PMOVQD, w, x, 0, x)
	} else {
		a.M(asm.ANDPS, w, x, upper, asm.At(from, 0))
		a.M(asm.MOVUPS, w, y, 0, asm.Indexed(from, second, 1, 0))
		a.R(asm.PSRLD, w, 0, y, y, 16)
		a.R(asm.ORPS, w, x, x, y)
	}
	stored := w
	if columns {
		stored = asm.W256
	}
	a.M(asm.MOVUPSSt, stored, x, 0, asm.At(to, 0))
	a.R(asm.ANDPS, w, x, x, magnitude)
	a.R(asm.PSUBW, w, x, x, ones)
	a.R(asm.PMINUW, w, smallest, smallest, x)
	a.AddImm(from, 64)
	a.AddImm(to, step)
	a.SubImm(groups, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Add(source, fromRow)
	a.Add(target, toRow)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, nextRow)
	a.M(asm.MOVUPSSt, w, smallest, 0, asm.At(least, 0))
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// pairs is words of two bfloat16 as elements of a tile: an instruction adds both products of two words to a sum, first
// that of the upper halves.
var pairs = element{"BF16Pairs", 4, asm.DPBF16PS, nil, asm.ADDPS, asm.BROADCASTSS, asm.MASKMOVPS, asm.MASKMOVPSSt,
	asm.MOVUPS, asm.MOVUPSSt}
