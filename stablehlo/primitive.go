package stablehlo

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// direct are the primitives that one operation of StableHLO, or of CHLO, computes, whatever their types.
var direct = map[graph.Prim]string{
	graph.PrimAdd: "stablehlo.add", graph.PrimSub: "stablehlo.subtract", graph.PrimMul: "stablehlo.multiply",
	graph.PrimMax: "stablehlo.maximum", graph.PrimMin: "stablehlo.minimum",
	graph.PrimAtan2: "stablehlo.atan2", graph.PrimNeg: "stablehlo.negate", graph.PrimAbs: "stablehlo.abs",
	graph.PrimSqrt: "stablehlo.sqrt", graph.PrimRsqrt: "stablehlo.rsqrt",
	graph.PrimFloor: "stablehlo.floor", graph.PrimCeil: "stablehlo.ceil",
	graph.PrimRound: "stablehlo.round_nearest_even",
	graph.PrimExp:   "stablehlo.exponential", graph.PrimExpm1: "stablehlo.exponential_minus_one",
	graph.PrimLog: "stablehlo.log", graph.PrimLog1p: "stablehlo.log_plus_one",
	graph.PrimTanh: "stablehlo.tanh", graph.PrimSigmoid: "stablehlo.logistic", graph.PrimErf: "chlo.erf",
	graph.PrimSin: "stablehlo.sine", graph.PrimCos: "stablehlo.cosine",
	graph.PrimAnd: "stablehlo.and", graph.PrimOr: "stablehlo.or", graph.PrimXor: "stablehlo.xor",
	graph.PrimNot:    "stablehlo.not",
	graph.PrimSelect: "stablehlo.select",
}

// directions are the comparisons.
var directions = map[graph.Prim]string{
	graph.PrimLt: "LT", graph.PrimLe: "LE", graph.PrimGt: "GT", graph.PrimGe: "GE", graph.PrimEq: "EQ",
	graph.PrimNe: "NE",
}

// primitive applies a primitive to tensors of one shape.
func (e *exporter) primitive(p graph.Prim, x []*value) *value {
	if p == graph.PrimAbs && x[0].dtype.IsUnsigned() {
		return x[0]
	}
	if op := direct[p]; op != "" {
		return e.apply(op, x[len(x)-1].tensor, nil, x...)
	}
	if d := directions[p]; d != "" {
		return e.compare(d, x[0], x[1])
	}
	t := x[0].tensor
	zero := e.splat(t, 0)
	switch {
	case p == graph.PrimSign:
		// StableHLO's own keeps NaN and -0, which have the sign 0 here.
		return e.same("subtract", e.convert(e.compare("GT", x[0], zero), t.dtype),
			e.convert(e.compare("LT", x[0], zero), t.dtype))
	case p == graph.PrimFMA: // which StableHLO has not: the product is rounded too
		return e.same("add", e.same("multiply", x[0], x[1]), x[2])
	case p == graph.PrimExpOrZero:
		return e.same("exponential", e.same("minimum", x[0], zero))
	case p == graph.PrimExp2:
		return e.same("power", e.splat(t, 2), x[0])
	case p == graph.PrimLog2:
		return e.same("divide", e.same("log", x[0]), e.splat(t, math.Ln2))
	case p == graph.PrimLog10:
		return e.same("divide", e.same("log", x[0]), e.splat(t, math.Ln10))
	case p == graph.PrimRecip:
		return e.same("divide", e.splat(t, 1), x[0])
	case p == graph.PrimTrunc:
		return e.choose(e.compare("LT", x[0], zero), e.same("ceil", x[0]), e.same("floor", x[0]))
	case t.dtype.IsInt():
		return e.wholeNumbers(p, x[0], x[1])
	case p == graph.PrimDiv:
		return e.same("divide", x...)
	case p == graph.PrimPow:
		return e.same("power", x...)
	case p == graph.PrimRem:
		return e.pythonRemainder(x[0], x[1])
	case p == graph.PrimFloorDiv:
		return e.floorQuotient(x[0], x[1])
	}
	e.Fail(e.Node, "is written with %s, which this package does not know", p)
	return x[0]
}

// turned reports where a remainder r with the sign of the dividend differs from Python's, which has the sign of the
// divisor y.
func (e *exporter) turned(r, y *value) *value {
	zero := e.splat(r.tensor, 0)
	differ := e.compare("NE", e.compare("LT", r, zero), e.compare("LT", y, zero))
	return e.same("and", differ, e.compare("NE", r, zero))
}

// pythonRemainder is the remainder with the sign of the divisor.
func (e *exporter) pythonRemainder(x, y *value) *value {
	r := e.same("remainder", x, y)
	return e.choose(e.turned(r, y), e.same("add", r, y), r)
}

// floorQuotient is the integer that belongs to that remainder: (x - r) / y, rounded to an integer, with the sign of x /
// y if it is 0; x / y if y is 0.
func (e *exporter) floorQuotient(x, y *value) *value {
	t, r := x.tensor, e.same("remainder", x, y)
	q := e.same("divide", e.same("subtract", x, r), y)
	q = e.choose(e.turned(r, y), e.same("subtract", q, e.splat(t, 1)), q)
	whole := e.same("floor", q)
	whole = e.choose(e.compare("GT", e.same("subtract", q, whole), e.splat(t, 0.5)),
		e.same("add", whole, e.splat(t, 1)), whole)
	plain := e.same("divide", x, y)
	signed := e.same("multiply", plain, e.splat(t, 0))
	whole = e.choose(e.compare("EQ", q, e.splat(t, 0)), signed, whole)
	return e.choose(e.compare("EQ", y, e.splat(t, 0)), plain, whole)
}
