package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opCumMax, opCumMin, opCumMaxValues, opCumMinValues, opRunningPlaces, opAccumulate, opLogCumSumExp, opRecurrence,
	opRecur *graph.Op

// runningAttrs are the fixed arguments of opRunningPlaces, opAccumulate and opRecur: whether the least element is
// sought, whether products are formed and not sums, whether the first step is at the end, and whether neither is formed
// but the greatest element sought, or the least.
type runningAttrs struct{ Least, Product, Reverse, Extremum bool }

// Running returns the arguments.
func (a runningAttrs) Running() (least, product, reverse bool) { return a.Least, a.Product, a.Reverse }

// SeeksExtremum reports whether extrema are accumulated.
func (a runningAttrs) SeeksExtremum() bool { return a.Extremum }

// downColumns is the entry of a Go function of the columns of matrices of one shape, of which only others make use.
func downColumns(name, doc string, operands int, dtype func(*graph.Call) graph.DType,
	function func(*graph.Arrays) error) *graph.Op {
	return define(graph.Op{
		Name: name, Func: name, Doc: doc, Class: graph.Function, MinIn: operands, MaxIn: operands, Function: function,
		Grad: noGradient, Together: true,
		Core:  func(*graph.Node) ([]int, int) { return slices.Repeat([]int{2}, operands), 2 },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return dtype(c), c.Shape(0) },
	})
}

// alongColumns applies such an entry along an axis of values of one shape.
func alongColumns(op *graph.Op, a runningAttrs, axis int, in ...node) node {
	shape := in[0].Shape()
	columns := graph.MakeShape(1, 1)
	if len(shape) > 0 {
		axis = countedFromZero([]int{axis}, len(shape))[0]
		columns = append(shape[:axis+1:axis+1], shape[axis+1:].NumElements())
	}
	matrices := make([]node, len(in))
	for i, x := range in {
		matrices[i] = Reshape(x, columns...)
	}
	return Reshape(graph.Apply(op, a, matrices...), shape...)
}

// runningExtremum is the entry of the places of the greatest elements up to each place, or of the least.
func runningExtremum(name, fn, doc string, least bool) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc + "; the last of equal ones counts, and NaN wins.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.Axis(c, c.Attrs().(ScanAttrs).Axis, len(c.Shape(0)))
			return graph.Int64, c.Shape(0)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			return alongColumns(opRunningPlaces, runningAttrs{Least: least}, n.Attrs().(ScanAttrs).Axis,
				countable(in[0]))
		},
	})
}

// extremumValues is the entry of the greatest elements up to each place, or of the least, without their places.
func extremumValues(name, fn, doc string, least bool) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc + "; NaN wins.", Class: graph.Composite, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.Axis(c, c.Attrs().(ScanAttrs).Axis, len(c.Shape(0)))
			return c.DType(0), c.Shape(0)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := runningAttrs{Least: least, Extremum: true}
			return Cast(alongColumns(opAccumulate, a, n.Attrs().(ScanAttrs).Axis, countable(in[0])), n.DType())
		},
		Grad: func(n, dy node, _ int) node {
			if n.Rank() == 0 {
				return dy
			}
			places := Apply(map[bool]*graph.Op{false: opCumMax, true: opCumMin}[least], n.Attrs(), n.In(0))
			return ScatterAdd(ZerosLike(dy), n.Attrs().(ScanAttrs).Axis, places, dy)
		},
	})
}

func init() {
	ofFirst := func(c *graph.Call) graph.DType { return c.DType(0) }
	opRunningPlaces = downColumns("running_places",
		"the place of the greatest element up to each place of the columns of matrices.", 1,
		func(*graph.Call) graph.DType { return graph.Int64 }, runningPlaces)
	opAccumulate = downColumns("accumulate",
		"the sum of the elements up to each place of the columns of matrices, or their product, or the greatest or least of them.",
		1, ofFirst, accumulate)
	opRecur = downColumns("recur", "y[t] = a[t]*y[t-1] + x[t] down the columns of matrices.", 2, ofFirst, recur)
	opCumMax = runningExtremum("cummax", "CumMax", "the greatest element up to each place of an axis, and its place",
		false)
	opCumMin = runningExtremum("cummin", "CumMin", "the least element up to each place of an axis, and its place", true)
	opCumMaxValues = extremumValues("cummax_values", "CumMax", "the greatest element up to each place of an axis",
		false)
	opCumMinValues = extremumValues("cummin_values", "CumMin", "the least element up to each place of an axis", true)
	opCumMax.Ref = named("numpy.maximum.accumulate", "torch.cummax", "jax.lax.cummax", "", "",
		func(e *graph.Example) node { return e.Several(CumMax(e.Of("x", "n", "k"), 1)) })
	opCumMin.Ref = named("numpy.minimum.accumulate", "torch.cummin", "jax.lax.cummin", "", "",
		func(e *graph.Example) node { return e.Several(CumMin(e.Of("x", "n", "k"), 1)) })
	opCumMax.Ref.Cost, opCumMin.Ref.Cost = "a comparison for each element", "a comparison for each element"
	opLogCumSumExp = define(graph.Op{
		Name: "logcumsumexp", Func: "LogCumSumExp",
		Doc:   "log of the sum of exp(x) up to each place of an axis, without overflow.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Infer: inferLogCumSumExp, Expand: expandLogCumSumExp,
		Grad: logCumSumExpGrad,
	})
	opLogCumSumExp.Ref = named("", "torch.logcumsumexp", "jax.lax.cumlogsumexp", "", "",
		func(e *graph.Example) node { return LogCumSumExp(e.Of("x", "n", "k"), 1) })
	opRecurrence = define(graph.Op{
		Name: "linear_recurrence", Func: "LinearRecurrence", Doc: "y[t] = a[t]*y[t-1] + x[t] along an axis, from y[0] = x[0].",
		Class: graph.Composite, MinIn: 2, MaxIn: 2, Promote: ToCommonFloat, Grad: recurrenceGrad,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.AlongTogether(c, c.Attrs().(ScanAttrs).Axis)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(ScanAttrs)
			return alongColumns(opRecur, runningAttrs{Reverse: a.Reverse}, a.Axis, in...)
		},
	})
	opRecurrence.Ref = named("", "", "jax.lax.associative_scan", "", "",
		func(e *graph.Example) node { return LinearRecurrence(e.Of("a", "n", "k"), e.Of("x", "n", "k"), 1) })
	opRecurrence.Ref.Cost = "2 operations for each element"
}

