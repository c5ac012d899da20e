package eager

import (
	"maps"
	"math"
)

// promote returns the common dtype: bool, then whole, then floating-point numbers, and within a kind the wider one.
// Scalars, and numbers of the program, count only if their kind is higher.
func promote(x ...*Tensor) DType {
	best := [3]DType{Bool, Bool, Bool} // of numbers, of scalars, of the others
	has := [3]bool{}
	for _, t := range x {
		level := 2
		switch {
		case t.weak:
			level = 0
		case len(t.Shape) == 0:
			level = 1
		}
		if !has[level] {
			best[level], has[level] = t.T, true
		} else {
			best[level] = common(best[level], t.T)
		}
	}
	out, found := Bool, false
	for level := 2; level >= 0; level-- {
		if has[level] && (!found || kinds[best[level]].order/10 > kinds[out].order/10) {
			out, found = best[level], true
		}
	}
	return out
}

// meet converts operands to one dtype and broadcasts them to one shape.
func (m *Machine) meet(t DType, x ...*Tensor) (shape []int, cells [][]Cell) {
	shapes := make([][]int, len(x))
	for i, v := range x {
		shapes[i] = v.Shape
	}
	shape = broadcast(shapes...)
	for _, v := range x {
		cells = append(cells, m.cast(v, t).over(shape))
	}
	m.loose(t, cells)
	return shape, cells
}

func wholePow(x, y int64) int64 {
	if y < 0 {
		refuseElements("a negative power of a whole number")
	}
	p := int64(1)
	for ; y > 0; y >>= 1 {
		if y&1 != 0 {
			p *= x
		}
		x *= x
	}
	return p
}

// binary is a function of two numbers. If whole is nil, whole numbers are converted, or refused if the function takes
// floating-point numbers only.
type binary struct {
	float  func(x, y Num) Num
	whole  func(x, y int64) int64
	floats bool
	// unsigned is whole for Uint64, if that has other bits.
	unsigned func(x, y int64) int64
}

var binaries = map[string]binary{
	"Add":     {add, func(x, y int64) int64 { return x + y }, false, nil},
	"Sub":     {sub, func(x, y int64) int64 { return x - y }, false, nil},
	"Mul":     {mul, func(x, y int64) int64 { return x * y }, false, nil},
	"Div":     {div, nil, false, nil},
	"Maximum": {maximum, func(x, y int64) int64 { return max(x, y) }, false, uint64Max},
	"Minimum": {func(x, y Num) Num { return neg(maximum(neg(x), neg(y))) }, func(x, y int64) int64 {
		return min(x, y)
	}, false, uint64Min},
	"AtLeast": {atLeast, func(x, y int64) int64 { return max(x, y) }, false, uint64Max},
	"AtMost": {func(x, y Num) Num { return neg(atLeast(neg(x), neg(y))) }, func(x, y int64) int64 {
		return min(x, y)
	}, false, uint64Min},
	"Pow":       {pow, wholePow, false, nil},
	"FloorDiv":  {pythonFloorDiv, floorDiv, false, uint64Div},
	"Remainder": {remainder, func(x, y int64) int64 { return x - y*floorDiv(x, y) }, false, uint64Mod},
	"Fmod":      {fmod, func(x, y int64) int64 { return x - y*truncDiv(x, y) }, false, uint64Mod},
	"Atan2":     {atan2, nil, false, nil},
	"Hypot":     {hypot, nil, true, nil},
	"LogAddExp": {logAddExp, nil, true, nil},
	"XLogY":     {xlogy, nil, false, nil},
}

func uint64Max(x, y int64) int64 { return int64(max(uint64(x), uint64(y))) }
func uint64Min(x, y int64) int64 { return int64(min(uint64(x), uint64(y))) }

func uint64Div(x, y int64) int64 {
	if y == 0 {
		refuseElements("division by zero")
	}
	return int64(uint64(x) / uint64(y))
}

func uint64Mod(x, y int64) int64 { return x - y*uint64Div(x, y) }

