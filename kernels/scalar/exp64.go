package scalar

import "math"

// The functions of this file and of log64.go compute in float64 as those of exp32.go do
// in float32.

// The constants of the functions; back ends take them from here.
const (
	Log2E64    = 1 / math.Ln2
	Ln2Hi64    = 0x1.62e42fee00000p-1 // log(2) in so few bits that its multiples are exact
	Ln2Lo64    = 0x1.a39ef35793c76p-33
	Magic64    = 3 << 51 // adding it to a number rounds that to an integer, which stands in the low bits
	Tiny64     = 0x1p-54 // below it, exp(x) - 1 is x
	ExpMax64   = 710
	ExpMin64   = -746
	Exp2Max64  = 1024
	Exp2Min64  = -1075
	Expm1Min64 = -60
	TanhMax64  = 50

	ExpLeast64 = -0x1.62066151add8cp+9 // as ExpLeast, of -1022·log(2)
)

// ExpPoly64 is the coefficients of the series of (exp(r) - 1)/r, with an error of 1e-17 for |r| <= log(2)/2; highest
// power first.
var ExpPoly64 = [...]float64{1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
	1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1}

// TwiceExpPoly64 gives 2·(exp(r) - 1)/r, with the same errors.
var TwiceExpPoly64 = [...]float64{2.0 / 6227020800, 2.0 / 479001600, 2.0 / 39916800, 2.0 / 3628800, 2.0 / 362880,
	2.0 / 40320,
	2.0 / 5040, 2.0 / 720, 2.0 / 120, 2.0 / 24, 2.0 / 6, 1, 2}

// reduce64 splits x = n·log(2) + r. The integer n plus bias is in the low bits of k.
func reduce64(x, bias float64) (k uint64, r float64) {
	magic := Magic64 + bias
	t := math.FMA(x, Log2E64, magic)
	n := t - magic
	return math.Float64bits(t), math.FMA(-n, Ln2Lo64, math.FMA(-n, Ln2Hi64, x))
}

func atMost64(limit, x float64) float64 {
	if limit < x {
		return limit
	}
	return x
}

func atLeast64(limit, x float64) float64 {
	if limit > x {
		return limit
	}
	return x
}

func poly64(x float64, coefficients []float64) float64 {
	p := coefficients[0]
	for _, c := range coefficients[1:] {
		p = math.FMA(p, x, c)
	}
	return p
}

// exp64 is exp(x) for x in [ExpMin64, ExpMax64].
func exp64(x float64) float64 {
	k, r := reduce64(x, 2*1023)
	return scaledExp64(k, r, x == ExpMin64)
}

// scaledExp64 is exp(r)·2^k, or 0; k has twice the bias added.
func scaledExp64(k uint64, r float64, isZero bool) float64 {
	e := expOf64(r, isZero)
	half := k >> 1
	return e * math.Float64frombits(half<<52) * math.Float64frombits((k-half)<<52)
}

// expOf64 is exp(r) for |r| <= log(2)/2; or 0.
func expOf64(r float64, isZero bool) float64 {
	if isZero {
		return 0
	}
	return math.FMA(poly64(r, ExpPoly64[:]), r, 1)
}

// Exp264 is 2 to the power of x, within 1.1 ulp, and exact for integers x.
func Exp264(x float64) float64 {
	x = atLeast64(Exp2Min64, atMost64(Exp2Max64, x))
	const magic = Magic64 + 2*1023
	t := x + magic
	return scaledExp64(math.Float64bits(t), float64((x-(t-magic))*math.Ln2), x == Exp2Min64)
}

// Exp64 is exp(x), within 1.1 ulp.
func Exp64(x float64) float64 { return exp64(atLeast64(ExpMin64, atMost64(ExpMax64, x))) }

// ExpOrZero64 is exp(min(x, 0)), within 1.1 ulp. Up to ExpLeast64, where the result is near the least normal number, it
// is 0.
func ExpOrZero64(x float64) float64 {
	k, r := reduce64(atLeast64(ExpLeast64, atMost64(0, x)), 1022)
	return math.FMA(poly64(r, TwiceExpPoly64[:]), r, 2) * math.Float64frombits(k<<52)
}

// Sigmoid64 is 1/(1+exp(-x)), within 3 ulp.
func Sigmoid64(x float64) float64 {
	e := exp64(atLeast64(ExpMin64, math.Copysign(x, -1)))
	if math.Signbit(x) {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Tanh64 is tanh(x), within 4 ulp.
func Tanh64(x float64) float64 {
	k, r := reduce64(atLeast64(-TanhMax64, atMost64(TanhMax64, x+x)), 1023)
	s := math.Float64frombits(k << 52)
	m := math.FMA(float64(poly64(r, ExpPoly64[:])*r), s, s-1)
	y := m / (m + 2)
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&(1<<63)) // keeps -0
}

// Expm164 is exp(x)-1, within 2.5 ulp.
func Expm164(x float64) float64 {
	k, r := reduce64(atLeast64(Expm1Min64, atMost64(ExpMax64, x)), 1022)
	s := math.Float64frombits(k << 52)
	h := math.FMA(float64(poly64(r, ExpPoly64[:])*r), s, s-0.5)
	if math.Abs(x) < Tiny64 {
		return x
	}
	return h + h
}
