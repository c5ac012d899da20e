package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var (
	opNeg, opAbs, opSign, opSquare, opSqrt, opRsqrt, opRecip          *graph.Op
	opExp, opExpm1, opLog, opLog1p, opTanh, opSigmoid, opErf          *graph.Op
	opSin, opCos, opRelu, opFloor, opCeil, opRound, opCast, opStopGrd *graph.Op
)

// unary is the entry of an operation of one operand. y is the result, x the operand.
func unary(name, fn, doc string, promote func([]graph.DType, []graph.OperandRank) []graph.DType, p graph.Prim,
	grad func(y, x, dy node) node) *graph.Op {
	op := graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Promote: promote, Infer: sameType, Emit: prim(p), Grad: noGradient}
	if grad != nil {
		op.Grad = func(n, dy node, _ int) node { return grad(n, n.In(0), dy) }
	}
	return define(op)
}

func init() {
	opNeg = unary("neg", "Neg", "-x; not defined for booleans.", nil, graph.PrimNeg,
		func(y, x, dy node) node { return Neg(dy) })
	opNeg.Involution = true
	opNeg.Infer = refuseBool(
		"Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
		sameType)
	opAbs = unary("abs", "Abs", "|x|; its gradient at 0 is 0.", nil, graph.PrimAbs,
		func(y, x, dy node) node { return Mul(dy, Sign(x)) })
	opAbs.Infer = refuseBool(`"abs_cpu" not implemented for 'Bool'`, sameType)
	opSign = unary("sign", "Sign", "-1, 0 or 1; 0 for NaN.", nil, graph.PrimSign, nil)
	opSign.Emit = identityFor(graph.PrimSign, false)
	opSquare = unary("square", "Square", "x * x; of booleans: Int64.", boolToInt64, graph.PrimMul,
		func(y, x, dy node) node { return Mul(dy, Mul(x, num(2))) })
	opSquare.Emit = func(e graph.Emitter, _ node, x []graph.Value) graph.Value {
		return e.Prim(graph.PrimMul, x[0], x[0])
	}
	opSqrt = unary("sqrt", "Sqrt", "the square root.", ToCommonFloat, graph.PrimSqrt,
		func(y, x, dy node) node { return Div(dy, Mul(y, num(2))) })
	opRsqrt = unary("rsqrt", "Rsqrt", "1 / sqrt(x).", ToCommonFloat, graph.PrimRsqrt,
		func(y, x, dy node) node { return Mul(dy, Mul(num(-0.5), Mul(y, Mul(y, y)))) })
	opRecip = unary("reciprocal", "Reciprocal", "1 / x.", ToCommonFloat, graph.PrimRecip,
		func(y, x, dy node) node { return Neg(Mul(dy, Mul(y, y))) })
	opExp = unary("exp", "Exp", "e to the power x.", ToCommonFloat, graph.PrimExp,
		func(y, x, dy node) node { return Mul(dy, y) })
	opExpm1 = unary("expm1", "Expm1", "exp(x) - 1, exact near 0.", ToCommonFloat, graph.PrimExpm1,
		func(y, x, dy node) node { return Mul(dy, Add(y, num(1))) })
	opLog = unary("log", "Log", "the natural logarithm.", ToCommonFloat, graph.PrimLog,
		func(y, x, dy node) node { return Div(dy, x) })
	opLog1p = unary("log1p", "Log1p", "log(1 + x), exact near 0.", ToCommonFloat, graph.PrimLog1p,
		func(y, x, dy node) node { return Div(dy, Add(x, num(1))) })
	opTanh = unary("tanh", "Tanh", "the hyperbolic tangent.", ToCommonFloat, graph.PrimTanh,
		func(y, x, dy node) node { return Mul(dy, Sub(num(1), Mul(y, y))) })
	opSigmoid = unary("sigmoid", "Sigmoid", "1 / (1 + exp(-x)).", ToCommonFloat, graph.PrimSigmoid,
		func(y, x, dy node) node { return Mul(dy, Mul(Sub(num(1), y), y)) })
	opErf = unary("erf", "Erf", "the error function.", ToCommonFloat, graph.PrimErf,
		func(y, x, dy node) node { return Mul(dy, Mul(num(2/math.Sqrt(math.Pi)), Exp(Neg(Square(x))))) })
	opSin = unary("sin", "Sin", "the sine.", ToCommonFloat, graph.PrimSin,
		func(y, x, dy node) node { return Mul(dy, Cos(x)) })
	opCos = unary("cos", "Cos", "the cosine.", ToCommonFloat, graph.PrimCos,
		func(y, x, dy node) node { return Mul(dy, Neg(Sin(x))) })
	opFloor = unary("floor", "Floor", "the largest integer not above x.", nil, graph.PrimFloor, nil)
	opFloor.Emit = identityFor(graph.PrimFloor, true)
	opFloor.Infer = refuseBool(`"floor_vml_cpu" not implemented for 'Bool'`, sameType)
	opCeil = unary("ceil", "Ceil", "the smallest integer not below x.", nil, graph.PrimCeil, nil)
	opCeil.Emit = identityFor(graph.PrimCeil, true)
	opCeil.Infer = refuseBool(`"ceil_vml_cpu" not implemented for 'Bool'`, sameType)
	opRound = unary("round", "Round", "the nearest integer, half to even.", nil, graph.PrimRound, nil)
	opRound.Emit = identityFor(graph.PrimRound, true)
	opRound.Infer = refuseBool(`"round_vml_cpu" not implemented for 'Bool'`, sameType)
	opRelu = unary("relu", "Relu", "max(x, 0); NaN stays; its gradient at 0 is 0.", nil, graph.PrimMax,
		func(y, x, dy node) node { return Where(LessEqual(y, num(0)), num(0), dy) })
	opRelu.Infer = refuseBool(`Boolean inputs not supported for relu`, sameType)
	opRelu.Emit = func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		return e.Prim(graph.PrimMax, x[0], e.Const(n.DType(), 0))
	}
	opCast = register(graph.CastOp)
	opStopGrd = define(graph.Op{
		Name: "stop_gradient", Func: "StopGradient", Doc: "x, through which no gradient flows.",
		Class: graph.Elementwise, MinIn: 1, MaxIn: 1, Infer: sameType, Grad: noGradient,
		Emit: func(_ graph.Emitter, _ node, x []graph.Value) graph.Value { return x[0] },
	})
	opAbs.Ref = named("numpy.absolute, numpy.abs, numpy.fabs", "torch.abs, torch.absolute",
		"jax.numpy.abs, jax.numpy.absolute, jax.numpy.fabs, jax.lax.abs", "Abs", "Abs")
	opCast.Ref = named("numpy.ndarray.astype", "torch.Tensor.to", "jax.lax.convert_element_type", "Cast", "",
		func(e *graph.Example) node { return Cast(e.Of("x", "n"), graph.Float64) })
	opCeil.Ref = flat(flatBetweenJumps, "numpy.ceil", "torch.ceil", "jax.numpy.ceil, jax.lax.ceil", "Ceil", "Ceil")
	opCos.Ref = named("numpy.cos", "torch.cos", "jax.numpy.cos, jax.lax.cos", "Cos", "Cos")
	opErf.Ref = named("scipy.special.erf", "torch.special.erf, torch.erf", "jax.scipy.special.erf, jax.lax.erf",
		"Erf", "")
	opExp.Ref = named("numpy.exp", "torch.exp", "jax.numpy.exp, jax.lax.exp", "Exp", "Exp")
	opExpm1.Ref = named("numpy.expm1", "torch.expm1, torch.special.expm1", "jax.numpy.expm1, jax.lax.expm1", "",
		"Expm1")
	opFloor.Ref = flat(flatBetweenJumps, "numpy.floor", "torch.floor", "jax.numpy.floor, jax.lax.floor", "Floor",
		"Floor")
	opLog.Ref = named("numpy.log", "torch.log", "jax.numpy.log, jax.lax.log", "Log", "Log")
	opLog1p.Ref = named("numpy.log1p", "torch.log1p, torch.special.log1p", "jax.numpy.log1p, jax.lax.log1p", "",
		"Log1p")
	opNeg.Ref = named("numpy.negative", "torch.neg, torch.negative", "jax.numpy.negative, jax.lax.neg", "Neg", "Neg")
	opRecip.Ref = named("numpy.reciprocal", "torch.reciprocal", "jax.numpy.reciprocal, jax.lax.reciprocal",
		"Reciprocal", "Inverse")
	opRelu.Ref = named("", "torch.nn.functional.relu", "jax.nn.relu", "Relu", "Rectify")
	opRound.Ref = flat(flatBetweenJumps, "numpy.round, numpy.around, numpy.rint", "torch.round, torch.special.round",
		"jax.numpy.round, jax.numpy.around, jax.numpy.rint, jax.lax.round", "Round", "")
	opRsqrt.Ref = named("", "torch.rsqrt", "jax.lax.rsqrt", "", "InverseSqrt")
	opSigmoid.Ref = named("scipy.special.expit", "torch.sigmoid, torch.special.expit",
		"jax.nn.sigmoid, jax.scipy.special.expit, jax.lax.logistic", "Sigmoid", "Sigmoid")
	opSign.Ref = flat(flatBetweenJumps, "numpy.sign", "torch.sign, torch.sgn", "jax.numpy.sign, jax.lax.sign", "Sign",
		"Sign")
	opSin.Ref = named("numpy.sin", "torch.sin", "jax.numpy.sin, jax.lax.sin", "Sin", "Sin")
	opSqrt.Ref = named("numpy.sqrt", "torch.sqrt", "jax.numpy.sqrt, jax.lax.sqrt", "Sqrt", "Sqrt")
	opSquare.Ref = named("numpy.square", "torch.square", "jax.numpy.square, jax.lax.square", "", "Square")
	opStopGrd.Ref = flat("it is stopped on purpose", "", "torch.Tensor.detach", "jax.lax.stop_gradient", "", "")
	opTanh.Ref = named("numpy.tanh", "torch.tanh", "jax.numpy.tanh, jax.lax.tanh", "Tanh", "Tanh")
}

