package eager

import (
	"maps"
	"math"
	"strings"
)

var unary = map[string]func(Num) Num{
	"Exp": exp, "Log": log, "Sin": sin, "Cos": cos, "Tan": tan, "Tanh": tanh, "Sqrt": sqrt, "Erf": erf,
	"Sigmoid": sigmoid,
	"Asin":    asin, "Acos": acos, "Atan": atan, "Asinh": asinh, "Acosh": acosh, "Atanh": atanh, "Sinh": sinh,
	"Cosh":  cosh,
	"Log1p": log1p, "Expm1": expm1, "Reciprocal": recip, "Softplus": thresholdSoftplus,
	"Exp2":        func(x Num) Num { return exp(scale(x, math.Ln2)) },
	"Log2":        func(x Num) Num { return scale(log(x), 1/math.Ln2) },
	"Log10":       func(x Num) Num { return scale(log(x), 1/math.Ln10) },
	"Rsqrt":       func(x Num) Num { return recip(sqrt(x)) },
	"Silu":        func(x Num) Num { return mul(x, sigmoid(x)) },
	"Mish":        func(x Num) Num { return mul(x, tanh(softplus(x))) },
	"Gelu":        func(x Num) Num { return mul(scale(x, 0.5), add(num(1), erf(scale(x, math.Sqrt2/2)))) },
	"GeluTanh":    geluTanh,
	"LogSigmoid":  func(x Num) Num { return neg(softplus(neg(x))) },
	"Softsign":    func(x Num) Num { return div(x, add(num(1), abs(x))) },
	"TanhShrink":  func(x Num) Num { return sub(x, tanh(x)) },
	"HardSigmoid": func(x Num) Num { return inside(scale(add(x, num(3)), 1./6), x, -3, 3, 0, 1) },
	"HardSwish":   hardSwish,
	"Relu6":       func(x Num) Num { return inside(x, x, 0, 6, 0, 6) },
	"Selu":        func(x Num) Num { return scale(elu(x, 1.6732632423543772), 1.0507009873554805) },
	"Frac":        func(x Num) Num { return sub(x, num(math.Trunc(x.V))) },
}

// kept are the functions that keep the dtype of whole numbers.
var kept = map[string]struct {
	float func(Num) Num
	whole func(int64) int64
}{
	"Neg":    {neg, func(i int64) int64 { return -i }},
	"Abs":    {abs, func(i int64) int64 { return max(i, -i) }},
	"Square": {square, func(i int64) int64 { return i * i }},
	"Relu":   {relu, func(i int64) int64 { return max(i, 0) }},
	"Sign":   {func(x Num) Num { return num(sign(x.V)) }, func(i int64) int64 { return int64(sign(float64(i))) }},
	"Floor":  {func(x Num) Num { return num(math.Floor(x.V)) }, func(i int64) int64 { return i }},
	"Ceil":   {func(x Num) Num { return num(math.Ceil(x.V)) }, func(i int64) int64 { return i }},
	"Round":  {func(x Num) Num { return num(math.RoundToEven(x.V)) }, func(i int64) int64 { return i }},
	"Trunc":  {func(x Num) Num { return num(math.Trunc(x.V)) }, func(i int64) int64 { return i }},
}

// shaped are functions of a number with fixed arguments.
var shaped = map[string]func(x Num, f []float64) Num{
	"Clamp":      func(x Num, f []float64) Num { return clamp(x, f[0], f[1]) },
	"ClampMin":   func(x Num, f []float64) Num { return clamp(x, f[0], math.Inf(1)) },
	"ClampMax":   func(x Num, f []float64) Num { return clamp(x, math.Inf(-1), f[0]) },
	"HardTanh":   func(x Num, f []float64) Num { return inside(x, x, f[0], f[1], f[0], f[1]) },
	"LeakyRelu":  func(x Num, f []float64) Num { return leaky(x, num(f[0])) },
	"Elu":        func(x Num, f []float64) Num { return elu(x, f[0]) },
	"Celu":       func(x Num, f []float64) Num { return celu(x, f[0]) },
	"HardShrink": hardShrink,
	"SoftShrink": func(x Num, f []float64) Num { return softShrink(x, f[0]) },
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0 // of NaN too, as PyTorch has it
}

// inside returns y if x is between two bounds, and given numbers on and outside them.
func inside(y, x Num, low, high, below, above float64) Num {
	switch {
	case x.V <= low:
		return num(below)
	case x.V >= high:
		return num(above)
	}
	return y
}

func hardSwish(x Num) Num {
	switch {
	case math.Abs(x.V) == 3: // its slope there is a matter of convention
		return Num{max(x.V, 0), math.NaN(), math.NaN(), math.NaN()}
	case math.IsInf(x.V, -1): // times 0
		return num(math.NaN())
	case x.V > 3:
		return x
	}
	return inside(scale(mul(x, add(x, num(3))), 1./6), x, -3, math.Inf(1), 0, 0)
}

