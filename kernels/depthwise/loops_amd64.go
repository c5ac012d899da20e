package depthwise

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

//go:generate go run ./gen

// ofMachine has the loops by instruction set.
var ofMachine = map[cpu.ISA]*loops{
	cpu.Portable: &plain,
	cpu.AVX2:     {8, convAVX2, sumsAVX2, copyInPieces, splitInPieces, joinInPieces, nil},
	cpu.AVX512:   {16, convAVX512, sumsAVX512, copyInPieces, splitInPieces, joinInPieces, directAVX512},
}

// chosen returns the loops of the instruction set that is in use.
func chosen() *loops { return ofMachine[cpu.Chosen()] }

// masks begins with the words of a piece of 16 elements that are all set, and ends with as many that are clear.
var masks = func() (m [32]uint32) {
	for i := range 16 {
		m[i] = ^uint32(0)
	}
	return m
}()

// cut says how many pieces of some elements a row has, and which elements of the last one.
func (a *moveArgs) cut(piece int) {
	a.pieces = (a.n - 1) / piece
	a.mask = unsafe.Pointer(&masks[16-(a.n-a.pieces*piece)])
}

func copyInPieces(a *moveArgs) {
	a.cut(8)
	copyRows(a)
}

func splitInPieces(a *moveArgs) {
	a.cut(16)
	splitRows(a)
}

func joinInPieces(a *moveArgs) {
	a.cut(16)
	joinRows(a)
}
