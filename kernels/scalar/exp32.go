package scalar

import "math"

// The functions of this file and of log32.go compute in float32 with fused multiply-adds. Vector code carries out the
// same operations one for one, so all back ends give the same bits. Limiting an operand keeps a NaN.

// The constants of the functions; back ends take them from here.
const (
	Log2E32  = 0x1.715476p+0 // 1 / log(2)
	Ln2Hi32  = 0x1.62e4p-1   // log(2) in so few bits that its multiples are exact
	Ln2Lo32  = 0x1.7f7d1cp-20
	Ln2At32  = 0x1.62e430p-1 // log(2) where one part is enough
	Magic32  = 3 << 22       // adding it to a number rounds that to an integer, which stands in the low bits
	Expm1Min = -30           // exp(x) - 1 is -1 down here
	Tiny32   = 0x1p-24       // below it, exp(x) - 1 is x
	ExpMax   = 89            // exp overflows from here on
	ExpMin   = -104          // and is 0 down here
	Exp2Max  = 128           // as ExpMax, of powers of two
	Exp2Min  = -150

	ExpLeast = -0x1.5bf5bcp+6 // the greatest number that is split into -126·log(2) and the rest
)

// Coefficients of (exp(r) - 1)/r for |r| <= log(2)/2, highest power first. The error of ExpPoly is 0.3 ulp of exp(r),
// that of Expm1Poly 0.02 ulp of itself.
var (
	ExpPoly = [...]float32{0x1.384f6cp-10, 0x1.1228eep-7, 0x1.559bc0p-5, 0x1.5554aep-3, 0x1.ffffacp-2, 1}

	Expm1Poly = [...]float32{0x1.a2a4f8p-13, 0x1.6d8556p-10, 0x1.11114ap-7, 0x1.5554bcp-5, 0x1.555554p-3, 0.5, 1}

	// TwiceExpPoly gives 2·(exp(r) - 1)/r, with the same errors.
	TwiceExpPoly = [...]float32{2 * 0x1.384f6cp-10, 2 * 0x1.1228eep-7, 2 * 0x1.559bc0p-5, 2 * 0x1.5554aep-3,
		2 * 0x1.ffffacp-2, 2}
)

// reduce32 splits x = n·log(2) + r. The integer n plus bias is in the low bits of k.
func reduce32(x, bias float32) (k uint32, r float32) {
	magic := Magic32 + bias
	t := FMA32(x, Log2E32, magic)
	n := t - magic
	return math.Float32bits(t), FMA32(-n, Ln2Lo32, FMA32(-n, Ln2Hi32, x))
}

// atMost and atLeast limit x. A NaN stays.
func atMost(limit, x float32) float32 {
	if limit < x {
		return limit
	}
	return x
}

func atLeast(limit, x float32) float32 {
	if limit > x {
		return limit
	}
	return x
}

// exp32 is exp(x) for x in [ExpMin, ExpMax]. It multiplies by the power of two in two steps, since the power and the
// result may be outside of the normal numbers. At ExpMin, to which smaller arguments are limited, it multiplies 0:
// rounding a result to 0 takes Intel processors 25 times as long.
func exp32(x float32) float32 {
	k, r := reduce32(x, 2*127)
	return scaledExp32(k, r, x == ExpMin)
}

// scaledExp32 is exp(r)·2^k, or 0; k has twice the bias added.
func scaledExp32(k uint32, r float32, isZero bool) float32 {
	e := expOf32(r, isZero)
	half := k >> 1
	return e * math.Float32frombits(half<<23) * math.Float32frombits((k-half)<<23)
}

// expOf32 is exp(r) for |r| <= log(2)/2; or 0.
func expOf32(r float32, isZero bool) float32 {
	if isZero {
		return 0
	}
	return FMA32(poly32(r, ExpPoly[:]), r, 1)
}

// Exp232 is 2 to the power of x, within 1.1 ulp. It is exact for integers x: the difference of x and an integer is
// exact.
func Exp232(x float32) float32 {
	x = atLeast(Exp2Min, atMost(Exp2Max, x))
	const magic = Magic32 + 2*127
	t := x + magic
	return scaledExp32(math.Float32bits(t), float32((x-(t-magic))*Ln2At32), x == Exp2Min)
}

// Exp32 is exp(x), within 1.1 ulp.
func Exp32(x float32) float32 { return exp32(atLeast(ExpMin, atMost(ExpMax, x))) }

// ExpOrZero32 is exp(min(x, 0)), within 1.1 ulp. Up to ExpLeast, where the result is near the least normal number, it
// is 0: with a bias of 126 the power of two is 0 there, without a comparison, and otherwise half of it.
func ExpOrZero32(x float32) float32 {
	k, r := reduce32(atLeast(ExpLeast, atMost(0, x)), 126)
	return FMA32(poly32(r, TwiceExpPoly[:]), r, 2) * math.Float32frombits(k<<23)
}

// Sigmoid32 is 1/(1+exp(-x)), within 2.5 ulp.
func Sigmoid32(x float32) float32 {
	e := exp32(atLeast(ExpMin, float32(math.Copysign(float64(x), -1))))
	if math.Signbit(float64(x)) {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// TanhMax limits x in tanh(x), which is 1 long before.
const TanhMax = 10

// TanhPoly returns (exp(2h) - 1)/h for |h| <= log(2)/4: twice Expm1Poly of 2h. Its coefficients are those of Expm1Poly
// times powers of two, so that all steps give the same bits without computing 2h.
var TanhPoly = func() (p [len(Expm1Poly)]float32) {
	for i, c := range Expm1Poly {
		p[i] = c * float32(int(2)<<(len(p)-1-i))
	}
	return p
}()

// Tanh32 is tanh(x) = (exp(2x)-1) / (exp(2x)+1), within 3.5 ulp.
func Tanh32(x float32) float32 {
	k, h := reduceHalf32(atLeast(-TanhMax, atMost(TanhMax, x)))
	s := math.Float32frombits(k << 23)
	m := FMA32(float32(poly32(h, TanhPoly[:])*h), s, s-1)
	y := m / (m + 2)
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&(1<<31)) // keeps -0
}

// reduceHalf32 splits 2x = n·log(2) + 2h. The integer n plus 127 is in the low bits of k.
func reduceHalf32(x float32) (k uint32, h float32) {
	const magic = Magic32 + 127
	t := FMA32(x, 2*Log2E32, magic)
	n := t - magic
	return math.Float32bits(t), FMA32(-n, Ln2Lo32/2, FMA32(-n, Ln2Hi32/2, x))
}

// Expm132 is exp(x)-1, within 2 ulp. It computes half of the result, which does not overflow too early.
func Expm132(x float32) float32 {
	k, r := reduce32(atLeast(Expm1Min, atMost(ExpMax, x)), 126)
	s := math.Float32frombits(k << 23)
	h := FMA32(float32(poly32(r, Expm1Poly[:])*r), s, s-0.5)
	if AbsFloat(x) < Tiny32 {
		return x
	}
	return h + h
}
