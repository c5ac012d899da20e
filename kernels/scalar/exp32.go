package scalar

import "math"

// The functions of this file compute in float64 with a polynomial that is good to
// 2e-10 and round once at the end: within 0.51 ulp of the exact float32, at a third
// of the time of package math. Products are rounded explicitly, since Go may
// contract x*y + z otherwise and results would differ between machines.

// expSplit gives s and q with exp(x) = s + s*q, where s is a power of two and q is
// exp-1 of what is left. It bounds x to where a float32 exp is not yet 0 or infinite,
// with room to spare.
func expSplit(x float64) (s, q float64) {
	if x < -110 {
		x = -110
	} else if x > 110 {
		x = 110
	}
	const magic = 3 << 51 // adding it rounds to an integer
	n := float64(x*math.Log2E) + magic
	k := math.Float64bits(n) // the integer stands in its low bits
	n -= magic
	r := x - float64(n*math.Ln2)
	// The Taylor series to r^8, in pairs so that steps overlap.
	r2 := r * r
	r4 := r2 * r2
	q = 1.0/6 + float64(r*(1.0/24)) + float64(r2*(1.0/120+float64(r*(1.0/720)))) +
		float64(r4*(1.0/5040+float64(r*(1.0/40320))))
	q = r + float64(r2*(0.5+float64(r*q)))
	return math.Float64frombits((k + 1023) << 52), q
}

// Exp32 is exp(x).
func Exp32(x float32) float32 {
	s, q := expSplit(float64(x))
	return float32(s + float64(s*q))
}

// Sigmoid32 is 1/(1+exp(-x)).
func Sigmoid32(x float32) float32 {
	s, q := expSplit(-float64(x))
	return float32(1 / (1 + s + float64(s*q)))
}

// Tanh32 is tanh(x).
func Tanh32(x float32) float32 {
	if x == 0 {
		return x // keeps -0
	}
	s, q := expSplit(2 * float64(x))
	m := float64(s*q) + (s - 1) // exp(2x) - 1
	return float32(m / (m + 2))
}
