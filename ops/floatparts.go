package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opCopySign, opSignBit, opNextAfter, opMantissa, opExponent, opNanToNum *graph.Op

// NanToNumAttrs are the fixed arguments of NanToNum: the replacements for NaN and for the infinities. An infinite
// replacement stands for the greatest or least finite number of the dtype.
type NanToNumAttrs struct{ NaN, PosInf, NegInf float64 }

// Args writes the three numbers.
func (a NanToNumAttrs) Args(operands []string) []string {
	return after(operands, boundWord(a.NaN), boundWord(a.PosInf), boundWord(a.NegInf))
}

// A format has the constants of a floating-point dtype: the unit 2^-p of rounding, the least number
// above 0, and the greatest one.
type format struct{ unit, least, greatest float64 }

var formats = map[graph.DType]format{
	// These are computed in float32, and their results rounded.
	graph.Float16:  {0x1p-11, 0x1p-24, 65504},
	graph.BFloat16: {0x1p-8, 0x1p-133, 0x1.fep127},
	graph.Float32:  {0x1p-24, math.SmallestNonzeroFloat32, math.MaxFloat32},
	graph.Float64:  {0x1p-53, math.SmallestNonzeroFloat64, math.MaxFloat64},
}

// ofFormats wraps a rule: a floating-point dtype whose constants are not in the table is refused.
func ofFormats(kernel string, rule func(*graph.Call) (graph.DType, graph.Shape)) func(*graph.Call) (graph.DType,
	graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := rule(c)
		if of := c.DType(0); of.IsFloat() && formats[of] == (format{}) && !c.Failed() {
			rules.RefuseDType(c, `"`+kernel+`" not implemented for '`+of.TorchName()+`'`)
		}
		return t, s
	}
}

// signed reports whether the sign of y is set: of 0 it is that of 1/y. That of NaN cannot be seen.
func (m arith) signed(y graph.Value) graph.Value {
	return m.Prim(graph.PrimOr, m.less(y, 0), m.Prim(graph.PrimAnd, m.equals(y, 0), m.less(m.div(m.num(1), y), 0)))
}

// next is the number above a, which is at least 0 and finite: Rump, Zimmermann, Boldo and Melquiond,
// Computing predecessor and successor in rounding to nearest, 2009. With sign -1 it is the one below.
func (m arith) next(a graph.Value, sign float64) graph.Value {
	f := formats[m.t]
	share := m.num(sign * f.unit * (1 + 2*f.unit))
	far := m.add(a, m.mul(share, a))
	grown := m.mul(a, m.num(1/f.unit))
	middle := m.mul(m.add(grown, m.mul(share, grown)), m.num(f.unit))
	near := m.add(a, m.num(sign*f.least))
	return m.pick(m.Prim(graph.PrimGe, a, m.num(f.least/f.unit/f.unit/2)), far,
		m.pick(m.less(a, f.least/f.unit), near, middle))
}

func emitNextAfter(m arith, x, y graph.Value) graph.Value {
	a := m.abs(x)
	down := m.Prim(graph.PrimEq, m.Prim(graph.PrimLt, y, x), m.Prim(graph.PrimGt, x, m.num(0))) // towards 0
	greatest := m.num(formats[m.t].greatest)
	stepped := m.pick(down, m.pick(m.equals(a, inf), greatest, m.next(a, -1)), m.next(a, 1))
	isNegative := m.less(x, 0)
	stepped = m.pick(isNegative, m.neg(stepped), stepped)
	fromZero := m.pick(m.Prim(graph.PrimLt, y, x), m.num(-formats[m.t].least), m.num(formats[m.t].least))
	moved := m.pick(m.equals(x, 0), fromZero, stepped)
	isNaN := m.Prim(graph.PrimOr, m.Prim(graph.PrimNe, x, x), m.Prim(graph.PrimNe, y, y))
	return m.pick(isNaN, m.num(math.NaN()), m.pick(m.Prim(graph.PrimEq, x, y), y, moved))
}