func geluTanh(x Num) Num {
	in := scale(add(x, scale(mul(x, mul(x, x)), 0.044715)), math.Sqrt(2/math.Pi))
	return mul(scale(x, 0.5), add(num(1), tanh(in)))
}

func leaky(x, slope Num) Num {
	if x.V > 0 {
		return x
	}
	return mul(x, slope)
}

func elu(x Num, alpha float64) Num {
	switch {
	case x.V > 0:
		return x
	case x.V == 0:
		return x.bend(scale(x, alpha))
	}
	return scale(expm1(x), alpha)
}

func celu(x Num, alpha float64) Num {
	switch {
	case x.V > 0:
		return x
	case x.V == 0:
		return x.bend(x)
	}
	return scale(expm1(scale(x, 1/alpha)), alpha)
}

func hardShrink(x Num, f []float64) Num {
	if math.Abs(x.V) <= f[0] {
		return num(0)
	}
	return x
}

func softShrink(x Num, l float64) Num {
	switch {
	case x.V > l:
		return sub(x, num(l))
	case x.V < -l:
		return add(x, num(l))
	}
	return num(x.V * 0) // NaN stays
}

func init() {
	maps.Copy(unary, special)
	maps.Copy(shaped, specialShaped)
	for name, f := range unary {
		Entries[name] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
			y := m.mapped(x[0].asFloat(m), f)
			if m.Noise != nil && strings.Contains("Gelu GeluTanh TanhShrink", name) { // differences of equals
				for i, c := range x[0].asFloat(m).Cells() {
					y.mem.cells[i].V += m.unit(y.T) * c.V * (2*m.Noise.Float64() - 1)
				}
			}
			return one(y)
		}
	}
	for name, f := range kept {
		Entries[name] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
			if x[0].T.IsFloat() {
				return one(m.mapped(x[0], f.float))
			}
			cells := x[0].Cells()
			for i := range cells {
				switch v := cells[i].I; {
				case x[0].T == Uint64 && name == "Sign":
					cells[i].I = truth(v != 0)
				case x[0].T == Uint64 && (name == "Abs" || name == "Relu"):
				default:
					cells[i].I = f.whole(v)
				}
			}
			return one(m.made(x[0].T, x[0].Shape, cells))
		}
	}
	for name, f := range shaped {
		Entries[name] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
			return one(m.mapped(x[0], func(v Num) Num { return f(v, s.F) }))
		}
	}
	Entries["Cast"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor { return one(m.cast(x[0], s.T)) }
	Entries["StopGradient"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.mapped(x[0], func(v Num) Num { return num(v.V) }))
	}
	for name, f := range map[string]func(Num) bool{
		"IsNaN": func(x Num) bool { return math.IsNaN(x.V) }, "IsInf": func(x Num) bool { return math.IsInf(x.V, 0) },
		"IsFinite": func(x Num) bool { return finite(x.V) }} {
		Entries[name] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
			cells := x[0].Cells()
			for i, c := range cells {
				cells[i] = Cell{I: truth(f(c.Num))}
			}
			return one(m.made(Bool, x[0].Shape, cells))
		}
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// mapped applies a function to floating-point elements.
func (m *Machine) mapped(x *Tensor, f func(Num) Num) *Tensor {
	if !x.T.IsFloat() {
		refuse("%s", x.T)
	}
	cells := x.Cells()
	for i, c := range cells {
		cells[i].Num = f(c.Num)
		if m.Noise != nil {
			m.blur(x.T, c.Num, &cells[i].Num)
		}
	}
	return m.made(x.T, x.Shape, cells)
}

// asFloat returns x itself if it is floating point, else as float32.
func (x *Tensor) asFloat(m *Machine) *Tensor {
	if x.T.IsFloat() {
		return x
	}
	return m.cast(x, Float32)
}

// cast converts as C does, wrapping around.
func (m *Machine) cast(x *Tensor, t DType) *Tensor {
	if x.T == t {
		return x
	}
	cells := x.Cells()
	for i := range cells {
		cells[i] = castCell(cells[i], x.T, t)
	}
	out := &Machine{At: m.At} // whole numbers and wider floats lose nothing
	if t == Float32 || t.isNarrow() {
		out = m
	}
	y := out.made(t, x.Shape, cells)
	y.weak = x.weak
	return y
}

func castCell(c Cell, from, to DType) Cell {
	switch {
	case from.IsFloat() && to.IsFloat():
		return c
	case from.IsFloat() && to == Bool:
		return Cell{I: truth(c.V != 0)}
	case from.IsFloat():
		if !(math.Abs(c.V) < 1<<31) {
			refuseElements("%g is not converted to whole numbers in one way everywhere", c.V)
		}
		if i := int64(c.V); to.fit(i) != i || to == Uint64 && i < 0 {
			refuseElements("%g does not fit %s", c.V, to)
		}
		return Cell{I: int64(c.V)}
	case to.IsFloat():
		return Cell{Num: num(from.number(c.I))}
	case to == Bool:
		return Cell{I: truth(c.I != 0)}
	}
	return c
}
