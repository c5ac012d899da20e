package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

const (
	// maxShortRow is the most elements of a row that is too short for vectors. A kernel takes 2 ns for one, on an AMD Zen 4, and vectors across rows 1 to 2;
	// for the softmax of one 10 ns, and 3 to 7. Of 6 elements, a sum or a cross entropy is slower across rows.
	maxShortRow = 5
	// maxRepeatedRow is the same where all operands are smaller than what is computed of them, as of distances of all pairs: vectors across rows read
	// few elements again and again. Distances of 16 to 32 numbers take a third of the time so, of 48 and 50 half, of 64 and 100 three quarters to nine tenths, and of 128
	// more where there are many.
	maxRepeatedRow = 100
	// maxIndexRow is the same where the place of an element is sought, for which a kernel takes 40 ns of a row.
	maxIndexRow = 16
	// minShortRows is how many rows there must be, where a size that is not known counts as usualSize.
	minShortRows, usualSize = 512, 24
	// maxBefore bounds the operations for each element whose result is folded without being stored.
	maxBefore = 8
)

// shortRows folds rows that are too short for vectors: vectors go across rows, which elements of one place in each make up.
type shortRows struct {
	uses   []int                  // by the numbers of values: see usesOf
	users  func() [][]*graph.Node // of values, listed when they are first asked for
	planes *planes
}

// isShortRow reports whether a reduction folds rows that are too short for vectors, of which there are so many that vectors across them
// pay.
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

// usual is a size, or the usual one if it is not known.
func usual(d graph.Dim) int64 {
	if size, known := d.Int(); known {
		return size
	}
	return usualSize
}

// isOfRepeated reports whether a value is computed, for one use, of others that are all repeated along some axis.
func (r shortRows) isOfRepeated(x *graph.Node) bool {
	if x.Op().Class != graph.Elementwise || len(x.Operands()) == 0 || r.uses[x.ID()] != 1 {
		return false
	}
	return !slices.ContainsFunc(x.Operands(), func(y *graph.Node) bool { return y.Shape().Equal(x.Shape()) && !r.isOfRepeated(y) })
}

// folded folds rows of x, which stands for the operand of n, in the order in which a kernel folds one, of which package rowprog tells:
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
	// Of elements l, l+h, l+2h, …; depth first, so that few wait for their partner in registers.
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
		return ops.Add(y, graph.Num(0)) // a kernel's sum begins with 0: that of zeros is 0, be they below it
	}
	return y
}

// placeAmong is the place of the greatest of elements, or of the least: of the first of equal ones, and of the first NaN if there is one.
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

// element is the element at place k of all rows of x, which stands for the value old. What is used here alone is computed of the elements of
// its operands.
func (r shortRows) element(old, x *graph.Node, k graph.Dim, left *int) *graph.Node {
	turns := r.planes.turns[old.ID()]
	if *left--; *left < 0 || r.uses[old.ID()] != 1 || x.Op() != old.Op() || x.Op().Class != graph.Elementwise || len(x.Operands()) == 0 || !r.isPlain(x) {
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

// selected are the elements at place k of rows that are stored. Those of many elements, which are read again and again, are first brought into an order in
// which vectors across rows find them side by side; so are values that turn.
func (r shortRows) selected(old, x *graph.Node, k graph.Dim) *graph.Node {
	last := x.Rank() - 1
	size, _ := x.Shape()[last].Int()
	if !r.planes.turns[old.ID()] && (size <= maxIndexRow || last == 0 || x.Shape()[last-1] == 1) {
		return ops.Select(x, last, k)
	}
	return r.planes.plane(old, x, x.Rank(), k)
}

// isPlain reports whether the last axis of each operand is that of the result, or is repeated along it.
func (r shortRows) isPlain(x *graph.Node) bool {
	size := x.Shape()[x.Rank()-1]
	return !slices.ContainsFunc(x.Operands(), func(y *graph.Node) bool {
		return y.Rank() > 0 && y.Shape()[y.Rank()-1] != size && y.Shape()[y.Rank()-1] != 1
	})
}
