package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

const (
	// maxShortRow is the most elements of a row that is too short for vectors. On an AMD Zen 4, a kernel takes 2 ns for
	// such a row, and vectors across rows take 1 to 2 ns; for a softmax, 10 ns and 3 to 7 ns. With 6 elements, a sum or
	// a cross entropy is slower across rows.
	maxShortRow = 5
	// maxRepeatedRow is the same if all operands are smaller than the value, as for distances of all pairs: vectors
	// across rows read few elements repeatedly. The distances of points with 16 to 32 coordinates then take a third of
	// the time, with 48 and 50 half, with 64 and 100 three quarters to nine tenths, and with 128 more if there are many
	// points.
	maxRepeatedRow = 100
	// maxIndexRow is the same if the index of an element is sought: a kernel takes 40 ns for such a row.
	maxIndexRow = 16
	// minShortRows is the least number of rows. Unknown sizes count as usualSize.
	minShortRows, usualSize = 512, 24
	// maxBefore limits the operations for each element that are fused with the reduction instead of being stored.
	maxBefore = 8
)

// shortRows folds rows that are too short for vectors. It computes across rows: a vector has the elements of one
// column.
type shortRows struct {
	uses   []int                  // by node ID: see usesOf
	users  func() [][]*graph.Node // of values, computed on first use
	planes *planes
}

// isShortRow reports whether a reduction folds rows that are too short for vectors, and there are enough rows to
// compute across them.
func (r shortRows) isShortRow(n, x *graph.Node) bool {
	if analysis.IsSumTo(n) || n.Op().Axes == nil {
		return false
	}
	axes := n.Op().Axes(n)
	isTurned, most := r.planes.turns[n.In(0).ID()], int64(maxShortRow)
	switch {
	case analysis.FindsIndex(n):
		most = maxIndexRow
	case analysis.Combiner(n.Op().Fold) == nil:
		return false
	case r.isOfRepeated(n.In(0)):
		most = maxRepeatedRow
	case isTurned:
		most = maxPlanes
	}
	if len(axes) != 1 || axes[0] != x.Rank()-1 || x.DType() == graph.Bool {
		return false
	}
	if k, known := x.Shape()[axes[0]].Int(); !known || k < 2 || k > most {
		return false
	}
	if isTurned {
		return true
	}
	rows := int64(1)
	for _, d := range x.Shape()[:axes[0]] {
		if rows *= usual(d); rows >= minShortRows {
			return true
		}
	}
	return false
}

// usual returns a size, or usualSize if it is unknown.
func usual(d graph.Dim) int64 {
	if size, known := d.Int(); known {
		return size
	}
	return usualSize
}

// isOfRepeated reports whether a value has one use and is computed from values that are all repeated along some axis.
func (r shortRows) isOfRepeated(x *graph.Node) bool {
	if x.Op().Class != graph.Elementwise || len(x.Operands()) == 0 || r.uses[x.ID()] != 1 {
		return false
	}
	return !slices.ContainsFunc(x.Operands(), func(y *graph.Node) bool {
		return y.Shape().Equal(x.Shape()) && !r.isOfRepeated(y)
	})
}

// folded folds rows of x, which replaces the operand of n, in the order of a kernel, as package rowprog defines it:
// elements l and l+h for h = 32, 16, 8, 4, 2, 1.
func (r shortRows) folded(n, x *graph.Node) *graph.Node {
	size, _ := x.Shape()[x.Rank()-1].Int()
	element := func(k int) *graph.Node {
		left := maxBefore
		return r.element(n.In(0), x, graph.Dim(k), &left)
	}
	if analysis.FindsIndex(n) {
		elements := make([]*graph.Node, size)
		for k := range elements {
			elements[k] = element(k)
		}
		return placeAmong(elements, n.Op().Fold == graph.FoldArgMin)
	}
	// every folds elements l, l+h, l+2h and so on. It goes depth first, so that few partial results wait in registers.
	var every func(l, h int) *graph.Node
	every = func(l, h int) *graph.Node {
		switch {
		case h >= int(size):
			return element(l)
		case l+h >= int(size):
			return every(l, 2*h)
		}
		return analysis.Combiner(n.Op().Fold)(every(l, 2*h), every(l+h, 2*h))
	}
	y := every(0, 1)
	if n.Op().Fold == graph.FoldSum && x.DType().IsFloat() {
		return ops.Add(y, graph.Num(0)) // as a kernel's sum, which begins with 0: -0 becomes 0
	}
	return y
}

// placeAmong returns the index of the maximum or minimum of elements: of the first of equal ones, and of the first NaN
// if there is one.
func placeAmong(elements []*graph.Node, least bool) *graph.Node {
	best := elements[0]
	g := best.Graph()
	at := g.Scalar(graph.Int64, 0)
	for k, x := range elements[1:] {
		wins := ops.Greater(x, best)
		if least {
			wins = ops.Less(x, best)
		}
		if x.DType().IsFloat() {
			wins = ops.Or(wins, ops.And(ops.NotEqual(x, x), ops.Equal(best, best)))
		}
		at, best = ops.Where(wins, g.Scalar(graph.Int64, float64(k+1)), at), ops.Where(wins, x, best)
	}
	return at
}

// element returns element k of all rows of x, which replaces old. If nothing else uses x, the element is computed from
// those of its operands.
func (r shortRows) element(old, x *graph.Node, k graph.Dim, left *int) *graph.Node {
	turns := r.planes.turns[old.ID()]
	if *left--; *left < 0 || r.uses[old.ID()] != 1 || x.Op() != old.Op() || x.Op().Class != graph.Elementwise ||
		len(x.Operands()) == 0 || !r.isPlain(x) {
		return r.selected(old, x, k)
	}
	in := slices.Clone(x.Operands())
	for i, y := range in {
		switch {
		case turns && !r.planes.turns[old.In(i).ID()]:
			in[i] = r.planes.plane(old.In(i), y, x.Rank(), k)
		case y.Rank() == 0:
		case y.Shape()[y.Rank()-1] == 1:
			in[i] = ops.Select(y, y.Rank()-1, 0)
		default:
			in[i] = r.element(old.In(i), y, k, left)
		}
	}
	return graph.Apply(x.Op(), x.Attrs(), in...)
}

// selected returns element k of rows that are stored. Long rows, which are read repeatedly, and values that turn are
// first transposed, so that vectors across rows are contiguous.
func (r shortRows) selected(old, x *graph.Node, k graph.Dim) *graph.Node {
	last := x.Rank() - 1
	size, _ := x.Shape()[last].Int()
	if !r.planes.turns[old.ID()] && (size <= maxIndexRow || last == 0 || x.Shape()[last-1] == 1) {
		return ops.Select(x, last, k)
	}
	return r.planes.plane(old, x, x.Rank(), k)
}

// isPlain reports whether the last axis of each operand is that of the result, or is broadcast along it.
func (r shortRows) isPlain(x *graph.Node) bool {
	size := x.Shape()[x.Rank()-1]
	return !slices.ContainsFunc(x.Operands(), func(y *graph.Node) bool {
		return y.Rank() > 0 && y.Shape()[y.Rank()-1] != size && y.Shape()[y.Rank()-1] != 1
	})
}
