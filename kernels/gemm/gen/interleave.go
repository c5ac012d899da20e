package main

import "github.com/broadloom/broadloom/kernels/asm"

// interleaving is code that packs elements of rows of B that are multiplied together into words of 32 bits.
type interleaving struct {
	name, doc  string
	rows       int     // of a word
	size       uint8   // of an element
	widen      *asm.Op // to 16 bits; nil where they have the size already
	everyOther bool    // of bytes: elements of a piece lie two apart
}

var (
	unpackBytes = [2]*asm.Op{asm.PUNPCKLBW, asm.PUNPCKHBW}
	unpackWords = [2]*asm.Op{asm.PUNPCKLWD, asm.PUNPCKHWD}

	interleavings = []interleaving{
		{"interleaveBytes", "makes words of four rows of bytes", 4, 1, nil, false},
		{"interleaveOtherBytes", "makes words of every other byte of four rows", 4, 1, nil, true},
		{"interleaveSigned", "makes words of two rows of signed bytes", 2, 1, asm.PMOVSXBW, false},
		{"interleaveUnsigned", "makes words of two rows of unsigned bytes", 2, 1, asm.PMOVZXBW, false},
		{"interleaveWords", "makes words of two rows of 16 bits", 2, 2, nil, false},
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

// code packs rows of words from pieces as wide as a register:
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
// n is 16 if words have bytes, else 8; for every other element, it is from[… + 2*i]. Offsets and places count elements.
func (t interleaving) code() []byte {
	a := asm.New(asm.AMD64)
	const w = asm.W128
	const rows, offsets, from, to, toRow = asm.RAX, asm.RSI, asm.R8, asm.RDX, asm.R9
	const pieces, piece, x, y = asm.RCX, asm.R10, asm.RBX, asm.R11
	row := []asm.Reg{asm.R12, asm.R13, asm.R14, asm.R15}[:t.rows]
	const low, other = asm.Vec(15), asm.Vec(14)
	if t.everyOther {
		a.MovImm(x, 0x00ff00ff00ff00ff)
		a.R(asm.MOVQ, w, low, 0, asm.Vec(x))
		a.R(asm.PBROADCASTQ, w, low, 0, low)
	}
	load(a, []field{{rows, interleaveRows}, {offsets, interleaveOffsets}, {from, interleaveFrom}, {to, interleaveTo},
		{toRow, interleaveToRow}})
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
		switch m := asm.Indexed(r, x, t.size, 0); {
		case t.everyOther:
			a.M(asm.ANDPS, w, list[i], low, m)
			a.M(asm.ANDPS, w, other, low, asm.Indexed(r, x, t.size, int32(w.Bytes())))
			a.R(asm.PACKUSWB, w, list[i], list[i], other)
		case t.widen != nil:
			a.M(t.widen, w, list[i], 0, m)
		default:
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

// halves interleaves the low halves of two registers, and the high ones into the next register.
func halves(a *asm.Asm, to, x, y asm.Vec, unpack [2]*asm.Op) {
	for i, op := range unpack {
		a.R(op, asm.W128, to+asm.Vec(i), x, y)
	}
}

// widening is code that widens bytes to words of 16 bits.
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
	a := asm.New(asm.AMD64)
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

// The fields of panelArgs, by offset.
const (
	panelRows    = 0
	panelFrom    = 8
	panelFromRow = 16
	panelTo      = 24
)

// interleavePanel packs words of 32 columns from rows that are some bytes apart, four at a time. Rows of words are
// contiguous.
func interleavePanel() []byte {
	a := asm.New(asm.AMD64)
	const w = asm.W256
	const rows, from, step, thrice, to = asm.RAX, asm.RSI, asm.R8, asm.R9, asm.RDX
	load(a, []field{{rows, panelRows}, {from, panelFrom}, {step, panelFromRow}, {to, panelTo}})
	a.Lea(thrice, asm.Indexed(step, step, 2, 0))
	a.Align(32)
	next := a.Here()
	list := quads(a, w, 0, func(i int32) asm.Mem { return rowOn(from, i, step, thrice, 0) })
	for i, v := range list {
		a.M(asm.MOVUPSSt, asm.W128, v, 0, asm.At(to, int32(16*i)))
		a.M(asm.EXTRACTF128, w, v, 0, asm.At(to, int32(64+16*i)), 1)
	}
	a.Lea(from, asm.Indexed(from, step, 4, 0))
	a.AddImm(to, 32*wordBytes)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Zeroupper()
	a.Return()
	return finish(a)
}

// quads packs the bytes of four rows into words in eight registers, from one on. The registers that it returns have, in
// each lane, the words of four columns after those of four others.
func quads(a *asm.Asm, w asm.Width, first asm.Vec, row func(int32) asm.Mem) []asm.Vec {
	x, y := first, first+4
	for i := range asm.Vec(4) {
		a.M(asm.MOVUPS, w, x+i, 0, row(int32(i)))
	}
	for i := range asm.Vec(2) {
		a.R(asm.PUNPCKLBW, w, y+2*i, x+2*i, x+2*i+1)
		a.R(asm.PUNPCKHBW, w, y+2*i+1, x+2*i, x+2*i+1)
	}
	for i := range asm.Vec(2) {
		a.R(asm.PUNPCKLWD, w, x+2*i, y+i, y+2+i)
		a.R(asm.PUNPCKHWD, w, x+2*i+1, y+i, y+2+i)
	}
	return []asm.Vec{x, x + 1, x + 2, x + 3}
}

// copyTurned copies groups of 32 bytes with their highest bits flipped: an unsigned byte less 128 becomes a signed one.
func copyTurned() []byte {
	a := asm.New(asm.AMD64)
	const groups, from, to = asm.RAX, asm.RSI, asm.RDX
	const w = asm.W256
	load(a, []field{{groups, 0}, {from, 8}, {to, 16}})
	a.MovImm(asm.RCX, 0x8080808080808080)
	a.R(asm.MOVQ, asm.W128, 1, 0, asm.Vec(asm.RCX))
	a.R(asm.PBROADCASTQ, w, 1, 0, 1)
	next := a.Here()
	a.M(asm.XORPS, w, 0, 1, asm.At(from, 0))
	a.M(asm.MOVUPSSt, w, 0, 0, asm.At(to, 0))
	a.AddImm(from, 32)
	a.AddImm(to, 32)
	a.SubImm(groups, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Zeroupper()
	a.Return()
	return finish(a)
}
