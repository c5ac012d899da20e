package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opGatherND, opScatterND, opScatterNDReduce *graph.Op

// GatherNDAttrs are the fixed arguments of GatherND.
type GatherNDAttrs struct{ BatchDims int }

// Args writes the number of batch axes.
func (a GatherNDAttrs) Args(operands []string) []string { return after(operands, a.BatchDims) }

// ScatterNDAttrs are the fixed arguments of ScatterND and ScatterNDReduce; Axis is 0.
type ScatterNDAttrs struct{ ScatterAttrs }

// Args writes the options after the operands.
func (a ScatterNDAttrs) Args(operands []string) []string {
	if a.By == lastWins {
		return a.options(operands)
	}
	return a.options(after(operands, a.By))
}

func init() {
	opGatherND = define(graph.Op{
		Name: "gather_nd", Func: "GatherND",
		Doc:   "elements, or slices, that the numbers along the last axis of the indices name, one for each axis" + readOutside + ".",
		Class: graph.Composite, Storage: true, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.GatherND(c, c.Attrs().(GatherNDAttrs).BatchDims)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			joined, at, _ := byTuples(in[0], in[1], n.Attrs().(GatherNDAttrs).BatchDims, stopOutside)
			return Take(joined, 0, at)
		},
		Aligned: func(n *graph.Node, i int) []int {
			batch, axes := n.Attrs().(GatherNDAttrs).BatchDims, make([]int, n.In(i).Rank())
			behind := n.In(1).Rank() - 1 // where the axes of a slice begin
			for axis := range axes {
				switch indexed := len(axes) - (n.Rank() - behind); {
				case i == 1 && axis < behind, i == 0 && axis < batch:
					axes[axis] = axis
				case i == 0 && axis >= indexed:
					axes[axis] = behind + axis - indexed
				default:
					axes[axis] = -1
				}
			}
			return axes
		},
	})
	opScatterND = writingND("scatter_nd", "ScatterND",
		"x with elements, or slices, of src where the numbers along the last axis of the indices say; the last of several stays",
		lastWins)
	opScatterNDReduce = writingND("scatter_nd_reduce", "ScatterNDReduce",
		"x united with elements, or slices, of src where the numbers along the last axis of the indices say", ReduceMax)
	opGatherND.Ref = named("", "", "", "GatherND", "", func(e *graph.Example) node {
		return GatherND(e.Of("x", "n", "k", "m"), e.As(graph.Int64, "index", "c", "2"), 0)
	})
}

// writingND is an entry of elements, or slices, that are written into the first operand by vectors of indices.
func writingND(name, fn, doc string, by Reduction) *graph.Op {
	op := define(graph.Op{
		Name: name, Func: fn, Doc: doc + writeOutside + ".", Class: graph.Composite,
		Storage: by == lastWins, MinIn: 3, MaxIn: 3, Batch: exampleByExample,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			s := rules.ScatterND(c)
			return unitedDType(c, name, c.Attrs().(ScatterNDAttrs).By), s
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(ScatterNDAttrs).ScatterAttrs
			joined, at, inside := byTuples(in[0], in[1], 0, a.Outside)
			if slices.Contains(at.Shape(), 0) {
				return in[0]
			}
			count := at.Shape().NumElements()
			src := Reshape(in[2], append(graph.Shape{count}, joined.Shape()[1:]...)...)
			at = Reshape(elsewhere(at, inside, joined.Shape()[0]), count)
			return Reshape(writeSlices(joined, at, src, a), n.Shape()...)
		},
	})
	op.Ref = named("", "", "jax.numpy.ndarray.at", "ScatterND", "", func(e *graph.Example) node {
		return Apply(op, ScatterNDAttrs{ScatterAttrs{By: by}}, e.Of("x", "n", "k", "m"),
			e.As(graph.Int64, "index", "c", "2"), e.Of("src", "c", "m"))
	})
	return op
}

// byTuples returns x with its first axes as one, up to the last that is indexed, and the places along
// it that the numbers along the last axis of the indices name. inside is where all name one; nil is everywhere.
func byTuples(x, index node, batch int, outside outsideMode) (joined, at, inside node) {
	last := index.Rank() - 1
	count, _ := index.Graph().Known(index.Shape()[last])
	places := make([]node, batch+int(count))
	lead, slice := x.Shape()[:len(places)], x.Shape()[len(places):]
	for i := range int(count) {
		place, isInside := outside.place(Select(index, last, graph.Dim(i)), lead[batch+i], true)
		places[batch+i], inside = place, both(inside, isInside)
	}
	joined = Reshape(x, append(graph.Shape{lead.NumElements()}, slice...)...)
	return joined, flatIndex(x.Graph(), places, rowMajorSteps(lead), 0, index.Shape()[:last]), inside
}

// GatherND returns elements or slices of x at index vectors, which are the last axis of the indices: y[i, …] =
// x[index[i, 0], index[i, 1], …]. The first batchDims axes of x and of the indices are a common batch, and the
// vectors index the axes after them. The length of the vectors must be a number. The result has the axes of the
// indices except the last, followed by the axes of x that are not indexed. Indices are Int32 or Int64. Negative ones
// count from the end, and one outside stops the run, unless an option says otherwise. It is ONNX's GatherND.
func GatherND(x, index *graph.Node, batchDims int, opts ...GatherOption) *graph.Node {
	get := func(x, index node) node { return Apply(opGatherND, GatherNDAttrs{batchDims}, x, index) }
	r := gatheringOf(opts)
	if r.mode == stopOutside {
		return get(x, index)
	}
	defer building("GatherND", r.behind(x, index, batchDims)...)()
	axes, columns := tuples(x, index, batchDims)
	if len(axes) == 0 {
		return get(x, index)
	}
	return r.read(x, axes, columns, 0, func(x node, columns []node) node { return get(x, Stack(-1, columns...)) })
}

// tuples returns the axes that are indexed by the numbers along the last axis of the indices, and these one by one; no
// axes where none is, or there is a mistake.
func tuples(x, index node, batch int) (axes []int, columns []node) {
	if !canIndex(x, nil, []node{index}) || index.Rank() == 0 || batch < 0 {
		return nil, nil
	}
	last := index.Rank() - 1
	count, known := index.Graph().Known(index.Shape()[last])
	if !known || int64(x.Rank()-batch) < count {
		return nil, nil
	}
	for i := range int(count) {
		axes, columns = append(axes, batch+i), append(columns, Select(index, last, graph.Dim(i)))
	}
	return axes, columns
}

// ScatterND returns x with elements or slices of src written at index vectors, which are the last axis of the
// indices: y[index[i, 0], index[i, 1], …] = src[i, …]. src has the shape and dtype of GatherND(x, index, 0). Indices
// are those of [GatherND]. If several elements have the same position, the last in row-major order is kept, and it
// alone gets the gradient. It is ONNX's ScatterND.
func ScatterND(x, index, src *graph.Node, opts ...WriteOption) *graph.Node {
	return Apply(opScatterND, ScatterNDAttrs{ScatterAttrs{Outside: writingOf(opts)}}, x, index, src)
}

// ScatterNDReduce is [ScatterND] that combines elements of src with those of x. Equal greatest or least elements
// share the gradient. Bool is refused.
func ScatterNDReduce(x, index, src *graph.Node, by Reduction, opts ...ScatterOption) *graph.Node {
	if m := notReduction(by); m != nil {
		return refusal(refused("ScatterNDReduce", x, index, src).with(by), m)
	}
	return Apply(opScatterNDReduce, ScatterNDAttrs{uniting(0, by, opts)}, x, index, src)
}
