package ops

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opTake, opCheckIndex *graph.Op

// TakeAttrs are the fixed arguments of Take.
type TakeAttrs struct{ Axis int }

// indexAttrs are the fixed arguments of the check of indices: the size of the axis, and whether a
// negative index counts from its end.
type indexAttrs struct {
	Size    graph.Dim
	FromEnd bool
}

func init() {
	opTake = define(graph.Op{
		Name: "take", Func: "Take",
		Doc:   "elements picked along one axis by indices, whose axes take its place" + readOutside + ".",
		Class: graph.Gather, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.Take(c, c.Attrs().(TakeAttrs).Axis)
		},
		Axes: func(n node) []int {
			return countedFromZero([]int{n.Attrs().(TakeAttrs).Axis}, n.In(0).Rank())
		},
		Grad: each(
			func(n, dy node) node {
				x := n.In(0)
				axis := countedFromZero([]int{n.Attrs().(TakeAttrs).Axis}, x.Rank())[0]
				return Apply(opSegmentSum, SegmentAttrs{axis, x.Shape()[axis]}, dy, n.In(1))
			},
			noOperandGradient),
		Batch: batchTake,
	})
	opCheckIndex = define(graph.Op{
		Name: "check_index", Func: "Gather",
		Doc:   "x, after a check that it is an index into an axis of the given size; a negative one may count from the end.",
		Class: graph.Elementwise, MinIn: 1, MaxIn: 1, Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			if c.Attrs().(indexAttrs).FromEnd { // the size of the axis is added
				return graph.Int64, rules.BroadcastOperands(c)
			}
			return sameType(c)
		},
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			a, at, zero := n.Attrs().(indexAttrs), e.Convert(x[0], graph.Int64), e.Const(graph.Int64, 0)
			size, value := e.Size(a.Size), x[0]
			if a.FromEnd {
				at = e.Prim(graph.PrimSelect, e.Prim(graph.PrimLt, at, zero), e.Prim(graph.PrimAdd, at, size), at)
				value = at
			}
			inside := e.Prim(graph.PrimAnd, e.Prim(graph.PrimGe, at, zero), e.Prim(graph.PrimLt, at, size))
			e.Check(inside, graph.Claim{Message: "index is out of bounds", Below: &a.Size, FromEnd: a.FromEnd})
			return value
		},
	})
	opTake.Ref = named("numpy.take", "torch.index_select", "jax.numpy.take", "Gather", "ByIndices",
		func(e *graph.Example) node { return Take(e.Of("x", "n", "k"), 0, e.As(graph.Int64, "index", "m")) })
}

// noOperandGradient is the rule of an operand through which no gradient flows.
func noOperandGradient(node, node) node { return nil }

// Take returns the slices of x at the indices along an axis. In the result, the axes of the indices replace that
// axis. An index outside 0..size-1 stops the run with an error, unless an option says otherwise.
func Take(x *graph.Node, axis int, index *graph.Node, opts ...GatherOption) *graph.Node {
	get := func(x node, index []node) node { return Apply(opTake, TakeAttrs{axis}, x, index[0]) }
	return gatheringOf(opts).take("Take", x, axis, index, get)
}

// takeFlat picks elements of x, in row-major order, by an index that is the sum of
// place[d]*step[d] over the axes of the result. A nil place is the position along that
// axis of the result.
func takeFlat(x node, places []node, steps []graph.Dim, offset graph.Dim, shape graph.Shape) node {
	return Take(Reshape(x, x.Shape().NumElements()), 0, flatIndex(x.Graph(), places, steps, offset, shape))
}

// indexType is the dtype of indices into so many elements: 32 bits where these are known to be enough. Kernels pick by
// these themselves.
func indexType(elements graph.Dim) graph.DType {
	if count, known := elements.Int(); known && count <= math.MaxInt32 {
		return graph.Int32
	}
	return graph.Int64
}

// flatIndex is the index of takeFlat, as Int64 of the given shape.
func flatIndex(g *graph.Graph, places []node, steps []graph.Dim, offset graph.Dim, shape graph.Shape) node {
	at := Expand(Size(g, graph.Int64, offset), shape...)
	for axis, step := range steps {
		place := places[axis]
		if place == nil {
			place = Iota(g, axis, shape...)
		}
		at = Add(at, Mul(place, Size(g, graph.Int64, step)))
	}
	return at
}

// rowMajorSteps returns the distance between neighbours along each axis.
func rowMajorSteps(s graph.Shape) []graph.Dim { return slices.Clone(graph.RowMajor(s).Strides) }
