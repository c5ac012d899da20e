package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opScatter, opScatterAdd, opScatterReduce, opIndexCopy, opIndexAdd, opIndexReduce *graph.Op

// Reduction says how elements with the same index are combined.
type Reduction uint8

// The reductions of ScatterReduce, IndexReduce and ScatterNDReduce.
const (
	ReduceSum Reduction = iota + 1
	ReduceProd
	ReduceMean // rounded down for integers
	ReduceMax
	ReduceMin
)

// lastWins is the reduction of Scatter and IndexCopy: the last of several elements stays.
const lastWins Reduction = 0

var reductions = [...]string{"", "ops.ReduceSum", "ops.ReduceProd", "ops.ReduceMean", "ops.ReduceMax", "ops.ReduceMin"}

// String returns the name of the constant.
func (r Reduction) String() string {
	if int(r) < len(reductions) {
		return reductions[r]
	}
	return "ops.Reduction(?)"
}

// ScatterAttrs are the fixed arguments of the scatter functions.
type ScatterAttrs struct {
	Axis int
	By   Reduction
	// ExcludeSelf leaves out the operand's own elements at the indices.
	ExcludeSelf bool
	Outside     outsideMode
}

// DropsOutside reports whether an index out of range is left out.
func (a ScatterAttrs) DropsOutside() bool { return a.Outside == dropOutside }

// Args writes the axis between the operand and the indices, and the options after them.
func (a ScatterAttrs) Args(operands []string) []string {
	words := behindFirst(operands, a.Axis)
	if a.By > ReduceSum || a.ExcludeSelf {
		words = append(words, a.By.String())
	}
	return a.options(words)
}

func (a ScatterAttrs) options(words []string) []string {
	if a.ExcludeSelf {
		words = append(words, "ops.ExcludeSelf()")
	}
	return a.Outside.written(words)
}

// unitedDType is the dtype of what is written by index. Truth values have no mean, and, as in PyTorch, index_reduce
// takes none.
func unitedDType(c *graph.Call, name string, by Reduction) graph.DType {
	if c.DType(0) == graph.Bool && (by == ReduceMean || c.Op() == opIndexReduce) && !c.Failed() {
		rules.RefuseDType(c, `"`+name+`" not implemented for 'Bool'`)
	}
	return c.DType(0)
}

// ScatterOption is an option of [ScatterReduce], [IndexReduce] and [ScatterNDReduce].
type ScatterOption interface{ scatter(*ScatterAttrs) }

type excluding struct{}

func (excluding) scatter(a *ScatterAttrs) { a.ExcludeSelf = true }

// ExcludeSelf leaves out the operand's own elements at the indices: only elements of src are combined.
func ExcludeSelf() ScatterOption { return excluding{} }

// writing is an entry of elements, or slices, that are written into the first operand by index. by is what becomes of
// several at one place; where attributes say that, what those of an example say.
func writing(name, fn, doc, pytorch, onnx string, by Reduction,
	shape func(c *graph.Call, name string, axis int) graph.Shape,
	expand func(x, index, src node, a ScatterAttrs) node) *graph.Op {
	op := define(graph.Op{
		Name: name, Func: fn, Doc: doc + writeOutside + ".", Class: graph.Composite,
		Storage: by == lastWins, MinIn: 3, MaxIn: 3,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(ScatterAttrs)
			s := shape(c, name, a.Axis)
			return unitedDType(c, name, a.By), s
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			x, a := vector(in[0]), n.Attrs().(ScatterAttrs)
			a.Axis = countedFromZero([]int{a.Axis}, x.Rank())[0]
			index := vector(in[1])
			if slices.Contains(index.Shape(), 0) {
				return in[0]
			}
			return Reshape(expand(x, index, vector(in[2]), a), n.Shape()...)
		},
	})
	op.Ref = named("", pytorch, "jax.numpy.ndarray.at", onnx, "", func(e *graph.Example) node {
		sizes := []string{"k"}
		if onnx != "" { // an index for each element
			sizes = append(sizes, "m")
		}
		index := e.As(graph.Int64, "index", sizes...)
		return Apply(op, ScatterAttrs{Axis: 0, By: by}, e.Of("x", "n", "m"), index, e.Of("src", "k", "m"))
	})
	return op
}

