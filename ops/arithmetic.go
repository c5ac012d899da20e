package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opAdd, opSub, opMul, opDiv, opPow, opMaximum, opMinimum, opAtan2, opFloorDiv, opRem *graph.Op

func init() {
	opAdd = define(graph.Op{
		Name: "add", Func: "Add", Doc: "x + y; of booleans: or.", Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: sameType, Emit: logical(graph.PrimAdd, graph.PrimOr), Identity: minusZero,
		Grad: each(
			func(n, dy node) node { return dy },
			func(n, dy node) node { return dy }),
	})
	opSub = define(graph.Op{
		Name: "sub", Func: "Sub", Doc: "x - y; not defined for booleans.", Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: unlessBool(ToCommonType), Infer: inferSub, Emit: prim(graph.PrimSub), Identity: onRight(zero),
		Grad: each(
			func(n, dy node) node { return dy },
			func(n, dy node) node { return Neg(dy) }),
	})
	opMul = define(graph.Op{
		Name: "mul", Func: "Mul", Doc: "x * y; of booleans: and.", Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: sameType, Emit: logical(graph.PrimMul, graph.PrimAnd), Identity: one,
		Grad: each(
			func(n, dy node) node { return Mul(dy, n.In(1)) },
			func(n, dy node) node { return Mul(dy, n.In(0)) }),
	})
	opDiv = define(graph.Op{
		Name: "div", Func: "Div", Doc: "x / y, IEEE; integers are converted to Float32.", Class: graph.Elementwise,
		MinIn: 2, MaxIn: 2,
		Promote: ToCommonFloat, Infer: sameType, Emit: prim(graph.PrimDiv), Identity: onRight(one),
		Grad: each(
			func(n, dy node) node { return Div(dy, n.In(1)) },
			func(n, dy node) node { return Neg(Mul(dy, Div(n, n.In(1)))) }),
	})
	opPow = define(graph.Op{
		Name: "pow", Func: "Pow", Doc: "x to the power y.", Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: inferPow, Emit: emitPow, Identity: onRight(one),
		Grad: each(powGradBase, powGradExponent),
	})
	opMaximum = define(graph.Op{
		Name: "maximum", Func: "Maximum", Doc: "the greater of x and y; NaN wins; a tie halves the gradient.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: inRange(sameType), Emit: logical(graph.PrimMax, graph.PrimOr),
		Identity: beaten(-1),
		Grad:     func(n, dy node, i int) node { return winnerGrad(dy, n.In(i), n.In(1-i), Greater) },
	})
	opMinimum = define(graph.Op{
		Name: "minimum", Func: "Minimum", Doc: "the smaller of x and y; NaN wins; a tie halves the gradient.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: inRange(sameType), Emit: logical(graph.PrimMin, graph.PrimAnd),
		Identity: beaten(1),
		Grad:     func(n, dy node, i int) node { return winnerGrad(dy, n.In(i), n.In(1-i), Less) },
	})
	opAtan2 = define(graph.Op{
		Name: "atan2", Func: "Atan2", Doc: "the angle of the point (y, x).", Class: graph.Elementwise,
		MinIn: 2, MaxIn: 2,
		Promote: ToCommonFloat, Infer: sameType, Emit: prim(graph.PrimAtan2),
		Grad: each(
			func(n, dy node) node { return Mul(dy, Div(n.In(1), squareSum(n))) },
			func(n, dy node) node { return Mul(dy, Div(Neg(n.In(0)), squareSum(n))) }),
	})
	opFloorDiv = define(graph.Op{
		Name: "floor_divide", Func: "FloorDiv",
		Doc: "the largest integer not above x / y; an integer divided by 0 stops the run.", Class: graph.Elementwise,
		MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: refuseBool(`"div_floor_cpu" not implemented for 'Bool'`, sameType),
		Emit: emitWhole(graph.PrimFloorDiv), Grad: noGradient,
	})
	opRem = define(graph.Op{
		Name: "remainder", Func: "Remainder",
		Doc: "x - y*floor(x/y): the sign is y's; an integer divided by 0 stops the run.", Class: graph.Elementwise,
		MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: refuseBool(`"remainder_cpu" not implemented for 'Bool'`, sameType),
		Emit: emitWhole(graph.PrimRem),
		Grad: each(
			func(n, dy node) node { return dy },
			func(n, dy node) node { return Neg(Mul(dy, FloorDiv(n.In(0), n.In(1)))) }),
	})
	opAdd.Ref = named("numpy.add", "torch.add", "jax.numpy.add, jax.lax.add", "Add", "Add")
	opAtan2.Ref = named("numpy.arctan2", "torch.atan2, torch.arctan2",
		"jax.numpy.arctan2, jax.numpy.atan2, jax.lax.atan2", "", "",
		func(e *graph.Example) node { return Atan2(e.Of("y", "n"), e.Of("x", "n")) })
	opDiv.Ref = named("numpy.divide, numpy.true_divide", "torch.div, torch.divide, torch.true_divide",
		"jax.numpy.divide, jax.numpy.true_divide, jax.lax.div", "Div", "HadamardDiv")
	opFloorDiv.Ref = flat(flatBetweenJumps, "numpy.floor_divide, numpy.divmod", "torch.floor_divide",
		"jax.numpy.floor_divide, jax.numpy.divmod", "", "")
	opMaximum.Ref = named("numpy.maximum", "torch.maximum", "jax.numpy.maximum, jax.lax.max", "Max", "")
	opMinimum.Ref = named("numpy.minimum", "torch.minimum", "jax.numpy.minimum, jax.lax.min", "Min", "")
	opMul.Ref = named("numpy.multiply", "torch.mul, torch.multiply", "jax.numpy.multiply, jax.lax.mul", "Mul",
		"HadamardProd")
	opPow.Ref = named("numpy.power", "torch.pow", "jax.numpy.power, jax.numpy.pow, jax.lax.pow, jax.lax.integer_pow",
		"Pow", "Pow")
	opRem.Ref = named("numpy.remainder, numpy.mod, numpy.divmod", "torch.remainder",
		"jax.numpy.remainder, jax.numpy.mod, jax.numpy.divmod", "Mod", "")
	opSub.Ref = named("numpy.subtract", "torch.sub, torch.subtract, torch.rsub", "jax.numpy.subtract, jax.lax.sub",
		"Sub", "Sub")
}

