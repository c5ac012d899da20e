package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opIndexSelect, opGather, opEmbedding *graph.Op

// GatherAttrs are the fixed arguments of IndexSelect and Gather: the axis, and for Gather whether a negative index
// counts from its end.
type GatherAttrs struct {
	Axis    int
	FromEnd bool
}

// EmbeddingAttrs are the fixed arguments of Embedding: the padding row, if there is one.
type EmbeddingAttrs struct{ Padding []int }

func init() {
	opIndexSelect = define(graph.Op{
		Name: "index_select", Func: "IndexSelect", Doc: "elements picked along one axis by a vector of indices" + readOutside + ".",
		Class: graph.Composite, Storage: true, MinIn: 2, MaxIn: 2, Batch: batchByIndex,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.IndexSelect(c, c.Attrs().(GatherAttrs).Axis)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			picked := Take(vector(in[0]), n.Attrs().(GatherAttrs).Axis, vector(in[1]))
			if n.Rank() == 0 { // of a named size that must be 1
				return Select(picked, 0, 0)
			}
			return picked
		},
	})
	opGather = define(graph.Op{
		Name: "gather", Func: "Gather",
		Doc: "for each position of the indices, the element of x at that position, with the index along one axis" +
			readOutside + ".",
		Class: graph.Composite, Storage: true, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.Gather(c, c.Attrs().(GatherAttrs).Axis)
		},
		Expand: expandGather,
		Aligned: func(n *graph.Node, i int) []int {
			axes := make([]int, n.In(i).Rank())
			for axis := range axes {
				axes[axis] = axis
			}
			// A scalar goes with a vector: the operand's one axis is picked along.
			if i == 0 && len(axes) > 0 {
				axes[countedFromZero([]int{n.Attrs().(GatherAttrs).Axis}, len(axes))[0]] = -1
			}
			return axes
		},
	})
	opEmbedding = define(graph.Op{
		Name: "embedding", Func: "Embedding", Doc: "rows of a table by index; no gradient flows to the padding row.",
		Class: graph.Composite, Storage: true, MinIn: 2, MaxIn: 2, Batch: sameForAll,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(1), rules.Embedding(c, c.Attrs().(EmbeddingAttrs).Padding)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			index, table := in[0], in[1]
			rows := Take(table, 0, index)
			if padding := n.Attrs().(EmbeddingAttrs).Padding; len(padding) > 0 {
				return Where(Unsqueeze(isPadding(index, table, padding[0]), -1), StopGradient(rows), rows)
			}
			return rows
		},
	})
	opEmbedding.Ref = named("", "torch.nn.functional.embedding", "", "Gather", "",
		func(e *graph.Example) node {
			return Embedding(e.As(graph.Int64, "index", "n"), e.Of("table", "v", "k"))
		})
	opGather.Ref = named("numpy.take_along_axis", "torch.gather", "jax.numpy.take_along_axis", "GatherElements", "",
		func(e *graph.Example) node {
			return Gather(e.Of("x", "n", "k"), 1, e.As(graph.Int64, "index", "n", "m"))
		})
	opIndexSelect.Ref = named("numpy.take", "torch.index_select", "jax.numpy.take", "Gather", "ByIndices",
		func(e *graph.Example) node {
			return IndexSelect(e.Of("x", "n", "k"), 1, e.As(graph.Int64, "index", "m"))
		})
}

// isPadding tells which indices are that of the padding row, which may count from the end.
func isPadding(index, table node, padding int) node {
	row := graph.Dim(padding)
	if padding < 0 {
		row = table.Shape()[0].Plus(row)
	}
	return Equal(index, Cast(Size(index.Graph(), graph.Int64, row), index.DType()))
}

// vector returns a scalar as a vector of one element.
func vector(x node) node {
	if x.Rank() == 0 {
		return Reshape(x, 1)
	}
	return x
}

func expandGather(n *graph.Node, in []*graph.Node) *graph.Node {
	x, index := vector(in[0]), vector(in[1])
	if slices.Contains(index.Shape(), 0) {
		return Zeros(x.Graph(), x.DType(), n.Shape()...)
	}
	a := n.Attrs().(GatherAttrs)
	axis := countedFromZero([]int{a.Axis}, x.Rank())[0]
	checked := Apply(opCheckIndex, indexAttrs{x.Shape()[axis], a.FromEnd}, index)
	if isOfRows(x, axis) && picksOne(x, index, axis) {
		place := Iota(x.Graph(), axis, x.Shape()...)
		return Reshape(Sum(Where(Equal(place, checked), x, num(0)), Axis(axis), KeepDims()), n.Shape()...)
	}
	places := make([]node, x.Rank())
	places[axis] = checked
	return Reshape(takeFlat(x, places, rowMajorSteps(x.Shape()), 0, index.Shape()), n.Shape()...)
}

// IndexSelect returns the slices of x at a vector of indices along an axis. An index out of range stops the run, unless
// an option says otherwise.
func IndexSelect(x *graph.Node, axis int, index *graph.Node, opts ...GatherOption) *graph.Node {
	get := func(x node, index []node) node { return Apply(opIndexSelect, GatherAttrs{Axis: axis}, x, index[0]) }
	return gatheringOf(opts).take("IndexSelect", x, axis, index, get)
}

// Gather returns elements of x selected along an axis: along axis 0, y[i,j] = x[index[i,j], j]. The indices are Int64
// and have x's rank; the result has their shape. An index out of range stops the run, unless an option says otherwise.
func Gather(x *graph.Node, axis int, index *graph.Node, opts ...GatherOption) *graph.Node {
	get := func(x node, index []node) node { return Apply(opGather, GatherAttrs{Axis: axis}, x, index[0]) }
	r := gatheringOf(opts)
	if r.mode == stopOutside {
		return get(x, []node{index})
	}
	defer building("Gather", r.behind(x, axis, index)...)()
	return r.read(x, []int{axis}, []node{index}, 0, get)
}

// Embedding returns the rows of a table at the indices. The result has the shape of the indices, followed by that of
// a row. No gradient flows to the padding row, if one is given.
func Embedding(index, table *graph.Node, padding ...int) *graph.Node {
	return Apply(opEmbedding, EmbeddingAttrs{padding}, index, table)
}

// shortRow is the number of elements from which on comparing them was measured to take no more time than a gather.
const shortRow = 64

// isOfRows reports whether a value is computed from sums along an axis and the elements along it, as log-softmax is.
// What computes it has each of these elements at hand: to compare their positions with an index takes less time than to
// leave all of them in memory for a gather, or in the gradient zeros for all but one.
func isOfRows(x node, axis int) bool {
	if size, known := x.Shape()[axis].Int(); known && size < shortRow {
		return false
	}
	if a, is := x.Attrs().(SoftmaxAttrs); is && x.Op().Class == graph.Composite {
		return countedFromZero([]int{a.Axis}, x.Rank())[0] == axis
	}
	if x.Op().Class != graph.Elementwise || !x.DType().IsFloat() || x.DType().IsStorage() {
		return false
	}
	for i, y := range x.Operands() {
		if kinds := x.Stretch(i); y.Rank() == x.Rank() && axis < len(kinds) && kinds[axis] == graph.Stretched {
			return true
		}
	}
	return false
}

// picksOne reports whether indices pick one element along an axis at each place of the others.
func picksOne(x, index node, axis int) bool {
	for i, size := range index.Shape() {
		if want := x.Shape()[i]; i == axis && size != 1 || i != axis && size != want {
			return false
		}
	}
	return true
}
