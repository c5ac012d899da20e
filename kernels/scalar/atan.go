package scalar

import "math"

// The two parts of π in each type.
const (
	Pi32   = 0x1.921fb6p+1
	PiLo32 = -0x1.777a5cp-24
	Pi64   = 0x1.921fb54442d18p+1
	PiLo64 = 0x1.1a62633145c07p-53
)

// AtanPoly32 and AtanPoly64 have the coefficients of (atan(q) - q)/q³ in powers of q² for 0 <= q <= 1, with errors of
// 2^-28 and 2^-60 of atan(q); highest power first.
var (
	AtanPoly32 = [...]float32{-0x1.d62fbp-10, 0x1.65a63cp-7, -0x1.fed144p-6, 0x1.dac9d8p-5, -0x1.58348ep-4,
		0x1.c099fep-4, -0x1.2421b6p-3, 0x1.9991fep-3, -0x1.55553ep-2}
	AtanPoly64 = [...]float64{-0x1.2262d1e229576p-17, 0x1.b3ab476fbf8d8p-14, -0x1.36d8969b8b3bdp-11,
		0x1.1a0329ebd1948p-9,
		-0x1.6fd012fd7d94p-8, 0x1.72db358dc1ca2p-7, -0x1.30f989c5d253dp-6, 0x1.ac77fb7428d89p-6, -0x1.0c9402d05ec43p-5,
		0x1.39044e58a0acep-5, -0x1.5f2421bb07f07p-5, 0x1.84b45028c8c43p-5, -0x1.aeda52333bdbdp-5, 0x1.e1d4872d8a9bcp-5,
		-0x1.1110326b17d09p-4, 0x1.3b139bcefdfe8p-4, -0x1.745d15d03b3bdp-4, 0x1.c71c71b629b09p-4, -0x1.2492492456ae4p-3,
		0x1.9999999998c28p-3, -0x1.555555555554dp-2}
)

// Atan2 is the angle of the point (y, x), from -π to π, within 2 ulp.
func Atan2[T Float](y, x T) T {
	if x != x || y != y {
		return T(math.NaN())
	}
	a, b := AbsFloat(x), AbsFloat(y)
	q := min(a, b) / max(a, b)
	if a == b { // zeros and infinities too
		q = T(Truth(b != 0))
	}
	angle := atan(q)
	pi, piLo := T(Pi64), T(PiLo64)
	if single[T]() {
		pi, piLo = Pi32, T(PiLo32)
	}
	if a < b {
		angle = pi/2 - (angle - piLo/2)
	}
	if math.Signbit(float64(x)) {
		angle = pi - (angle - piLo)
	}
	return T(math.Copysign(float64(angle), float64(y)))
}

// atan is the angle whose tangent is q, from 0 to 1.
func atan[T Float](q T) T {
	z := T(q * q)
	if single[T]() {
		x := float32(q)
		return T(FMA32(float32(poly32(float32(z), AtanPoly32[:])*float32(z)), x, x))
	}
	x := float64(q)
	return T(math.FMA(float64(poly64(float64(z), AtanPoly64[:])*float64(z)), x, x))
}
