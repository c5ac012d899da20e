package export

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// direct are the primitives that one operator of ONNX computes, whatever their types.
var direct = map[graph.Prim]string{
	graph.PrimAdd: "Add", graph.PrimSub: "Sub", graph.PrimMul: "Mul", graph.PrimMax: "Max", graph.PrimMin: "Min",
	graph.PrimSqrt: "Sqrt", graph.PrimRecip: "Reciprocal", graph.PrimFloor: "Floor", graph.PrimCeil: "Ceil",
	graph.PrimRound: "Round",
	graph.PrimExp:   "Exp", graph.PrimLog: "Log", graph.PrimTanh: "Tanh", graph.PrimSigmoid: "Sigmoid",
	graph.PrimSin: "Sin", graph.PrimCos: "Cos",
	graph.PrimLt: "Less", graph.PrimLe: "LessOrEqual", graph.PrimGt: "Greater", graph.PrimGe: "GreaterOrEqual",
	graph.PrimEq: "Equal",
}

// logical are the primitives of truth values, and of the bits of integers.
var logical = map[graph.Prim]struct{ ofBools, ofBits string }{
	graph.PrimAnd: {"And", "BitwiseAnd"}, graph.PrimOr: {"Or", "BitwiseOr"}, graph.PrimXor: {"Xor", "BitwiseXor"},
	graph.PrimNot: {"Not", "BitwiseNot"},
}

// primitive applies a primitive to values that broadcast.
func (e *exporter) primitive(p graph.Prim, x []*value) *value {
	t := x[len(x)-1].dtype
	if y := e.known(p, x); y != nil {
		return y
	}
	if names, is := logical[p]; is {
		if t == graph.Bool {
			return e.same(names.ofBools, x...)
		}
		return e.same(names.ofBits, x...)
	}
	switch op := direct[p]; {
	case op == "":
	case p >= graph.PrimLt && p <= graph.PrimEq:
		return e.compare(op, x[0], x[1])
	case op == "Max" || op == "Min":
		return e.carried(op, t, func(c func(*value) *value) *value { return e.same(op, c(x[0]), c(x[1])) })
	default:
		return e.same(op, x...)
	}
	zero := e.number(t, 0)
	switch p {
	case graph.PrimNe:
		return e.test("Not", e.compare("Equal", x[0], x[1]))
	case graph.PrimSelect:
		return e.choose(x[0], x[1], x[2])
	case graph.PrimNeg:
		if t.IsUnsigned() {
			return e.same("Sub", zero, x[0])
		}
		return e.carried("Neg", t, func(c func(*value) *value) *value { return e.same("Neg", c(x[0])) })
	case graph.PrimAbs:
		if t.IsUnsigned() {
			return x[0]
		}
		return e.same("Abs", x[0])
	case graph.PrimSign: // ONNX Runtime's own keeps NaN and -0, which have the sign 0 here
		return e.same("Sub", e.cast(e.compare("Greater", x[0], zero), t), e.cast(e.compare("Less", x[0], zero), t))
	}
	if t.IsInt() {
		return e.wholeNumbers(p, x[0], x[1])
	}
	return e.floats(p, x)
}

// known computes sums and products of integers that are constants; it returns nil for others.
func (e *exporter) known(p graph.Prim, x []*value) *value {
	if len(x) != 2 || x[0].dtype != graph.Int64 {
		return nil
	}
	_, a, is := numberOf(x[0])
	_, b, too := numberOf(x[1])
	if !is || !too {
		return nil
	}
	switch p {
	case graph.PrimAdd:
		return e.whole(graph.Int64, a+b)
	case graph.PrimSub:
		return e.whole(graph.Int64, a-b)
	case graph.PrimMul:
		return e.whole(graph.Int64, a*b)
	}
	return nil
}

// compare applies an operator that compares. Truth values are ordered as numbers.
func (e *exporter) compare(op string, x, y *value) *value {
	if x.dtype == graph.Bool && op != "Equal" {
		x, y = e.cast(x, graph.Uint8), e.cast(y, graph.Uint8)
	}
	return e.test(op, x, y)
}

