package gguf

import (
	"encoding/binary"
	"math"

	"github.com/broadloom/broadloom/half"
)

// The formats of this file have blocks of 32 elements. A block of 4 or 5 bits has elements 0 to 15 in the lower halves
// of its last 16 bytes, and 16 to 31 in the upper halves.

// float16 is the number in the first two bytes.
func float16(b []byte) float32 { return half.Float16(binary.LittleEndian.Uint16(b)).Float32() }

// nibbles calls set with each element's index and 4 bits.
func nibbles(packed []byte, set func(i int, bits byte)) {
	for i, b := range packed {
		set(i, b&0x0f)
		set(i+len(packed), b>>4)
	}
}

// q4By0 decodes Q4_0: d·(q - 8).
func q4By0(b []byte, x []int8, scales []float32) {
	scales[0] = float16(b)
	nibbles(b[2:], func(i int, q byte) { x[i] = int8(q) - 8 })
}

// q4By1 decodes Q4_1: d·q + m.
func q4By1(b []byte, x []int8, scales, minima []float32) {
	scales[0], minima[0] = float16(b), float16(b[2:])
	nibbles(b[4:], func(i int, q byte) { x[i] = int8(q) })
}

// q5By0 decodes Q5_0: d·(q - 16). The fifth bits of all elements come before the others.
func q5By0(b []byte, x []int8, scales []float32) {
	fifth := binary.LittleEndian.Uint32(b[2:])
	scales[0] = float16(b)
	nibbles(b[6:], func(i int, q byte) { x[i] = int8(q) + int8(fifth>>i&1)<<4 - 16 })
}

// q5By1 decodes Q5_1: d·q + m.
func q5By1(b []byte, x []int8, scales, minima []float32) {
	fifth := binary.LittleEndian.Uint32(b[4:])
	scales[0], minima[0] = float16(b), float16(b[2:])
	nibbles(b[8:], func(i int, q byte) { x[i] = int8(q) + int8(fifth>>i&1)<<4 })
}

// q8By0 decodes Q8_0: d·q.
func q8By0(b []byte, x []int8, scales []float32) {
	scales[0] = float16(b)
	for i, q := range b[2:] {
		x[i] = int8(q)
	}
}

// unevenLevels are the 16 levels of IQ4_NL and IQ4_XS, which are dense near 0 (kvalues_iq4nl of ggml-common.h).
var unevenLevels = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// iq4NL decodes IQ4_NL: d·level(q).
func iq4NL(b []byte, x []int8, scales []float32) {
	scales[0] = float16(b)
	nibbles(b[2:], func(i int, q byte) { x[i] = unevenLevels[q] })
}

// fp4Levels are twice the numbers of FP4 E2M1 (OCP Microscaling Formats, version 1.0).
var fp4Levels = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

// mxfp4 decodes MXFP4: numbers of FP4 times 2^(e - 127).
func mxfp4(b []byte, x []int8, scales []float32) {
	scales[0] = float32(math.Ldexp(1, int(b[0])-128)) // half, since the levels are doubled
	nibbles(b[1:], func(i int, q byte) { x[i] = fp4Levels[q] })
}
