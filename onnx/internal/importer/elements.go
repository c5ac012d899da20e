package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// elementRules are operators of which each element of the result is computed from one of each operand.
var elementRules = map[string]rule{
	"Abs":        one(ops.Abs),
	"Acos":       one(ops.Acos),
	"Acosh":      one(ops.Acosh),
	"Asin":       one(ops.Asin),
	"Asinh":      one(ops.Asinh),
	"Atan":       one(ops.Atan),
	"Atanh":      one(ops.Atanh),
	"Ceil":       one(ops.Ceil),
	"Cos":        one(ops.Cos),
	"Cosh":       one(ops.Cosh),
	"Erf":        one(ops.Erf),
	"Exp":        one(ops.Exp),
	"Floor":      one(ops.Floor),
	"IsNaN":      one(ops.IsNaN),
	"Log":        one(ops.Log),
	"Mish":       one(ops.Mish),
	"Neg":        one(ops.Neg),
	"Not":        one(ops.Not),
	"Reciprocal": one(ops.Reciprocal),
	"Relu":       one(ops.Relu),
	"Round":      one(ops.Round),
	"Sigmoid":    one(ops.Sigmoid),
	"Sign":       one(ops.Sign),
	"Sin":        one(ops.Sin),
	"Sinh":       one(ops.Sinh),
	"Softplus":   one(ops.Softplus),
	"Softsign":   one(ops.Softsign),
	"Sqrt":       one(ops.Sqrt),
	"Tan":        one(ops.Tan),
	"Tanh":       one(ops.Tanh),
	"HardSwish":  one(ops.HardSwish),
	"BitwiseNot": one(ops.BitNot),

	"Add":            two(ops.Add),
	"Sub":            two(ops.Sub),
	"Mul":            two(ops.Mul),
	"And":            two(ops.And),
	"Or":             two(ops.Or),
	"Xor":            two(ops.Xor),
	"Equal":          two(ops.Equal),
	"Greater":        two(ops.Greater),
	"GreaterOrEqual": two(ops.GreaterEqual),
	"Less":           two(ops.Less),
	"LessOrEqual":    two(ops.LessEqual),
	"BitwiseAnd":     two(ops.BitAnd),
	"BitwiseOr":      two(ops.BitOr),
	"BitwiseXor":     two(ops.BitXor),
	"Pow":            two(pow),
	"Div":            two(div),
	"PRelu":          two(prelu),
	"Max":            fold(ops.Maximum),
	"Min":            fold(ops.Minimum),
	"Sum":            fold(ops.Add),
	"Mean": func(c *call) []node {
		return []node{ops.Div(fold(ops.Add)(c)[0], graph.Num(float64(len(c.operands))))}
	},
	"Where": func(c *call) []node { return []node{ops.Where(c.in(0), c.in(1), c.in(2))} },
	"Mod":   func(c *call) []node { return []node{modulo(c.int("fmod", 0) == 1)(c.in(0), c.in(1))} },
	"BitShift": func(c *call) []node {
		if c.text("direction", "") == "LEFT" {
			return []node{ops.ShiftLeft(c.in(0), c.in(1))}
		}
		return []node{ops.ShiftRight(c.in(0), c.in(1))}
	},
	"SwiGLU": func(c *call) []node {
		return []node{ops.Mul(swish(c.in(0), c.float("alpha", 1)), c.in(1))}
	},

	"Celu":            with(func(c *call, x node) node { return ops.Celu(x, c.float("alpha", 1)) }),
	"Elu":             with(func(c *call, x node) node { return ops.Elu(x, c.float("alpha", 1)) }),
	"LeakyRelu":       with(func(c *call, x node) node { return ops.LeakyRelu(x, c.float("alpha", 0.01)) }),
	"ThresholdedRelu": with(func(c *call, x node) node { return ops.Threshold(x, c.float("alpha", 1), 0) }),
	"Swish":           with(func(c *call, x node) node { return swish(x, c.float("alpha", 1)) }),
	"Selu": with(func(c *call, x node) node {
		return ops.Mul(ops.Elu(x, c.float("alpha", 1.67326319217681884765625)),
			graph.Num(c.float("gamma", 1.05070102214813232421875)))
	}),
	"HardSigmoid": with(func(c *call, x node) node {
		return ops.Clamp(ops.Add(ops.Mul(x, graph.Num(c.float("alpha", 0.2))), graph.Num(c.float("beta", 0.5))),
			0, 1)
	}),
	"Gelu": with(func(c *call, x node) node {
		if c.text("approximate", "none") == "tanh" {
			return ops.GeluTanh(x)
		}
		return ops.Gelu(x)
	}),
	"Shrink": with(func(c *call, x node) node {
		bias, lambda := graph.Num(c.float("bias", 0)), c.float("lambd", 0.5)
		return ops.Where(ops.Less(x, graph.Num(-lambda)), ops.Add(x, bias),
			ops.Where(ops.Greater(x, graph.Num(lambda)), ops.Sub(x, bias), graph.Num(0)))
	}),
	"IsInf": with(func(c *call, x node) node {
		switch {
		case c.int("detect_negative", 1) == 0:
			return ops.IsPosInf(x)
		case c.int("detect_positive", 1) == 0:
			return ops.IsNegInf(x)
		}
		return ops.IsInf(x)
	}),
	"Clip": func(c *call) []node {
		y := c.in(0)
		if low := c.at(1); low != nil {
			y = ops.AtLeast(y, low)
		}
		if high := c.at(2); high != nil {
			y = ops.AtMost(y, high)
		}
		if c.given("min") || c.given("max") {
			y = ops.Clamp(y, c.float("min", math.Inf(-1)), c.float("max", math.Inf(1)))
		}
		return []node{y}
	},
	"BitCast": with(func(c *call, x node) node { return ops.BitCast(x, c.dtype("to", 0)) }),
	"Cast": with(func(c *call, x node) node {
		return cast(c, x, c.dtype("to", 0), narrowBits(wire.DataType(c.int("to", 0))))
	}),
	"CastLike": with(func(c *call, x node) node { return cast(c, x, c.in(1).DType(), c.operands[1].bits) }),
}