// floats applies a primitive of floating-point numbers that ONNX has not as it is.
func (e *exporter) floats(p graph.Prim, x []*value) *value {
	t := x[0].dtype
	num := func(v float64) *value { return e.number(t, v) }
	zero, one := num(0), num(1)
	switch p {
	case graph.PrimDiv:
		return e.same("Div", x...)
	case graph.PrimPow:
		return e.same("Pow", x...)
	case graph.PrimRsqrt:
		return e.same("Reciprocal", e.same("Sqrt", x[0]))
	case graph.PrimFMA: // which ONNX has not: the product is rounded too
		return e.same("Add", e.same("Mul", x[0], x[1]), x[2])
	case graph.PrimExpOrZero:
		return e.same("Exp", e.same("Min", x[0], zero))
	case graph.PrimExp2:
		return e.same("Pow", num(2), x[0])
	case graph.PrimLog2:
		return e.same("Div", e.same("Log", x[0]), num(math.Ln2))
	case graph.PrimLog10:
		return e.same("Div", e.same("Log", x[0]), num(math.Ln10))
	case graph.PrimTrunc:
		return e.choose(e.compare("Less", x[0], zero), e.same("Ceil", x[0]), e.same("Floor", x[0]))
	case graph.PrimExpm1:
		return e.expm1(x[0])
	case graph.PrimLog1p: // log(u)·x/(u-1) with u = 1+x makes up for the digits that u has not
		u := e.same("Add", x[0], one)
		exact := e.test("Or", e.compare("Equal", u, one), e.compare("Equal", u, x[0]))
		corrected := e.same("Div", e.same("Mul", e.same("Log", u), x[0]), e.same("Sub", u, one))
		plain := e.choose(e.compare("Equal", u, one), x[0], e.same("Log", u))
		return e.choose(exact, plain, corrected)
	case graph.PrimErf:
		if t == graph.Float64 {
			return e.erf64(x[0])
		}
		return e.same("Erf", x[0])
	case graph.PrimAtan2:
		return e.atan2(x[0], x[1])
	case graph.PrimRem:
		r := e.modulo(x[0], x[1])
		return e.choose(e.turned(r, x[1]), e.same("Add", r, x[1]), r)
	case graph.PrimFloorDiv:
		return e.floorQuotient(x[0], x[1])
	}
	e.Fail(e.Node, "is written with %s, which this package does not know", p)
	return x[0]
}

// expm1 is e to the power of x, less 1: 2t/(1-t) with t = tanh(x/2) keeps the digits of a small x.
func (e *exporter) expm1(x *value) *value {
	num := func(v float64) *value { return e.number(x.dtype, v) }
	t := e.same("Tanh", e.same("Mul", x, num(0.5)))
	small := e.same("Div", e.same("Mul", t, num(2)), e.same("Sub", num(1), t))
	isSmall := e.compare("Less", e.same("Abs", x), num(0.5))
	return e.choose(isSmall, small, e.same("Sub", e.same("Exp", x), num(1)))
}

// modulo is the remainder with the sign of the dividend.
func (e *exporter) modulo(x, y *value) *value {
	return e.apply("Mod", tensor{x.dtype, joint(x, y)}, attrs{attrInt("fmod", 1)}, x, y)
}

// turned reports where a remainder r, which has the sign of the dividend, is not that of Python, which has the
// sign of the divisor y.
func (e *exporter) turned(r, y *value) *value {
	zero := e.number(r.dtype, 0)
	differ := e.test("Xor", e.compare("Less", r, zero), e.compare("Less", y, zero))
	return e.test("And", differ, e.test("Not", e.compare("Equal", r, zero)))
}

// floorQuotient is the whole number that belongs to that remainder: (x - r) / y, rounded to it, with the sign of
// x / y where it is 0; x / y where y is 0.
func (e *exporter) floorQuotient(x, y *value) *value {
	num := func(v float64) *value { return e.number(x.dtype, v) }
	r := e.modulo(x, y)
	q := e.same("Div", e.same("Sub", x, r), y)
	q = e.choose(e.turned(r, y), e.same("Sub", q, num(1)), q)
	whole := e.same("Floor", q)
	whole = e.choose(e.compare("Greater", e.same("Sub", q, whole), num(0.5)), e.same("Add", whole, num(1)), whole)
	plain := e.same("Div", x, y)
	whole = e.choose(e.compare("Equal", q, num(0)), e.same("Mul", plain, num(0)), whole)
	return e.choose(e.compare("Equal", y, num(0)), plain, whole)
}

// atan2 is the angle of the point (x, y) = (b, a).
func (e *exporter) atan2(a, b *value) *value {
	num := func(v float64) *value { return e.number(a.dtype, v) }
	zero := num(0)
	isNegative := func(x *value) *value { // of -0, too
		return e.test("Or", e.compare("Less", x, zero),
			e.test("And", e.compare("Equal", x, zero), e.compare("Less", e.same("Reciprocal", x), zero)))
	}
	p, q := e.same("Abs", a), e.same("Abs", b)
	less, more := e.same("Min", p, q), e.same("Max", p, q)
	ratio := e.same("Div", less, more)
	ratio = e.choose(e.compare("Equal", less, more), num(1), ratio) // of infinities, too
	ratio = e.choose(e.compare("Equal", more, zero), zero, ratio)
	angle := e.atan(ratio)
	angle = e.choose(e.compare("Greater", p, q), e.same("Sub", num(math.Pi/2), angle), angle)
	angle = e.choose(isNegative(b), e.same("Sub", num(math.Pi), angle), angle)
	angle = e.choose(isNegative(a), e.same("Neg", angle), angle)
	return e.choose(e.test("Or", e.isNaN(a), e.isNaN(b)), e.same("Add", a, b), angle)
}

// isNaN reports where a value is no number.
func (e *exporter) isNaN(x *value) *value {
	if !x.dtype.IsFloat() {
		return e.number(graph.Bool, 0)
	}
	return e.test("IsNaN", x)
}