// CastAttrs are the fixed arguments of Cast.
type CastAttrs = graph.CastAttrs

// identityFor is a primitive that leaves booleans, and integers where ints is set,
// as they are.
func identityFor(p graph.Prim, ints bool) func(graph.Emitter, node, []graph.Value) graph.Value {
	return func(e graph.Emitter, _ node, x []graph.Value) graph.Value {
		if t := e.TypeOf(x[0]); t == graph.Bool || ints && t.IsInt() {
			return x[0]
		}
		return e.Prim(p, x...)
	}
}

// boolToInt64 converts booleans, and nothing else.
func boolToInt64(types []graph.DType, _ []graph.OperandRank) []graph.DType {
	if types[0] == graph.Bool {
		return []graph.DType{graph.Int64}
	}
	return types
}

// Neg returns -x.
func Neg(x *graph.Node) *graph.Node { return Apply(opNeg, nil, x) }

// Abs returns |x|.
func Abs(x *graph.Node) *graph.Node { return Apply(opAbs, nil, x) }

// Sign returns -1, 0 or 1.
func Sign(x *graph.Node) *graph.Node { return Apply(opSign, nil, x) }

// Square returns x * x.
func Square(x *graph.Node) *graph.Node { return Apply(opSquare, nil, x) }

// Sqrt returns the square root.
func Sqrt(x *graph.Node) *graph.Node { return Apply(opSqrt, nil, x) }

