package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var inf = math.Inf(1)

var opCrossEntropy, opSoftCrossEntropy, opNLL, opPick, opClassOf *graph.Op

// defaultIgnoreIndex is the target that counts for nothing in PyTorch.
const defaultIgnoreIndex = -100

// CrossEntropyAttrs are the fixed arguments of CrossEntropy and NLL.
type CrossEntropyAttrs struct {
	// IgnoreIndex is a target that is ignored; PyTorch's default is -100.
	IgnoreIndex int
	// Reduction is "mean", "sum" or "none".
	Reduction string
}

func init() {
	opCrossEntropy = define(graph.Op{
		Name: "cross_entropy", Func: "CrossEntropy", Doc: "-log_softmax(x)[target] along axis 1, for integer targets.",
		Class: graph.Composite, MinIn: 2, MaxIn: 3, Autocast: graph.AutocastWidens,
		Infer:  inferClassLoss("log_softmax_lastdim_kernel_impl", true),
		Expand: expandCrossEntropy, Grad: crossEntropyGrad,
	})
	opNLL = define(graph.Op{
		Name: "nll_loss", Func: "NLL", Doc: "-x[target] along axis 1, for logarithms of probabilities.",
		Class: graph.Composite, MinIn: 2, MaxIn: 3, Autocast: graph.AutocastWidens,
		Infer:  inferClassLoss("nll_loss_out_frame", false),
		Expand: expandNLL,
	})
	opSoftCrossEntropy = define(graph.Op{
		Name: "soft_cross_entropy", Func: "CrossEntropy",
		Doc: "-sum(target * log_softmax(x)) along axis 1, for probabilities as targets.", Class: graph.Composite,
		MinIn: 2, MaxIn: 3, Autocast: graph.AutocastWidens,
		Promote: ToCommonType, Infer: inferSoftCrossEntropy, Expand: expandSoftCrossEntropy,
	})
	opPick = define(graph.Op{
		Name: "is_class", Func: "CrossEntropy",
		Doc:   "whether the class index of x equals the target, and the target is not ignored; one out of range stops the run.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Infer: boolType, Grad: noGradient,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			target, counts := n.Attrs().(pickAttrs).checked(e, x[1], 1)
			return e.Prim(graph.PrimAnd, counts, e.Prim(graph.PrimEq, x[0], target))
		},
	})
	opClassOf = define(graph.Op{
		Name: "class_of", Func: "NLL", Doc: "the target, or 0 where it is ignored; one out of range stops the run.",
		Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return graph.Int64, rules.BroadcastOperands(c) },
		Grad:  noGradient,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			target, counts := n.Attrs().(pickAttrs).checked(e, x[0], 0)
			return e.Prim(graph.PrimSelect, counts, target, e.Const(graph.Int64, 0))
		},
	})
	opCrossEntropy.Ref = named("", "torch.nn.functional.cross_entropy", "", "SoftmaxCrossEntropyLoss", "",
		func(e *graph.Example) node {
			return CrossEntropy(e.Of("x", "n", "c"), e.As(graph.Int64, "target", "n"))
		})
	opNLL.Ref = named("", "torch.nn.functional.nll_loss", "", "NegativeLogLikelihoodLoss", "",
		func(e *graph.Example) node { return NLL(e.Of("x", "n", "c"), e.As(graph.Int64, "target", "n")) })
	opSoftCrossEntropy.Ref = named("", "torch.nn.functional.cross_entropy", "", "", "",
		func(e *graph.Example) node { return CrossEntropy(e.Of("x", "n", "c"), e.Of("target", "n", "c")) })
}

// pickAttrs are the fixed arguments of is_class.
type pickAttrs struct {
	Classes graph.Dim
	Ignore  int
}

// checked is a target, an operand, as Int64, and whether it counts.
func (a pickAttrs) checked(e graph.Emitter, x graph.Value, operand int) (target, counts graph.Value) {
	target = e.Convert(x, graph.Int64)
	inside := e.Prim(graph.PrimAnd, e.Prim(graph.PrimGe, target, e.Const(graph.Int64, 0)),
		e.Prim(graph.PrimLt, target, e.Size(a.Classes)))
	counts = e.Prim(graph.PrimNe, target, e.Const(graph.Int64, float64(a.Ignore)))
	e.Check(e.Prim(graph.PrimOr, inside, e.Prim(graph.PrimNot, counts)),
		graph.Claim{Message: "a target is out of bounds", Operand: operand, Below: &a.Classes})
	return target, counts
}

