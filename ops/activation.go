package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opGelu, opGeluTanh, opSilu, opSoftplus, opLogSigmoid, opElu, opLeakyRelu *graph.Op

// SlopeAttrs are the fixed arguments of LeakyRelu (the slope below 0) and of Elu (alpha, the negated limit at -Inf).
type SlopeAttrs struct{ Slope float64 }

// The constants of the approximation of Gelu by tanh, and softplus's limit, past which
// it is its operand. They are PyTorch's.
const (
	geluCubic     = 0.044715
	softplusLimit = 20
)

// activation is the entry of a floating-point operation of one operand; kernel is
// PyTorch's name for it in the refusal of other dtypes.
func activation(name, fn, doc, kernel string, emit func(m arith, n node, x graph.Value) graph.Value,
	grad func(y, x, dy node) node) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			if t := c.DType(0); !t.IsFloat() {
				rules.RefuseDType(c, `"`+kernel+`" not implemented for '`+t.TorchName()+`'`)
			}
			return sameType(c)
		},
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			return emit(arith{Emitter: e, t: n.DType()}, n, x[0])
		},
		Grad: func(n, dy node, _ int) node { return grad(n, n.In(0), dy) },
	})
}

// arith writes arithmetic on elements of one type.
type arith struct {
	graph.Emitter
	t graph.DType
	// rounds says that the operand came from a dtype of at most 32 bits, to which the result is rounded.
	rounds bool
}

func (m arith) num(v float64) graph.Value { return m.Const(m.t, v) }

func (m arith) add(x, y graph.Value) graph.Value { return m.Prim(graph.PrimAdd, x, y) }

func (m arith) sub(x, y graph.Value) graph.Value { return m.Prim(graph.PrimSub, x, y) }

func (m arith) mul(x, y graph.Value) graph.Value { return m.Prim(graph.PrimMul, x, y) }

func (m arith) positive(x graph.Value) graph.Value { return m.Prim(graph.PrimGt, x, m.num(0)) }

func slope(n node) float64 { return n.Attrs().(SlopeAttrs).Slope }

