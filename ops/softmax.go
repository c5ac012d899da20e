package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSoftmax, opSafeSoftmax, opLogSoftmax, opLogSumExp, opExpOrZero *graph.Op

// SoftmaxAttrs are the fixed arguments of Softmax and LogSoftmax.
type SoftmaxAttrs struct{ Axis int }

func init() {
	opExpOrZero = &graph.Op{Name: "exp_or_zero", Func: "Exp",
		Doc: "e to the power of at most 0; 0 where that is no normal number.", Class: graph.Elementwise,
		MinIn: 1, MaxIn: 1, Promote: ToCommonFloat, Infer: sameType, Emit: prim(graph.PrimExpOrZero),
		Grad: func(n, dy node, _ int) node { return Mul(dy, n) }}
	opSoftmax = define(graph.Op{
		Name: "softmax", Func: "Softmax", Doc: "exp(x - max) / sum(exp(x - max)) along an axis.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: inferSoftmax("softmax"),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			axis := softmaxAxis(n)
			if !n.DType().IsFloat() {
				return in[0] // without elements
			}
			e := expOrZero(Sub(in[0], greatest(in[0], axis)))
			// one division a row: vectors divide ten times as slowly as they multiply
			return Mul(e, Reciprocal(Sum(e, axis, KeepDims())))
		},
		Grad: softmaxGrad,
	})
	opSafeSoftmax = &graph.Op{
		Name: "safe_softmax", Func: "SafeSoftmax", Doc: "softmax along an axis; 0 where all is -Inf.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: inferSoftmax("softmax"),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			axis := softmaxAxis(n)
			most := greatest(in[0], axis)
			e := expOrZero(Sub(in[0], Where(Equal(most, num(-inf)), num(0), most)))
			sum := Sum(e, axis, KeepDims())
			return Mul(e, Reciprocal(Where(Equal(sum, num(0)), num(1), sum)))
		},
		Grad: softmaxGrad,
	}
	opLogSoftmax = define(graph.Op{
		Name: "log_softmax", Func: "LogSoftmax", Doc: "the logarithm of softmax, exact where softmax is small.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: inferSoftmax("log_softmax"),
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			axis := softmaxAxis(n)
			if !n.DType().IsFloat() {
				return in[0] // without elements
			}
			shifted := Sub(in[0], greatest(in[0], axis))
			return Sub(shifted, Log(Sum(expOrZero(shifted), axis, KeepDims())))
		},
		Grad: func(n, dy node, _ int) node {
			return Sub(dy, Mul(expOrZero(n), Sum(dy, softmaxAxis(n), KeepDims())))
		},
	})
	opLogSumExp = reduction("logsumexp", "LogSumExp", "log(sum(exp(x))) over axes, without overflow.", graph.NoFold,
		operandType, false)
	opLogSumExp.Class, opLogSumExp.Promote = graph.Composite, ToCommonFloat
	opLogSumExp.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node {
		x := in[0]
		m := Apply(opMaxOrLowest, ReduceAttrs{Axes: Axes(n), KeepDims: true}, x)
		shift := Where(Equal(Abs(m), num(inf)), num(0), m)
		sum := Apply(opSum, ReduceAttrs{Axes: Axes(n), KeepDims: true}, expOrZero(Sub(x, shift)))
		y := Add(Log(sum), m)
		if reduceAttrs(n).KeepDims {
			return y
		}
		return Reshape(y, n.Shape()...)
	}
	opLogSumExp.Grad = func(n, dy node, _ int) node {
		return Mul(keepShape(n, dy), expOrZero(Sub(n.In(0), keepShape(n, n))))
	}
	opMaxOrLowest = reduction("amax_or_lowest", "Max", "the greatest element over axes; -Inf where there is none.",
		graph.FoldMaxNumber, operandType, false)
	opMaxOrLowest.Grad = noGradient
	opLogSoftmax.Ref = named("scipy.special.log_softmax", "torch.nn.functional.log_softmax", "jax.nn.log_softmax",
		"LogSoftmax", "LogSoftMax",
		func(e *graph.Example) node { return LogSoftmax(e.Of("x", "n", "k"), 1) })
	opLogSumExp.Ref = named("scipy.special.logsumexp", "torch.logsumexp, torch.special.logsumexp",
		"jax.scipy.special.logsumexp", "ReduceLogSumExp", "LogSumExp",
		func(e *graph.Example) node { return LogSumExp(e.Of("x", "n", "k"), 1) })
	opSoftmax.Ref = named("scipy.special.softmax", "torch.nn.functional.softmax", "jax.nn.softmax", "Softmax",
		"SoftMax",
		func(e *graph.Example) node { return Softmax(e.Of("x", "n", "k"), 1) })
}

func softmaxGrad(n, dy *graph.Node, _ int) *graph.Node {
	weighted := Mul(dy, n)
	return Sub(weighted, Mul(n, Sum(weighted, softmaxAxis(n), KeepDims())))
}

// opMaxOrLowest is the shift of LogSumExp, whose own value cancels: no gradient.
var opMaxOrLowest *graph.Op

// expOrZero is exp of what a shift has made at most 0. Denormal numbers, which many scores that are masked by -100
// would give, slow down all that is computed with them, and tell nothing beside a sum of at least 1.
func expOrZero(x node) node { return Apply(opExpOrZero, nil, x) }

// greatest is the shift of a softmax.
func greatest(x node, axis Axis) node {
	return Apply(opMaxOrLowest, ReduceAttrs{Axes: []int{int(axis)}, KeepDims: true}, x)
}

func softmaxAxis(n node) Axis { return Axis(n.Attrs().(SoftmaxAttrs).Axis) }

func inferSoftmax(word string) func(*graph.Call) (graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		axis := rules.Axis(c, c.Attrs().(SoftmaxAttrs).Axis, len(c.Shape(0)))
		if t := c.DType(0); !t.IsFloat() && !c.Failed() && !slices.Contains(c.Shape(0), 0) {
			kernel := word + "_lastdim_kernel_impl"
			if axis < len(c.Shape(0))-1 {
				kernel = "softmax_kernel_impl"
			}
			rules.RefuseDType(c, `"`+kernel+`" not implemented for '`+t.TorchName()+`'`)
		}
		return c.DType(0), c.Shape(0)
	}
}

// Softmax returns exp(x) divided by its sum along an axis. Results below about e^-87 times the greatest (in Float64,
// e^-708) are 0.
func Softmax(x *graph.Node, axis int) *graph.Node { return Apply(opSoftmax, SoftmaxAttrs{axis}, x) }

// LogSoftmax returns the logarithm of Softmax.
func LogSoftmax(x *graph.Node, axis int) *graph.Node {
	return Apply(opLogSoftmax, SoftmaxAttrs{axis}, x)
}

// LogSumExp returns log(sum(exp(x))) over the given axes, or over all.
func LogSumExp(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opLogSumExp, x, axes) }