// inferClassLoss is the rule of a loss with class indices as targets; kernel is PyTorch's word in the refusal of other
// dtypes. If the loss also takes probabilities, the message about a target of the scores' shape says so.
func inferClassLoss(kernel string, takesProbabilities bool) func(*graph.Call) (graph.DType, graph.Shape) {
	return func(c *graph.Call) (graph.DType, graph.Shape) {
		x, t := c.Shape(0), c.Shape(1)
		if !c.DType(0).IsFloat() {
			rules.RefuseDType(c, `"`+kernel+`" not implemented for '`+c.DType(0).TorchName()+`'`)
		}
		if !c.DType(1).IsIndex() {
			rules.RefuseDType(c, "expected scalar type Long but found "+c.DType(1).TorchName())
		}
		out := rules.Targets(c, x, t, takesProbabilities)
		rules.ClassWeights(c)
		if takesProbabilities {
			scoresOfClasses.warn(c, "CrossEntropy", c.In(1))
		} else {
			logarithms.warn(c, "NLL", c.In(1))
		}
		return c.DType(0), lossShape(c, out)
	}
}

func inferSoftCrossEntropy(c *graph.Call) (graph.DType, graph.Shape) {
	out := rules.Probabilities(c)
	rules.ClassWeights(c)
	scoresOfClasses.warn(c, "CrossEntropy", c.In(1))
	return c.DType(0), lossShape(c, out)
}

// lossShape is that of the examples, or a scalar where they are folded.
func lossShape(c *graph.Call, examples graph.Shape) graph.Shape {
	if c.Attrs().(CrossEntropyAttrs).Reduction == "none" {
		return examples
	}
	return graph.Shape{}
}

// classAxis is where the classes stand: axis 1, or the only axis of a single example.
func classAxis(x node) int { return min(1, x.Rank()-1) }

// lined returns a value in the shape that the rule requires of it, where its sizes have other names: nothing
// then broadcasts.
func lined(x node, shape graph.Shape) node {
	if x.Shape().Equal(shape) {
		return x
	}
	return Reshape(x, shape...)
}

// targets returns the classes of the examples, lined up with the scores x.
func targets(x, target node) node {
	axis := classAxis(x)
	return lined(target, slices.Delete(slices.Clone(x.Shape()), axis, axis+1))
}

// hits marks the target's class of each example, with x's shape; none where the target
// is ignored.
func hits(n, x, target node) node {
	axis := classAxis(x)
	classes := x.Shape()[axis]
	place := Iota(x.Graph(), axis, x.Shape()...)
	return Apply(opPick, pickAttrs{classes, n.Attrs().(CrossEntropyAttrs).IgnoreIndex}, place,
		Unsqueeze(targets(x, target), axis))
}

// perClass aligns the weights of classes with x's axis of classes; nil if there are no weights.
func perClass(x node, in []node) node {
	if len(in) < 3 {
		return nil
	}
	axis := classAxis(x)
	return Reshape(in[2], append(graph.Shape{x.Shape()[axis]}, slices.Repeat([]graph.Dim{1}, x.Rank()-1-axis)...)...)
}

// shares returns the weight of each example: that of its class, 1 without weights, and 0
// where its target is ignored. It reads no score: their gradients need not wait for a sum over all of them.
func shares(n node, in []node) node {
	x, target := in[0], targets(in[0], in[1])
	counts := NotEqual(target, graph.Num(n.Attrs().(CrossEntropyAttrs).IgnoreIndex))
	if len(in) < 3 {
		return Cast(counts, x.DType())
	}
	size := x.Shape()[classAxis(x)]
	classes := Size(x.Graph(), target.DType(), size)
	isClass := And(counts, And(GreaterEqual(target, graph.Num(0)), Less(target, classes))) // of others, hits tells
	weights := Concat(0, Reshape(in[2], size), Zeros(x.Graph(), in[2].DType(), 1))
	return Take(weights, 0, Where(isClass, target, classes))
}