// logAddExp is y + log(1 + exp(x-y)). x and y may be exchanged.
func logAddExp(x, y Num) Num {
	switch {
	case math.IsInf(x.V, 0) && x.V == y.V:
		return x
	case math.IsInf(y.V, -1):
		return add(x, softplus(sub(y, x)))
	}
	return add(y, softplus(sub(x, y)))
}

var compared = map[string]struct {
	float func(x, y float64) bool
	whole func(x, y int64) bool
}{
	"Equal":        {func(x, y float64) bool { return x == y }, func(x, y int64) bool { return x == y }},
	"NotEqual":     {func(x, y float64) bool { return x != y }, func(x, y int64) bool { return x != y }},
	"Less":         {func(x, y float64) bool { return x < y }, func(x, y int64) bool { return x < y }},
	"LessEqual":    {func(x, y float64) bool { return x <= y }, func(x, y int64) bool { return x <= y }},
	"Greater":      {func(x, y float64) bool { return x > y }, func(x, y int64) bool { return x > y }},
	"GreaterEqual": {func(x, y float64) bool { return x >= y }, func(x, y int64) bool { return x >= y }},
}

var logical = map[string]func(x, y int64) int64{
	"And": func(x, y int64) int64 { return x & y }, "Or": func(x, y int64) int64 { return x | y },
	"Xor": func(x, y int64) int64 { return x ^ y },
}

func maximum(x, y Num) Num {
	switch {
	case x.V > y.V || math.IsNaN(x.V):
		return x
	case y.V > x.V || math.IsNaN(y.V):
		return y
	}
	return scale(add(x, y), 0.5)
}

func atLeast(x, low Num) Num {
	if low.V > x.V || math.IsNaN(low.V) {
		return low
	}
	return x
}

func floorDiv(x, y int64) int64 {
	q := truncDiv(x, y)
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func truncDiv(x, y int64) int64 {
	if y == 0 {
		refuseElements("division by zero")
	}
	return x / y
}

// pythonFloorDiv is Python's //: the quotient of x without its remainder, which is -1 for 2 and -Inf.
func pythonFloorDiv(x, y Num) Num {
	if y.V == 0 || x.V == 0 {
		return num(x.V / y.V)
	}
	rest := math.Mod(x.V, y.V)
	q := math.Round((x.V - rest) / y.V)
	if rest != 0 && (rest < 0) != (y.V < 0) {
		q--
	}
	return num(q)
}

func remainder(x, y Num) Num {
	z := sub(x, scale(y, math.Floor(x.V/y.V)))
	if z.V = math.Mod(x.V, y.V); z.V != 0 && (z.V < 0) != (y.V < 0) {
		z.V += y.V
	}
	return z
}

func fmod(x, y Num) Num {
	z := sub(x, scale(y, math.Trunc(x.V/y.V)))
	z.V = math.Mod(x.V, y.V)
	return z
}

func atan2(y, x Num) Num {
	r := x.V*x.V + y.V*y.V
	return both(y, x, math.Atan2(y.V, x.V), partials{x: x.V / r, y: -y.V / r, xx: -2 * x.V * y.V / (r * r),
		xy: (y.V*y.V - x.V*x.V) / (r * r), yy: 2 * x.V * y.V / (r * r)})
}

func hypot(x, y Num) Num {
	h := math.Hypot(x.V, y.V)
	h3 := h * h * h
	return both(x, y, h, partials{x: x.V / h, y: y.V / h, xx: y.V * y.V / h3, xy: -x.V * y.V / h3, yy: x.V * x.V / h3})
}

func xlogy(x, y Num) Num {
	f, l := 0., math.Log(y.V)
	if x.V != 0 || math.IsNaN(y.V) {
		f = x.V * l
	}
	return both(x, y, f, partials{x: l, y: x.V / y.V, xy: 1 / y.V, yy: -x.V / (y.V * y.V)})
}

func init() {
	maps.Copy(binaries, specialPairs)
	for name, b := range binaries {
		Entries[name] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor { return one(m.binary(b, x[0], x[1])) }
	}
	for name, c := range compared {
		Entries[name] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
			t := promote(x...)
			shape, cells := m.meet(t, x...)
			for i, a := range cells[0] {
				b := cells[1][i]
				cells[0][i] = Cell{I: truth(t.IsFloat() && c.float(a.V, b.V) ||
					!t.IsFloat() && c.whole(t.turned(a.I), t.turned(b.I)))}
			}
			return one(m.made(Bool, shape, cells[0]))
		}
	}
	for name, f := range logical {
		of := func(name string, t func(x []*Tensor) DType) {
			Entries[name] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
				t := t(x)
				if t.IsFloat() {
					refuse("bits of %s", t)
				}
				return one(m.binary(binary{whole: f}, m.cast(x[0], t), m.cast(x[1], t)))
			}
		}
		of(name, func([]*Tensor) DType { return Bool })
		of("Bit"+name, func(x []*Tensor) DType { return promote(x...) })
	}
	Entries["Not"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		cells := m.cast(x[0], Bool).Cells()
		for i, c := range cells {
			cells[i] = Cell{I: 1 - c.I}
		}
		return one(m.made(Bool, x[0].Shape, cells))
	}
	Entries["BitNot"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if x[0].T == Bool {
			return Entries["Not"](m, s, x)
		}
		if x[0].T.IsFloat() {
			refuse("bits of %s", x[0].T)
		}
		cells := x[0].Cells()
		for i := range cells {
			cells[i].I = ^cells[i].I
		}
		return one(m.made(x[0].T, x[0].Shape, cells))
	}
	Entries["Where"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.where(x[0], x[1], x[2], promote(x[1:]...)))
	}
	Entries["MaskedFill"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.where(x[1], x[2], x[0], x[0].T))
	}
	Entries["Lerp"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.three(x, func(x, end, w Num) Num { return add(x, mul(w, sub(end, x))) }))
	}
	Entries["AddCMul"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.three(x, func(x, a, b Num) Num { return add(x, mul(a, b)) }))
	}
	Entries["AddCDiv"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.three(x, func(x, a, b Num) Num { return add(x, div(a, b)) }))
	}
	Entries["Num"] = func(m *Machine, s *Step, _ []*Tensor) []*Tensor {
		c := Cell{Num: num(s.F[0])}
		t := Float32
		if s.T != "" { // a whole number
			t, c = Int64, Cell{I: int64(s.F[0])}
		}
		x := dense(t, nil, []Cell{c})
		x.weak = true
		return one(x)
	}
}

