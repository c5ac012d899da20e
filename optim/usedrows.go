package optim

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// UsedRows updates only the rows that a step reads, of those parameters whose gradient is a sum by
// index, such as tables of embeddings: as torch.optim.SparseAdam and TensorFlow's LazyAdam do. The gradients
// of a row that is named several times are added first. Other rows stay as they are, and so does
// what is remembered of them: their running means and velocities do not fade, and no weight decay
// shrinks them. The count of steps, by which [Adam] corrects its means, is that of all, and epsilon stands
// where Adam has it. So training is not the same as without the option, unless each step reads all rows.
//
// A step then takes time by the rows that it reads, not by the size of the table. Parameters with other
// gradients, such as a table that is also the layer of classes, are updated whole; that no parameter
// has such a gradient is a mistake.
func UsedRows() Option { return only("UsedRows", func(o *Optimizer) { o.usedRows = true }) }

// namedRows is the rows of a parameter of which a step makes changes.
type namedRows struct {
	index   *graph.Node // [n], Int64: rows may be named several times
	grad    *graph.Node // [n, …]: the whole gradient of a row where it is named first
	isFirst *graph.Node // [n, 1…]: whether it is
	size    graph.Dim   // of the parameter
}

// namedRowsOf returns the rows that a gradient names; nil where it is no sum by index.
func namedRowsOf(grad *graph.Node) *namedRows {
	parts, index := partsOf(grad)
	if parts == nil {
		return nil
	}
	r := &namedRows{index: index, size: grad.Shape()[0]}
	count := index.Shape()[0]
	place := ops.Iota(grad.Graph(), 0, count)
	first := ops.Take(ops.SegmentMin(place, 0, index, r.size), 0, index)
	ones := slices.Repeat(graph.Shape{1}, grad.Rank()-1)
	r.isFirst = ops.Reshape(ops.Equal(first, place), append(graph.Shape{count}, ones...)...)
	r.grad = ops.SegmentSum(parts, 0, first, count)
	return r
}

var opAdd, opMul = ops.Lookup("add"), ops.Lookup("mul")

// partsOf returns the rows that a gradient adds, and the indices by which it does; nil where it does
// something else. Sums of such gradients are such gradients, and so are multiples.
func partsOf(grad *graph.Node) (rows, index *graph.Node) {
	switch op := grad.Op(); {
	case op.Class == graph.Gather && op.Fold == graph.FoldSum && op.Axes(grad)[0] == 0:
		index = grad.In(1)
		count := index.Shape().NumElements()
		shape := append(graph.Shape{count}, grad.Shape()[1:]...)
		return ops.Reshape(grad.In(0), shape...), ops.Cast(ops.Reshape(index, count), graph.Int64)
	case op == opMul && (grad.In(0).Rank() == 0 || grad.In(1).Rank() == 0):
		factor := 0
		if grad.In(1).Rank() == 0 {
			factor = 1
		}
		if rows, index = partsOf(grad.In(1 - factor)); rows != nil {
			return ops.Mul(rows, grad.In(factor)), index
		}
	case op == opAdd && grad.In(0).Shape().Equal(grad.In(1).Shape()):
		first, at := partsOf(grad.In(0))
		second, then := partsOf(grad.In(1))
		if first != nil && second != nil {
			return ops.Concat(0, first, second), ops.Concat(0, at, then)
		}
	}
	return nil, nil
}

// now returns a parameter, or a state of its shape, as the rule of the optimiser takes it: the named rows, or all.
func (u *update) now(x *graph.Node) *graph.Node {
	if u.rows == nil {
		return x
	}
	return ops.Take(x, 0, u.rows.index)
}

// change returns what is to be subtracted from named rows as a sum by index, so that a write in place visits these rows alone: adding the zeros
// of others would change those of them that are -0.
func (u *update) change(by *graph.Node) *graph.Node {
	changes := u.rows.isFirst
	if u.when != nil {
		changes = ops.And(changes, u.when)
	}
	return ops.SegmentSum(ops.Where(changes, by, graph.Num(0)), 0, u.rows.index, u.rows.size)
}