func expandNLL(n *graph.Node, in []*graph.Node) *graph.Node {
	x, target := in[0], in[1]
	logp := x
	if class := x.Op().Class; class != graph.Elementwise && class != graph.Composite &&
		!mayBeEmpty(x.Graph(), x.Shape()[classAxis(x)]) {
		return foldExamples(n, in, pickedLosses(n, in))
	}
	if weights := perClass(x, in); weights != nil {
		logp = Mul(x, weights)
	}
	return foldExamples(n, in, Neg(Sum(Where(hits(n, x, target), logp, num(0)), Axis(classAxis(x)))))
}

// pickedLosses are the losses of examples, with their weights, where the logarithms are in memory: few of them are
// read. Those that are computed are better compared with all classes, which stores none.
func pickedLosses(n *graph.Node, in []*graph.Node) node {
	x, target, axis := in[0], targets(in[0], in[1]), classAxis(in[0])
	a := pickAttrs{x.Shape()[axis], n.Attrs().(CrossEntropyAttrs).IgnoreIndex}
	class := Apply(opClassOf, a, target)
	shape, places := slices.Clone(x.Shape()), make([]node, x.Rank())
	shape[axis], places[axis] = 1, Unsqueeze(class, axis)
	picked := Neg(Squeeze(takeFlat(x, places, rowMajorSteps(x.Shape()), 0, shape), axis))
	if len(in) > 2 {
		picked = Mul(picked, Take(Reshape(in[2], a.Classes), 0, class))
	}
	return Where(Equal(target, graph.Num(a.Ignore)), num(0), picked)
}

// foldExamples reduces the losses of examples, which have their weights already.
func foldExamples(n node, in []node, each node) node {
	if x := in[0]; mayBeEmpty(x.Graph(), x.Shape()[classAxis(x)]) {
		each = ofSomeClass(n, in, each)
	}
	switch n.Attrs().(CrossEntropyAttrs).Reduction {
	case "none":
		return each
	case "sum":
		return Sum(each)
	}
	return Div(Sum(each), Sum(shares(n, in)))
}

// mayBeEmpty reports whether a size may be 0.
func mayBeEmpty(g *graph.Graph, d graph.Dim) bool {
	if n, known := d.Int(); known {
		return n == 0
	}
	names := d.Symbols()
	return len(names) != 1 || graph.SymbolicDim(names[0]) != d || g.Bounds(names[0]).Min < 1
}

// ofSomeClass refuses targets where there is no class: then [hits] has no element that looks at them.
func ofSomeClass(n node, in []node, each node) node {
	x, target := in[0], targets(in[0], in[1])
	some := Greater(Size(x.Graph(), graph.Int64, x.Shape()[classAxis(x)]), num64(0))
	ignore := graph.Num(n.Attrs().(CrossEntropyAttrs).IgnoreIndex)
	target = Assert(target, Or(some, Equal(target, ignore)), "a target is out of bounds: there are no classes")
	return Where(Equal(target, ignore), num(0), each)
}

// expandCrossEntropy takes the logarithm of an example's sum less the target's score, both less the
// greatest score. Unlike -log_softmax(x)[target], with the same bits, it reads no score after the sum is
// known: what comes next, such as the gradient, may overwrite the scores.
func expandCrossEntropy(n *graph.Node, in []*graph.Node) *graph.Node {
	x, target := in[0], in[1]
	axis := classAxis(x)
	if len(in) > 2 || !x.DType().IsFloat() {
		return expandNLL(n, append([]node{LogSoftmax(x, axis)}, in[1:]...))
	}
	shifted := Sub(x, greatest(x, Axis(axis)))
	total := Squeeze(Log(Sum(Exp(shifted), Axis(axis), KeepDims())), axis)
	picked := Sum(Where(hits(n, x, target), shifted, num(0)), Axis(axis))
	ignored := Equal(targets(x, target), graph.Num(n.Attrs().(CrossEntropyAttrs).IgnoreIndex))
	return foldExamples(n, in, Where(ignored, num(0), Sub(total, picked)))
}

