package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// folding are the operators of the reductions.
var folding = map[graph.Fold]string{
	graph.FoldSum: "ReduceSum", graph.FoldProd: "ReduceProd", graph.FoldMax: "ReduceMax",
	graph.FoldMaxNumber: "ReduceMax", graph.FoldMin: "ReduceMin",
	graph.FoldAny: "any", graph.FoldAll: "all",
}

// reduce folds axes away, or to the size of 1.
func (e *exporter) reduce(n *graph.Node, x *value) *value {
	t := e.typeOf(n)
	var list []int
	if n.Op().Axes != nil {
		list = n.Op().Axes(n)
	} else {
		for i, d := range t.shape {
			if d == x.shape[i] {
				continue
			}
			if list = append(list, i); d != 1 {
				return e.reduceWhereOne(n, x, t)
			}
		}
	}
	f := n.Op().Fold
	switch {
	case f == graph.FoldArgMax || f == graph.FoldArgMin:
		return e.extremum(f == graph.FoldArgMax, x, list, t.shape)
	case folding[f] == "":
		return e.Fail(n, "reduces by %s, which this package does not know", f)
	}
	return e.fold(f, x, list, len(t.shape) == len(x.shape))
}

// reduceWhereOne sums over the axes that sizes of the run decide: those that have the size of 1 in the result, and
// another one before.
func (e *exporter) reduceWhereOne(n *graph.Node, x *value, t tensor) *value {
	if n.Op().Fold != graph.FoldSum {
		return e.Fail(n, "reduces axes that depend on sizes known at run time: bind them to numbers")
	}
	to, one := e.sizes(t.shape), e.ints([]int64{1})
	folded := e.test("And", e.test("Equal", to, one), e.test("Not", e.test("Equal", e.sizes(x.shape), one)))
	some := graph.SymbolicDim("folded_axes")
	at := e.apply("NonZero", tensor{graph.Int64, graph.Shape{1, some}}, nil, folded)
	axes := e.apply("Squeeze", tensor{graph.Int64, graph.Shape{some}}, nil, at, e.ints([]int64{0}))
	wide := e.widened(x)
	y := e.carried("ReduceSum", wide.dtype, func(c func(*value) *value) *value {
		return e.apply("ReduceSum", tensor{heldBy("ReduceSum", wide.dtype), t.shape},
			attrs{attrInt("keepdims", 1), attrInt("noop_with_empty_axes", 1)}, c(wide), axes)
	})
	return e.convert(y, x.dtype)
}

// folded returns a shape with axes folded: to 1 if they are kept, else away.
func folded(shape graph.Shape, list []int, keep bool) graph.Shape {
	out := graph.Shape{}
	for i, d := range shape {
		switch {
		case !slices.Contains(list, i):
			out = append(out, d)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

// fold reduces a value over axes. NaN wins, which ONNX Runtime's greatest and least elements leave out.
func (e *exporter) fold(f graph.Fold, x *value, list []int, keep bool) *value {
	if len(list) == 0 {
		return x
	}
	wide := e.widened(x)
	var y *value
	switch {
	case f == graph.FoldSum && x.dtype.IsInt() && x.dtype.Size() == 8:
		return e.wholeSum(x, list, keep)
	case f == graph.FoldProd && x.dtype.IsInt():
		return e.wholeProduct(x, list, keep)
	}
	switch f {
	case graph.FoldSum, graph.FoldProd:
		y = e.folds(folding[f], "ReduceSum", wide, list, keep)
	case graph.FoldAny:
		return e.any(wide, list, keep)
	case graph.FoldAll:
		return e.test("Not", e.any(e.test("Not", wide), list, keep))
	default:
		if y = e.folds(folding[f], "ReduceMax", wide, list, keep); x.dtype.IsFloat() {
			y = e.choose(e.any(e.isNaN(wide), list, keep), e.nan(y.dtype), y)
		}
	}
	return e.convert(y, x.dtype)
}

// any reports whether one of the truth values along axes is true. ONNX Runtime has no greatest one of none: those of
// axes that may have no elements are counted.
func (e *exporter) any(x *value, list []int, keep bool) *value {
	for _, axis := range list {
		if !e.hasElements(x.shape[axis]) {
			count := e.folds("ReduceSum", "ReduceSum", e.cast(x, graph.Float32), list, keep)
			return e.test("Greater", count, e.number(graph.Float32, 0))
		}
	}
	return e.folds("ReduceMax", "ReduceMax", x, list, keep)
}

// folds applies an operator that folds. Integers without signs that have 64 bits are turned so that their order is that
// of int64.
func (e *exporter) folds(op, kernel string, x *value, list []int, keep bool) *value {
	if x.dtype == graph.Uint64 && kernel == "ReduceMax" {
		return e.cast(e.flipped(e.folds(op, kernel, e.flipped(e.cast(x, graph.Int64)), list, keep)), graph.Uint64)
	}
	return e.carried(kernel, x.dtype, func(c func(*value) *value) *value {
		held := heldBy(kernel, x.dtype)
		return e.apply(op, tensor{held, folded(x.shape, list, keep)}, attrs{attrFlag("keepdims", keep)}, c(x),
			e.intsOf(list))
	})
}

// flipped turns the bits of integers without signs into int64 of the same order, and back.
func (e *exporter) flipped(x *value) *value {
	return e.same("BitwiseXor", x, e.whole(graph.Int64, -1<<63))
}

// extremum returns the place of the greatest or the least element among axes, counted in row-major order. NaN wins,
// and the first of equal elements.
func (e *exporter) extremum(greatest bool, x *value, list []int, shape graph.Shape) *value {
	if len(list) == 0 {
		return e.expand(e.whole(graph.Int64, 0), shape)
	}
	axis := list[0]
	if len(list) > 1 {
		x, axis = e.flatOver(x, list)
	}
	if x.dtype == graph.Uint64 {
		x = e.flipped(e.cast(x, graph.Int64))
	}
	op := "ArgMin"
	if greatest {
		op = "ArgMax"
	}
	held := heldBy("ArgMax", x.dtype)
	keep := len(list) == 1 && len(shape) == len(x.shape)
	of := func(x *value) *value {
		return e.apply(op, tensor{graph.Int64, folded(x.shape, []int{axis}, keep)},
			attrs{attrInt("axis", axis), attrFlag("keepdims", keep)}, x)
	}
	y := of(e.cast(x, held))
	if x.dtype.IsFloat() {
		none := e.isNaN(e.widened(x))
		op = "ArgMax"
		first := of(e.cast(none, graph.Uint8))
		y = e.choose(e.any(none, []int{axis}, keep), first, y)
	}
	return e.reshape(y, shape)
}

// flatOver brings axes behind the others and makes one of them.
func (e *exporter) flatOver(x *value, list []int) (*value, int) {
	var perm []int
	var shape graph.Shape
	size := graph.Dim(1)
	for i, d := range x.shape {
		if slices.Contains(list, i) {
			size = size.Times(d)
			continue
		}
		perm, shape = append(perm, i), append(shape, d)
	}
	return e.reshape(e.transpose(x, append(perm, list...)), append(shape, size)), len(shape)
}
