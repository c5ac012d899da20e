//go:build amd64 || arm64

package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/scalar"
)

//go:generate go run ./gen

var simd32, simd64 = choose(cpu.Chosen())

// simdOf returns the loops for a type of elements, or nil.
func simdOf[T scalar.Number]() *simdTiles {
	autotune()
	var v T
	switch any(v).(type) {
	case float32:
		return simd32
	case float64:
		return simd64
	}
	return nil
}

// moves adds the loops that transpose, copy and convert to those for float32 and float64.
func (v *simdTiles) moves(f64 *simdTiles) {
	v.transposers = append(v.transposers, transposer{32, transposeF32}, transposer{16, transposeSmallF32})
	v.copyPieces = [maxStep + 1]func(*piecesArgs){1: copyPiecesF32, 2: copyPieces2F32}
	v.convert = [2]func(*convertArgs){convertF16, convertBF16}
	v.convertScaled = [blockTypes]func(*scaledArgs){convertInt8, convertInt4, convertUint8, convertUint4}
	v.convertPieces = [2][maxStep + 1]func(*piecesArgs){
		{1: convertPiecesF16, 2: convertPieces2F16}, {1: convertPiecesBF16, 2: convertPieces2BF16}}
	f64.transposers = append(f64.transposers, transposer{32, transposeF64}, transposer{16, transposeSmallF64})
	f64.copyPieces = [maxStep + 1]func(*piecesArgs){1: copyPiecesF64, 2: copyPieces2F64}
}

// Masks for vectors of up to 32 bytes: all bits of an active lane are set. A window on them begins so that n lanes are
// active.
var (
	lanes4 [32]uint32
	lanes8 [16]uint64
)

func init() {
	for i := range 16 {
		lanes4[i] = 0xffffffff
	}
	for i := range 8 {
		lanes8[i] = 1<<64 - 1
	}
}

func lanes32(n int) unsafe.Pointer { return unsafe.Pointer(&lanes4[16-n]) }
func lanes64(n int) unsafe.Pointer { return unsafe.Pointer(&lanes8[8-n]) }
