package rewrite

import (
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// maxUnrolled is the most elements that are folded without a loop.
const maxUnrolled = 32

// maxStoredRows is the most rows of an input or a parameter that are folded in this way. A loop accumulates sums in
// memory, which it first fills with zeros, and loads and stores them for each row. The rows have at least minStoredRow
// elements. On a Zen 4, two rows of half a million elements take 0.07 ms instead of 0.24, 16 rows of 65,000 take 0.064
// instead of 0.113, and 64 rows take longer than with a loop.
const (
	maxStoredRows = 16
	minStoredRow  = 64
)

// Unroll replaces the reduction of a few elements of a view, such as those of a window, by elementwise operations on
// views. The elements are read in place and the result is stored once; a loop would traverse the result again for each
// of them. A value that is not a view is better reduced while it is computed.
//
// It does the same with rows that are too short for vectors: see shortRows. Values that are computed from repeated
// short rows, such as the coordinates of points for all pairs, get the axis of these rows first: see planes. Folds of
// such values along longer rows move that axis only: see pairs.
//
// It also makes a search for an index over several axes one over a single axis, as kernels require, of a contiguous
// value. And it sums rows of a few columns many at a time: see narrowsums.go.
func Unroll(u *Program) error {
	users := sync.OnceValue(u.users)
	rows := shortRows{u.usesOf(), users, u.newPlanes(users)}
	isRewritten := func(n *graph.Node) bool {
		return rows.planes.reads(n) || n.Op().Class == graph.Reduce &&
			(analysis.FindsIndex(n) || rows.isShortRow(n, n.In(0)) || rows.pairsOf(n, n.In(0)) != nil ||
				isUnrolled(n, n.In(0)) || rows.joined(n, n.In(0)) > 0)
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), isRewritten) {
		return nil
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		rows.planes.body = n.Region()
		if n.Op().Class == graph.Reduce {
			if p := rows.pairsOf(n, in[0]); p != nil {
				return p.fold(n, in[0])
			}
		}
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

// alongOneAxis merges the axes over which an index is sought into one, after the other axes; nil if there is only one
// already.
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

// viewOf returns the operand of a conversion, or the value itself. Elements of 16 bits are folded in a wider dtype, so
// a conversion follows the view.
func viewOf(x *graph.Node) *graph.Node {
	if x.Op() == graph.CastOp {
		return x.In(0)
	}
	return x
}

// isUnrolled reports whether a reduction folds a few elements of the view x, or of a converted view, or a few rows of a
// value that is stored anyway.
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

// rowBehind returns the number of elements after the last of some axes. Unknown sizes count as 1.
func rowBehind(x *graph.Node, axes []int) int64 {
	count := int64(1)
	for axis := x.Rank() - 1; axis >= 0 && !slices.Contains(axes, axis); axis-- {
		if size, known := x.Shape()[axis].Int(); known {
			count *= size
		}
	}
	return count
}

// elementsOver returns the slices of a value at each index of axes of known size, in row-major order. axes are in
// rising order, and the slices lack them.
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