func init() {
	opGelu = activation("gelu", "Gelu", "x times the normal distribution's share below x, by erf.", "GeluKernelImpl",
		func(m arith, _ node, x graph.Value) graph.Value {
			share := m.add(m.num(1), m.Prim(graph.PrimErf, m.mul(x, m.num(math.Sqrt2/2))))
			return m.mul(m.mul(x, m.num(0.5)), share)
		},
		func(_, x, dy node) node {
			share := Mul(num(0.5), Add(num(1), Erf(Mul(x, num(math.Sqrt2/2)))))
			density := Mul(num(1/math.Sqrt(2*math.Pi)), Exp(Mul(num(-0.5), Square(x))))
			return Mul(dy, Add(share, Mul(x, density)))
		})
	opGeluTanh = activation("gelu_tanh", "GeluTanh", "the approximation of gelu by tanh.", "GeluKernelImpl",
		func(m arith, _ node, x graph.Value) graph.Value {
			cube := m.mul(m.mul(x, x), x)
			inner := m.mul(m.num(math.Sqrt(2/math.Pi)), m.add(x, m.mul(m.num(geluCubic), cube)))
			return m.mul(m.mul(x, m.num(0.5)), m.add(m.num(1), m.Prim(graph.PrimTanh, inner)))
		},
		func(_, x, dy node) node {
			beta := num(math.Sqrt(2 / math.Pi))
			t := Tanh(Mul(beta, Add(x, Mul(num(geluCubic), Mul(Square(x), x)))))
			inner := Mul(beta, Add(num(1), Mul(num(3*geluCubic), Square(x))))
			right := Mul(Mul(Mul(num(0.5), x), Sub(num(1), Square(t))), inner)
			return Mul(dy, Add(Mul(num(0.5), Add(num(1), t)), right))
		})
	opSilu = activation("silu", "Silu", "x times the sigmoid of x.", "silu_cpu",
		func(m arith, _ node, x graph.Value) graph.Value { return m.mul(x, m.Prim(graph.PrimSigmoid, x)) },
		func(_, x, dy node) node {
			s := Sigmoid(x)
			return Mul(dy, Mul(s, Add(num(1), Mul(x, Sub(num(1), s)))))
		})
	opSoftplus = activation("softplus", "Softplus", "log(1 + exp(x)); past 20, x itself.", "softplus_cpu",
		func(m arith, _ node, x graph.Value) graph.Value {
			soft := m.Prim(graph.PrimLog1p, m.Prim(graph.PrimExp, x))
			return m.Prim(graph.PrimSelect, m.Prim(graph.PrimGt, x, m.num(softplusLimit)), x, soft)
		},
		func(_, x, dy node) node {
			return Where(Greater(x, num(softplusLimit)), dy, Mul(dy, Sigmoid(x)))
		})
	opLogSigmoid = activation("logsigmoid", "LogSigmoid", "the logarithm of the sigmoid, exact where it is small.",
		"log_sigmoid_cpu",
		func(m arith, _ node, x graph.Value) graph.Value {
			tail := m.Prim(graph.PrimLog1p, m.Prim(graph.PrimExp, m.Prim(graph.PrimNeg, m.Prim(graph.PrimAbs, x))))
			return m.sub(m.Prim(graph.PrimMin, x, m.num(0)), tail)
		},
		func(_, x, dy node) node { return Mul(dy, Sigmoid(Neg(x))) })
	opElu = activation("elu", "Elu", "x above 0, slope * (exp(x) - 1) below.", "elu_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			return m.Prim(graph.PrimSelect, m.positive(x), x, m.mul(m.num(slope(n)), m.Prim(graph.PrimExpm1, x)))
		},
		func(y, x, dy node) node {
			return Where(LessEqual(x, num(0)), Mul(dy, Mul(num(slope(y)), Exp(below(x)))), dy)
		})
	opLeakyRelu = activation("leaky_relu", "LeakyRelu", "x above 0, slope * x below.", "leaky_relu_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			return m.Prim(graph.PrimSelect, m.positive(x), x, m.mul(x, m.num(slope(n))))
		},
		func(y, x, dy node) node {
			return Where(Greater(x, num(0)), dy, Mul(dy, num(slope(y))))
		})
	opElu.Ref = named("", "torch.nn.functional.elu", "jax.nn.elu", "Elu", "",
		func(e *graph.Example) node { return Elu(e.Of("x", "n"), 1) })
	opGelu.Ref = named("", "torch.nn.functional.gelu", "jax.nn.gelu", "Gelu", "")
	opGeluTanh.Ref = named("", "torch.nn.functional.gelu", "jax.nn.gelu", "Gelu", "")
	opLeakyRelu.Ref = named("", "torch.nn.functional.leaky_relu", "jax.nn.leaky_relu", "LeakyRelu", "LeakyRelu",
		func(e *graph.Example) node { return LeakyRelu(e.Of("x", "n"), 0.01) })
	opLogSigmoid.Ref = named("", "torch.nn.functional.logsigmoid", "jax.nn.log_sigmoid", "", "")
	opSilu.Ref = named("", "torch.nn.functional.silu", "jax.nn.silu, jax.nn.swish", "Swish", "")
	opSoftplus.Ref = named("", "torch.nn.functional.softplus", "jax.nn.softplus", "Softplus", "Softplus")
}

// Gelu returns x times the cumulative distribution function of the standard normal distribution at x.
func Gelu(x *graph.Node) *graph.Node { return Apply(opGelu, nil, x) }

// GeluTanh returns Gelu approximated with tanh.
func GeluTanh(x *graph.Node) *graph.Node { return Apply(opGeluTanh, nil, x) }

// Silu returns x * Sigmoid(x), also called swish.
func Silu(x *graph.Node) *graph.Node { return Apply(opSilu, nil, x) }

// Softplus returns log(1 + exp(x)), a smooth Relu.
func Softplus(x *graph.Node) *graph.Node { return Apply(opSoftplus, nil, x) }

// LogSigmoid returns log(Sigmoid(x)) without underflow.
func LogSigmoid(x *graph.Node) *graph.Node { return Apply(opLogSigmoid, nil, x) }

// Elu returns x above 0 and alpha*(exp(x) - 1) below.
func Elu(x *graph.Node, alpha float64) *graph.Node { return Apply(opElu, SlopeAttrs{alpha}, x) }

// LeakyRelu returns x above 0 and slope*x below.
func LeakyRelu(x *graph.Node, slope float64) *graph.Node {
	return Apply(opLeakyRelu, SlopeAttrs{slope}, x)
}