// CumMax returns the cumulative maximum along an axis, and its indices, Int64. Of equal elements the last counts.
// From a NaN on, the result is NaN, as in PyTorch. Gradients flow to the elements' positions in x. x has any dtype.
func CumMax(x *graph.Node, axis int) (values, indices *graph.Node) {
	return runningValues(opCumMax, opCumMaxValues, x, axis)
}

// CumMin is [CumMax] with the cumulative minimum.
func CumMin(x *graph.Node, axis int) (values, indices *graph.Node) {
	return runningValues(opCumMin, opCumMinValues, x, axis)
}

func runningValues(places, values *graph.Op, x node, axis int) (most, at node) {
	defer graph.BeginCall(places.Func, ScanAttrs{Axis: axis}, x)()
	if at = Apply(places, ScanAttrs{Axis: axis}, x); at.Err() != nil || !at.Judged() {
		return at, at
	}
	return Apply(values, ScanAttrs{Axis: axis}, x), at // a program that has one of the two seeks no other
}

// LogCumSumExp returns the logarithm of the cumulative sum of exp(x) along an axis, without overflow. x is Float32 or
// Float64.
func LogCumSumExp(x *graph.Node, axis int) *graph.Node {
	return Apply(opLogCumSumExp, ScanAttrs{Axis: axis}, x)
}

// LinearRecurrence returns y[t] = a[t]*y[t-1] + x[t] along an axis, with y[0] = x[0]: discounted sums, moving
// averages and diagonal state spaces. a and x have the same shape. It is computed in Float64 and rounded to their
// dtype, Float32 or Float64. a[0] is not used, and has no gradient.
func LinearRecurrence(a, x *graph.Node, axis int) *graph.Node {
	return Apply(opRecurrence, ScanAttrs{Axis: axis}, a, x)
}

func inferLogCumSumExp(c *graph.Call) (graph.DType, graph.Shape) {
	t := c.DType(0)
	if rules.Axis(c, c.Attrs().(ScanAttrs).Axis, len(c.Shape(0))) >= 0 && !t.IsFloat() {
		rules.RefuseDType(c, `"logcumsumexp_out_cpu" not implemented for '`+t.TorchName()+`'`)
	}
	return t, c.Shape(0)
}

// expandLogCumSumExp sums up powers relative to the greatest element so far.
func expandLogCumSumExp(n *graph.Node, in []*graph.Node) *graph.Node {
	x := in[0]
	if x.Rank() == 0 {
		return x
	}
	axis := countedFromZero([]int{n.Attrs().(ScanAttrs).Axis}, x.Rank())[0]
	most, _ := CumMax(x, axis)
	sum := LinearRecurrence(expDifference(previous(most, axis, -inf), most), expDifference(x, most), axis)
	return Add(most, Log(sum))
}

// logCumSumExpGrad is dx[i] = exp(x[i]-y[i]) * r[i], where r[i] = dy[i] + exp(y[i]-y[i+1])*r[i+1]: no power is above 1.
func logCumSumExpGrad(n, dy node, _ int) node {
	if n.Rank() == 0 {
		return dy
	}
	axis := countedFromZero([]int{n.Attrs().(ScanAttrs).Axis}, n.Rank())[0]
	shares := expDifference(n, following(n, axis, inf))
	return Mul(expDifference(n.In(0), n), Apply(opRecurrence, ScanAttrs{axis, true}, shares, dy))
}

// expDifference is exp(a - b). Of equal infinities it is 1, or 0 where they are negative.
func expDifference(a, b node) node {
	same := And(Equal(a, b), IsInf(b))
	power := Exp(Sub(Where(same, num(0), a), Where(same, num(0), b)))
	return Where(same, Cast(Greater(b, num(0)), b.DType()), power)
}

// recurrenceGrad: λ[t] = dy[t] + a[t+1]*λ[t+1] is the gradient of x, and λ[t]*y[t-1] that of a.
func recurrenceGrad(n, dy node, i int) node {
	a := n.Attrs().(ScanAttrs)
	if n.Rank() == 0 {
		return []node{nil, dy}[i]
	}
	axis := countedFromZero([]int{a.Axis}, n.Rank())[0]
	past, future := previous, following
	if a.Reverse {
		past, future = following, previous
	}
	back := Apply(opRecurrence, ScanAttrs{axis, !a.Reverse}, future(n.In(0), axis, 0), dy)
	if i == 1 {
		return back
	}
	return Mul(back, past(n, axis, 0))
}

// previous has the element before each place of an axis, and a number at the first.
func previous(x node, axis int, first float64) node {
	return Slice(Pad(x, axis, 1, 0, first), axis, 0, x.Shape()[axis], 1)
}

// following has the element behind each place of an axis, and a number at the last.
func following(x node, axis int, last float64) node {
	return Slice(Pad(x, axis, 0, 1, last), axis, 1, x.Shape()[axis].Plus(1), 1)
}
