package ops

import (
	"cmp"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

var opRowOrder *graph.Op

func init() {
	opRowOrder = define(graph.Op{
		Name: "row_order", Func: "rowOrder",
		Doc:   "the places of the rows of a matrix in the order of their first elements that differ.",
		Class: graph.Function, MinIn: 1, MaxIn: 1, Function: rowOrder, Grad: noGradient,
		Core: func(*graph.Node) ([]int, int) { return []int{2}, 1 },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			s := c.Shape(0)
			return graph.Int64, slices.Clone(s[:len(s)-1])
		},
	})
	composed("UniqueAlong",
		"the different slices along an axis in the order of their elements, the place of each slice among them, and how often each is found.",
		named("", "torch.unique", "jax.numpy.unique", "Unique", "", func(e *graph.Example) node {
			return e.Several(UniqueAlong(e.Of("x", "n", "k"), 0, e.Shape("n")[0], num(0)))
		}))
	composed("UniqueConsecutiveAlong",
		"the slices along an axis that differ from the one before, the place of each slice among them, and how many follow one another.",
		named("", "torch.unique_consecutive", "", "", "", func(e *graph.Example) node {
			return e.Several(UniqueConsecutiveAlong(e.Of("x", "n", "k"), 0, e.Shape("n")[0], num(0)))
		}))
}

// UniqueAlong returns the distinct slices of x along an axis, in lexicographic order; the index among them of each
// slice of x; and the number of times that each occurs, both Int64 vectors. The first result has the given size along
// the axis, and the last as many elements. They are padded with slices of fill, a number, with count 0. If there are
// more slices, the run stops; the size of the axis is always enough. Slices with NaN are all distinct. Gradients flow
// to the first of equal slices. It is torch.unique with dim.
func UniqueAlong(x *graph.Node, axis int, size graph.Dim, fill *graph.Node) (slices, inverse, counts *graph.Node) {
	return slicesOf("UniqueAlong", x, axis, size, fill, func(rows node) (sorted, order node) {
		order = Apply(opRowOrder, nil, rows)
		return IndexSelect(rows, 0, order), order
	})
}

// UniqueConsecutiveAlong returns the slices of x along an axis without those that equal the one before. The other
// results are the index among them of each slice of x, and the length of each run of equal slices. The rest is as in
// [UniqueAlong].
func UniqueConsecutiveAlong(x *graph.Node, axis int, size graph.Dim, fill *graph.Node) (slices, inverse,
	counts *graph.Node) {
	return slicesOf("UniqueConsecutiveAlong", x, axis, size, fill,
		func(rows node) (sorted, order node) { return rows, nil })
}

// slicesOf finds the runs of equal slices, as rows of a matrix, in an order of them, which is nil for that in which
// they are.
func slicesOf(fn string, x node, axis int, size graph.Dim, fill node,
	sort func(rows node) (sorted, order node)) (values, inverse, counts node) {
	defer building(fn, x, axis, size, fill)()
	call := refused(fn, x, fill).with(axis, size)
	if bad := wrongUnique(call, x, fill); bad != nil {
		return bad, bad, bad
	}
	at, bad := call.axis(axis)
	if bad != nil {
		return bad, bad, bad
	}
	front := MoveAxis(x, at, 0)
	shape := slices.Clone(front.Shape())
	sorted, order := sort(Reshape(front, shape[0], shape[1:].NumElements()))
	differs := Any(NotEqual(sorted, previous(sorted, 0, 0)), 1)
	isFirst := Equal(Iota(x.Graph(), 0, shape[0]), num64(0))
	values, inverse, counts = firstOfRuns(sorted, order, Or(isFirst, differs), size, fill)
	if values.Err() == nil && values.Judged() {
		values = MoveAxis(Reshape(values, append(graph.Shape{size}, shape[1:]...)...), 0, at)
	}
	return values, inverse, counts
}

// rowOrder is the function of opRowOrder. Equal rows stay in order, and NaN is the greatest.
func rowOrder(a *graph.Arrays) error {
	out := graph.Elements[int64](a.Out)
	for i := range out {
		out[i] = int64(i)
	}
	switch x := a.In[0]; x.DType {
	case graph.Bool:
		orderRows(a, out, x.Bytes(), x.Shape[1], cmp.Compare)
	case graph.Int32:
		orderRows(a, out, graph.Elements[int32](x), x.Shape[1], cmp.Compare)
	case graph.Float32:
		orderRows(a, out, graph.Elements[float32](x), x.Shape[1], compareNaNLast)
	case graph.Int64:
		orderRows(a, out, graph.Elements[int64](x), x.Shape[1], cmp.Compare)
	case graph.Uint64:
		orderRows(a, out, graph.Elements[uint64](x), x.Shape[1], cmp.Compare)
	case graph.Float64:
		orderRows(a, out, graph.Elements[float64](x), x.Shape[1], compareNaNLast)
	}
	return nil
}

func orderRows[T any](a *graph.Arrays, out []int64, x []T, width int, compare func(x, y T) int) {
	row := func(i int64) []T { return x[int(i)*width : (int(i)+1)*width] }
	slices.SortStableFunc(out, func(i, j int64) int {
		a.Poll(1)
		return slices.CompareFunc(row(i), row(j), compare)
	})
}
