package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSum, opProd, opMax, opMin, opAny, opAll, opArgMax, opArgMin, opMean *graph.Op

// ReduceAttrs are the fixed arguments of a reduction: the axes as the caller gave them, nil for all.
type ReduceAttrs struct {
	Axes     []int
	KeepDims bool
}

func (a ReduceAttrs) reduced() ReduceAttrs { return a }

// reducing is what the fixed arguments of all reductions have in common.
type reducing interface{ reduced() ReduceAttrs }

func reduceAttrs(n node) ReduceAttrs { return n.Attrs().(reducing).reduced() }

// Axis is an axis of an operand, negative from the end, or one of the options KeepDims, AllAxes and NoAxes, which are
// given in the same list.
type Axis int

const (
	keepDims Axis = math.MinInt / 3 // which nobody writes by mistake, in 32 bits or 64
	allAxes  Axis = keepDims + 1
	noAxes   Axis = keepDims + 2
)

// KeepDims keeps the reduced axes in the result, with size 1.
func KeepDims() Axis { return keepDims }

// AllAxes reduces all axes. This is the default of a reduction without axes.
func AllAxes() Axis { return allAxes }

// NoAxes reduces no axis, as an empty list does in NumPy.
func NoAxes() Axis { return noAxes }

// Axes returns the axes that a reduction node reduces, counted from 0, in ascending order. The node's fixed arguments
// are a [ReduceAttrs], or those of a reduction of this package. It is nil for other nodes and for invalid ones.
func Axes(n *graph.Node) []int {
	if n == nil || !n.Judged() {
		return nil
	}
	if _, isReduction := n.Attrs().(reducing); !isReduction {
		return nil
	}
	a, rank := reduceAttrs(n), n.In(0).Rank()
	if a.Axes == nil {
		all := make([]int, rank)
		for i := range all {
			all[i] = i
		}
		return all
	}
	list := make([]int, 0, len(a.Axes))
	for _, axis := range a.Axes {
		if axis < 0 {
			axis += max(rank, 1)
		}
		if axis < rank {
			list = append(list, axis)
		}
	}
	slices.Sort(list)
	return list
}

// ambiguousAxes represents a list of axes that was given but is empty.
const ambiguousAxes = math.MinInt / 5

// reduction is the entry of a fold. result gives the dtype of the result and refuses
// what the operation is not defined for; needsElements says that nothing has no value.
func reduction(name, fn, doc string, fold graph.Fold, result func(*graph.Call) graph.DType,
	needsElements bool) *graph.Op {
	op := graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Reduce, Fold: fold, Axes: Axes, MinIn: 1, MaxIn: 1}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		if !needsElements {
			return result(c), inferReduce(c, op.Name, false)
		}
		shape := inferReduce(c, op.Name, true) // PyTorch looks at the axes first
		return result(c), shape
	}
	return define(op)
}

func inferReduce(c *graph.Call, word string, needsElements bool) graph.Shape {
	a := reduceAttrs(c.Node())
	if len(a.Axes) == 1 && a.Axes[0] == ambiguousAxes {
		c.Fail(&graph.Mistake{Code: graph.CodeAxis,
			Summary: "the list of axes is empty: PyTorch then reduces all axes, and NumPy none",
			Help:    []string{"pass ops.AllAxes() or ops.NoAxes()"}})
		return nil
	}
	// PyTorch's amax and amin name an axis without elements as it was given, and before
	// they look at the other axes; max and argmax count it from the first.
	asGiven := c.Op() == opMax || c.Op() == opMin
	if needsElements && asGiven && a.Axes != nil {
		rules.NonEmpty(c, word, a.Axes)
	}
	axes, ok := rules.Axes(c, a.Axes, len(c.Shape(0)))
	if !ok {
		if a.KeepDims {
			return unknownShape(len(c.Shape(0)))
		}
		return nil
	}
	switch {
	case needsElements && a.Axes == nil:
		rules.NonEmpty(c, word, nil)
	case needsElements && !asGiven:
		rules.NonEmpty(c, word, axes)
	}
	return rules.Reduced(c.Shape(0), axes, a.KeepDims)
}

func unknownShape(rank int) graph.Shape {
	s := make(graph.Shape, rank)
	for i := range s {
		s[i] = graph.UnknownDim
	}
	return s
}

func operandType(c *graph.Call) graph.DType { return c.DType(0) }

func boolResult(*graph.Call) graph.DType { return graph.Bool }

