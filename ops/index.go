package ops

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opIndex, opIndexPut *graph.Op

// IndexAttrs are the fixed arguments of Index and IndexPut: the axes that have an index, in ascending order.
type IndexAttrs struct{ Axes []int }

// Args writes nil for an axis before the last that has no index.
func (a IndexAttrs) Args(operands []string) []string {
	if len(operands) == 0 {
		return nil
	}
	return append(operands[:1:1], a.written(operands[1:])...)
}

func (a IndexAttrs) written(index []string) (words []string) {
	for i, axis := range a.Axes[:min(len(index), len(a.Axes))] {
		for len(words) < axis {
			words = append(words, "nil")
		}
		words = append(words, index[i])
	}
	return words
}

// IndexPutAttrs are the fixed arguments of IndexPut.
type IndexPutAttrs struct {
	IndexAttrs
	Accumulate bool
	Outside    outsideMode
}

// DropsOutside reports whether an index out of range is left out.
func (a IndexPutAttrs) DropsOutside() bool { return a.Outside == dropOutside }

// Args writes the indices as a list.
func (a IndexPutAttrs) Args(operands []string) []string {
	if len(operands) < len(a.Axes)+2 {
		return operands
	}
	words := []string{operands[0], indexList(a.written(operands[1:])), operands[len(operands)-1]}
	if a.Accumulate {
		words = append(words, "ops.Accumulate()")
	}
	return a.Outside.written(words)
}

func indexList(words []string) string { return "[]*graph.Node{" + strings.Join(words, ", ") + "}" }

// IndexPutOption is an option of [IndexPut], [IndexPutInPlace] and [PutFlat].
type IndexPutOption interface{ indexPut(*IndexPutAttrs) }

type accumulating struct{}

func (accumulating) indexPut(a *IndexPutAttrs) { a.Accumulate = true }

// Accumulate adds elements to those of x, and repeated positions add up.
func Accumulate() IndexPutOption { return accumulating{} }

func init() {
	opIndex = define(graph.Op{
		Name: "index", Func: "Index",
		Doc:   "elements of x at indices that broadcast, one for each indexed axis; an index out of range stops the run, unless an option of IndexGet says otherwise.",
		Class: graph.Composite, Storage: true, MinIn: 1, MaxIn: -1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), rules.Index(c, c.Attrs().(IndexAttrs).Axes)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			axes := n.Attrs().(IndexAttrs).Axes
			if len(axes) == 0 {
				return in[0]
			}
			joined, at, _ := byIndices(in[0], axes, in[1:], stopOutside)
			return Take(joined, rules.IndexedAxis(axes), at)
		},
	})
	opIndexPut = define(graph.Op{
		Name: "index_put", Func: "IndexPut",
		Doc:   "x with the elements of src at indices that broadcast, one for each indexed axis; the last of several stays, or they are added" + writeOutside + ".",
		Class: graph.Composite, Storage: true, MinIn: 2, MaxIn: -1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(IndexPutAttrs)
			s := rules.IndexPut(c, a.Axes)
			if a.Accumulate && c.DType(0).IsStorage() {
				c.Fail(c.In(0).StorageMistake("index_put"))
			}
			return c.DType(0), s
		},
		Expand: expandIndexPut,
	})
	opIndex.Ref = named("numpy.ndarray.__getitem__", "torch.Tensor.__getitem__", "jax.Array.__getitem__", "", "",
		func(e *graph.Example) node {
			return Index(e.Of("x", "n", "k", "m"), e.As(graph.Int64, "i", "c", "1"), e.As(graph.Int64, "j", "d"))
		})
	opIndexPut.Ref = named("numpy.ndarray.__setitem__", "torch.index_put", "jax.numpy.ndarray.at", "", "",
		func(e *graph.Example) node {
			return IndexPut(e.Of("x", "n", "k"), []node{e.As(graph.Int64, "i", "c"), e.As(graph.Int64, "j", "c")},
				e.Of("src", "c"))
		})
	composed("IndexGet", "Index of a list of indices"+readOutside+".",
		named("", "", "jax.numpy.ndarray.at", "", "", func(e *graph.Example) node {
			return IndexGet(e.Of("x", "n", "k"), []node{e.As(graph.Int64, "i", "c"), e.As(graph.Int64, "j", "c")},
				FillOutside(num(7)))
		}))
	composed("IndexPutInPlace", "IndexPut, written into x.",
		named("", "torch.Tensor.index_put_", "", "", "", func(e *graph.Example) node {
			return IndexPutInPlace(Copy(e.Of("x", "n", "k")),
				[]node{e.As(graph.Int64, "i", "c"), e.As(graph.Int64, "j", "c")}, e.Of("src", "c"))
		}))
}

// indexedFirst returns the order of axes in which those that are indexed are neighbours where the indices' axes go.
func indexedFirst(axes []int, rank int) []int {
	var order []int
	for axis := range rank {
		if !slices.Contains(axes, axis) {
			order = append(order, axis)
		}
	}
	return slices.Insert(order, rules.IndexedAxis(axes), axes...)
}