// Add returns x + y.
func Add(x, y *graph.Node) *graph.Node { return Apply(opAdd, nil, x, y) }

// Sub returns x - y.
func Sub(x, y *graph.Node) *graph.Node { return Apply(opSub, nil, x, y) }

// Mul returns x * y.
func Mul(x, y *graph.Node) *graph.Node { return Apply(opMul, nil, x, y) }

// Div returns x / y in floating point.
func Div(x, y *graph.Node) *graph.Node { return Apply(opDiv, nil, x, y) }

// Pow returns x to the power y. Powers in its gradient follow IEEE 754; PyTorch's differ for -0 and -Inf to the power
// -1/2.
func Pow(x, y *graph.Node) *graph.Node {
	if bad := negativePower("Pow", x, y); bad != nil {
		return bad
	}
	return Apply(opPow, nil, x, y)
}

// negativePower is the mistake of a negative number as the power of integers that are not negative: in their dtype it
// is a large one.
func negativePower(fn string, x, y node) node {
	p, isNumber := y.Literal()
	if !isNumber || p.Kind != graph.CategoryInt || p.Whole >= 0 || x == nil || !x.Judged() || !x.DType().IsUnsigned() {
		return nil
	}
	return refusal(refused(fn, x, y), &graph.Mistake{Code: graph.CodeDType, Summary: noNegativePower})
}

const noNegativePower = "Integers to negative integer powers are not allowed."

// Maximum returns the greater of x and y.
func Maximum(x, y *graph.Node) *graph.Node { return Apply(opMaximum, nil, x, y) }

// Minimum returns the smaller of x and y.
func Minimum(x, y *graph.Node) *graph.Node { return Apply(opMinimum, nil, x, y) }

// Atan2 returns the angle of the point (x, y), between -π and π.
func Atan2(y, x *graph.Node) *graph.Node { return Apply(opAtan2, nil, y, x) }