func init() { join(elementRules) }

func swish(x node, alpha float64) node {
	return ops.Mul(x, ops.Sigmoid(ops.Mul(x, graph.Num(alpha))))
}

// prelu broadcasts the slopes. Those of old files are one for each channel, without the axes behind it.
func prelu(x, slope node) node {
	if n := x.Rank(); slope.Rank() == 1 && n > 2 && slope.Shape()[0] == x.Shape()[1] &&
		slope.Shape()[0] != x.Shape()[n-1] {
		slope = ops.Reshape(slope, append([]graph.Dim{-1}, slices.Repeat([]graph.Dim{1}, n-2)...)...)
	}
	return ops.Where(ops.Less(x, graph.Num(0)), ops.Mul(x, slope), x)
}

// div truncates quotients of integers.
func div(x, y node) node {
	if x.DType().IsInt() {
		return ops.FloorDiv(ops.Sub(x, ops.Fmod(x, y)), y)
	}
	return ops.Div(x, y)
}

// pow is of the first operand's dtype.
func pow(x, y node) node { return ops.Cast(ops.Pow(x, y), x.DType()) }

func modulo(truncated bool) func(x, y node) node {
	if truncated {
		return ops.Fmod
	}
	return ops.Remainder
}

func cast(c *call, x node, to graph.DType, bits int) node {
	if bits > 0 {
		return narrowed(ops.Cast(ops.Cast(x, graph.Int32), to), bits)
	}
	if to.IsStorage() && c.int("saturate", 1) == 1 {
		return ops.CastSaturated(x, to)
	}
	return ops.Cast(x, to)
}