// parts brings |x| between 1/2 and 1 by powers of 2, which are exact, and counts them. 0, infinities
// and NaN stay.
func (m arith) parts(x graph.Value) (mantissa, exponent graph.Value) {
	top := 64
	if m.t == graph.Float64 {
		top = 512
	}
	var steps []int
	for k := top; k > 0; k /= 2 {
		steps = append(steps, k)
	}
	a, count := m.abs(x), m.num(0)
	still := m.Prim(graph.PrimOr, m.equals(a, 0), m.Prim(graph.PrimNot, m.less(a, inf)))
	a = m.pick(still, m.num(0.5), a)
	for _, k := range append(steps, 1) { // down: the greatest exponent is twice the first step
		is := m.Prim(graph.PrimGe, a, m.num(math.Ldexp(1, k-1)))
		a = m.pick(is, m.mul(a, m.num(math.Ldexp(1, -k))), a)
		count = m.pick(is, m.add(count, m.num(float64(k))), count)
	}
	for _, k := range append([]int{top}, steps...) { // up: numbers below the least normal one are farther
		is := m.less(a, math.Ldexp(1, -k))
		a = m.pick(is, m.mul(a, m.num(math.Ldexp(1, k))), a)
		count = m.pick(is, m.sub(count, m.num(float64(k))), count)
	}
	return m.pick(still, x, m.pick(m.less(x, 0), m.neg(a), a)), count
}

func init() {
	opCopySign = floatPair("copysign", "CopySign", "|x| with the sign of y.", "copysign_cpu",
		func(m arith, x, y graph.Value) graph.Value {
			a := m.abs(x)
			return m.pick(m.signed(y), m.neg(a), a)
		},
		each(
			func(n, dy node) node {
				zero := Equal(n.In(0), num(0))
				return Where(zero, num(0), Mul(dy, Div(n, Where(zero, num(1), n.In(0)))))
			},
			func(n, dy node) node { return nil }))
	opCopySign.Promote = ToCommonFloat
	opSignBit = unary("signbit", "SignBit", "whether the sign of x is set: also that of -0.", nil, graph.PrimNeg, nil)
	opSignBit.Infer = boolType
	opSignBit.Emit = func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		m := arith{Emitter: e, t: n.In(0).DType()}
		switch {
		case m.t == graph.Bool:
			return e.Const(graph.Bool, 0)
		case m.t.IsFloat():
			return m.signed(x[0])
		}
		return m.less(x[0], 0)
	}
	opNextAfter = floatPair("nextafter", "NextAfter", "the number after x towards y.", "nextafter_cpu", emitNextAfter,
		noGradient)
	opMantissa = activation("frexp_mantissa", "Frexp", "the part of x between 1/2 and 1 that a power of 2 leaves.",
		"frexp",
		func(m arith, _ node, x graph.Value) graph.Value {
			mantissa, _ := m.parts(x)
			return mantissa
		},
		func(y, x, dy node) node { return Div(dy, Exp2(Cast(Apply(opExponent, nil, x), x.DType()))) })
	opMantissa.Infer, opNextAfter.Infer = ofFormats("frexp", opMantissa.Infer),
		ofFormats("nextafter_cpu", opNextAfter.Infer)
	opExponent = activation("frexp_exponent", "Frexp", "the power of 2 in x, as Int32.", "frexp",
		func(m arith, _ node, x graph.Value) graph.Value {
			m.t = m.TypeOf(x)
			_, exponent := m.parts(x)
			return m.Convert(exponent, graph.Int32)
		}, nil)
	mantissas := opMantissa.Infer
	opExponent.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		_, s := mantissas(c)
		return graph.Int32, s
	}
	opExponent.Grad = noGradient
	opNanToNum = define(
		graph.Op{Name: "nan_to_num", Func: "NanToNum", Doc: "x, with NaN and the infinities replaced by numbers.",
			Class: graph.Elementwise, MinIn: 1, MaxIn: 1, Infer: ofFormats("nan_to_num", sameType), Emit: emitNanToNum,
			Grad: func(n, dy node, _ int) node { return Where(IsFinite(n.In(0)), dy, num(0)) },
		})
	opCopySign.Ref = named("numpy.copysign", "torch.copysign", "jax.numpy.copysign", "", "")
	opSignBit.Ref = named("numpy.signbit", "torch.signbit", "jax.numpy.signbit", "", "")
	opNextAfter.Ref = flat("it is a step of one unit", "numpy.nextafter", "torch.nextafter",
		"jax.numpy.nextafter, jax.lax.nextafter", "", "")
	opMantissa.Ref = named("numpy.frexp", "torch.frexp", "jax.numpy.frexp", "", "",
		func(e *graph.Example) node { return e.Several(Frexp(e.Of("x", "n"))) })
	opNanToNum.Ref = named("numpy.nan_to_num", "torch.nan_to_num", "jax.numpy.nan_to_num", "", "",
		func(e *graph.Example) node { return NanToNum(e.Of("x", "n"), 0, inf, -inf) })
	composed("Ldexp", "x * 2^n.", named("numpy.ldexp", "torch.ldexp", "jax.numpy.ldexp", "", "",
		func(e *graph.Example) node { return Ldexp(e.Of("x", "n"), e.As(graph.Int32, "power", "n")) }))
}