// argType refuses booleans, of which elements are to be found.
func argType(word string) func(*graph.Call) graph.DType {
	return func(c *graph.Call) graph.DType {
		if c.DType(0) == graph.Bool && !slices.Contains(c.Shape(0), 0) {
			rules.RefuseDType(c, `"`+word+`_cpu" not implemented for 'Bool'`)
		}
		return graph.Int64
	}
}

// floatOnly refuses everything but floating-point operands with PyTorch's sentence.
func floatOnly(sentence func(graph.DType) string) func(*graph.Call) graph.DType {
	return func(c *graph.Call) graph.DType {
		if t := c.DType(0); !t.IsFloat() {
			rules.RefuseDType(c, sentence(t))
			return graph.Float32
		}
		return c.DType(0)
	}
}

func init() {
	opSum = reduction("sum", "Sum", "the sum over axes; integers and booleans are counted in Int64.", graph.FoldSum,
		operandType, false)
	opSum.Promote = ToCounted
	opSum.Grad = func(n, dy node, _ int) node { return spread(n, dy) }
	opProd = reduction("prod", "Prod", "the product over axes; integers and booleans are counted in Int64.",
		graph.FoldProd, operandType, false)
	opProd.Promote, opProd.Autocast = ToCounted, graph.AutocastWidens
	opProd.Grad = prodGrad
	opMax = reduction("amax", "Max", "the greatest element over axes; NaN wins; ties share the gradient.",
		graph.FoldMax, operandType, true)
	opMax.Grad = func(n, dy node, _ int) node { return shareGrad(n, dy) }
	opMin = reduction("amin", "Min", "the least element over axes; NaN wins; ties share the gradient.", graph.FoldMin,
		operandType, true)
	opMin.Grad = func(n, dy node, _ int) node { return shareGrad(n, dy) }
	opAny = reduction("any", "Any", "whether some element is true or not 0.", graph.FoldAny, boolResult, false)
	opAny.Promote, opAny.Grad = ToBool, noGradient
	opAll = reduction("all", "All", "whether every element is true or not 0.", graph.FoldAll, boolResult, false)
	opAll.Promote, opAll.Grad = ToBool, noGradient
	opArgMax = reduction("argmax", "ArgMax",
		"the index of the first greatest element along one axis, or of all elements in row-major order.",
		graph.FoldArgMax, argType("argmax"), true)
	opArgMax.Grad = noGradient
	opArgMin = reduction("argmin", "ArgMin",
		"the index of the first least element along one axis, or of all elements in row-major order.", graph.FoldArgMin,
		argType("argmin"), true)
	opArgMin.Grad = noGradient
	opMean = reduction("mean", "Mean", "the sum over axes divided by the number of elements summed.", graph.NoFold,
		floatOnly(func(t graph.DType) string {
			return "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: " +
				t.TorchName()
		}), false)
	opMean.Class = graph.Composite
	opMean.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node {
		return Div(reapply(opSum, n, in[0]), count(n, in[0]))
	}
	opMean.Grad = func(n, dy node, _ int) node { return Div(spread(n, dy), count(n, n.In(0))) }
	opAll.Ref = flat("its result is a truth value", "numpy.all", "torch.all", "jax.numpy.all, jax.lax.reduce_and",
		"", "",
		func(e *graph.Example) node { return All(e.Of("x", "n", "k"), 1) })
	opMax.Ref = named("numpy.max, numpy.amax", "torch.amax, torch.max",
		"jax.numpy.max, jax.numpy.amax, jax.lax.reduce_max", "ReduceMax", "Max",
		func(e *graph.Example) node { return Max(e.Of("x", "n", "k"), 1) })
	opMin.Ref = named("numpy.min, numpy.amin", "torch.amin, torch.min",
		"jax.numpy.min, jax.numpy.amin, jax.lax.reduce_min", "ReduceMin", "",
		func(e *graph.Example) node { return Min(e.Of("x", "n", "k"), 1) })
	opAny.Ref = flat("its result is a truth value", "numpy.any", "torch.any", "jax.numpy.any, jax.lax.reduce_or",
		"", "",
		func(e *graph.Example) node { return Any(e.Of("x", "n", "k"), 1) })
	opArgMax.Ref = named("numpy.argmax", "torch.argmax", "jax.numpy.argmax, jax.lax.argmax", "ArgMax", "",
		func(e *graph.Example) node { return ArgMax(e.Of("x", "n", "k"), 1) })
	opArgMin.Ref = named("numpy.argmin", "torch.argmin", "jax.numpy.argmin, jax.lax.argmin", "ArgMin", "",
		func(e *graph.Example) node { return ArgMin(e.Of("x", "n", "k"), 1) })
	opMean.Ref = named("numpy.mean", "torch.mean", "jax.numpy.mean", "ReduceMean", "Mean",
		func(e *graph.Example) node { return Mean(e.Of("x", "n", "k"), 1) })
	opProd.Ref = named("numpy.prod", "torch.prod", "jax.numpy.prod, jax.lax.reduce_prod", "ReduceProd", "",
		func(e *graph.Example) node { return Prod(e.Of("x", "n", "k"), 1) })
	opSum.Ref = named("numpy.sum", "torch.sum", "jax.numpy.sum, jax.lax.reduce_sum", "ReduceSum", "Sum",
		func(e *graph.Example) node { return Sum(e.Of("x", "n", "k"), 1) })
}

