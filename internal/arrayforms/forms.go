package arrayforms

import (
	"math"
	"math/bits"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// node is a value of the graph in which a form is written.
type node = *graph.Node

// table maps operations that are Go functions of whole arrays to their forms.
var table = map[*graph.Op]func(n *graph.Node, x []node) node{
	ops.Lookup("put_slices"):     putInto,
	ops.Lookup("accumulate"):     accumulated,
	ops.Lookup("recur"):          recurrence,
	ops.Lookup("running_places"): runningPlaces,
	ops.Lookup("searchsorted"):   searchSorted,
	ops.Lookup("row_order"):      rowOrder,
	ops.Lookup("lu_factor"):      luFactors,
	ops.Lookup("lu_solve"):       luSolution,
	ops.Lookup("lu_inverse"):     luInverse,
	ops.Lookup("cofactors"):      cofactors,
	ops.Lookup("qr"):             householder,
	ops.Lookup("eigh"): func(_ *graph.Node, x []node) node {
		values, vectors := eigen(x[0])
		return packed(x[0].Rank()-2, values, vectors)
	},
	ops.Lookup("eigvalsh"): func(_ *graph.Node, x []node) node { values, _ := eigen(x[0]); return values },
	ops.Lookup("svd"): func(_ *graph.Node, x []node) node {
		u, s, vh := singular(x[0])
		return packed(x[0].Rank()-2, u, s, vh)
	},
	ops.Lookup("svdvals"):    func(_ *graph.Node, x []node) node { _, s, _ := singular(x[0]); return s },
	ops.Lookup("pinv"):       pseudoInverse,
	ops.Lookup("matrix_exp"): matrixExp,
}

// Of returns the form of an operation, or nil if it has none. The form is called with a node of the operation and its
// operands in a separate graph, with floating-point numbers as Float64. It returns the result in Float64, which the
// caller rounds once. The last two sizes of operands must be numbers if WantsNumbers says so.
func Of(op *graph.Op) func(n *graph.Node, x []*graph.Node) *graph.Node { return table[op] }

// WantsNumbers reports whether the form of an operation needs fixed numbers of rows and columns.
func WantsNumbers(op *graph.Op) bool { return fixed[op] }

// fixed are those operations: the structure of their forms depends on sizes.
var fixed = map[*graph.Op]bool{
	ops.Lookup("accumulate"): true, ops.Lookup("searchsorted"): true,
	ops.Lookup("eigh"): true, ops.Lookup("eigvalsh"): true, ops.Lookup("svd"): true, ops.Lookup("svdvals"): true,
	ops.Lookup("pinv"): true,
}

// num is a number that takes the dtype of the other operand.
func num(v float64) node { return graph.Num(v) }

// sizes returns the last two sizes of matrices.
func sizes(x node) (rows, cols graph.Dim) {
	s := x.Shape()
	return s[len(s)-2], s[len(s)-1]
}

// rowsOf and colsOf number the rows, or the columns, of matrices: [n, 1] and [1, m].
func rowsOf(g *graph.Graph, n graph.Dim) node { return ops.Iota(g, 0, n, 1) }
func colsOf(g *graph.Graph, m graph.Dim) node { return ops.Iota(g, 1, 1, m) }

// chosen is the row of matrices, for axis -2, or the column for which a condition is true. The axis is kept.
func chosen(condition, x node, axis ops.Axis) node {
	return ops.Sum(ops.Where(condition, x, num(0)), axis, ops.KeepDims())
}

// packed puts the elements of several results side by side, after the axes of the batch.
func packed(batch int, parts ...node) node {
	flat := make([]node, len(parts))
	for i, x := range parts {
		flat[i] = ops.Flatten(x, batch, -1)
	}
	return ops.Concat(-1, flat...)
}

// putInto takes each slice of the result from x or, if an index names it, from the last slice of src with that index.
func putInto(n *graph.Node, in []node) node {
	axis := n.Attrs().(interface{ PutAxis() int }).PutAxis()
	x, index, src := in[0], in[1], in[2]
	size, g := x.Shape()[axis], x.Graph()
	last := ops.SegmentMax(ops.Iota(g, 0, index.Shape()[0]), 0, index, size)
	from := ops.Where(ops.Less(last, num(0)), ops.Iota(g, 0, size), ops.Add(last, ops.Size(g, graph.Int64, size)))
	return ops.Take(ops.Concat(axis, x, src), axis, from)
}

// running are the fixed arguments of functions down the columns of matrices.
type running interface {
	Running() (least, product, reverse bool)
	SeeksExtremum() bool
}

// accumulated are the sums, or products, of the elements up to each place of the last axis but one. Doubling takes
// log2(n) operations for n elements.
func accumulated(n *graph.Node, in []node) node {
	a := n.Attrs().(running)
	least, product, reverse := a.Running()
	x, axis := in[0], in[0].Rank()-2
	if a.SeeksExtremum() {
		return runningExtrema(x, axis, least)
	}
	combine, neutral := ops.Add, 0.0
	if product {
		combine, neutral = ops.Mul, 1
	}
	size, _ := x.Shape()[axis].Int()
	for step := int64(1); step < size; step *= 2 {
		if reverse {
			x = combine(x, ops.Slice(ops.Pad(x, axis, 0, graph.Dim(step), neutral), axis, graph.Dim(step),
				graph.Dim(size+step), 1))
		} else {
			x = combine(x, ops.Slice(ops.Pad(x, axis, graph.Dim(step), 0, neutral), axis, 0, graph.Dim(size), 1))
		}
	}
	return x
}

// runningExtrema are the greatest, or least, elements up to each place of an axis. An element may count several times.
func runningExtrema(x node, axis int, least bool) node {
	combine := ops.Maximum
	if least {
		combine = ops.Minimum
	}
	size, _ := x.Shape()[axis].Int()
	for step := int64(1); step < size; step *= 2 {
		x = combine(x, ops.Concat(axis, ops.Slice(x, axis, 0, graph.Dim(step), 1),
			ops.Slice(x, axis, 0, graph.Dim(size-step), 1)))
	}
	return x
}

// recurrence is y[t] = a[t]·y[t-1] + x[t] along the last axis but one.
func recurrence(n *graph.Node, in []node) node {
	_, _, reverse := n.Attrs().(running).Running()
	a, x := in[0], in[1]
	g, axis := x.Graph(), x.Rank()-2
	shape := slices.Delete(slices.Clone(x.Shape()), axis, axis+1)
	zero, first, later := ops.Zeros(g, graph.Float64, shape...), g.Scalar(graph.Bool, 1), g.Scalar(graph.Bool, 0)
	_, out := ops.Scan(ops.Loop{Carry: []node{zero, first}, Over: []node{a, x}, Axis: axis, Reverse: reverse},
		func(c, t []node) (next, out []node) {
			sum := ops.Where(c[1], t[1], ops.Add(ops.Mul(t[0], c[0]), t[1]))
			return []node{sum, later}, []node{sum}
		})
	return out[0]
}

// Before is the value before the first element along an axis when looking for the greatest, or least, elements up to
// each place: every element replaces it.
func Before(x *graph.Node, axis int, least bool) *graph.Node {
	g, t := x.Graph(), x.DType()
	shape := slices.Delete(slices.Clone(x.Shape()), axis, axis+1)
	switch {
	case t.IsFloat() && least:
		return ops.Full(g, t, math.Inf(1), shape...)
	case t.IsFloat():
		return ops.Full(g, t, math.Inf(-1), shape...)
	}
	lowest := 0.0
	if t.IsInt() && !t.IsUnsigned() {
		lowest = -math.Ldexp(1, t.Bits()-1)
	}
	begin := ops.Full(g, t, lowest, shape...)
	if least {
		return ops.BitNot(begin)
	}
	return begin
}

// runningPlaces are the places of the greatest, or least, elements up to each place of the last axis but one. Of equal
// ones the last counts, and NaN wins.
func runningPlaces(n *graph.Node, in []node) node {
	least, _, _ := n.Attrs().(running).Running()
	x, axis := in[0], in[0].Rank()-2
	first := Before(x, axis, least)
	places := ops.Iota(x.Graph(), 0, x.Shape()[axis])
	at := ops.Zeros(x.Graph(), graph.Int64, first.Shape()...)
	_, out := ops.Scan(ops.Loop{Carry: []node{first, at}, Over: []node{ops.MoveAxis(x, axis, 0), places}},
		func(c, t []node) (next, out []node) {
			wins := ops.GreaterEqual(t[0], c[0])
			if least {
				wins = ops.LessEqual(t[0], c[0])
			}
			wins = ops.Or(wins, ops.NotEqual(t[0], t[0]))
			place := ops.Where(wins, t[1], c[1])
			return []node{ops.Where(wins, t[0], c[0]), place}, []node{place}
		})
	return ops.MoveAxis(out[0], 0, axis)
}

// rowOrder sorts rows by their elements from the last to the first, with a stable sort each time.
func rowOrder(_ *graph.Node, in []node) node {
	x := in[0]
	last := x.Rank() - 1
	places := ops.Iota(x.Graph(), last-1, x.Shape()[:last]...)
	final, _ := ops.Scan(ops.Loop{Carry: []node{places}, Over: []node{x}, Axis: last, Reverse: true},
		func(c, t []node) (next, out []node) {
			return []node{ops.Gather(c[0], -1, ops.ArgSort(ops.Gather(t[0], -1, c[0]), -1, false))}, nil
		})
	return final[0]
}

// searchSorted finds the place of each value in a sorted sequence by bisection.
func searchSorted(n *graph.Node, in []node) node {
	sorted, values := in[0], in[1]
	right := n.Attrs().(interface{ IsRight() bool }).IsRight()
	g, shape := values.Graph(), values.Shape()
	size, _ := sorted.Shape()[sorted.Rank()-1].Int()
	start := ops.Zeros(g, graph.Int64, shape...)
	if size == 0 {
		return start
	}
	count := sorted.Shape().NumElements().FloorDiv(size)
	base := ops.Zeros(g, graph.Int64, 1)
	if sorted.Rank() > 1 {
		base = ops.Reshape(ops.Mul(ops.Iota(g, 0, count), g.Scalar(graph.Int64, float64(size))),
			append(shape[:len(shape)-1:len(shape)-1], 1)...)
	}
	flat := ops.Reshape(sorted, -1)
	found := ops.Fori(graph.Dim(bits.Len(uint(size))),
		[]node{start, ops.Add(start, g.Scalar(graph.Int64, float64(size)))}, func(_ node, c []node) []node {
			low, high := c[0], c[1]
			mid := ops.FloorDiv(ops.Add(low, high), g.Scalar(graph.Int64, 2))
			open := ops.Less(low, high)
			element := ops.Take(flat, 0, ops.Add(base, ops.Minimum(mid, g.Scalar(graph.Int64, float64(size-1)))))
			before := ops.Not(ops.GreaterEqual(element, values))
			if right {
				before = ops.Not(ops.Greater(element, values))
			}
			up := ops.And(open, before)
			down := ops.And(open, ops.Not(before))
			return []node{ops.Where(up, ops.Add(mid, g.Scalar(graph.Int64, 1)), low), ops.Where(down, mid, high)}
		})
	return found[0]
}
