package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opLog2, opLog10, opExp2, opLogAddExp, opLogAddExp2, opHypot *graph.Op

// floatPair is the entry of an operation of two floating-point operands; kernel is
// PyTorch's name for it in the refusal of other dtypes.
func floatPair(name, fn, doc, kernel string, emit func(m arith, x, y graph.Value) graph.Value,
	grad func(n, dy node, i int) node) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			t, s := sameType(c)
			if !t.IsFloat() && !c.Failed() {
				rules.RefuseDType(c, `"`+kernel+`" not implemented for '`+t.TorchName()+`'`)
			}
			return t, s
		},
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			return emit(arith{Emitter: e, t: n.DType()}, x[0], x[1])
		},
		Grad: grad,
	})
}

// sumOfPowers is the logarithm of a sum of two powers with exponents x and y: the greater one, and the tail of their
// distance, which is not above 0.
func (m arith) sumOfPowers(x, y graph.Value, tail func(d graph.Value) graph.Value) graph.Value {
	greater := m.Prim(graph.PrimMax, x, y)
	behind := tail(m.Prim(graph.PrimNeg, m.abs(m.sub(x, y))))
	endless := m.Prim(graph.PrimAnd, m.Prim(graph.PrimEq, x, y), m.Prim(graph.PrimEq, m.abs(x), m.num(inf)))
	return m.pick(endless, greater, m.add(greater, behind))
}

func init() {
	opLog2 = unary("log2", "Log2", "the logarithm to base 2.", ToCommonFloat, graph.PrimLog2,
		func(y, x, dy node) node { return Div(dy, Mul(x, num(math.Ln2))) })
	opLog10 = unary("log10", "Log10", "the logarithm to base 10.", ToCommonFloat, graph.PrimLog10,
		func(y, x, dy node) node { return Div(dy, Mul(x, num(math.Ln10))) })
	opExp2 = unary("exp2", "Exp2", "2 to the power x.", ToCommonFloat, graph.PrimExp2,
		func(y, x, dy node) node { return Mul(dy, Mul(y, num(math.Ln2))) })
	opLogAddExp = floatPair("logaddexp", "LogAddExp", "log(exp(x) + exp(y)), without overflow.", "logaddexp_cpu",
		func(m arith, x, y graph.Value) graph.Value {
			return m.sumOfPowers(x, y, func(d graph.Value) graph.Value { return m.log1p(m.exp(d)) })
		},
		func(n, dy node, i int) node { return Mul(dy, Sigmoid(Sub(n.In(i), n.In(1-i)))) })
	opLogAddExp2 = floatPair("logaddexp2", "LogAddExp2", "log2(2^x + 2^y), without overflow.", "logaddexp2_cpu",
		func(m arith, x, y graph.Value) graph.Value {
			return m.sumOfPowers(x, y, func(d graph.Value) graph.Value {
				return m.div(m.log1p(m.Prim(graph.PrimExp2, d)), m.num(math.Ln2))
			})
		},
		func(n, dy node, i int) node { return Mul(dy, Sigmoid(Mul(Sub(n.In(i), n.In(1-i)), num(math.Ln2)))) })
	opHypot = floatPair("hypot", "Hypot", "sqrt(x² + y²), without overflow.", "hypot_cpu",
		func(m arith, x, y graph.Value) graph.Value {
			a, b := m.abs(x), m.abs(y)
			long, short := m.Prim(graph.PrimMax, a, b), m.Prim(graph.PrimMin, a, b)
			ratio := m.div(short, long)
			length := m.mul(long, m.sqrt(m.add(m.num(1), m.mul(ratio, ratio))))
			length = m.pick(m.Prim(graph.PrimEq, long, m.num(0)), long, length)
			endless := m.Prim(graph.PrimOr, m.Prim(graph.PrimEq, a, m.num(inf)), m.Prim(graph.PrimEq, b, m.num(inf)))
			return m.pick(endless, m.num(inf), length)
		},
		func(n, dy node, i int) node { return Mul(dy, Div(n.In(i), n)) })
	opExp2.Ref = named("numpy.exp2", "torch.exp2, torch.special.exp2", "jax.numpy.exp2, jax.lax.exp2", "", "")
	opHypot.Ref = named("numpy.hypot", "torch.hypot", "jax.numpy.hypot", "", "")
	opLog10.Ref = named("numpy.log10", "torch.log10", "jax.numpy.log10", "", "")
	opLog2.Ref = named("numpy.log2", "torch.log2", "jax.numpy.log2", "", "Log2")
	opLogAddExp2.Ref = named("numpy.logaddexp2", "torch.logaddexp2", "jax.numpy.logaddexp2", "", "")
	opLogAddExp.Ref = named("numpy.logaddexp", "torch.logaddexp", "jax.numpy.logaddexp", "", "")
}

// Log2 returns the logarithm to base 2.
func Log2(x *graph.Node) *graph.Node { return Apply(opLog2, nil, x) }

// Log10 returns the logarithm to base 10.
func Log10(x *graph.Node) *graph.Node { return Apply(opLog10, nil, x) }

// Exp2 returns 2 to the power x.
func Exp2(x *graph.Node) *graph.Node { return Apply(opExp2, nil, x) }

// LogAddExp returns log(exp(x) + exp(y)) without overflow.
func LogAddExp(x, y *graph.Node) *graph.Node { return Apply(opLogAddExp, nil, x, y) }

// LogAddExp2 returns log2(2^x + 2^y) without overflow.
func LogAddExp2(x, y *graph.Node) *graph.Node { return Apply(opLogAddExp2, nil, x, y) }

// Hypot returns sqrt(x*x + y*y) without overflow.
func Hypot(x, y *graph.Node) *graph.Node { return Apply(opHypot, nil, x, y) }
