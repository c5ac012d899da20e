package optim

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// UsedRows updates only the rows that a step reads, in parameters whose gradient is a sum by index, such as embedding
// tables, as torch.optim.SparseAdam and TensorFlow's LazyAdam do. The gradients of a row that is used several times are
// summed first. Other rows do not change, nor does their state: their running means and velocities do not decay, and
// weight decay does not shrink them. The step count, by which [Adam] corrects its means, is common to all rows, and
// epsilon is applied as in Adam. So training differs from training without the option, unless each step reads all rows.
//
// The time of a step then depends on the rows that it reads, not on the size of the table. Parameters with other
// gradients, such as a table that is also the output layer, are updated as a whole; if no parameter has such a
// gradient, that is a mistake.
func UsedRows() Option { return only("UsedRows", func(o *Optimizer) { o.usedRows = true }) }

// namedRows is the rows of a parameter of which a step makes changes.
type namedRows struct {
	index   *graph.Node // [n], Int64: rows may be named several times
	grad    *graph.Node // [n, …]: the whole gradient of a row where it is named first
	isFirst *graph.Node // [n, 1…]: whether it is
	size    graph.Dim   // of the parameter
}

// namedRowsOf returns the rows that a gradient names; nil where it names none. What is done to a whole gradient,
// as to clip it, is done to those of the rows.
func namedRowsOf(grad *graph.Node) *namedRows {
	if !namesRows(grad) {
		return nil
	}
	var whole []func(x *graph.Node) *graph.Node
	for of, again := scaled(grad); of != nil; of, again = scaled(grad) {
		whole, grad = append(whole, again), of
	}
	parts, index := partsOf(grad)
	r := &namedRows{index: index, size: grad.Shape()[0]}
	count := index.Shape()[0]
	place := ops.Iota(grad.Graph(), 0, count)
	first := ops.Take(ops.SegmentMin(place, 0, index, r.size), 0, index)
	ones := slices.Repeat(graph.Shape{1}, grad.Rank()-1)
	r.isFirst = ops.Reshape(ops.Equal(first, place), append(graph.Shape{count}, ones...)...)
	r.grad = ops.SegmentSum(parts, 0, first, count)
	for _, again := range slices.Backward(whole) {
		r.grad = again(r.grad)
	}
	return r
}

var opAdd, opMul, opDiv, opCast = ops.Lookup("add"), ops.Lookup("mul"), ops.Lookup("div"), ops.Lookup("cast")

// namesRows reports whether a gradient is a sum by index along its first axis, a sum of such, or a multiple of one, in
// any dtype.
func namesRows(grad *graph.Node) bool {
	if of, _ := scaled(grad); of != nil {
		return namesRows(of)
	}
	return isSumByIndex(grad) || isSum(grad) && namesRows(grad.In(0)) && namesRows(grad.In(1))
}

func isSumByIndex(grad *graph.Node) bool {
	return grad.Op().Class == graph.Gather && grad.Op().Fold == graph.FoldSum && grad.Op().Axes(grad)[0] == 0
}

func isSum(grad *graph.Node) bool {
	return grad.Op() == opAdd && grad.In(0).Shape().Equal(grad.In(1).Shape())
}

// scaled returns that of which a gradient is a multiple or a conversion, and how it is made of it; nil of another
// gradient.
func scaled(grad *graph.Node) (of *graph.Node, again func(x *graph.Node) *graph.Node) {
	switch op := grad.Op(); {
	case op == opCast:
		return grad.In(0), func(x *graph.Node) *graph.Node { return ops.Cast(x, grad.DType()) }
	case op == opDiv && grad.In(1).Rank() == 0:
		return grad.In(0), func(x *graph.Node) *graph.Node { return ops.Div(x, grad.In(1)) }
	case op == opMul && grad.In(1).Rank() == 0:
		return grad.In(0), func(x *graph.Node) *graph.Node { return ops.Mul(x, grad.In(1)) }
	case op == opMul && grad.In(0).Rank() == 0:
		return grad.In(1), func(x *graph.Node) *graph.Node { return ops.Mul(grad.In(0), x) }
	}
	return nil, nil
}

// partsOf returns the rows that a gradient which names rows adds, and the indices by which it does.
func partsOf(grad *graph.Node) (rows, index *graph.Node) {
	if of, again := scaled(grad); of != nil {
		rows, index = partsOf(of)
		return again(rows), index
	}
	if isSum(grad) {
		first, at := partsOf(grad.In(0))
		second, then := partsOf(grad.In(1))
		return ops.Concat(0, first, second), ops.Concat(0, at, then)
	}
	index = grad.In(1)
	count := index.Shape().NumElements()
	shape := append(graph.Shape{count}, grad.Shape()[1:]...)
	return ops.Reshape(grad.In(0), shape...), ops.Cast(ops.Reshape(index, count), graph.Int64)
}

// now returns a parameter, or a state of its shape, as the rule of the optimiser takes it: the named rows, or all.
func (u *update) now(x *graph.Node) *graph.Node {
	if u.rows == nil {
		return x
	}
	return ops.Take(x, 0, u.rows.index)
}

// change returns what is to be subtracted from named rows as a sum by index, so that a write in place visits these rows
// alone: adding the zeros of others would change those of them that are -0.
func (u *update) change(by *graph.Node) *graph.Node {
	changes := u.rows.isFirst
	if u.when != nil {
		changes = ops.And(changes, u.when)
	}
	return ops.SegmentSum(ops.Where(changes, by, graph.Num(0)), 0, u.rows.index, u.rows.size)
}
