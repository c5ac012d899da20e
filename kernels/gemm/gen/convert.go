package main

import "github.com/broadloom/broadloom/kernels/asm"

// conversion converts elements of 16 bits to float32.
type conversion struct{ name, doc string }

var conversions = []conversion{{"F16", "float16"}, {"BF16", "bfloat16"}}

// load converts as many elements as a register of float32 has.
func (t conversion) load(a *asm.Asm, to asm.Vec, from asm.Mem) {
	if t.name == "F16" {
		a.M(asm.CVTPH2PS, asm.W256, to, 0, from)
		return
	}
	a.M(asm.PMOVZXWD, asm.W256, to, 0, from)
	a.R(asm.PSLLD, asm.W256, 0, to, to, 16)
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
	t.load(a, 0, asm.At(from, 0))
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
