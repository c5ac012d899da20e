package main

import "github.com/broadloom/broadloom/kernels/amd64"

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
	a := &amd64.Asm{}
	const rows, offsets, from, to, toRow = amd64.RAX, amd64.RSI, amd64.R8, amd64.RDX, amd64.R9
	const row, pieces, piece, x, y = amd64.R10, amd64.RCX, amd64.R11, amd64.RBX, amd64.R12
	load(a, []field{{rows, argRows}, {offsets, argOffsets}, {from, argPiecesFrom}, {to, argPiecesTo}, {toRow, argPiecesToRow}})
	scale := uint8(e.size)
	nextRow := a.Here()
	a.MovLoad(x, amd64.At(offsets, 0))
	a.Lea(row, amd64.Indexed(from, x, scale, 0))
	a.MovLoad(pieces, amd64.At(amd64.RDI, argPieces))
	a.MovLoad(piece, amd64.At(amd64.RDI, argPiece))
	next := a.Here()
	a.MovLoad(x, amd64.At(piece, 0))
	a.MovLoad(y, amd64.At(piece, 8))
	a.M(amd64.MOVUPS, amd64.W256, 0, 0, amd64.Indexed(row, x, scale, 0))
	if step == 2 {
		a.M(amd64.MOVUPS, amd64.W256, 1, 0, amd64.Indexed(row, x, scale, 32))
		a.R(amd64.PERM2F128, amd64.W256, 2, 0, 1, 0x20)
		a.R(amd64.PERM2F128, amd64.W256, 1, 0, 1, 0x31)
		if e.size == 4 {
			a.R(amd64.SHUFPS, amd64.W256, 0, 2, 1, 0x88)
		} else {
			a.R(amd64.UNPCKLPD, amd64.W256, 0, 2, 1)
		}
	}
	a.M(amd64.MOVUPSSt, amd64.W256, 0, 0, amd64.Indexed(to, y, scale, 0))
	a.AddImm(piece, 16)
	a.SubImm(pieces, 1)
	a.JumpIf(amd64.NotEqual, next)
	a.Add(to, toRow)
	a.AddImm(offsets, 8)
	a.SubImm(rows, 1)
	a.JumpIf(amd64.NotEqual, nextRow)
	a.Zeroupper()
	a.Return()
	return finish(a)
}
