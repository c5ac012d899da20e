package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

var inf = math.Inf(1)

var opCrossEntropy, opPick *graph.Op

// defaultIgnoreIndex is the target that counts for nothing in PyTorch.
const defaultIgnoreIndex = -100

// CrossEntropyAttrs are the fixed arguments of CrossEntropy.
type CrossEntropyAttrs struct {
	// IgnoreIndex is a target that counts for nothing; PyTorch's default is -100.
	IgnoreIndex int
	// Reduction is "mean", "sum" or "none".
	Reduction string
}

func init() {
	opCrossEntropy = define(graph.Op{
		Name: "cross_entropy", Func: "CrossEntropy", Doc: "-log_softmax(x)[target] along axis 1, for integer targets.", Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer:  inferCrossEntropy,
		Expand: expandCrossEntropy,
		Grad:   crossEntropyGrad,
	})
	opPick = define(graph.Op{
		Name: "is_class", Func: "CrossEntropy", Doc: "whether the class index of x equals the target; a target out of range stops the run.", Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Infer: boolType, Grad: noGradient,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			a := n.Attrs().(pickAttrs)
			target := e.Convert(x[1], graph.Int64)
			inside := e.Prim(graph.PrimAnd, e.Prim(graph.PrimGe, target, e.Const(graph.Int64, 0)), e.Prim(graph.PrimLt, target, e.Size(a.Classes)))
			ignored := e.Prim(graph.PrimEq, target, e.Const(graph.Int64, float64(a.Ignore)))
			e.Check(e.Prim(graph.PrimOr, inside, ignored), "a target is out of bounds: classes are counted from 0")
			return e.Prim(graph.PrimEq, x[0], target)
		},
	})
}

// pickAttrs are the fixed arguments of is_class.
type pickAttrs struct {
	Classes graph.Dim
	Ignore  int
}

func inferCrossEntropy(c *graph.Call) (graph.DType, graph.Shape) {
	x, t := c.Shape(0), c.Shape(1)
	if !c.DType(0).IsFloat() {
		shapeinfer.RefuseDType(c, `"log_softmax_lastdim_kernel_impl" not implemented for '`+c.DType(0).TorchName()+`'`)
	}
	if !c.DType(1).IsInt() {
		shapeinfer.RefuseDType(c, "expected scalar type Long but found "+c.DType(1).TorchName())
	}
	out := shapeinfer.Targets(c, x, t)
	if c.Attrs().(CrossEntropyAttrs).Reduction != "none" {
		out = graph.Shape{}
	}
	return c.DType(0), out
}

// classAxis is where the classes stand: axis 1, or the only axis of a single example.
func classAxis(x node) int { return min(1, x.Rank()-1) }

// hits marks the target's class of each example, with x's shape.
func hits(n, x, target node) node {
	axis := classAxis(x)
	classes := x.Shape()[axis]
	place := Iota(x.Graph(), axis, x.Shape()...)
	return Apply(opPick, pickAttrs{classes, n.Attrs().(CrossEntropyAttrs).IgnoreIndex}, place, Unsqueeze(target, axis))
}

// counted is the number of targets that are not ignored.
func counted(n, target node, t graph.DType) node {
	keep := NotEqual(target, graph.Num(n.Attrs().(CrossEntropyAttrs).IgnoreIndex))
	return Sum(Cast(keep, t))
}

func expandCrossEntropy(n *graph.Node, in []*graph.Node) *graph.Node {
	x, target := in[0], in[1]
	axis := classAxis(x)
	logp := LogSoftmax(x, axis)
	each := Neg(Sum(Where(hits(n, x, target), logp, num(0)), Axis(axis)))
	switch n.Attrs().(CrossEntropyAttrs).Reduction {
	case "none":
		return each
	case "sum":
		return Sum(each)
	}
	return Div(Sum(each), counted(n, target, x.DType()))
}

// crossEntropyGrad is softmax(x) minus one at the target, times the weight of each
// example: its share of the mean, and 0 where it is ignored.
func crossEntropyGrad(n, dy node, i int) node {
	if i == 1 {
		return nil
	}
	x, target := n.In(0), n.In(1)
	axis := classAxis(x)
	a := n.Attrs().(CrossEntropyAttrs)
	switch a.Reduction {
	case "none":
		dy = Unsqueeze(dy, axis)
	case "mean":
		dy = Div(dy, counted(n, target, x.DType()))
	}
	keep := Unsqueeze(NotEqual(target, graph.Num(a.IgnoreIndex)), axis)
	weight := Where(keep, dy, num(0))
	return Mul(Sub(Softmax(x, axis), Cast(hits(n, x, target), x.DType())), weight)
}

// A LossOption changes how a loss is formed.
type LossOption func(*CrossEntropyAttrs)

// IgnoreIndex names a target that counts for nothing.
func IgnoreIndex(i int) LossOption { return func(a *CrossEntropyAttrs) { a.IgnoreIndex = i } }

// SumLoss adds the losses of the examples up instead of taking their mean.
func SumLoss() LossOption { return func(a *CrossEntropyAttrs) { a.Reduction = "sum" } }

// EachLoss gives the loss of each example.
func EachLoss() LossOption { return func(a *CrossEntropyAttrs) { a.Reduction = "none" } }

// CrossEntropy gives the mean over examples of -log softmax(x) at the target's class.
// x is [N, C] or [N, C, …] scores, target integer class indices of shape [N] or [N, …].
// A target outside 0..C-1 stops the run with an error, unless it is the ignored index
// (-100 unless said otherwise).
func CrossEntropy(x, target *graph.Node, opts ...LossOption) *graph.Node {
	a := CrossEntropyAttrs{IgnoreIndex: defaultIgnoreIndex, Reduction: "mean"}
	for _, o := range opts {
		o(&a)
	}
	return Apply(opCrossEntropy, a, x, target)
}

// MSE gives the mean of the squared differences.
func MSE(x, target *graph.Node) *graph.Node { return Mean(Square(Sub(x, target))) }
