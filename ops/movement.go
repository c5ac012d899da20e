package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSlice, opPad, opConcat *graph.Op

// SliceAttrs are the fixed arguments of Slice, like Python's start:stop:step.
type SliceAttrs struct {
	Axis        int
	Start, Stop graph.Dim
	Step        int
}

// ConcatAttrs are the fixed arguments of Concat.
type ConcatAttrs struct{ Axis int }

// PadAttrs are the fixed arguments of Pad along one axis. The elements of the operand are Step apart in the result.
type PadAttrs struct {
	Axis          int
	Before, After graph.Dim
	Step          int
	Value         float64
}

// End is the end of an axis, as the stop of a Slice.
const End graph.Dim = 1 << 62

func init() {
	opSlice = define(graph.Op{
		Name: "slice", Func: "Slice", Doc: "elements of one axis at regular distances.", Class: graph.Movement,
		MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(SliceAttrs)
			return c.DType(0), rules.Slice(c, a.Axis, a.Start, a.Stop, a.Step)
		},
		Once: true,
		View: func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			axis, start := sliceStart(n)
			out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides)}
			out.Offset = in.Offset.Plus(start.Times(in.Strides[axis]))
			out.Strides[axis] = in.Strides[axis].Times(graph.Dim(n.Attrs().(SliceAttrs).Step))
			return out, true
		},
		Grad: func(n, dy node, _ int) node { return unslice(n, dy) },
	})
	opConcat = define(graph.Op{
		Name: "concat", Func: "Concat", Doc: "operands joined along an axis.", Class: graph.Movement,
		MinIn: 1, MaxIn: -1,
		Promote: ToCommonType,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.Concat(c, c.Attrs().(ConcatAttrs).Axis)
		},
		Assemble: assembleConcat, Grad: concatGrad, Batch: batchConcat,
	})
	opPad = define(graph.Op{
		Name: "pad", Func: "Pad", Doc: "x with a number before, after and between its elements along one axis.",
		Class: graph.Movement, MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(PadAttrs)
			refuseOutside(c, c.DType(0), a.Value)
			return c.DType(0), rules.Pad(c, a.Axis, a.Before, a.After, a.Step)
		},
		Assemble: assemblePad,
		Grad: func(n, dy node, _ int) node {
			a := n.Attrs().(PadAttrs)
			axis := countedFromZero([]int{a.Axis}, n.Rank())[0]
			count := n.In(0).Shape()[axis]
			if a.Step > 1 && !count.IsConst() { // where there is none, there is no last one
				return Slice(Slice(dy, axis, a.Before, End, a.Step), axis, 0, count, 1)
			}
			return Slice(dy, axis, a.Before, a.Before.Plus(spacedLength(count, a.Step)), a.Step)
		},
	})
	opConcat.Ref = named("numpy.concatenate", "torch.cat", "jax.numpy.concatenate", "Concat", "Concat",
		func(e *graph.Example) node { return Concat(0, e.Of("x", "n", "k"), e.Of("y", "m", "k")) })
	opPad.Ref = named("numpy.pad", "torch.nn.functional.pad, torch.constant_pad_nd", "jax.numpy.pad", "Pad", "",
		func(e *graph.Example) node { return Pad(e.Of("x", "n", "k"), 1, 2, 1, 0) })
	opSlice.Ref = named("numpy.ndarray.__getitem__", "torch.Tensor.__getitem__", "jax.lax.slice_in_dim", "Slice",
		"Slice",
		func(e *graph.Example) node { return Slice(e.Of("x", "8", "k"), 0, 1, 7, 2) })
}

// Slice returns the elements from start up to, but not including, stop along an axis, step apart: Python's
// x[start:stop:step]. Negative bounds count from the end, and bounds outside the axis are clamped. The stop [End] is
// the end of the axis. On an axis of symbolic size the bounds must be inside.
func Slice(x *graph.Node, axis int, start, stop graph.Dim, step int) *graph.Node {
	return Apply(opSlice, SliceAttrs{axis, start, stop, step}, x)
}

