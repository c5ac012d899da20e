package scalar

import "math"

// LogPoly64 is the coefficients of 2/3 + 2/5·z + 2/7·z² + …, highest power first. With s = f/(2+f) and z = s², log(1+f)
// is f - f²/2 + s·(f²/2 + z·poly(z)), with an error of 1e-17 for 1+f from sqrt(1/2) to sqrt(2).
var LogPoly64 = [...]float64{2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5,
	2.0 / 3}

// Constants that split a number's bits into mantissa and exponent.
const (
	SqrtHalf64 = 0x3fe6a09e667f3bcd // the bits of sqrt(1/2)
	LogShift64 = 1023<<52 - SqrtHalf64
	TwoTo52    = 1 << 52
)

// splitLog64 splits x = m·2^e with m from sqrt(1/2) to sqrt(2). scale is 2^-e.
func splitLog64(x float64) (m, e, scale float64) {
	k := math.Float64bits(x) + LogShift64
	m = math.Float64frombits(k&(1<<52-1) + SqrtHalf64)
	e = math.Float64frombits(k>>52|0x433<<52) - (TwoTo52 + 1023)
	return m, e, math.Float64frombits(2046<<52 - k&^(1<<52-1))
}

// logTail64 returns f - log(1+f) - low.
func logTail64(f, low float64) float64 {
	s := f / (2 + f)
	z := s * s
	half := float64(0.5 * f * f)
	return half - math.FMA(s, math.FMA(z, poly64(z, LogPoly64[:]), half), low)
}

func logSpecial64(x, r float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case !(x <= math.MaxFloat64):
		return x
	}
	return r
}

func normal64(x float64) (y, grown float64) {
	if x < 0x1p-1022 {
		return x * (1 << 54), -54
	}
	return x, 0
}

// Log64 is log(x), within 1 ulp.
func Log64(x float64) float64 {
	y, grown := normal64(x)
	m, e, _ := splitLog64(y)
	e += grown
	f := m - 1
	r := math.FMA(e, Ln2Hi64, f-logTail64(f, e*Ln2Lo64))
	return logSpecial64(x, r)
}

// Log264 is the logarithm of x to base 2, within 2 ulp.
func Log264(x float64) float64 {
	y, grown := normal64(x)
	m, e, _ := splitLog64(y)
	f := m - 1
	r := math.FMA(f-logTail64(f, 0), Log2E64, e+grown)
	return logSpecial64(x, r)
}

// Log10(e), and log10(2) in two parts, as in float32.
const (
	Log10E64     = 1 / math.Ln10
	Log10Of2Hi64 = 0x1.34413509f6p-2
	Log10Of2Lo64 = 0x1.9fef311f12b36p-42
)

// Log1064 is the logarithm of x to base 10, within 2 ulp; for powers of ten it is an integer.
func Log1064(x float64) float64 {
	y, grown := normal64(x)
	m, e, _ := splitLog64(y)
	e += grown
	f := m - 1
	r := math.FMA(e, Log10Of2Hi64, math.FMA(f-logTail64(f, 0), Log10E64, float64(e*Log10Of2Lo64)))
	return logSpecial64(x, r)
}

// Log1pBig64 is where adding 1 to x no longer matters for log1p(x).
const Log1pBig64 = 1 << 60

// Log1p64 is log(1+x), within 2 ulp.
func Log1p64(x float64) float64 {
	u := 1 + x
	whole := u - 1
	lost := float64(1-(u-whole)) + float64(x-whole)
	m, e, scale := splitLog64(u)
	if x > Log1pBig64 {
		scale = 0
	}
	f := math.FMA(lost, scale, m-1)
	r := math.FMA(e, Ln2Hi64, f-logTail64(f, e*Ln2Lo64))
	r = math.Float64frombits(math.Float64bits(r) | math.Float64bits(x)&(1<<63)) // keeps -0
	return logSpecial64(u, r)
}

// The error function is x + x·P(x²) below 1 and 1 - exp(x·Q(x)) above, up to ErfMax64, where it is 1, with an error of
// 2^-62 of itself. Highest powers come first.
var (
	ErfSmall64 = [...]float64{0x1.0579aa3690b02p-34, -0x1.386ac08ee7744p-30, 0x1.f7a4121acae9bp-27,
		-0x1.5f1d36c04d858p-23,
		0x1.b9def19db4abbp-20, -0x1.f4d1df3946616p-17, 0x1.f9a321a11d908p-14, -0x1.c02db3d8ed224p-11,
		0x1.565bcd0db02e3p-8,
		-0x1.b82ce3128499cp-6, 0x1.ce2f21a042b2p-4, -0x1.812746b0379e6p-2, 0x1.06eba8214db69p-3}
	ErfLarge64 = [...]float64{-0x1.c4925e1fa6ee6p-43, 0x1.5df5fa308d0f4p-37, -0x1.fe0ad7be8c49p-33,
		0x1.d1a3eadf683acp-29,
		-0x1.2a6920423dfffp-25, 0x1.1cd1560d0cdap-22, -0x1.a239e796851e9p-20, 0x1.df44fbed71b9p-18,
		-0x1.aab1fa851066bp-16,
		0x1.1c27299ce7074p-14, -0x1.ead66cc5903f3p-14, 0x1.10e678c58f9f6p-15, 0x1.1a1e84612695cp-11,
		-0x1.b30bd8f80e676p-10,
		0x1.8ce5e866e313ep-13, 0x1.39886e3c71231p-6, -0x1.a4f74b3d4f842p-4, -0x1.45f2f92f0681p-1, -0x1.20dd7596098cbp+0}
)

// ErfMax64 is where the error function is 1.
const ErfMax64 = 6

// Erf64 is the error function of x, within 1.5 ulp.
func Erf64(x float64) float64 {
	t := math.Abs(x)
	if t < 1 {
		return math.FMA(poly64(float64(x*x), ErfSmall64[:]), x, x)
	}
	t = atMost64(ErfMax64, t)
	k, r := reduce64(float64(poly64(t, ErfLarge64[:])*t), 1023)
	e := math.FMA(poly64(r, ExpPoly64[:]), r, 1)
	y := math.FMA(-e, math.Float64frombits(k<<52), 1)
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&(1<<63))
}
