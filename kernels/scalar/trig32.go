package scalar

import "math"

// The sine and cosine of float32 are computed in float64. The angle is brought to turns
// by a product with 1/2π in pieces of 24 bits, which is exact piece by piece; whole turns
// drop out however large the angle is.

// Turns is the pieces of 1/2π: together they are good to 2^-192.
var Turns = [...]float64{0x28be60p-24, 0xdb9391p-48, 0x54a7fp-72, 0x9d5f4p-96, 0x7d4d37p-120,
	0x7036d8p-144, 0xa5664fp-168, 0x10e410p-192}

// Coefficients of (sin(t) - t)/t³ and (cos(t) - 1)/t² in powers of t², the series, for
// |t| <= π/4; highest power first.
var (
	SinPoly = [...]float64{-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6}
	CosPoly = [...]float64{1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2}
)

// Sin32 is sin(x), within 2 ulp: within 0.51 but where a large angle is close to a multiple of π.
func Sin32(x float32) float32 {
	if x == 0 {
		return x // keeps -0
	}
	return wave32(x, 0)
}

// Cos32 is cos(x), within 2 ulp, as Sin32 is.
func Cos32(x float32) float32 { return wave32(x, 1) }

// wave32 is sin(x + quarters·π/2).
func wave32(x float32, quarters uint64) float32 {
	turn := 0.0
	for _, p := range Turns {
		u := float64(x) * p
		turn += u - math.RoundToEven(u)
	}
	quarter := 4 * turn
	k := quarter + Magic64
	t := float64((quarter - (k - Magic64)) * (math.Pi / 2))
	square := float64(t * t)
	y := math.FMA(float64(square*t), poly64(square, SinPoly[:]), t)
	q := math.Float64bits(k) + quarters
	if q&1 != 0 {
		y = math.FMA(square, poly64(square, CosPoly[:]), 1)
	}
	return float32(math.Float64frombits(math.Float64bits(y) ^ q<<62&(1<<63)))
}
