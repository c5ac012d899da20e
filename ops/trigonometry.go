package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opTan, opAsin, opAcos, opAtan, opSinh, opCosh, opAsinh, opAcosh, opAtanh *graph.Op

// formula is the entry of a floating-point operation of one operand whose element is
// several primitives; integers are converted.
func formula(name, fn, doc string, emit func(m arith, x graph.Value) graph.Value,
	grad func(y, x, dy node) node) *graph.Op {
	op := unary(name, fn, doc, ToCommonFloat, graph.PrimAdd, grad)
	op.Emit = func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		return emit(arith{Emitter: e, t: n.DType()}, x[0])
	}
	return op
}

func (m arith) div(x, y graph.Value) graph.Value           { return m.Prim(graph.PrimDiv, x, y) }
func (m arith) abs(x graph.Value) graph.Value              { return m.Prim(graph.PrimAbs, x) }
func (m arith) sqrt(x graph.Value) graph.Value             { return m.Prim(graph.PrimSqrt, x) }
func (m arith) exp(x graph.Value) graph.Value              { return m.Prim(graph.PrimExp, x) }
func (m arith) log(x graph.Value) graph.Value              { return m.Prim(graph.PrimLog, x) }
func (m arith) log1p(x graph.Value) graph.Value            { return m.Prim(graph.PrimLog1p, x) }
func (m arith) above(x graph.Value, v float64) graph.Value { return m.Prim(graph.PrimGt, x, m.num(v)) }
func (m arith) pick(condition, x, y graph.Value) graph.Value {
	return m.Prim(graph.PrimSelect, condition, x, y)
}

// odd continues a function of magnitudes with f(-x) = -f(x) and f(±0) = ±0.
func (m arith) odd(x graph.Value, f func(a graph.Value) graph.Value) graph.Value {
	y := f(m.abs(x))
	signed := m.pick(m.Prim(graph.PrimLt, x, m.num(0)), m.Prim(graph.PrimNeg, y), y)
	return m.pick(m.Prim(graph.PrimEq, x, m.num(0)), x, signed)
}

// Past these magnitudes the smaller part of a sum does not count any more.
const (
	onlyGrowth = 20  // of exp(x) ± exp(-x)
	onlyDouble = 1e8 // of x + sqrt(x² ± 1)
)

// halfExp is exp(a)/2, finite wherever that is.
func (m arith) halfExp(a graph.Value) graph.Value {
	root := m.exp(m.mul(a, m.num(0.5)))
	return m.mul(m.mul(m.num(0.5), root), root)
}

// besideOne is sqrt((1-x)(1+x)), the other side of a triangle with a longest side of 1.
func (m arith) besideOne(x graph.Value) graph.Value {
	return m.sqrt(m.mul(m.sub(m.num(1), x), m.add(m.num(1), x)))
}