// Rsqrt returns 1 / sqrt(x).
func Rsqrt(x *graph.Node) *graph.Node { return Apply(opRsqrt, nil, x) }

// Reciprocal returns 1 / x.
func Reciprocal(x *graph.Node) *graph.Node { return Apply(opRecip, nil, x) }

// Exp returns e to the power x.
func Exp(x *graph.Node) *graph.Node { return Apply(opExp, nil, x) }

// Expm1 returns exp(x) - 1, exact near 0.
func Expm1(x *graph.Node) *graph.Node { return Apply(opExpm1, nil, x) }

// Log returns the natural logarithm.
func Log(x *graph.Node) *graph.Node { return Apply(opLog, nil, x) }

// Log1p returns log(1 + x), exact near 0.
func Log1p(x *graph.Node) *graph.Node { return Apply(opLog1p, nil, x) }

// Tanh returns the hyperbolic tangent.
func Tanh(x *graph.Node) *graph.Node { return Apply(opTanh, nil, x) }

// Sigmoid returns 1 / (1 + exp(-x)).
func Sigmoid(x *graph.Node) *graph.Node { return Apply(opSigmoid, nil, x) }

// Erf returns the error function.
func Erf(x *graph.Node) *graph.Node { return Apply(opErf, nil, x) }

// Sin returns the sine.
func Sin(x *graph.Node) *graph.Node { return Apply(opSin, nil, x) }

// Cos returns the cosine.
func Cos(x *graph.Node) *graph.Node { return Apply(opCos, nil, x) }

// Relu returns max(x, 0).
func Relu(x *graph.Node) *graph.Node { return Apply(opRelu, nil, x) }

// Floor returns the greatest whole number not above x.
func Floor(x *graph.Node) *graph.Node { return Apply(opFloor, nil, x) }

// Ceil returns the least whole number not below x.
func Ceil(x *graph.Node) *graph.Node { return Apply(opCeil, nil, x) }

// Round returns the nearest whole number, half to even.
func Round(x *graph.Node) *graph.Node { return Apply(opRound, nil, x) }

// Cast returns x in another dtype. Conversion of floats to integers truncates. In the cases where PyTorch's result
// depends on the processor, NaN becomes 0, and numbers out of range become the nearest integer. Int64 becomes Int32
// by its low bits, as in PyTorch.
func Cast(x *graph.Node, to graph.DType) *graph.Node {
	return x.Cast(to)
}

// StopGradient returns x and stops the gradient: none flows through it.
func StopGradient(x *graph.Node) *graph.Node { return Apply(opStopGrd, nil, x) }

// inferSub refuses booleans with PyTorch's two sentences.
func inferSub(c *graph.Call) (graph.DType, graph.Shape) {
	switch a, b := c.DType(0), c.DType(1); {
	case a == graph.Bool && b == graph.Bool:
		rules.RefuseDType(c,
			"Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.")
	case a == graph.Bool || b == graph.Bool:
		rules.RefuseDType(c,
			"Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.")
	}
	return sameType(c)
}

// StopsGradient reports whether a node is the result of [StopGradient].
func StopsGradient(n *graph.Node) bool { return n != nil && n.Op() == opStopGrd }