// reapply builds a reduction over the same axes as n.
func reapply(op *graph.Op, n, x node) node { return Apply(op, reduceAttrs(n), x) }

// count returns the number of elements that the reduction n folds into one.
func count(n, x node) node {
	d := graph.Dim(1)
	for _, a := range Axes(n) {
		d = d.Times(x.Shape()[a])
	}
	return Size(x.Graph(), x.DType(), d)
}

// keepShape returns a value of the result's shape the folded axes back with size 1.
func keepShape(n, v node) node {
	if reduceAttrs(n).KeepDims {
		return v
	}
	for _, a := range Axes(n) {
		v = Unsqueeze(v, a)
	}
	return v
}

// spread repeats a gradient of a reduction's result over the operand's elements.
func spread(n, dy node) node {
	return Expand(keepShape(n, dy), n.In(0).Shape()...)
}

// shareGrad divides the gradient among the elements equal to the winner, or among NaNs.
func shareGrad(n, dy node) node {
	x := n.In(0)
	won := Equal(x, keepShape(n, n))
	if x.DType().IsFloat() {
		won = Or(won, NotEqual(x, x))
	}
	ones := Cast(won, x.DType())
	total := Apply(opSum, ReduceAttrs{Axes: Axes(n), KeepDims: true}, ones)
	return Where(won, Div(keepShape(n, dy), total), num(0))
}

// reduceCall builds a reduction from its list of axes and options.
func reduceCall(op *graph.Op, x *graph.Node, list []Axis) *graph.Node {
	return Apply(op, reduceList(list), x)
}

// reduceList reads a list of axes and options.
func reduceList(list []Axis) ReduceAttrs {
	a := ReduceAttrs{}
	ambiguous := list != nil && len(list) == 0
	for _, v := range list {
		switch v {
		case keepDims:
			a.KeepDims = true
		case allAxes:
			a.Axes = nil
		case noAxes:
			a.Axes = []int{}
		default:
			a.Axes = append(a.Axes, int(v))
		}
	}
	if ambiguous {
		a.Axes = []int{ambiguousAxes}
	}
	return a
}

// Sum returns the sum over the given axes, or over all.
func Sum(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opSum, x, axes) }

// Prod returns the product over the given axes, or over all. The gradient of an element is 0 if another element is 0,
// even if a third one is not finite; PyTorch's is NaN then.
func Prod(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opProd, x, axes) }

// Mean returns the mean over the given axes, or over all.
func Mean(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opMean, x, axes) }

// Max returns the greatest element over the given axes, or over all.
func Max(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opMax, x, axes) }

// Min returns the least element over the given axes, or over all.
func Min(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opMin, x, axes) }

// Any reports whether any element is true over the given axes, or over all. The result is Bool, but Uint8 if x is
// Uint8, as in PyTorch.
func Any(x *graph.Node, axes ...Axis) *graph.Node { return truth(opAny, x, axes) }

// All reports whether all elements are true over the given axes, or over all. The result is Bool, but Uint8 if x is
// Uint8, as in PyTorch.
func All(x *graph.Node, axes ...Axis) *graph.Node { return truth(opAll, x, axes) }

// truth is Any or All, whose result is 0 or 1 for Uint8.
func truth(op *graph.Op, x node, axes []Axis) node {
	if x == nil || !x.Judged() || x.DType() != graph.Uint8 {
		return reduceCall(op, x, axes)
	}
	defer graph.BeginCall(op.Func, nil, x)()
	return Cast(reduceCall(op, x, axes), graph.Uint8)
}

// ArgMax returns the index of the greatest element over the given axes, or over all, and of equal ones the first. The
// index counts in row-major order over these axes.
func ArgMax(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opArgMax, x, axes) }

// ArgMin returns the index of the least element over the given axes, or over all, and of equal ones the first. The
// index counts in row-major order over these axes.
func ArgMin(x *graph.Node, axes ...Axis) *graph.Node { return reduceCall(opArgMin, x, axes) }
