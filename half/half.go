// Package half has the floating-point types of 16 and of 8 bits, as values to feed and to read: half.go those of 16
// bits, float8.go those of 8.
//
// [Float16] is IEEE 754's binary16: 11 bits of precision, numbers from 6e-8 to 65,504. [BFloat16] is the upper half of
// a float32: its range, with 8 bits of precision. Both convert to float32 exactly, and from it by rounding to the
// nearest value, half to even. A number too large becomes infinite; a NaN stays one, quiet, with the upper bits of its
// payload.
//
// No arithmetic is defined on them: convert, compute in float32, and convert back, as programs do.
package half

import (
	"math"
	"strconv"
)

// Float16 is an IEEE 754 binary16 number, by its bits.
type Float16 uint16

// BFloat16 is the upper half of an IEEE 754 binary32 number, by its bits.
type BFloat16 uint16

// NewFloat16 rounds a number to a Float16, half to even.
func NewFloat16(v float32) Float16 {
	bits := math.Float32bits(v)
	sign, rest := Float16(bits>>16&0x8000), bits&0x7fffffff
	switch {
	case rest > 0x7f800000: // no number
		return sign | 0x7e00 | Float16(rest>>13&0x3ff)
	case rest >= 0x477ff000: // 65,520, which lies half way beyond the greatest, and more
		return sign | 0x7c00
	case rest < 0x38800000: // below 2^-14, the normal range
		// The sum with 1/2 has the result in its last bits: it is rounded at 2^-24.
		return sign | Float16(math.Float32bits(math.Float32frombits(rest)+0.5)-math.Float32bits(0.5))
	}
	rest -= (127 - 15) << 23
	return sign | Float16((rest+0xfff+rest>>13&1)>>13)
}

// Float32 returns the number, exactly.
func (h Float16) Float32() float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // zero or below the normal range
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*(1.0/(1<<24))))
	case 31: // infinite or no number
		if fraction != 0 {
			fraction |= 0x200 // quiet
		}
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// String formats the number with the digits that tell it from its neighbours.
func (h Float16) String() string { return format(h.Float32(), 5) }

// NewBFloat16 rounds a number to a BFloat16, half to even.
func NewBFloat16(v float32) BFloat16 {
	bits := math.Float32bits(v)
	if bits&0x7fffffff > 0x7f800000 { // no number
		return BFloat16(bits>>16 | 0x40)
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the number, exactly.
func (h BFloat16) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// String formats the number with the digits that tell it from its neighbours.
func (h BFloat16) String() string { return format(h.Float32(), 4) }

func format(v float32, digits int) string { return strconv.FormatFloat(float64(v), 'g', digits, 32) }

// ToFloat16 rounds numbers to Float16.
func ToFloat16(values []float32) []Float16 { return each(values, NewFloat16) }

// ToBFloat16 rounds numbers to BFloat16.
func ToBFloat16(values []float32) []BFloat16 { return each(values, NewBFloat16) }

// ToFloat32 returns the numbers as float32, exactly.
func ToFloat32[T Float16 | BFloat16 | Float8E4M3FN | Float8E5M2](values []T) []float32 {
	switch values := any(values).(type) {
	case []Float16:
		return each(values, Float16.Float32)
	case []BFloat16:
		return each(values, BFloat16.Float32)
	case []Float8E4M3FN:
		return each(values, Float8E4M3FN.Float32)
	}
	return each(any(values).([]Float8E5M2), Float8E5M2.Float32)
}

func each[A, B any](values []A, f func(A) B) []B {
	out := make([]B, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}
