package scalar

import "math"

// Pow32 is x to the power of y, within 0.51 ulp: exp(y·log|x|) in float64, with the
// special cases of math.Pow.
func Pow32(x, y float32) float32 {
	a := AbsFloat(x)
	m, e, _ := splitLog64(float64(a))
	f := m - 1
	log := logSpecial64(float64(a), math.FMA(e, Ln2Hi64, f-logTail64(f, e*Ln2Lo64)))
	r := float32(exp64(atLeast64(ExpMin64, atMost64(ExpMax64, float64(float64(y)*log)))))
	whole := Trunc(y) == y
	if half := y * 0.5; whole && Trunc(half) != half && math.Signbit(float64(x)) {
		r = -r
	}
	infinite := float32(math.Inf(1))
	switch {
	case y == 0, x == 1, a == 1 && AbsFloat(y) == infinite:
		return 1
	case x < 0 && !whole && a < infinite:
		return float32(math.NaN())
	}
	return r
}