func expandSoftCrossEntropy(n *graph.Node, in []*graph.Node) *graph.Node {
	x, target := in[0], lined(in[1], in[0].Shape())
	terms := Mul(target, LogSoftmax(x, classAxis(x)))
	if weights := perClass(x, in); weights != nil {
		terms = Mul(terms, weights)
	}
	each := Neg(Sum(terms, Axis(classAxis(x))))
	switch n.Attrs().(CrossEntropyAttrs).Reduction {
	case "none":
		return each
	case "sum":
		return Sum(each)
	}
	return Mean(each)
}

// crossEntropyGrad is softmax(x) minus one at the target, times the share of each example
// in the loss; that of class weights is [classWeightsGrad].
func crossEntropyGrad(n, dy node, i int) node {
	if i > 0 {
		return classWeightsGrad(n, dy)
	}
	x, target := n.In(0), n.In(1)
	axis := classAxis(x)
	share := shares(n, n.Operands())
	if n.Attrs().(CrossEntropyAttrs).Reduction == "mean" {
		dy = Div(dy, Sum(share))
	}
	ignored := Equal(targets(x, target), graph.Num(n.Attrs().(CrossEntropyAttrs).IgnoreIndex))
	weight := Unsqueeze(Where(ignored, num(0), Mul(dy, share)), axis)
	return Mul(Sub(Softmax(x, axis), Cast(hits(n, x, target), x.DType())), weight)
}

// classWeightsGrad is the sum, over the examples of each class, of their losses without weights:
// of a mean, of what these are above it, as part of the weights.
func classWeightsGrad(n, dy node) node {
	x, target := n.In(0), n.In(1)
	axis := classAxis(x)
	loss := Neg(LogSoftmax(x, axis))
	switch n.Attrs().(CrossEntropyAttrs).Reduction {
	case "none":
		dy = Unsqueeze(dy, axis)
	case "mean":
		loss, dy = Sub(loss, n), Div(dy, Sum(shares(n, n.Operands())))
	}
	each := Where(hits(n, x, target), Mul(loss, dy), num(0))
	others := []Axis{}
	for a := range x.Rank() {
		if a != axis {
			others = append(others, Axis(a))
		}
	}
	if len(others) == 0 {
		return each
	}
	return Sum(each, others...)
}

// ofClasses applies a loss of classes, with weights of classes where there are any.
func (l lossCall) ofClasses(op *graph.Op, x, target node) node {
	if l.weights == nil {
		return Apply(op, l.CrossEntropyAttrs, x, target)
	}
	return Apply(op, l.CrossEntropyAttrs, x, target, l.weights)
}

// CrossEntropy returns the mean over examples of -log softmax(x) at the target's class. x are scores, [N, C] or [N,
// C, …], and target integer classes, [N] or [N, …]. A target outside 0..C-1 stops the run with an error, unless it is
// the ignored index (-100 unless [IgnoreIndex] sets it). A floating-point target of x's shape holds probabilities:
// the loss of an example is then the sum over classes of -target*log softmax(x). [ClassWeights] and [LabelSmoothing]
// are as in PyTorch.
func CrossEntropy(x, target *graph.Node, opts ...LossOption) *graph.Node {
	l := lossOf(opts)
	l.refuseUnread("CrossEntropy", x, target)
	if l.smoothing != 0 {
		return l.smoothed(x, target)
	}
	return l.crossEntropy(x, target)
}

func (l lossCall) crossEntropy(x, target node) node {
	if x != nil && target != nil && x.Judged() && target.Judged() && target.DType().IsFloat() &&
		target.Rank() == x.Rank() {
		return l.ofClasses(opSoftCrossEntropy, x, target)
	}
	return l.ofClasses(opCrossEntropy, x, target)
}

// NLL returns the mean over examples of -x at the target's class: the negative log-likelihood if x holds
// log-probabilities. Shapes and options are those of [CrossEntropy]. For one example [C] the target must be a scalar:
// targets [C], of which PyTorch silently reads only the first, are refused.
func NLL(x, target *graph.Node, opts ...LossOption) *graph.Node {
	l := lossOf(opts)
	l.refuseUnread("NLL", x, target)
	return l.ofClasses(opNLL, x, target)
}