// Pad returns x with before and after elements of the given value added at the ends of an axis. A negative whole
// number removes as many elements instead, as in PyTorch.
func Pad(x *graph.Node, axis int, before, after graph.Dim, value float64) *graph.Node {
	front, more := lessThanNone(before)
	back, evenMore := lessThanNone(after)
	if (more || evenMore) && x != nil && x.Judged() && axis >= -x.Rank() && axis < x.Rank() {
		defer building("Pad", x, axis, before, after, value)()
		size := x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]]
		x = Narrow(x, axis, front, size.Minus(front).Minus(back))
		before, after = before.Plus(front), after.Plus(back)
	}
	return Apply(opPad, PadAttrs{axis, before, after, 1, value}, x)
}

// lessThanNone returns how many elements a negative number of them takes away.
func lessThanNone(d graph.Dim) (taken graph.Dim, negative bool) {
	if n, static := d.Int(); static && n < 0 {
		return graph.Dim(-n), true
	}
	return 0, false
}

// Concat joins operands along an axis. Operands of shape [0] are skipped, whatever the rank of the others, as in
// PyTorch.
func Concat(axis int, xs ...*graph.Node) *graph.Node {
	if !slices.ContainsFunc(xs, func(x *graph.Node) bool {
		return x == nil || !x.Judged() || !x.Shape().Equal(graph.Shape{0})
	}) {
		axis = 0 // nothing but operands to pass over
	}
	return Apply(opConcat, ConcatAttrs{axis}, xs...)
}

// sliceStart returns the normalised axis and first index of a slice.
func sliceStart(n node) (axis int, start graph.Dim) {
	a := n.Attrs().(SliceAttrs)
	axis = countedFromZero([]int{a.Axis}, n.Rank())[0]
	start, _ = rules.SliceBounds(n.In(0).Shape()[axis], a.Start, a.Stop)
	return axis, start
}

// spacedLength is the length that n elements take when they are step apart.
func spacedLength(n graph.Dim, step int) graph.Dim {
	if step == 1 {
		return n
	}
	return n.Minus(1).Times(graph.Dim(step)).Plus(1)
}

// unslice puts a gradient back among zeros.
func unslice(n, dy node) node {
	axis, start := sliceStart(n)
	step := n.Attrs().(SliceAttrs).Step
	after := n.In(0).Shape()[axis].Minus(start).Minus(spacedLength(n.Shape()[axis], step))
	if n.Shape()[axis] == 0 {
		return ZerosLike(n.In(0))
	}
	return Apply(opPad, PadAttrs{Axis: axis, Before: start, After: after, Step: step}, dy)
}

// assembleConcat puts operands one behind the other.
func assembleConcat(n node) (a graph.Assembly) {
	axis := countedFromZero([]int{n.Attrs().(ConcatAttrs).Axis}, n.Rank())[0]
	behind := graph.Dim(0)
	for _, x := range n.Operands() {
		if x.Rank() != n.Rank() { // of shape [0]: passed over
			a.Put(nil, nil)
			continue
		}
		start := alongAxis(n, axis, behind, 0)
		a.Put(start, alongAxis(n, axis, 1, 1))
		behind = behind.Plus(x.Shape()[axis])
	}
	return a
}

// assemblePad puts the operand behind what is put before it.
func assemblePad(n node) graph.Assembly {
	at := n.Attrs().(PadAttrs)
	axis := countedFromZero([]int{at.Axis}, n.Rank())[0]
	a := graph.Assembly{Value: at.Value}
	a.Put(alongAxis(n, axis, at.Before, 0), alongAxis(n, axis, graph.Dim(max(at.Step, 1)), 1))
	return a
}

// alongAxis returns one number for an axis of n, and another one for all others.
func alongAxis(n node, axis int, along, others graph.Dim) graph.Shape {
	list := slices.Repeat(graph.Shape{others}, n.Rank())
	list[axis] = along
	return list
}

func concatGrad(n, dy node, i int) node {
	axis := countedFromZero([]int{n.Attrs().(ConcatAttrs).Axis}, n.Rank())[0]
	if n.In(i).Rank() != n.Rank() {
		return ZerosLike(n.In(i)) // an operand of shape [0], which is passed over
	}
	start := graph.Dim(0)
	for k := range i {
		if n.In(k).Rank() == n.Rank() {
			start = start.Plus(n.In(k).Shape()[axis])
		}
	}
	return Slice(dy, axis, start, start.Plus(n.In(i).Shape()[axis]), 1)
}
