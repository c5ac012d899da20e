package scalar

import "math"

// PowFloat is x to the power of y, with the special cases of math.Pow: within 0.51 ulp in
// float32 and 1.5 ulp in float64.
func PowFloat[T Float](x, y T) T {
	a, infinite := AbsFloat(x), T(math.Inf(1))
	var r T
	if single[T]() {
		r = T(power32(float32(a), float32(y)))
	} else {
		r = T(power64(float64(a), float64(y)))
	}
	whole := Trunc(y) == y
	if half := y * 0.5; whole && Trunc(half) != half && math.Signbit(float64(x)) {
		r = -r
	}
	switch {
	case y == 0, x == 1, a == 1 && AbsFloat(y) == infinite:
		return 1
	case x < 0 && !whole && a < infinite:
		return T(math.NaN())
	}
	return r
}

// power32 is x to the power of y for x >= 0: exp(y·log(x)) in float64.
func power32(x, y float32) float32 {
	a := float64(x)
	m, e, _ := splitLog64(a)
	f := m - 1
	log := logSpecial64(a, math.FMA(e, Ln2Hi64, f-logTail64(f, e*Ln2Lo64)))
	return float32(exp64(atLeast64(ExpMin64, atMost64(ExpMax64, float64(float64(y)*log)))))
}

// PowPoly is the coefficients of 2/5 + 2/7·z + 2/9·z² + …, highest power first: of
// log(m) = 2s + s³·(2/3 + z·poly(z)) with s = (m-1)/(m+1) and z = s².
var PowPoly = [...]float64{2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
	2.0 / 7, 2.0 / 5}

// The constants of power64.
const (
	TwoThirds   = 0x1.5555555555555p-1
	TwoThirdsLo = 0x1.5555555555555p-55
	PowBig      = 800 // beyond it, positive or negative, exp is infinite or 0
)

// power64 is x to the power of y for x >= 0: exp(y·log(x)), with the logarithm and the product in two parts, with an
// error of 2^-63.
func power64(x, y float64) float64 {
	b, grown := normal64(x)
	m, e, _ := splitLog64(b)
	e += grown
	log, low := logParts(m, e)
	log = logSpecial64(x, log)
	product := float64(y * log)
	rest := math.FMA(y, low, math.FMA(y, log, -product))
	if !(math.Abs(product) < PowBig) {
		rest = 0 // may be no number
	}
	k, r := reduce64(atLeast64(ExpMin64, atMost64(ExpMax64, product)), 2*1023)
	r += rest
	p := math.FMA(poly64(r, ExpPoly64[:]), r, 1)
	half := k >> 1
	return p * math.Float64frombits(half<<52) * math.Float64frombits((k-half)<<52)
}

// logParts is e·log(2) + log(m) in two parts, for m from sqrt(1/2) to sqrt(2).
func logParts(m, e float64) (high, low float64) {
	f := m - 1
	d := 2 + f
	s := f / d
	sLow := math.FMA(-s, float64(f-(d-2)), math.FMA(-s, d, f)) / d
	z := s * s
	zLow := math.FMA(s+s, sLow, math.FMA(s, s, -z))
	p := float64(z * poly64(z, PowPoly[:]))
	c := TwoThirds + p
	cLow := float64(float64(TwoThirds-c)+p) + TwoThirdsLo
	w := z * c // s²·(2/3 + …)
	wLow := math.FMA(z, cLow, math.FMA(zLow, c, math.FMA(z, c, -w)))
	v := float64(s * w)
	vLow := math.FMA(s, wLow, math.FMA(sLow, w, math.FMA(s, w, -v)))
	twice := s + s
	h := twice + v
	hLow := float64(float64(twice-h)+v) + math.FMA(2, sLow, vLow)
	n := e * Ln2Hi64
	g := n + h
	gLow := float64(float64(n-g)+h) + math.FMA(e, Ln2Lo64, hLow)
	high = g + gLow
	return high, float64(g-high) + gLow
}