func init() {
	elements := func(name, fn, doc, pytorch string, by Reduction) *graph.Op {
		return writing(name, fn, doc, pytorch, "ScatterElements", by, rules.Scatter, scatterElements)
	}
	opScatter = elements("scatter", "Scatter",
		"x with each element of src at its place, but with the index along one axis; the last of several stays",
		"torch.scatter", lastWins)
	opScatterAdd = elements("scatter_add", "ScatterAdd",
		"x, and added to it each element of src at its place, but with the index along one axis", "torch.scatter_add",
		ReduceSum)
	opScatterReduce = elements("scatter_reduce", "ScatterReduce",
		"x united with each element of src at its place, but with the index along one axis", "torch.scatter_reduce",
		ReduceMax)
	slicesOf := func(name, fn, doc, pytorch string, by Reduction) *graph.Op {
		op := writing(name, fn, doc, pytorch, "", by, rules.IndexWrite, writeIndexed)
		op.Batch = batchByIndex
		return op
	}
	opIndexCopy = slicesOf("index_copy", "IndexCopy",
		"x with the slices of src at the indices along one axis; the last of several stays", "torch.index_copy",
		lastWins)
	opIndexCopy.Autocast = graph.AutocastJoins
	opIndexAdd = slicesOf("index_add", "IndexAdd", "x, and added to it the slices of src at the indices along one axis",
		"torch.index_add", ReduceSum)
	opIndexReduce = slicesOf("index_reduce", "IndexReduce",
		"x united with the slices of src at the indices along one axis", "torch.index_reduce", ReduceMax)
	composed("IndexFill", "x with a number in the slices that indices name along one axis.",
		named("", "torch.index_fill", "", "", "", func(e *graph.Example) node {
			return IndexFill(e.Of("x", "n", "m"), 0, e.As(graph.Int64, "index", "k"), num(0))
		}))
	composed("TakeAlongAxis",
		"Gather, where operand and indices broadcast on the other axes, and a negative index counts from the end.",
		named("numpy.take_along_axis", "torch.take_along_dim", "jax.numpy.take_along_axis", "GatherElements", "",
			func(e *graph.Example) node {
				return TakeAlongAxis(e.Of("x", "n", "m"), 0, e.As(graph.Int64, "index", "k", "m"))
			}))
}

// scatterElements writes elements, as slices of one element of x in row-major order.
func scatterElements(x, index, src node, a ScatterAttrs) node {
	for axis, d := range index.Shape() {
		src = Slice(src, axis, 0, d, 1)
	}
	places, inside := make([]node, x.Rank()), node(nil)
	places[a.Axis], inside = a.Outside.place(index, x.Shape()[a.Axis], false)
	flat := flatIndex(x.Graph(), places, rowMajorSteps(x.Shape()), 0, index.Shape())
	count, all := index.Shape().NumElements(), x.Shape().NumElements()
	a.Axis = 0
	return writeSlices(Reshape(x, all), Reshape(elsewhere(flat, inside, all), count), Reshape(src, count), a)
}

// elsewhere replaces places that are not inside by the one behind all. nil is everywhere.
func elsewhere(at, inside node, size graph.Dim) node {
	if inside == nil {
		return at
	}
	return Where(inside, at, Size(at.Graph(), graph.Int64, size))
}

// writeIndexed is writeSlices at the places that indices name.
func writeIndexed(x, index, src node, a ScatterAttrs) node {
	concatenated := a.By > ReduceSum && !a.ExcludeSelf // see united: later, an error would tell a wrong position
	if a.Outside != stopOutside || concatenated {
		at, inside := a.Outside.place(index, x.Shape()[a.Axis], false)
		index = elsewhere(at, inside, x.Shape()[a.Axis])
	}
	return writeSlices(x, index, src, a)
}

// writeSlices unites x with slices of src along an axis, at the places of a vector. What is behind all is left out, if
// that is so with indices out of range.
func writeSlices(x, index, src node, a ScatterAttrs) node {
	want := slices.Clone(x.Shape())
	if want[a.Axis] = index.Shape()[0]; !src.Shape().Equal(want) {
		src = Reshape(src, want...) // sizes that are required to be equal under two names
	}
	if a.By == lastWins {
		return putSlices(x, Cast(index, graph.Int64), src, a)
	}
	if x.DType() == graph.Bool { // a sum is "or", a product "and"
		switch a.By {
		case ReduceSum:
			a.By = ReduceMax
		case ReduceProd:
			a.By = ReduceMin
		}
		return Cast(writeSlices(Cast(x, graph.Int32), index, Cast(src, graph.Int32), a), graph.Bool)
	}
	united := united(x, index, src, a)
	if !a.ExcludeSelf {
		return united
	}
	isNamed := Greater(namings(index, x.Shape()[a.Axis], a.segments()...), graph.Num(0))
	for range x.Rank() - 1 - a.Axis {
		isNamed = Unsqueeze(isNamed, -1)
	}
	return Where(isNamed, united, x)
}

