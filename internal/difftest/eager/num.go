package eager

import "math"

// Num is a number with its derivatives along two directions: A along the first, B along the
// second, AB along both.
type Num struct{ V, A, B, AB float64 }

func num(v float64) Num { return Num{V: v} }

// chain returns f(x) from f's value and its first two derivatives at x.
func (x Num) chain(f, d, dd float64) Num {
	return Num{f, d * x.A, d * x.B, d*x.AB + dd*x.A*x.B}
}

// flat returns a function of x whose derivatives are 0.
func (x Num) flat(f float64) Num { return Num{V: f} }

// bend marks y, a function of x without a second derivative at x: that is NaN if it matters.
func (x Num) bend(y Num) Num {
	if x.A*x.B != 0 {
		y.AB = math.NaN()
	}
	return y
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func add(x, y Num) Num { return Num{x.V + y.V, x.A + y.A, x.B + y.B, x.AB + y.AB} }
func sub(x, y Num) Num { return Num{x.V - y.V, x.A - y.A, x.B - y.B, x.AB - y.AB} }
func neg(x Num) Num    { return Num{-x.V, -x.A, -x.B, -x.AB} }

func mul(x, y Num) Num {
	return Num{x.V * y.V, x.A*y.V + x.V*y.A, x.B*y.V + x.V*y.B, x.AB*y.V + x.A*y.B + x.B*y.A + x.V*y.AB}
}

func scale(x Num, c float64) Num { return Num{x.V * c, x.A * c, x.B * c, x.AB * c} }

func recip(x Num) Num {
	r := 1 / x.V
	return x.chain(r, -r*r, 2*r*r*r)
}

func div(x, y Num) Num {
	z := mul(x, recip(y))
	z.V = x.V / y.V
	return z
}

// partials are the derivatives of a function of two numbers.
type partials struct{ x, y, xx, xy, yy float64 }

// both returns a function of two numbers from its value and its derivatives. If the operands have no derivative, the
// result has none, whatever the function's own. The second one is NaN if the first one is: a gradient of the gradient
// goes through it.
func both(x, y Num, f float64, p partials) Num {
	t := func(d, along float64) float64 {
		if along == 0 {
			return 0
		}
		return d * along
	}
	z := Num{f, t(p.x, x.A) + t(p.y, y.A), t(p.x, x.B) + t(p.y, y.B),
		t(p.x, x.AB) + t(p.y, y.AB) + t(p.xx, x.A*x.B) + t(p.xy, x.A*y.B+x.B*y.A) + t(p.yy, y.A*y.B)}
	if math.IsNaN(p.x) || math.IsNaN(p.y) {
		z.AB = math.NaN()
	}
	return z
}

func exp(x Num) Num {
	e := math.Exp(x.V)
	return x.chain(e, e, e)
}

func log(x Num) Num { return x.chain(math.Log(x.V), 1/x.V, -1/(x.V*x.V)) }

func log1p(x Num) Num {
	r := 1 / (1 + x.V)
	return x.chain(math.Log1p(x.V), r, -r*r)
}

func expm1(x Num) Num { return x.chain(math.Expm1(x.V), math.Exp(x.V), math.Exp(x.V)) }

func sqrt(x Num) Num {
	s := math.Sqrt(x.V)
	return x.chain(s, 0.5/s, -0.25/(s*s*s))
}

func sin(x Num) Num  { return x.chain(math.Sin(x.V), math.Cos(x.V), -math.Sin(x.V)) }
func cos(x Num) Num  { return x.chain(math.Cos(x.V), -math.Sin(x.V), -math.Cos(x.V)) }
func sinh(x Num) Num { return x.chain(math.Sinh(x.V), math.Cosh(x.V), math.Sinh(x.V)) }
func cosh(x Num) Num { return x.chain(math.Cosh(x.V), math.Sinh(x.V), math.Cosh(x.V)) }

func tan(x Num) Num {
	t := math.Tan(x.V)
	return x.chain(t, 1+t*t, 2*t*(1+t*t))
}

func tanh(x Num) Num {
	t := math.Tanh(x.V)
	return x.chain(t, 1-t*t, -2*t*(1-t*t))
}

func asin(x Num) Num {
	r := 1 - x.V*x.V
	return x.chain(math.Asin(x.V), 1/math.Sqrt(r), x.V/(r*math.Sqrt(r)))
}

func acos(x Num) Num {
	z := neg(asin(x))
	z.V = math.Acos(x.V)
	return z
}

func atan(x Num) Num {
	r := 1 / (1 + x.V*x.V)
	return x.chain(math.Atan(x.V), r, -2*x.V*r*r)
}

func asinh(x Num) Num {
	r := 1 + x.V*x.V
	return x.chain(math.Asinh(x.V), 1/math.Sqrt(r), -x.V/(r*math.Sqrt(r)))
}

func acosh(x Num) Num {
	r := x.V*x.V - 1
	return x.chain(math.Acosh(x.V), 1/math.Sqrt(r), -x.V/(r*math.Sqrt(r)))
}

func atanh(x Num) Num {
	r := 1 / (1 - x.V*x.V)
	return x.chain(math.Atanh(x.V), r, 2*x.V*r*r)
}

func erf(x Num) Num {
	d := 2 / math.SqrtPi * math.Exp(-x.V*x.V)
	return x.chain(math.Erf(x.V), d, -2*x.V*d)
}

func sigmoid(x Num) Num {
	s := 1 / (1 + math.Exp(-x.V))
	c := 1 / (1 + math.Exp(x.V))
	return x.chain(s, s*c, s*c*(c-s))
}

// thresholdSoftplus is softplus as PyTorch computes it: x itself past the threshold 20.
func thresholdSoftplus(x Num) Num {
	if x.V > 20 {
		return x
	}
	return softplus(x)
}

// softplus is log(1 + exp(x)).
func softplus(x Num) Num {
	s := sigmoid(x)
	return x.chain(math.Max(x.V, 0)+math.Log1p(math.Exp(-math.Abs(x.V))), s.V, s.V*(1-s.V))
}

func abs(x Num) Num {
	switch {
	case x.V > 0:
		return x
	case x.V < 0:
		return neg(x)
	}
	return x.flat(math.Abs(x.V)) // NaN stays
}

func relu(x Num) Num {
	if x.V > 0 || math.IsNaN(x.V) {
		return x
	}
	return num(0)
}

func pow(x, y Num) Num {
	f := math.Pow(x.V, y.V)
	var p partials
	if y.V != 0 {
		p.x = y.V * math.Pow(x.V, y.V-1)
	}
	if y.V != 0 && y.V != 1 {
		p.xx = y.V * (y.V - 1) * math.Pow(x.V, y.V-2)
	}
	if y.V == 0 { // its derivative by x is taken for a constant there
		p.xy = math.NaN()
	}
	l := math.Log(x.V)
	p.y, p.yy = f*l, f*l*l
	if y.V != 0 {
		p.xy = math.Pow(x.V, y.V-1) * (1 + y.V*l)
	}
	return both(x, y, f, p)
}

func square(x Num) Num { return mul(x, x) }

// clamp passes the derivative through on the bounds.
func clamp(x Num, low, high float64) Num {
	switch {
	case x.V < low && low <= high:
		return num(low)
	case x.V > high || low > high:
		return num(high)
	}
	return x
}
