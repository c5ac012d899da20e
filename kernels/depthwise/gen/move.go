package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of moveArgs, by offset.
const (
	argMovePlanes = 0
	argRows       = 8
	argFrom       = 24
	argNext       = 32
	argFromRows   = 40
	argFromPlane  = 48
	argTo         = 56
	argToRow      = 64
	argToPlane    = 72
	argOther      = 80
	argPieces     = 88
	argMask       = 96
	argFromNow    = 104
	argNextNow    = 112
	argToNow      = 120
)

// Registers of code that copies rows. The elements of the other phase are some bytes after those of the first.
const (
	moveRows  = asm.RAX
	moveFrom  = asm.RSI
	moveNext  = asm.R13
	moveStep  = asm.R8
	moveTo    = asm.RDX
	moveToRow = asm.RBX
	moveMask  = asm.RCX
	moveOther = asm.R9
	pieceFrom = asm.R10
	pieceTo   = asm.R11
	pieces    = asm.R12
)

// piece copies some elements of a row. Of the last piece it copies those whose mask is set, and writes zeros for the
// others.
type piece func(a *asm.Asm, isLast bool)

// move is the code that copies rows of planes piece by piece. Even rows come from one place, and odd ones from another.
func move(piece piece) *asm.Asm {
	a := asm.New(arch)
	begin(a, argFrom, argFromNow)
	begin(a, argNext, argNextNow)
	begin(a, argTo, argToNow)
	load(a, moveStep, argFromRows, moveToRow, argToRow, moveMask, argMask)
	plane := a.Here()
	load(a, moveRows, argRows, moveFrom, argFromNow, moveNext, argNextNow, moveTo, argToNow, moveOther, argOther)
	nextRow, last, next := a.Here(), a.NewLabel(), a.NewLabel()
	a.Mov(pieceFrom, moveFrom)
	a.Mov(pieceTo, moveTo)
	a.MovLoad(pieces, asm.At(asm.RDI, argPieces))
	a.Bind(next)
	a.SubImm(pieces, 1)
	a.JumpIf(asm.Less, last)
	piece(a, false)
	a.Jump(next)
	a.Bind(last)
	piece(a, true)
	a.Add(moveFrom, moveStep)
	a.Mov(pieceFrom, moveFrom)
	a.Mov(moveFrom, moveNext)
	a.Mov(moveNext, pieceFrom)
	a.Add(moveTo, moveToRow)
	a.SubImm(moveRows, 1)
	a.JumpIf(asm.NotEqual, nextRow)
	advance(a, argFromPlane, argFromNow, argNextNow)
	advance(a, argToPlane, argToNow)
	a.Dec(asm.At(asm.RDI, argMovePlanes))
	a.JumpIf(asm.NotEqual, plane)
	return a
}

const ymmBytes = 32

// loadPiece loads elements; of the last piece, those of a mask.
func loadPiece(a *asm.Asm, to asm.Vec, number int32, isLast bool) {
	from := asm.At(pieceFrom, number*ymmBytes)
	if !isLast {
		a.M(asm.MOVUPS, asm.W256, to, 0, from)
		return
	}
	const mask = asm.Vec(7)
	a.M(asm.MOVUPS, asm.W256, mask, 0, asm.At(moveMask, number*ymmBytes))
	a.M(asm.MASKMOVPS, asm.W256, to, mask, from)
}

// copyPiece copies eight elements.
func copyPiece(a *asm.Asm, isLast bool) {
	loadPiece(a, 0, 0, isLast)
	a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.At(pieceTo, 0))
	a.AddImm(pieceFrom, ymmBytes)
	a.AddImm(pieceTo, ymmBytes)
}

// splitPiece copies the even elements of sixteen, and the odd ones.
func splitPiece(a *asm.Asm, isLast bool) {
	loadPiece(a, 0, 0, isLast)
	loadPiece(a, 1, 1, isLast)
	a.R(asm.PERM2F128, asm.W256, 2, 0, 1, 0x20)
	a.R(asm.PERM2F128, asm.W256, 3, 0, 1, 0x31)
	for i, to := range []asm.Mem{asm.At(pieceTo, 0), asm.Indexed(pieceTo, moveOther, 1, 0)} {
		a.R(asm.SHUFPS, asm.W256, 0, 2, 3, []byte{0x88, 0xdd}[i])
		a.M(asm.MOVUPSSt, asm.W256, 0, 0, to)
	}
	a.AddImm(pieceFrom, 2*ymmBytes)
	a.AddImm(pieceTo, ymmBytes)
}

// joinPiece interleaves eight even elements and eight odd ones.
func joinPiece(a *asm.Asm, _ bool) {
	a.M(asm.MOVUPS, asm.W256, 0, 0, asm.At(pieceFrom, 0))
	a.M(asm.MOVUPS, asm.W256, 1, 0, asm.Indexed(pieceFrom, moveOther, 1, 0))
	a.R(asm.UNPCKLPS, asm.W256, 2, 0, 1)
	a.R(asm.UNPCKHPS, asm.W256, 3, 0, 1)
	for i, half := range []byte{0x20, 0x31} {
		a.R(asm.PERM2F128, asm.W256, 0, 2, 3, half)
		a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.At(pieceTo, int32(i*ymmBytes)))
	}
	a.AddImm(pieceFrom, ymmBytes)
	a.AddImm(pieceTo, 2*ymmBytes)
}
