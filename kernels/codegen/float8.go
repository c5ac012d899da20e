package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// float8 is the format of a floating-point type of 8 bits. The steps are those of package half, on all lanes at once.
type float8 struct {
	fraction, bias uint32
	limit          float32 // which is NaN or infinite, as is all above
	infinite       uint64  // the bits of that
}

var float8s = map[rowprog.Type]float8{rowprog.F8E4M3: {3, 7, 480, 0x7f}, rowprog.F8E5M2: {2, 15, 65536, 0x7c}}

// float8NaN is the bits to which every NaN is converted.
const float8NaN = 0x7f

// least is the least normal number.
func (f float8) least() uint64 { return uint64(128-f.bias) << 23 }

// fromFloat8 converts lanes whose last 8 bits are elements, and whose other bits are 0, to numbers.
func (b *block) fromFloat8(t rowprog.Type, x vreg) vreg {
	f, w, i, cmp := float8s[t], b.width(4), rowprog.I32, float32Ops.cmp
	rest := b.shift(asm.PSLLD, w, b.either(asm.ANDPS, w, x, b.bits(i, 0x7f)), uint8(23-f.fraction))
	normal := b.either(asm.PADDD, w, rest, b.bits(i, uint64(127-f.bias)<<23))
	low := b.binary(asm.SUBPS, w, b.either(asm.PADDD, w, normal, b.bits(i, 1<<23)), b.bits(i, f.least()))
	y := b.choose(w, 4, b.binaryImm(cmp, w, normal, b.bits(i, f.least()), cmpLt), low, normal)
	limit := uint64(math.Float32bits(f.limit))
	if f.infinite == float8NaN {
		y = b.choose(w, 4, b.binaryImm(cmp, w, normal, b.bits(i, limit), cmpEq), b.bits(i, 0x7fc00000), y)
	} else {
		// Numbers from the limit on keep their fraction; only the limit itself is infinite.
		high := b.either(asm.ORPS, w, normal, b.bits(i, 0x7f800000))
		nan := b.either(asm.ORPS, w, high, b.bits(i, 0x400000))
		high = b.choose(w, 4, b.binaryImm(cmp, w, normal, b.bits(i, limit), cmpEq), high, nan)
		y = b.choose(w, 4, b.binaryImm(cmp, w, normal, b.bits(i, limit), cmpLt), y, high)
	}
	sign := b.shift(asm.PSLLD, w, b.either(asm.ANDPS, w, x, b.bits(i, 0x80)), 24)
	return b.either(asm.ORPS, w, y, sign)
}

// toFloat8 rounds numbers to elements, half to even, in the last 8 bits of their lanes.
func (b *block) toFloat8(t rowprog.Type, x vreg) vreg {
	f, w, i, cmp := float8s[t], b.width(4), rowprog.I32, float32Ops.cmp
	drop := uint8(23 - f.fraction)
	rest := b.either(asm.ANDPS, w, x, b.bits(i, 0x7fffffff))
	odd := b.either(asm.ANDPS, w, b.shift(asm.PSRLD, w, rest, drop), b.bits(i, 1))
	shifted := b.either(
		asm.PADDD, w, b.either(asm.PADDD, w, rest, b.bits(i, uint64(uint32(1<<(drop-1)-1)-(127-f.bias)<<23))), odd)
	y := b.shift(asm.PSRLD, w, shifted, drop)
	power := b.bits(i, uint64(151-f.bias-f.fraction)<<23) // the last bit of whose numbers counts the least number
	low := b.binary(asm.PSUBD, w, b.either(asm.ADDPS, w, rest, power), power)
	y = b.choose(w, 4, b.binaryImm(cmp, w, rest, b.bits(i, f.least()), cmpLt), low, y)
	y = b.choose(w, 4, b.binaryImm(cmp, w, rest, b.bits(i, uint64(math.Float32bits(f.limit))), cmpLt), y,
		b.bits(i, f.infinite))
	if f.infinite != float8NaN {
		y = b.choose(w, 4, b.binaryImm(cmp, w, x, x, cmpUnord), b.bits(i, float8NaN), y)
	}
	sign := b.either(asm.ANDPS, w, b.shift(asm.PSRLD, w, x, 24), b.bits(i, 0x80))
	return b.either(asm.ORPS, w, y, sign)
}

// roundedToFloat8 rounds numbers to those of a type, and keeps the elements for a store.
func (b *block) roundedToFloat8(t rowprog.Type, x vreg) vreg {
	e := b.toFloat8(t, x)
	y := b.fromFloat8(t, e)
	if b.elements == nil {
		b.elements = map[vreg]vreg{}
	}
	b.elements[y], b.rounds = e, true
	return y
}

// float8Of converts numbers to elements of a type.
func (b *block) float8Of(t rowprog.Type, x vreg) vreg {
	if e, known := b.elements[x]; known {
		return e
	}
	return b.toFloat8(t, x)
}