func init() {
	opTan = formula("tan", "Tan", "the tangent.",
		func(m arith, x graph.Value) graph.Value {
			return m.div(m.Prim(graph.PrimSin, x), m.Prim(graph.PrimCos, x))
		},
		func(y, x, dy node) node { return Mul(dy, Add(Square(y), num(1))) })
	opAsin = formula("asin", "Asin", "the angle whose sine is x, between -π/2 and π/2.",
		func(m arith, x graph.Value) graph.Value { return m.Prim(graph.PrimAtan2, x, m.besideOne(x)) },
		func(y, x, dy node) node { return Mul(dy, Rsqrt(Sub(num(1), Square(x)))) })
	opAcos = formula("acos", "Acos", "the angle whose cosine is x, between 0 and π.",
		func(m arith, x graph.Value) graph.Value { return m.Prim(graph.PrimAtan2, m.besideOne(x), x) },
		func(y, x, dy node) node { return Neg(Mul(dy, Rsqrt(Sub(num(1), Square(x))))) })
	opAtan = formula("atan", "Atan", "the angle whose tangent is x, between -π/2 and π/2.",
		func(m arith, x graph.Value) graph.Value { return m.Prim(graph.PrimAtan2, x, m.num(1)) },
		func(y, x, dy node) node { return Div(dy, Add(Square(x), num(1))) })
	opSinh = formula("sinh", "Sinh", "(exp(x) - exp(-x)) / 2.",
		func(m arith, x graph.Value) graph.Value {
			return m.odd(x, func(a graph.Value) graph.Value {
				e := m.Prim(graph.PrimExpm1, a)
				near := m.mul(m.num(0.5), m.add(e, m.div(e, m.add(e, m.num(1)))))
				return m.pick(m.above(a, onlyGrowth), m.halfExp(a), near)
			})
		},
		func(y, x, dy node) node { return Mul(dy, Cosh(x)) })
	opCosh = formula("cosh", "Cosh", "(exp(x) + exp(-x)) / 2.",
		func(m arith, x graph.Value) graph.Value {
			a := m.abs(x)
			e := m.exp(a)
			near := m.mul(m.num(0.5), m.add(e, m.div(m.num(1), e)))
			return m.pick(m.above(a, onlyGrowth), m.halfExp(a), near)
		},
		func(y, x, dy node) node { return Mul(dy, Sinh(x)) })
	opAsinh = formula("asinh", "Asinh", "log(x + sqrt(x² + 1)), exact near 0.",
		func(m arith, x graph.Value) graph.Value {
			return m.odd(x, func(a graph.Value) graph.Value {
				square := m.mul(a, a)
				more := m.div(square, m.add(m.num(1), m.sqrt(m.add(square, m.num(1)))))
				return m.pick(m.above(a, onlyDouble), m.add(m.log(a), m.num(math.Ln2)), m.log1p(m.add(a, more)))
			})
		},
		func(y, x, dy node) node { return Mul(dy, Rsqrt(Add(Square(x), num(1)))) })
	opAcosh = formula("acosh", "Acosh", "log(x + sqrt(x² - 1)), exact near 1.",
		func(m arith, x graph.Value) graph.Value {
			t := m.sub(x, m.num(1))
			near := m.log1p(m.add(t, m.mul(m.sqrt(t), m.sqrt(m.add(t, m.num(2)))))) // NaN below 1
			return m.pick(m.above(x, onlyDouble), m.add(m.log(x), m.num(math.Ln2)), near)
		},
		func(y, x, dy node) node { return Mul(dy, Rsqrt(Sub(Square(x), num(1)))) })
	opAtanh = formula("atanh", "Atanh", "log((1 + x)/(1 - x)) / 2, exact near 0.",
		func(m arith, x graph.Value) graph.Value {
			return m.odd(x, func(a graph.Value) graph.Value {
				return m.mul(m.num(0.5), m.log1p(m.div(m.add(a, a), m.sub(m.num(1), a))))
			})
		},
		func(y, x, dy node) node { return Div(dy, Sub(num(1), Square(x))) })
	opAcos.Ref = named("numpy.arccos", "torch.acos, torch.arccos", "jax.numpy.arccos, jax.numpy.acos, jax.lax.acos",
		"Acos", "")
	opAcosh.Ref = named("numpy.arccosh", "torch.acosh, torch.arccosh",
		"jax.numpy.arccosh, jax.numpy.acosh, jax.lax.acosh", "Acosh", "")
	opAsin.Ref = named("numpy.arcsin", "torch.asin, torch.arcsin", "jax.numpy.arcsin, jax.numpy.asin, jax.lax.asin",
		"Asin", "")
	opAsinh.Ref = named("numpy.arcsinh", "torch.asinh, torch.arcsinh",
		"jax.numpy.arcsinh, jax.numpy.asinh, jax.lax.asinh", "Asinh", "")
	opAtan.Ref = named("numpy.arctan", "torch.atan, torch.arctan", "jax.numpy.arctan, jax.numpy.atan, jax.lax.atan",
		"Atan", "")
	opAtanh.Ref = named("numpy.arctanh", "torch.atanh, torch.arctanh",
		"jax.numpy.arctanh, jax.numpy.atanh, jax.lax.atanh", "Atanh", "")
	opCosh.Ref = named("numpy.cosh", "torch.cosh", "jax.numpy.cosh, jax.lax.cosh", "Cosh", "")
	opSinh.Ref = named("numpy.sinh", "torch.sinh", "jax.numpy.sinh, jax.lax.sinh", "Sinh", "")
	opTan.Ref = named("numpy.tan", "torch.tan", "jax.numpy.tan, jax.lax.tan", "Tan", "")
}

// Tan returns the tangent.
func Tan(x *graph.Node) *graph.Node { return Apply(opTan, nil, x) }

// Asin returns the angle whose sine is x, between -π/2 and π/2.
func Asin(x *graph.Node) *graph.Node { return Apply(opAsin, nil, x) }

// Acos returns the angle whose cosine is x, between 0 and π.
func Acos(x *graph.Node) *graph.Node { return Apply(opAcos, nil, x) }

// Atan returns the angle whose tangent is x, between -π/2 and π/2.
func Atan(x *graph.Node) *graph.Node { return Apply(opAtan, nil, x) }

// Sinh returns the hyperbolic sine.
func Sinh(x *graph.Node) *graph.Node { return Apply(opSinh, nil, x) }

// Cosh returns the hyperbolic cosine.
func Cosh(x *graph.Node) *graph.Node { return Apply(opCosh, nil, x) }

// Asinh returns the number whose hyperbolic sine is x.
func Asinh(x *graph.Node) *graph.Node { return Apply(opAsinh, nil, x) }

// Acosh returns the number, at least 0, whose hyperbolic cosine is x.
func Acosh(x *graph.Node) *graph.Node { return Apply(opAcosh, nil, x) }

// Atanh returns the number whose hyperbolic tangent is x.
func Atanh(x *graph.Node) *graph.Node { return Apply(opAtanh, nil, x) }
