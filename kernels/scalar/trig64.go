package scalar

import "math"

// The sine and cosine of float64 reduce the angle x to k·π/2 + r with |r| <= π/4 (a bit more, for large angles) in two
// parts. A fused multiply-add gives x - k·PiHalf exactly, since the difference has so few bits. Below [BigAngle] two
// more parts of π/2 correct the error of PiHalf. Larger angles are multiplied by 1/2π in pieces, as those of float32
// are.

// The constants of sine and cosine.
const (
	TwoOverPi = 0x1.45f306dc9c883p-1
	PiHalf    = 0x1.921fb54442d18p+0
	PiHalf2   = 0x1.1a62633145c07p-54 // π/2 - PiHalf
	PiHalf3   = -0x1.f1976b7ed8fbcp-110
	BigAngle  = 1 << 40
	AngleDown = 0x1p-400 // brings large angles to where no product of pieces is lost
)

// Turns64 is the pieces of 1/2π, of 53 bits each, divided by [AngleDown].
var Turns64 = [...]float64{0x1.45f306dc9c882p+397, 0x1.4a7f09d5f47d4p+344, 0x1.a6ee06db14accp+291,
	0x1.3c439041fe516p+238,
	0x1.d5ef5de2b0db8p+183, 0x1.2371d2126e97p+131, 0x1.924bba82746p+72, 0x1.21cfe1deb1cb1p+26, 0x1.4d39f74411af8p-29,
	0x1.4baed1213a671p-80, 0x1.8135a2fbf209cp-133, 0x1.91d639835339fp-186, 0x1.272117e2ef7e4p-240,
	0x1.41d8ffc4bffeep-293,
	0x1.02cc07f79788cp-345, 0x1.6b414da3eda6cp-399, 0x1.fb3c9f2c26dd2p-452, 0x1.d18fd9a797fa8p-504,
	0x1.6ba93dd63f5f2p-557,
	0x1.f17b3d0739f78p-610, 0x1.4a525d4d7f6bfp-663, 0x1.88fc6ae842bp-717}

// Coefficients of (sin(r) - r)/r³ and (cos(r) - 1 + r²/2)/r⁴ in powers of r², with errors of 2^-58 and 2^-64 for |r| <=
// π/4; highest power first.
var (
	SinPoly64 = [...]float64{0x1.5d9246c354ac3p-33, -0x1.ae5e63cd753dfp-26, 0x1.71de3574ba68bp-19,
		-0x1.a01a019c0e4c6p-13,
		0x1.111111110f861p-7, -0x1.5555555555549p-3}
	CosPoly64 = [...]float64{-0x1.8fadd4bdb1471p-37, 0x1.1ee9ea77ebb39p-29, -0x1.27e4f807ec319p-22,
		0x1.a01a019caf1cap-16,
		-0x1.6c16c16c15165p-10, 0x1.555555555554cp-5}
)

// Sin64 is sin(x), within 1.5 ulp.
func Sin64(x float64) float64 {
	if x == 0 {
		return x // keeps -0
	}
	return wave64(x, 0)
}

// Cos64 is cos(x), within 1.5 ulp.
func Cos64(x float64) float64 { return wave64(x, 1) }

// wave64 is sin(x + quarters·π/2).
func wave64(x float64, quarters uint64) float64 {
	k, r, low := reduceAngle(x)
	square := r * r
	var y float64
	if q := math.Float64bits(k+Magic64) + quarters; q&1 == 0 {
		y = r + math.FMA(float64(square*r), poly64(square, SinPoly64[:]), low)
		y = math.Float64frombits(math.Float64bits(y) ^ q<<62&(1<<63))
	} else {
		half := 0.5 * square
		whole := 1 - half
		lost := float64(1-whole) - half
		tail := math.FMA(float64(square*square), poly64(square, CosPoly64[:]), float64(lost-float64(r*low)))
		y = math.Float64frombits(math.Float64bits(whole+tail) ^ q<<62&(1<<63))
	}
	return y
}

// reduceAngle splits x = k·π/2 + r + low, up to whole turns.
func reduceAngle(x float64) (k, r, low float64) {
	if math.Abs(x) >= BigAngle {
		return reduceBig(x)
	}
	k = math.FMA(x, TwoOverPi, Magic64) - Magic64
	near := math.FMA(-k, PiHalf, x)
	part := float64(k * PiHalf2)
	r, low = twoSum(near, -part)
	return k, r, low - math.FMA(k, PiHalf3, math.FMA(k, PiHalf2, -part))
}

// twoSum returns the rounded sum of x and y and its rounding error (Knuth).
func twoSum[T Float](x, y T) (s, lost T) {
	s = x + y
	z := s - x
	return s, T(x-(s-z)) + T(y-z)
}

// reduceBig is reduceAngle for large x. The whole turns of each product are dropped; the rest is added up in three
// parts, since up to 62 of the leading bits may cancel.
func reduceBig(x float64) (k, r, low float64) {
	var sum, second, third float64
	x *= AngleDown
	for _, piece := range Turns64 {
		high := float64(x * piece)
		for _, v := range [2]float64{high, math.FMA(x, piece, -high)} {
			v -= math.RoundToEven(v)
			sum, v = twoSum(sum, v)
			second, v = twoSum(second, v)
			third += v
		}
	}
	sum = 4 * (sum - math.RoundToEven(sum))
	k = math.RoundToEven(sum)
	sum, second = twoSum(sum-k, 4*second)
	turn := sum + (second + float64(4*third))
	r = turn * PiHalf
	return k, r, math.FMA(turn, PiHalf2, math.FMA(turn, PiHalf, -r))
}