// namings tells how often a vector of indices names each place.
func namings(index node, size graph.Dim, opts ...WriteOption) node {
	return SegmentSum(Full(index.Graph(), graph.Int64, 1, index.Shape()...), 0, index, size, opts...)
}

// segments are the options of SegmentSum and its relatives that unite.
func (a ScatterAttrs) segments() []WriteOption {
	if a.Outside == dropOutside {
		return []WriteOption{dropOutside}
	}
	return nil
}

// putSlices writes slices of src over those of x.
func putSlices(x, index, src node, a ScatterAttrs) node {
	if a.Outside != dropOutside {
		return graph.Apply(opPut, putAttrs{a.Axis}, x, index, src)
	}
	row := slices.Clone(x.Shape())
	row[a.Axis] = 1 // a slice more, for all that are left out
	wide := Concat(a.Axis, x, Zeros(x.Graph(), x.DType(), row...))
	return Slice(graph.Apply(opPut, putAttrs{a.Axis}, wide, index, src), a.Axis, 0, x.Shape()[a.Axis], 1)
}

// united folds the slices of src, and of x unless it is excluded.
func united(x, index, src node, a ScatterAttrs) node {
	size, opts := x.Shape()[a.Axis], a.segments()
	if a.By == ReduceSum {
		sum := SegmentSum(src, a.Axis, index, size, opts...)
		if a.ExcludeSelf {
			return sum
		}
		return Add(x, sum)
	}
	if !a.ExcludeSelf { // x first: equal elements of both share the gradient
		index = Concat(0, Cast(Iota(x.Graph(), 0, size), index.DType()), index)
		src = Concat(a.Axis, x, src)
	}
	switch a.By {
	case ReduceProd:
		return SegmentProd(src, a.Axis, index, size, opts...)
	case ReduceMax:
		return SegmentMax(src, a.Axis, index, size, opts...)
	case ReduceMin:
		return SegmentMin(src, a.Axis, index, size, opts...)
	}
	return SegmentMean(src, a.Axis, index, size, opts...)
}

// Scatter returns x with elements of src written to indices along an axis: along axis 0, y[index[i,j], j] = src[i,j].
// The indices are Int64 and have x's rank. They are no larger than src, and on the other axes no larger than x. If
// several elements have the same position, the last in row-major order is kept, and it alone gets the gradient. An
// index out of range stops the run, unless an option says otherwise.
func Scatter(x *graph.Node, axis int, index, src *graph.Node, opts ...WriteOption) *graph.Node {
	return Apply(opScatter, ScatterAttrs{Axis: axis, Outside: writingOf(opts)}, x, index, src)
}

// ScatterAdd is [Scatter] that adds elements of src to x. It is torch.scatter_add.
func ScatterAdd(x *graph.Node, axis int, index, src *graph.Node, opts ...WriteOption) *graph.Node {
	return Apply(opScatterAdd, ScatterAttrs{Axis: axis, By: ReduceSum, Outside: writingOf(opts)}, x, index, src)
}

// ScatterReduce is [Scatter] that combines elements of src with those of x. Equal greatest or least elements share
// the gradient. Elements left out by [ExcludeSelf] have no share; in PyTorch they do, and that part of the gradient
// is lost. It is torch.scatter_reduce.
func ScatterReduce(x *graph.Node, axis int, index, src *graph.Node, by Reduction, opts ...ScatterOption) *graph.Node {
	return reduceInto(opScatterReduce, x, axis, index, src, by, opts)
}

// IndexCopy returns x with slices of src written at a vector of indices along an axis. If an index is repeated, the
// last slice is kept, and it alone gets the gradient. An index out of range stops the run, unless an option says
// otherwise.
func IndexCopy(x *graph.Node, axis int, index, src *graph.Node, opts ...WriteOption) *graph.Node {
	return Apply(opIndexCopy, ScatterAttrs{Axis: axis, Outside: writingOf(opts)}, x, index, src)
}