// byIndices returns x with the indexed axes as one, and the places along it that the indices name, of
// their broadcast shape. inside is where all name one; nil is everywhere.
func byIndices(x node, axes []int, index []node, outside outsideMode) (joined, at, inside node) {
	x = Permute(x, indexedFirst(axes, x.Rank())...)
	first := rules.IndexedAxis(axes)
	indexed := x.Shape()[first : first+len(axes)]
	r := rules.Rules{Names: x.Graph().Policy().Names, Bounds: x.Graph().Bounds}
	shapes, places := make([]graph.Shape, len(axes)), make([]node, len(axes))
	for i := range axes {
		shapes[i] = index[i].Shape()
	}
	shape := r.BroadcastShapes(shapes...).Shape
	for i, size := range indexed {
		place, isInside := outside.place(index[i], size, true)
		places[i], inside = Expand(place, shape...), both(inside, isInside)
	}
	joined = Reshape(x, slices.Concat(x.Shape()[:first], graph.Shape{indexed.NumElements()},
		x.Shape()[first+len(axes):])...)
	return joined, flatIndex(x.Graph(), places, rowMajorSteps(indexed), 0, shape), inside
}

func expandIndexPut(n *graph.Node, in []*graph.Node) *graph.Node {
	x, src, a := in[0], in[len(in)-1], n.Attrs().(IndexPutAttrs)
	joined, at, inside := x, node(nil), node(nil)
	first, by := rules.IndexedAxis(a.Axes), lastWins
	if len(a.Axes) == 0 { // all of x is one slice
		joined, at = Unsqueeze(x, 0), Iota(x.Graph(), 0, 1)
	} else {
		joined, at, inside = byIndices(x, a.Axes, in[1:len(in)-1], a.Outside)
	}
	if slices.Contains(at.Shape(), 0) {
		return x
	}
	if a.Accumulate {
		by = ReduceSum
	}
	around := joined.Shape()
	src = Expand(src, slices.Concat(around[:first], at.Shape(), around[first+1:])...)
	count := at.Shape().NumElements()
	src = Reshape(src, slices.Concat(around[:first], graph.Shape{count}, around[first+1:])...)
	at = Reshape(elsewhere(at, inside, joined.Shape()[first]), count)
	y := writeSlices(joined, at, src, ScatterAttrs{Axis: first, By: by, Outside: a.Outside})
	order := indexedFirst(a.Axes, x.Rank())
	shape, back := make(graph.Shape, len(order)), make([]int, len(order))
	for i, axis := range order {
		shape[i], back[axis] = x.Shape()[axis], i
	}
	return Permute(Reshape(y, shape...), back...)
}

// indicesOf returns the indices that are given, and their axes.
func indicesOf(index []node) (given []node, axes []int) {
	for axis, i := range index {
		if i != nil {
			given, axes = append(given, i), append(axes, axis)
		}
	}
	return given, axes
}

// Index returns the elements of x at indices, one for each axis from the first on: y[…] = x[i[…], j[…]]. The indices,
// Int32 or Int64, broadcast. An axis whose index is nil, or that comes after the last index, is kept whole. In the
// result, the broadcast shape of the indices replaces the indexed axes if these are neighbours; otherwise it comes
// first. A negative index counts from the end, and one outside stops the run. Gradients of repeated elements add up.
// It is x[i, j] in NumPy and PyTorch.
func Index(x *graph.Node, index ...*graph.Node) *graph.Node {
	given, axes := indicesOf(index)
	return Apply(opIndex, IndexAttrs{axes}, append([]node{x}, given...)...)
}

// IndexGet is [Index] of a list of indices, with an option: x.at[i, j].get(mode=…) in JAX.
func IndexGet(x *graph.Node, index []*graph.Node, opts ...GatherOption) *graph.Node {
	given, axes := indicesOf(index)
	get := func(x node, index []node) node {
		return Apply(opIndex, IndexAttrs{axes}, append([]node{x}, index...)...)
	}
	r := gatheringOf(opts)
	defer building("IndexGet", r.behind(x, listOf(index))...)()
	if r.mode == stopOutside || len(axes) == 0 {
		return get(x, given)
	}
	return r.read(x, axes, given, rules.IndexedAxis(axes), get)
}

// IndexPut returns x with src written at indices, like x[i, j] = src in NumPy and torch.index_put. The indices are
// those of [Index]. src, a number or of x's dtype, broadcasts to the shape of Index(x, index...). If several elements
// have the same position, the last in row-major order is kept, and it alone gets the gradient. [Accumulate] adds them;
// for Bool it combines them with "or". An index out of range stops the run, unless an option says otherwise.
func IndexPut(x *graph.Node, index []*graph.Node, src *graph.Node, opts ...IndexPutOption) *graph.Node {
	a, in := indexPut(x, index, src, opts)
	return Apply(opIndexPut, a, in...)
}

// indexPut returns the fixed arguments and the operands of an IndexPut.
func indexPut(x node, index []node, src node, opts []IndexPutOption) (a IndexPutAttrs, in []node) {
	given, axes := indicesOf(index)
	a.Axes = axes
	for _, o := range opts {
		if o != nil {
			o.indexPut(&a)
		}
	}
	if _, isNumber := src.Literal(); isNumber && x != nil && x.Judged() && x.Graph() != nil {
		src = x.Graph().Convert(src, x.DType())
	}
	return a, slices.Concat([]node{x}, given, []node{src})
}

// IndexPutInPlace writes src into x's storage at indices and returns the new value, like torch.Tensor.index_put_. See
// [IndexPut] and [InPlace].
func IndexPutInPlace(x *graph.Node, index []*graph.Node, src *graph.Node, opts ...IndexPutOption) *graph.Node {
	a, in := indexPut(x, index, src, opts)
	defer graph.BeginCall("IndexPutInPlace", a, in...)()
	return CopyInPlace(x, Apply(opIndexPut, a, in...))
}
