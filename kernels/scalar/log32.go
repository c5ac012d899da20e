package scalar

import "math"

// LogPoly has the coefficients of (log(1+f) - f + f²/2) / f³ for 1+f from sqrt(1/2) to
// sqrt(2), highest power first.
var LogPoly = [...]float32{-0x1.38c916p-4, 0x1.056652p-3, -0x1.0d86eep-3, 0x1.22d8cep-3, -0x1.5471fap-3, 0x1.99a016p-3,
	-0x1.000228p-2, 0x1.555554p-2}

// SqrtHalf32 is the bits of sqrt(1/2).
const SqrtHalf32 = 0x3f3504f3

// splitLog32 splits x = m·2^e with m from sqrt(1/2) to sqrt(2).
func splitLog32(x float32) (m float32, e int32) {
	k := math.Float32bits(x) - SqrtHalf32
	return math.Float32frombits(k&(1<<23-1) + SqrtHalf32), int32(k) >> 23
}

// logTail32 returns log(1+f) - f + low.
func logTail32(f, low float32) float32 {
	p := poly32(f, LogPoly[:])
	square := f * f
	return FMA32(-0.5, square, FMA32(float32(p*f), square, low))
}

// logSpecial32 corrects the logarithm r of x if x is 0, negative, infinite or NaN.
func logSpecial32(x, r float32) float32 {
	switch {
	case x < 0:
		return float32(math.NaN())
	case x == 0:
		return float32(math.Inf(-1))
	case !(x <= math.MaxFloat32):
		return x
	}
	return r
}

// normal32 scales a denormal x to a normal number and returns by how much its exponent has grown.
func normal32(x float32) (y, grown float32) {
	if x < 0x1p-126 {
		return x * (1 << 23), -23
	}
	return x, 0
}

// Log32 is log(x), within 1 ulp.
func Log32(x float32) float32 {
	y, grown := normal32(x)
	m, exponent := splitLog32(y)
	e, f := float32(exponent)+grown, m-1
	r := FMA32(e, Ln2Hi32, f+logTail32(f, e*Ln2Lo32))
	return logSpecial32(x, r)
}

// Log232 is the logarithm of x to base 2, within 2 ulp.
func Log232(x float32) float32 {
	y, grown := normal32(x)
	m, exponent := splitLog32(y)
	f := m - 1
	r := FMA32(f+logTail32(f, 0), Log2E32, float32(exponent)+grown)
	return logSpecial32(x, r)
}

// Log10(e), and log10(2) in two parts. The first has so few bits that its multiples are exact.
const (
	Log10E32     = 0x1.bcb7b2p-2
	Log10Of2Hi32 = 0x1.344p-2
	Log10Of2Lo32 = 0x1.3509f8p-18
)

// Log1032 is the logarithm of x to base 10, within 2 ulp. For powers of ten, rounded to float32, it is an integer: the
// terms added to the multiple of log10(2) are much smaller, and so are their errors.
func Log1032(x float32) float32 {
	y, grown := normal32(x)
	m, exponent := splitLog32(y)
	e, f := float32(exponent)+grown, m-1
	r := FMA32(e, Log10Of2Hi32, FMA32(f+logTail32(f, 0), Log10E32, e*Log10Of2Lo32))
	return logSpecial32(x, r)
}

// Log1pBig is where adding 1 to x no longer matters for log1p(x).
const Log1pBig = 1 << 27

// Log1p32 is log(1+x), within 1.5 ulp. The rounding error of 1+x is added later.
func Log1p32(x float32) float32 {
	u := 1 + x
	whole := u - 1
	lost := float32(1-(u-whole)) + float32(x-whole)
	m, exponent := splitLog32(u)
	e := float32(exponent)
	scale := math.Float32frombits(0x3f800000 - uint32(exponent)<<23) // 2^-exponent
	if x > Log1pBig {
		scale = 0 // might be no number
	}
	f := FMA32(lost, scale, m-1)
	r := FMA32(e, Ln2Hi32, f+logTail32(f, e*Ln2Lo32))
	r = math.Float32frombits(math.Float32bits(r) | math.Float32bits(x)&(1<<31)) // keeps -0
	return logSpecial32(u, r)
}

// The error function is 1 - 2^(x·Q(x)) up to ErfMax, and 1 from there on. ErfPower has the coefficients of Q, ErfExp2
// those of (2^r - 1)/r for |r| <= 0.5, with errors of 2^-27.9 and 2^-26.5 of the result. Highest powers come first.
var (
	ErfPower = [...]float32{0x1.c00fa8p-17, -0x1.63eadep-13, 0x1.dea90ep-11, -0x1.3b39e2p-9, 0x1.e53e7p-13,
		0x1.c4b928p-6,
		-0x1.2fabe2p-3, -0x1.d63ec4p-1, -0x1.a0be84p+0}
	ErfExp2 = [...]float32{0x1.4308fep-13, 0x1.5f07b4p-10, 0x1.3b2bap-7, 0x1.c6af6ep-5, 0x1.ebfbdep-3, 0x1.62e43p-1}
)

// ErfMax is where the error function is rounded to 1.
const ErfMax = 3.921875

// Erf32 is the error function of x, within 2.7 ulp. With the exponent split into an integer n and a rest r, it is (1 -
// 2^n) - 2^n·(2^r - 1): near 0, where n is 0, nothing cancels.
func Erf32(x float32) float32 {
	t := atMost(ErfMax, AbsFloat(x))
	power := float32(poly32(t, ErfPower[:]) * t)
	const magic = Magic32 + 127
	k := power + magic
	n := k - magic
	r, scale := power-n, math.Float32frombits(math.Float32bits(k)<<23)
	y := FMA32(-poly32(r, ErfExp2[:]), float32(r*scale), 1-scale)
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&(1<<31)) // keeps -0
}
