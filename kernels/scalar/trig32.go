package scalar

import "math"

// The sine and cosine of float32 reduce the angle x to k·π/2 + r with |r| <= π/4 (a bit more, for large angles) in two
// parts, as those of float64 do. Angles from [BigAngle32] on are reduced in float64: a product with 1/2π in pieces of
// 24 bits is exact piece by piece, and whole turns drop out however large the angle is.

// The constants of sine and cosine of float32.
const (
	TwoOverPi32 = 0x1.45f306p-1
	PiHalf32    = 0x1.921fb6p+0
	PiHalf2At32 = -0x1.777a5cp-25 // π/2 - PiHalf32
	PiHalf3At32 = -0x1.ee59dap-50
	BigAngle32  = 1 << 17
)

// Turns is the pieces of 1/2π: together they have an error of 2^-192.
var Turns = [...]float64{0x28be60p-24, 0xdb9391p-48, 0x54a7fp-72, 0x9d5f4p-96, 0x7d4d37p-120,
	0x7036d8p-144, 0xa5664fp-168, 0x10e410p-192}

// Coefficients of (sin(r) - r)/r³ and (cos(r) - 1 + r²/2)/r⁴ in powers of r², with errors of 2^-27 and 2^-32 for |r| <=
// π/4; highest power first.
var (
	SinPoly = [...]float32{-0x1.9951eap-13, 0x1.110774p-7, -0x1.555546p-3}
	CosPoly = [...]float32{0x1.99e80cp-16, -0x1.6c0c28p-10, 0x1.55554ap-5}
)

// Sin32 is sin(x), within 1.7 ulp.
func Sin32(x float32) float32 {
	if x == 0 {
		return x // keeps -0
	}
	return wave32(x, 0)
}

// Cos32 is cos(x), within 1.5 ulp.
func Cos32(x float32) float32 { return wave32(x, 1) }

// wave32 is sin(x + quarters·π/2).
func wave32(x float32, quarters uint32) float32 {
	k, r, low := reduceAngle32(x)
	square := float32(r * r)
	q := math.Float32bits(k+Magic32) + quarters
	var y float32
	if q&1 == 0 {
		y = r + FMA32(float32(square*r), poly32(square, SinPoly[:]), low)
	} else {
		half := float32(0.5 * square)
		whole := 1 - half
		lost := float32(1-whole) - half
		y = whole + FMA32(float32(square*square), poly32(square, CosPoly[:]), float32(lost-float32(r*low)))
	}
	return math.Float32frombits(math.Float32bits(y) ^ q<<30&(1<<31))
}

// reduceAngle32 splits x = k·π/2 + r + low, up to whole turns.
func reduceAngle32(x float32) (k, r, low float32) {
	if AbsFloat(x) >= BigAngle32 {
		return reduceBig32(x)
	}
	k = FMA32(x, TwoOverPi32, Magic32) - Magic32
	near := FMA32(-k, PiHalf32, x)
	part := float32(k * PiHalf2At32)
	r, low = twoSum(near, -part)
	return k, r, float32(low - FMA32(k, PiHalf3At32, FMA32(k, PiHalf2At32, -part)))
}

// reduceBig32 is reduceAngle32 for large x.
func reduceBig32(x float32) (k, r, low float32) {
	turn := 0.0
	for _, p := range Turns {
		u := float64(x) * p
		turn += u - math.RoundToEven(u)
	}
	quarter := 4 * turn
	whole := math.RoundToEven(quarter)
	t := float64((quarter - whole) * (math.Pi / 2))
	r = float32(t)
	return float32(whole), r, float32(t - float64(r))
}
