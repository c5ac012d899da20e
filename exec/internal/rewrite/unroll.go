package rewrite

import (
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// maxUnrolled bounds the elements that are folded into one without a loop.
const maxUnrolled = 32

// maxStoredRows bounds the rows of an input or a parameter that are folded so: sums that are accumulated begin as zeros in memory, from which they come and to which they go
// back. The rows have minStoredRow elements or more. On a Zen 4 two rows of half a million take 0.07 ms in place of 0.24, 16 of 65,000 0.064 in place of 0.113, and 64 longer than these do.
const (
	maxStoredRows = 16
	minStoredRow  = 64
)

// Unroll writes the reduction of a few elements of a view, such as those of a window,
// as elementwise operations on views: the elements are read where they lie and the result
// is stored once, where a loop would go over the result again for each of them. A value
// that is no view is better reduced while it is computed.
//
// So it does with rows that are too short for vectors; see shortRows. What is computed of values with such rows that are repeated, as of the
// coordinates of points for all pairs, has the axis of these rows first; see planes.
//
// It also writes an index among the elements of several axes as one along a single axis, as
// kernels find it, of a value whose elements lie in order, and adds up rows of a few columns many at a time; see narrowsums.go.
func Unroll(u *Program) error {
	users := sync.OnceValue(u.users)
	rows := shortRows{u.usesOf(), users, u.newPlanes(users)}
	isRewritten := func(n *graph.Node) bool {
		return rows.planes.reads(n) || n.Op().Class == graph.Reduce && (analysis.FindsIndex(n) || rows.isShortRow(n, n.In(0)) || isUnrolled(n, n.In(0)) || rows.joined(n, n.In(0)) > 0)
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), isRewritten) {
		return nil
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		rows.planes.body = n.Region()
		switch {
		case n.Op().Class == graph.Reduce && rows.isShortRow(n, in[0]):
			return ops.Reshape(rows.folded(n, in[0]), n.Shape()...)
		case rows.planes.reads(n):
			return rows.planes.read(n, in[0])
		case analysis.FindsIndex(n):
			return alongOneAxis(n, in[0])
		case n.Op().Class != graph.Reduce:
			return nil
		case !isUnrolled(n, in[0]):
			if joined := rows.joined(n, in[0]); joined > 0 {
				return foldJoined(n, in[0], joined)
			}
			return nil
		}
		combine, elements := analysis.Combiner(n.Op().Fold), elementsOver(viewOf(in[0]), n.Op().Axes(n))
		y := ops.Cast(elements[0], in[0].DType())
		for _, x := range elements[1:] {
			y = combine(y, ops.Cast(x, in[0].DType()))
		}
		return ops.Reshape(y, n.Shape()...)
	})
	return nil
}

// alongOneAxis finds an index among the elements of several axes along one axis that holds
// them, behind the axes that stay; nil if the index is along one already.
func alongOneAxis(n, x *graph.Node) *graph.Node {
	folded := n.Op().Axes(n)
	if len(folded) < 2 {
		return nil
	}
	var order []int
	var shape graph.Shape
	for axis, size := range x.Shape() {
		if !slices.Contains(folded, axis) {
			order, shape = append(order, axis), append(shape, size)
		}
	}
	order = append(order, folded...)
	last, count := len(shape), graph.Dim(1)
	for _, axis := range folded {
		count = count.Times(x.Shape()[axis])
	}
	rows := ops.Reshape(ops.Permute(x, order...), append(shape, count)...)
	return ops.Reshape(graph.Apply(n.Op(), ops.ReduceAttrs{Axes: []int{last}}, rows), n.Shape()...)
}

// viewOf is the value that a conversion takes, or the value itself: where elements of 16 bits are folded in a wider dtype, a conversion
// stands behind a view.
func viewOf(x *graph.Node) *graph.Node {
	if x.Op() == graph.CastOp {
		return x.In(0)
	}
	return x
}

// isUnrolled reports whether a reduction folds a few elements of the view x, or of a view that is converted, or a few rows of a value that is stored anyway.
func isUnrolled(n, x *graph.Node) bool {
	if analysis.IsSumTo(n) || x.DType() == graph.Bool || analysis.Combiner(n.Op().Fold) == nil {
		return false
	}
	most := int64(maxUnrolled)
	switch {
	case viewOf(x).Op().Class == graph.Source && rowBehind(x, n.Op().Axes(n)) >= minStoredRow:
		most = maxStoredRows
	case viewOf(x).Op().View == nil:
		return false
	}
	count := graph.Dim(1)
	for _, axis := range n.Op().Axes(n) {
		count = count.Times(x.Shape()[axis])
	}
	c, static := count.Int()
	return static && 2 <= c && c <= most
}

// rowBehind is how many elements there are behind the last of some axes, as far as their number is known.
func rowBehind(x *graph.Node, axes []int) int64 {
	count := int64(1)
	for axis := x.Rank() - 1; axis >= 0 && !slices.Contains(axes, axis); axis-- {
		if size, known := x.Shape()[axis].Int(); known {
			count *= size
		}
	}
	return count
}

// elementsOver returns what a value holds at each index of axes of known size, in row-major
// order, as views without these axes, which are in rising order.
func elementsOver(x *graph.Node, axes []int) []*graph.Node {
	if len(axes) == 0 {
		return []*graph.Node{x}
	}
	var list []*graph.Node
	size, _ := x.Shape()[axes[0]].Int()
	rest := make([]int, len(axes)-1)
	for i, axis := range axes[1:] {
		rest[i] = axis - 1
	}
	for k := range size {
		list = append(list, elementsOver(ops.Select(x, axes[0], graph.Dim(k)), rest)...)
	}
	return list
}
