package eager

import "math"

// polygamma returns the derivatives of the logarithm of the gamma function at a number above 0: the first three. Each
// is a sum of terms up to 12, and an asymptotic series there (Abramowitz and Stegun, 6.3.18, 6.4.12 and 6.4.13).
func polygamma(x float64) (one, two, three float64) {
	for ; x < 12; x++ {
		one -= 1 / x
		two += 1 / (x * x)
		three -= 2 / (x * x * x)
	}
	r := 1 / x
	s := r * r
	one += math.Log(x) - r/2 - s*(1./12-s*(1./120-s*(1./252-s*(1./240-s/132))))
	two += r + s/2 + r*s*(1./6-s*(1./30-s*(1./42-s*(1./30-s*5/66))))
	three += -s - r*s - s*s*(1./2-s*(1./6-s*(1./6-s*(3./10-s*5/6))))
	return one, two, three
}

func lgamma(x Num) Num {
	v, _ := math.Lgamma(x.V)
	one, two, _ := polygamma(x.V)
	return x.chain(v, one, two)
}

func digamma(x Num) Num { return x.chain(polygamma(x.V)) }

func gamma(x Num) Num {
	v := math.Gamma(x.V)
	one, two, _ := polygamma(x.V)
	return x.chain(v, v*one, v*(one*one+two))
}

func cbrt(x Num) Num {
	v := math.Cbrt(x.V)
	return x.chain(v, v/(3*x.V), -2*v/(9*x.V*x.V))
}

func erfc(x Num) Num {
	d := -2 / math.SqrtPi * math.Exp(-x.V*x.V)
	return x.chain(math.Erfc(x.V), d, -2*x.V*d)
}

func erfinv(x Num) Num {
	v := math.Erfinv(x.V)
	d := math.SqrtPi / 2 * math.Exp(v*v)
	return x.chain(v, d, 2*v*d*d)
}

func ndtr(x Num) Num {
	d := math.Exp(-x.V*x.V/2) / math.Sqrt(2*math.Pi)
	return x.chain(math.Erfc(-x.V/math.Sqrt2)/2, d, -x.V*d)
}

func logNdtr(x Num) Num {
	if x.V < -20 {
		refuseElements("the logarithm of a share that is nearly 0")
	}
	if x.V > 0 { // near 1 its logarithm is that of the rest
		return log1p(neg(ndtr(neg(x))))
	}
	return log(ndtr(x))
}

// sinc is sin(πx)/(πx). Near 0 it is a series, since the difference of nearly equal numbers would be inexact.
func sinc(x Num) Num {
	p := scale(x, math.Pi)
	if math.Abs(p.V) < 0.05 {
		s := square(p)
		return sub(num(1), mul(scale(s, 1./6),
			sub(num(1), mul(scale(s, 1./20), sub(num(1), mul(scale(s, 1./42), sub(num(1), scale(s, 1./72))))))))
	}
	z := div(sin(p), p)
	if x.V == math.Round(x.V) {
		z.V = 0
	}
	return z
}

func bessel0(x Num) Num {
	v, d := math.J0(x.V), -math.J1(x.V)
	if x.V == 0 {
		return x.chain(v, 0, -0.5)
	}
	return x.chain(v, d, -v-d/x.V)
}

func bessel1(x Num) Num {
	v := math.J1(x.V)
	if x.V == 0 {
		return x.chain(v, 0.5, 0)
	}
	d := math.J0(x.V) - v/x.V
	return x.chain(v, d, -d/x.V-v*(1-1/(x.V*x.V)))
}

func entr(x Num) Num {
	if !(x.V > 0) {
		refuseElements("the logarithm of %g", x.V)
	}
	return neg(mul(x, log(x)))
}

// special, specialShaped and specialPairs are more functions of one number, of one with fixed arguments, and of two.
var (
	special = map[string]func(Num) Num{
		"LGamma": lgamma, "Digamma": digamma, "Gamma": gamma, "Cbrt": cbrt, "Erfc": erfc, "Erfinv": erfinv,
		"Ndtr": ndtr, "LogNdtr": logNdtr, "Sinc": sinc,
		"J0": bessel0, "J1": bessel1, "Entr": entr,
		"Deg2Rad": func(x Num) Num { return scale(x, math.Pi/180) }, "Rad2Deg": func(x Num) Num {
			return scale(x, 180/math.Pi)
		},
		"Logit": func(x Num) Num { return sub(log(x), log(sub(num(1), x))) },
	}
	specialShaped = map[string]func(x Num, f []float64) Num{
		"Threshold":  threshold,
		"Softcap":    func(x Num, f []float64) Num { return scale(tanh(scale(x, 1/f[0])), f[0]) },
		"Squareplus": func(x Num, f []float64) Num { return scale(add(x, sqrt(add(square(x), num(f[0])))), 0.5) },
	}
	specialPairs = map[string]binary{
		"Fmax": {float: func(x, y Num) Num { return ignoringNaN(x, y, x.V >= y.V) },
			whole: func(x, y int64) int64 { return max(x, y) }, unsigned: uint64Max},
		"Fmin": {float: func(x, y Num) Num { return ignoringNaN(x, y, x.V <= y.V) },
			whole: func(x, y int64) int64 { return min(x, y) }, unsigned: uint64Min},
		"CopySign":  {float: copySign},
		"Heaviside": {float: heaviside, whole: wholeHeaviside, unsigned: wholeHeaviside},
		"XLog1PY":   {float: xlog1py},
	}
)

func threshold(x Num, f []float64) Num {
	if x.V > f[0] || math.IsNaN(x.V) {
		return x
	}
	return num(f[1])
}

func ignoringNaN(x, y Num, first bool) Num {
	if first || math.IsNaN(y.V) {
		return x
	}
	return y
}

func xlog1py(x, y Num) Num {
	z := xlogy(x, add(num(1), y))
	if x.V != 0 { // 1 + y has lost digits of y
		z.V = x.V * math.Log1p(y.V)
	}
	return z
}

func copySign(x, y Num) Num {
	switch {
	case math.IsNaN(y.V):
		refuseElements("the sign of no number")
	case x.V == 0:
		return num(math.Copysign(0, y.V))
	case math.Signbit(x.V) != math.Signbit(y.V):
		return neg(x)
	}
	return x
}

func heaviside(x, y Num) Num {
	if x.V == 0 {
		return num(y.V)
	}
	return num(float64(truth(x.V > 0)))
}

func wholeHeaviside(x, y int64) int64 {
	if x == 0 {
		return y
	}
	return truth(x > 0)
}