func emitNanToNum(e graph.Emitter, n node, x []graph.Value) graph.Value {
	m, a := arith{Emitter: e, t: n.DType()}, n.Attrs().(NanToNumAttrs)
	if !m.t.IsFloat() {
		return x[0]
	}
	greatest := formats[m.t].greatest
	y := m.pick(m.equals(x[0], inf), m.num(min(a.PosInf, greatest)), x[0])
	y = m.pick(m.equals(x[0], -inf), m.num(max(a.NegInf, -greatest)), y)
	return m.pick(m.Prim(graph.PrimNe, x[0], x[0]), m.num(a.NaN), y)
}

// CopySign returns |x| with the sign of y. -0 has a negative sign, and NaN a positive one.
func CopySign(x, y *graph.Node) *graph.Node { return Apply(opCopySign, nil, x, y) }

// SignBit reports whether x is negative or -0.
func SignBit(x *graph.Node) *graph.Node { return Apply(opSignBit, nil, x) }

// NextAfter returns the next representable number after x in the direction of y.
func NextAfter(x, y *graph.Node) *graph.Node { return Apply(opNextAfter, nil, x, y) }

// Frexp returns the mantissa and the exponent of x, so that x = mantissa * 2^exponent. The magnitude of the mantissa
// is at least 1/2 and less than 1, and the exponent is Int32. For 0, infinities and NaN the mantissa is x and the
// exponent 0.
func Frexp(x *graph.Node) (mantissa, exponent *graph.Node) {
	return Apply(opMantissa, nil, x), Apply(opExponent, nil, x)
}

// Ldexp returns x * 2^power. The result keeps x's floating-point dtype if power is an integer.
func Ldexp(x, power *graph.Node) *graph.Node {
	defer building("Ldexp", x, power)()
	withScalars(nil, opMul, &x, &power)
	y := Mul(x, Pow(num(2), power))
	if y.Judged() && x.DType().IsFloat() && !power.DType().IsFloat() {
		return x.Graph().Convert(y, x.DType())
	}
	return y
}

// NanToNum returns x with NaN replaced by nan, +Inf by posInf and -Inf by negInf. If posInf or negInf is infinite,
// the greatest or least finite number of the dtype is used instead. Integers are unchanged.
func NanToNum(x *graph.Node, nan, posInf, negInf float64) *graph.Node {
	return Apply(opNanToNum, NanToNumAttrs{nan, posInf, negInf}, x)
}