// FloorDiv returns x / y rounded down to a whole number. Dividing an integer by 0 stops the run. Dividing the least
// integer by -1, which crashes PyTorch, wraps around to the least integer.
func FloorDiv(x, y *graph.Node) *graph.Node { return Apply(opFloorDiv, nil, x, y) }

// Remainder returns x - y*floor(x/y).
func Remainder(x, y *graph.Node) *graph.Node { return Apply(opRem, nil, x, y) }

func boolOperand(in ...node) bool {
	for _, x := range in {
		if x != nil && x.Judged() && x.DType() == graph.Bool {
			return true
		}
	}
	return false
}

// winnerGrad returns nothing where y beats x, half of dy at a tie, and dy elsewhere: also
// where one of them is NaN.
func winnerGrad(dy, x, y node, beats func(x, y *graph.Node) *graph.Node) node {
	return Where(beats(y, x), num(0), Where(Equal(x, y), Mul(dy, num(0.5)), dy))
}

func squareSum(n node) node { return Add(Square(n.In(0)), Square(n.In(1))) }

// inferPow refuses a negative whole number as the power of integers, whose result would
// be none, and booleans but for the powers 0 and 1.
func inferPow(c *graph.Call) (graph.DType, graph.Shape) {
	t, s := sameType(c)
	p, isConst := c.In(1).ScalarValue()
	switch {
	case c.Failed():
	case t == graph.Bool && !isConst:
		rules.RefuseDType(c, `"pow" not implemented for 'Bool'`)
	case t.IsInt() && isConst && p < 0:
		rules.RefuseDType(c, noNegativePower)
	}
	return t, s
}

// powGradBase is y * x^(y-1), and 0 where y is 0, even at x = 0.
func powGradBase(n, dy node) node {
	x, y := n.In(0), n.In(1)
	if p, isConst := y.ScalarValue(); isConst {
		switch p {
		case 0:
			return Mul(dy, num(0))
		case 1:
			return dy
		case 2:
			return Mul(dy, Mul(x, num(2)))
		}
		return Mul(dy, Mul(Pow(x, num(p-1)), num(p)))
	}
	isZero := Equal(y, num(0))
	less := Where(isZero, num(0), Sub(y, num(1))) // a power of -1 has no gradient at 0, even where it is not chosen
	return Where(isZero, num(0), Mul(dy, Mul(y, Pow(x, less))))
}

// powGradExponent is x^y * log(x), and 0 where x is 0 and y is not negative.
func powGradExponent(n, dy node) node {
	x, y := n.In(0), n.In(1)
	atZero := And(Equal(x, num(0)), GreaterEqual(y, num(0)))
	return Mul(dy, Where(atZero, num(0), Mul(n, Log(x))))
}

// emitPow writes small constant exponents as products and roots.
func emitPow(e graph.Emitter, n node, x []graph.Value) graph.Value {
	mul := func(a, b graph.Value) graph.Value { return e.Prim(graph.PrimMul, a, b) }
	if p, isConst := n.In(1).ScalarValue(); isConst {
		switch p {
		case 0:
			return e.Const(n.DType(), 1)
		case 1:
			return x[0]
		case 2:
			return mul(x[0], x[0])
		case 3:
			return mul(mul(x[0], x[0]), x[0])
		case 4:
			square := mul(x[0], x[0])
			return mul(square, square)
		}
		if n.DType().IsFloat() {
			switch p {
			case 0.5:
				return e.Prim(graph.PrimSqrt, x[0])
			case -0.5:
				return e.Prim(graph.PrimRecip, e.Prim(graph.PrimSqrt, x[0]))
			case -1:
				return e.Prim(graph.PrimRecip, x[0])
			case -2:
				return e.Prim(graph.PrimRecip, mul(x[0], x[0]))
			}
		}
	}
	return e.Prim(graph.PrimPow, x...)
}

// emitWhole stops the run where an integer is divided by zero.
func emitWhole(p graph.Prim) func(graph.Emitter, node, []graph.Value) graph.Value {
	return func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		if t := n.DType(); t.IsInt() {
			e.Check(e.Prim(graph.PrimNe, x[1], e.Const(t, 0)), graph.Claim{Message: "ZeroDivisionError", Operand: 1})
		}
		return e.Prim(p, x...)
	}
}
