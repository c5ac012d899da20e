package half

import "math"

// Float8E4M3FN is a floating-point number of 8 bits, by its bits: a sign, 4 bits of exponent and 3 of fraction. It has
// numbers from 2^-9 to 448, and no infinity: what rounds to more is NaN.
type Float8E4M3FN uint8

// Float8E5M2 is a floating-point number of 8 bits, by its bits: a sign, 5 bits of exponent and 2 of fraction, as the
// upper half of a Float16. It has numbers from 2^-16 to 57,344, and infinities.
type Float8E5M2 uint8

// float8 is the form of a format of 8 bits.
type float8 struct {
	fraction, bias uint32
	limit          float32 // which is NaN or infinite, as is all above
	infinite, nan  uint8
}

var (
	e4m3fn = float8{3, 7, 480, 0x7f, 0x7f}
	e5m2   = float8{2, 15, 65536, 0x7c, 0x7f}
)

// encode rounds half to even.
func (f float8) encode(v float32) uint8 {
	bits := math.Float32bits(v)
	sign, rest := uint8(bits>>24&0x80), math.Float32frombits(bits&0x7fffffff)
	switch {
	case v != v:
		return sign | f.nan
	case rest >= f.limit:
		return sign | f.infinite
	case rest < math.Float32frombits((128-f.bias)<<23): // below the normal range
		// The sum with a power of 2 whose last bit counts the least number has the result in its last bits.
		power := (151 - f.bias - f.fraction) << 23
		return sign | uint8(math.Float32bits(rest+math.Float32frombits(power))-power)
	}
	drop := 23 - f.fraction
	bits = math.Float32bits(rest) - (127-f.bias)<<23
	return sign | uint8((bits+1<<(drop-1)-1+bits>>drop&1)>>drop)
}

// decode is exact. A NaN has the bits of its fraction, and is quiet.
func (f float8) decode(b uint8) float32 {
	sign, rest := uint32(b&0x80)<<24, uint32(b&0x7f)
	bits := rest<<(23-f.fraction) + (127-f.bias)<<23
	switch {
	case f.infinite < f.nan && rest > uint32(f.infinite): // no number
		return math.Float32frombits(sign | 0x7fc00000 | bits&0x7fffff)
	case rest == uint32(f.infinite) && f.infinite == f.nan:
		return math.Float32frombits(sign | 0x7fc00000)
	case rest == uint32(f.infinite):
		return math.Float32frombits(sign | 0x7f800000)
	case rest < 1<<f.fraction: // zero or below the normal range
		v := math.Float32frombits(bits+1<<23) - math.Float32frombits((128-f.bias)<<23)
		return math.Float32frombits(sign | math.Float32bits(v))
	}
	return math.Float32frombits(sign | bits)
}

// NewFloat8E4M3FN rounds a number to a Float8E4M3FN, half to even. More than 464, infinities among it, gives NaN.
func NewFloat8E4M3FN(v float32) Float8E4M3FN { return Float8E4M3FN(e4m3fn.encode(v)) }

// Float32 returns the number, exactly.
func (h Float8E4M3FN) Float32() float32 { return e4m3fn.decode(uint8(h)) }

// String formats the number with the digits that tell it from its neighbours.
func (h Float8E4M3FN) String() string { return format(h.Float32(), 3) }

// NewFloat8E5M2 rounds a number to a Float8E5M2, half to even. 61,440 and more is infinite.
func NewFloat8E5M2(v float32) Float8E5M2 { return Float8E5M2(e5m2.encode(v)) }

// Float32 returns the number, exactly.
func (h Float8E5M2) Float32() float32 { return e5m2.decode(uint8(h)) }

// String formats the number with the digits that tell it from its neighbours.
func (h Float8E5M2) String() string { return format(h.Float32(), 3) }

// ToFloat8E4M3FN rounds numbers to Float8E4M3FN.
func ToFloat8E4M3FN(values []float32) []Float8E4M3FN { return each(values, NewFloat8E4M3FN) }

// ToFloat8E5M2 rounds numbers to Float8E5M2.
func ToFloat8E5M2(values []float32) []Float8E5M2 { return each(values, NewFloat8E5M2) }
