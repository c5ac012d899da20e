package main

import "github.com/broadloom/broadloom/kernels/asm"

// The fields of piecesArgs, by offset.
const (
	argRows        = 0
	argPieces      = 8
	argOffsets     = 16
	argPiece       = 24
	argPiecesFrom  = 32
	argPiecesTo    = 40
	argPiecesToRow = 48
)

// copyPieces is the code that copies rows made up of pieces of 32 bytes:
//
//	for r := range rows {
//		for p := range pieces {
//			to[r][p.to:] = from[offsets[r]+p.from:]
//		}
//	}
//
// Offsets and places count elements. With a step of 2, a piece is every other element.
func (e element) copyPieces(step int) []byte {
	return e.movePieces(step, uint8(e.size), func(a *asm.Asm, to asm.Vec, from asm.Mem) {
		a.M(asm.MOVUPS, asm.W256, to, 0, from)
	})
}

// pieces is the same code for elements of 16 bits, which are converted to float32.
func (t conversion) pieces(step int) []byte {
	return elements[0].movePieces(step, 2, func(a *asm.Asm, to asm.Vec, from asm.Mem) {
		t.load(a, asm.W256, to, from)
	})
}

// movePieces is the code for elements of a size; loadPiece loads a register of them.
func (e element) movePieces(step int, size uint8, loadPiece func(a *asm.Asm, to asm.Vec, from asm.Mem)) []byte {
	a := asm.New(arch)
	const rows, offsets, from, to, toRow = asm.RAX, asm.RSI, asm.R8, asm.RDX, asm.R9
	const row, pieces, piece, x, y = asm.R10, asm.RCX, asm.R11, asm.RBX, asm.R12
	load(a, []field{{rows, argRows}, {offsets, argOffsets}, {from, argPiecesFrom}, {to, argPiecesTo},
		{toRow, argPiecesToRow}})
	scale := uint8(e.size)
	nextRow := a.Here()
	a.MovLoad(x, asm.At(offsets, 0))
	a.Lea(row, asm.Indexed(from, x, size, 0))
	a.MovLoad(pieces, asm.At(asm.RDI, argPieces))
	a.MovLoad(piece, asm.At(asm.RDI, argPiece))
	next := a.Here()
	a.MovLoad(x, asm.At(piece, 0))
	a.MovLoad(y, asm.At(piece, 8))
	loadPiece(a, 0, asm.Indexed(row, x, size, 0))
	if step == 2 {
		loadPiece(a, 1, asm.Indexed(row, x, size, 32/e.size*int32(size)))
		a.R(asm.PERM2F128, asm.W256, 2, 0, 1, 0x20)
		a.R(asm.PERM2F128, asm.W256, 1, 0, 1, 0x31)
		if e.size == 4 {
			a.R(asm.SHUFPS, asm.W256, 0, 2, 1, 0x88)
		} else {
			a.R(asm.UNPCKLPD, asm.W256, 0, 2, 1)
		}
	}
	a.M(asm.MOVUPSSt, asm.W256, 0, 0, asm.Indexed(to, y, scale, 0))
	a.AddImm(piece, 16)
	a.SubImm(pieces, 1)
	a.JumpIf(asm.NotEqual, next)
	a.Add(to, toRow)
	a.AddImm(offsets, 8)
	a.SubImm(rows, 1)
	a.JumpIf(asm.NotEqual, nextRow)
	a.Zeroupper()
	a.Return()
	return finish(a)
}
