package scalar

import (
	"math"
	"unsafe"
)

// The functions of this file are exact or correctly rounded in both types: computing a float32 in float64 changes no
// result.

// single reports whether T is a float32.
func single[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

// AbsFloat clears the sign.
func AbsFloat[T Float](x T) T { return T(math.Abs(float64(x))) }

// Sqrt is the correctly rounded square root.
func Sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// Floor is the greatest integer not above x.
func Floor[T Float](x T) T { return T(math.Floor(float64(x))) }

// Ceil is the least integer not below x.
func Ceil[T Float](x T) T { return T(math.Ceil(float64(x))) }

// Round is the nearest integer; of two, the even one.
func Round[T Float](x T) T { return T(math.RoundToEven(float64(x))) }

// Trunc is x without its fraction.
func Trunc[T Float](x T) T { return T(math.Trunc(float64(x))) }

// RemFloat is Python's remainder: fmod with the sign of the divisor.
func RemFloat[T Float](x, y T) T {
	r := T(math.Mod(float64(x), float64(y)))
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// FloorDivFloat is Python's floor division, as PyTorch computes it: the quotient
// that belongs to [RemFloat], rounded to an integer.
func FloorDivFloat[T Float](x, y T) T {
	if y == 0 {
		return x / y
	}
	r := T(math.Mod(float64(x), float64(y)))
	q := T(x-r) / y
	if r != 0 && (r < 0) != (y < 0) {
		q--
	}
	if q == 0 {
		return T(math.Copysign(0, float64(x)/float64(y)))
	}
	n := Floor(q)
	if q-n > 0.5 {
		n++
	}
	return n
}

// FMA64 is x*y + z, rounded once.
func FMA64(x, y, z float64) float64 { return math.FMA(x, y, z) }

// FMA32 is x*y + z, rounded once. The product is exact in float64; the sum is first rounded to float64.
func FMA32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if RoundsTwice(s) {
		s = SumToOdd(p, c)
	}
	return float32(s)
}

// RoundsTwice reports whether rounding a sum to float32 may go wrong because it has been rounded before: it is a tie or
// has fewer bits in float32 than usual.
func RoundsTwice(s float64) bool { return RoundsTwiceBit(s)>>63 != 0 }

// RoundsTwiceBit is RoundsTwice as the highest bit of a number, so that one test covers many numbers.
func RoundsTwiceBit(s float64) uint64 {
	b := math.Float64bits(s)
	return ((b&(1<<29-1) ^ 1<<28) - 1) | (b&^(1<<63) - (1023-126)<<52)
}

// SumToOdd is p + c rounded to odd: rounding it again to float32 gives the same as rounding the exact sum.
func SumToOdd(p, c float64) float64 {
	s := p + c
	// Knuth's two-sum: e is the rounding error of s, or NaN if s is not finite.
	t := s - p
	e := (p - (s - t)) + (c - t)
	if b := math.Float64bits(s); e != 0 && e == e && b&1 == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return s
}

// poly32 is a polynomial of x, evaluated with FMA32; the coefficient of the highest
// power comes first.
func poly32(x float32, coefficients []float32) float32 {
	p := coefficients[0]
	for _, c := range coefficients[1:] {
		product, c := float64(p)*float64(x), float64(c)
		s := product + c
		if RoundsTwice(s) {
			s = SumToOdd(product, c)
		}
		p = float32(s)
	}
	return p
}
