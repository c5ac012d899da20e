package main

import "github.com/broadloom/broadloom/kernels/amd64/asm"

// interleaving is code that puts elements of rows of B that are multiplied together side by side, in words of 32 bits.
type interleaving struct {
	name, doc string
	rows      int     // of a word
	size      uint8   // of an element
	widen     *asm.Op // to 16 bits; nil where they have the size already
}

var (
	unpackBytes = [2]*asm.Op{asm.PUNPCKLBW, asm.PUNPCKHBW}
	unpackWords = [2]*asm.Op{asm.PUNPCKLWD, asm.PUNPCKHWD}

	interleavings = []interleaving{
		{"interleaveBytes", "makes words of four rows of bytes", 4, 1, nil},
		{"interleaveSigned", "makes words of two rows of signed bytes", 2, 1, asm.PMOVSXBW},
		{"interleaveUnsigned", "makes words of two rows of unsigned bytes", 2, 1, asm.PMOVZXBW},
		{"interleaveWords", "makes words of two rows of 16 bits", 2, 2, nil},
	}
)

// The fields of interleaveArgs, by offset.
const (
	interleaveRows    = 0
	interleaveOffsets = 16
	interleavePieces  = 8
	interleavePiece   = 24
	interleaveFrom    = 32
	interleaveTo      = 40
	interleaveToRow   = 48
)

// code makes rows of words of pieces of a register's width:
//
//	for r := range rows {
//		for p := range pieces {
//			for i := range n {
//				to[r][p.to+i] = word(from[offsets[0]+p.from+i], from[offsets[1]+p.from+i], …)
//			}
//		}
//		offsets = offsets[rows of a word:]
//	}
//
// n is 16 where words are of bytes, else 8. Offsets and places count elements.
func (t interleaving) code() []byte {
	a := &asm.Asm{}
	const w = asm.W128
	const rows, offsets, from, to, toRow = asm.RAX, asm.RSI, asm.R8, asm.RDX, asm.R9
	const pieces, piece, x, y = asm.RCX, asm.R10, asm.RBX, asm.R11
	row := []asm.Reg{asm.R12, asm.R13, asm.R14, asm.R15}[:t.rows]
	load(a, []field{{rows, interleaveRows}, {offsets, interleaveOffsets}, {from, interleaveFrom}, {to, interleaveTo}, {toRow, interleaveToRow}})
	nextRow := a.Here()
	for i, r := range row {
		a.MovLoad(x, asm.At(offsets, int32(i)*offsetBytes))
		a.Lea(r, asm.Indexed(from, x, t.size, 0))
	}
	load(a, []field{{pieces, interleavePieces}, {piece, interleavePiece}})
	next := a.Here()
	a.MovLoad(x, asm.At(piece, 0))
	a.MovLoad(y, asm.At(piece, 8))
	list := make([]asm.Vec, t.rows)
	for i, r := range row {
		list[i] = asm.Vec(i)
		if m := asm.Indexed(r, x, t.size, 0); t.widen != nil {
			a.M(t.widen, w, list[i], 0, m)
		} else {
			a.M(asm.MOVUPS, w, list[i], 0, m)
		}
	}
	if t.rows == 4 {
		halves(a, 4, 0, 1, unpackBytes) // of the first two rows, in registers 4 and 5
		halves(a, 6, 2, 3, unpackBytes)
		halves(a, 8, 4, 6, unpackWords)
		halves(a, 10, 5, 7, unpackWords)
		list = []asm.Vec{8, 9, 10, 11}
	} else {
		halves(a, 4, 0, 1, unpackWords)
		list = []asm.Vec{4, 5}
	}
	for i, v := range list {
		a.M(asm.MOVUPSSt, w, v, 0, asm.Indexed(to, y, wordBytes, int32(i*w.Bytes())))
	}
	a.AddImm(piece, 16)
	a.SubImm(pieces, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Add(to, toRow)
	a.AddImm(offsets, int32(t.rows)*offsetBytes)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, nextRow)
	a.Return()
	return finish(a)
}

// halves interleaves the low halves of two registers, and the high ones into the register behind.
func halves(a *asm.Asm, to, x, y asm.Vec, unpack [2]*asm.Op) {
	for i, op := range unpack {
		a.R(op, asm.W128, to+asm.Vec(i), x, y)
	}
}

// widening is code that makes words of 16 bits of bytes.
type widening struct {
	name, doc string
	op        *asm.Op
}

var widenings = []widening{
	{"widenSigned", "makes 16 bits of each signed byte", asm.PMOVSXBW},
	{"widenUnsigned", "makes 16 bits of each unsigned byte", asm.PMOVZXBW},
}

// code widens sixteen elements at a time.
func (t widening) code() []byte {
	a := &asm.Asm{}
	const groups, from, to = asm.RAX, asm.RSI, asm.RDX
	load(a, []field{{groups, 0}, {from, 8}, {to, 16}})
	next := a.Here()
	a.M(t.op, asm.W256, 0, 0, asm.At(from, 0))
	a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.At(to, 0))
	a.AddImm(from, 16)
	a.AddImm(to, 32)
	a.SubImm(groups, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Zeroupper()
	a.Return()
	return finish(a)
}