// wholeOf returns the function of whole numbers of a dtype.
func (b binary) wholeOf(t DType) func(x, y int64) int64 {
	if t == Uint64 && b.unsigned != nil {
		return b.unsigned
	}
	return b.whole
}

func (m *Machine) binary(b binary, x, y *Tensor) *Tensor {
	t := promote(x, y)
	if b.floats && !t.IsFloat() {
		refuse("%s", t)
	}
	if b.whole == nil && !t.IsFloat() {
		t = Float32
	}
	shape, cells := m.meet(t, x, y)
	for i, a := range cells[0] {
		if t.IsFloat() {
			cells[0][i].Num = b.float(a.Num, cells[1][i].Num)
		} else {
			cells[0][i].I = b.wholeOf(t)(a.I, cells[1][i].I)
		}
	}
	return m.made(t, shape, cells[0])
}

// three applies a function of three floating-point numbers.
func (m *Machine) three(x []*Tensor, f func(x, y, z Num) Num) *Tensor {
	t := promote(x...)
	if !t.IsFloat() {
		refuse("%s", t)
	}
	shape, cells := m.meet(t, x...)
	for i, a := range cells[0] {
		cells[0][i].Num = f(a.Num, cells[1][i].Num, cells[2][i].Num)
	}
	return m.made(t, shape, cells[0])
}

func (m *Machine) where(cond, x, y *Tensor, t DType) *Tensor {
	shape := broadcast(cond.Shape, x.Shape, y.Shape)
	out := m.cast(y, t).over(shape)
	given := m.cast(x, t).over(shape)
	for i, c := range m.cast(cond, Bool).over(shape) {
		if c.I != 0 {
			out[i] = given[i]
		}
	}
	return m.made(t, shape, out)
}