// IndexAdd is [IndexCopy] that adds slices of src to x. It is torch.index_add.
func IndexAdd(x *graph.Node, axis int, index, src *graph.Node, opts ...WriteOption) *graph.Node {
	return Apply(opIndexAdd, ScatterAttrs{Axis: axis, By: ReduceSum, Outside: writingOf(opts)}, x, index, src)
}

// IndexReduce is [IndexCopy] that combines slices of src with those of x. Equal greatest or least elements share the
// gradient. It is torch.index_reduce.
func IndexReduce(x *graph.Node, axis int, index, src *graph.Node, by Reduction, opts ...ScatterOption) *graph.Node {
	return reduceInto(opIndexReduce, x, axis, index, src, by, opts)
}

func reduceInto(op *graph.Op, x node, axis int, index, src node, by Reduction, opts []ScatterOption) node {
	if m := notReduction(by); m != nil {
		return refusal(refused(op.Func, x, index, src).with(axis, by), m)
	}
	return Apply(op, uniting(axis, by, opts), x, index, src)
}

// notReduction is the mistake of a reduction that there is not.
func notReduction(by Reduction) *graph.Mistake {
	if by >= ReduceSum && by <= ReduceMin {
		return nil
	}
	return &graph.Mistake{Code: graph.CodeSize,
		Summary: "reduce argument must be one of ops.ReduceSum, ReduceProd, ReduceMean, ReduceMax, ReduceMin"}
}

// uniting are the fixed arguments of a reduction into an axis.
func uniting(axis int, by Reduction, opts []ScatterOption) ScatterAttrs {
	a := ScatterAttrs{Axis: axis, By: by}
	for _, o := range opts {
		if o != nil {
			o.scatter(&a)
		}
	}
	return a
}

// IndexFill returns x with a number or a scalar written to the slices at a vector of indices along an axis.
func IndexFill(x *graph.Node, axis int, index, value *graph.Node, opts ...WriteOption) *graph.Node {
	outside := writingOf(opts)
	defer building("IndexFill", outside.behind(x, axis, index, value)...)()
	var read []GatherOption
	if outside == dropOutside { // the axis may be empty
		read = append(read, FillOutside(num(0)))
	}
	picked := IndexSelect(x, axis, index, read...)
	if picked.Err() != nil {
		return picked
	}
	if !picked.Judged() || value == nil || !value.Judged() {
		return Add(picked, value) // its own mistake
	}
	filled := x.Graph().Convert(value, x.DType())
	if a, is := filled.Outside(); is {
		return refusal(refused("IndexFill", x, index, value), outsideOf(x.DType(), a.String()))
	}
	return IndexCopy(x, axis, index, Expand(filled, picked.Shape()...), opts...)
}

// TakeAlongAxis is [Gather] with broadcasting: x and the indices broadcast on all other axes, and a negative index
// counts from the end. It is numpy.take_along_axis.
func TakeAlongAxis(x *graph.Node, axis int, index *graph.Node, opts ...GatherOption) *graph.Node {
	r := gatheringOf(opts)
	defer building("TakeAlongAxis", r.behind(x, axis, index)...)()
	if !canIndex(x, []int{axis}, []node{index}) || x.Rank() != index.Rank() {
		return Gather(x, axis, index) // its own mistake
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	var same []sameSize
	for i := range x.Rank() {
		if i != axis && x.Shape()[i] != 1 && index.Shape()[i] != 1 {
			same = append(same, sameSize{a: index, i: i, b: x, j: i, of: "elements"})
		}
	}
	if bad := refused("TakeAlongAxis", x, index).unequal(graph.CodeBroadcast, same...); bad != nil {
		return bad
	}
	wideX, wideIndex := slices.Clone(x.Shape()), slices.Clone(index.Shape())
	for i := range wideX {
		switch {
		case i == axis:
		case wideX[i] == 1:
			wideX[i] = wideIndex[i]
		case wideIndex[i] == 1:
			wideIndex[i] = wideX[i]
		}
	}
	x, index = Expand(x, wideX...), Expand(Cast(index, graph.Int64), wideIndex...)
	var y node
	if r.mode == stopOutside {
		y = Apply(opGather, GatherAttrs{axis, true}, x, index)
	} else {
		y = Gather(x, axis, index, opts...)
	}
	requireEqual(y, same...)
	return y
}
