package alias

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Sharing says which elements two views of one memory share.
type Sharing uint8

// The ways in which views share memory.
const (
	SharesNothing   Sharing = iota // they share no cell, for any sizes
	SharesSame                     // every shared cell is the same element of both
	SharesOther                    // some shared cell is a different element of each
	SharesUndecided                // it depends on sizes, or is unknown
)

// maxEnumerated is the number of elements up to which views are compared cell by cell.
const maxEnumerated = 1 << 20

// Meet compares the positions in memory of the elements of two views of one shape; no two elements of a share a cell.
// For whole-number layouts of up to 2^20 elements the answer is exact; for others it is certain unless it is
// SharesUndecided.
func Meet(p *prove.Prover, a, b graph.Layout) Sharing {
	switch {
	case Disjoint(p, a, b):
		return SharesNothing
	case sameCells(p, a, b):
		return SharesSame
	}
	x, y, ok := fixedPair(a, b)
	if !ok {
		return SharesUndecided
	}
	where := x.positions()
	answer := SharesNothing
	y.each(func(at int, cell int64) bool {
		first, shared := where[cell]
		switch {
		case shared && first != at:
			answer = SharesOther
		case shared:
			answer = max(answer, SharesSame)
		}
		return answer != SharesOther
	})
	return answer
}

// Conflict returns an element of b whose cell is another element of a, by their indices: with at [0 1] and from [0 0],
// element [0 1] is computed from the cell of [0 0].
func Conflict(a, b graph.Layout) (at, from []int64, ok bool) {
	x, y, ok := fixedPair(a, b)
	if !ok {
		return nil, nil, false
	}
	where := x.positions()
	ok = false
	y.each(func(i int, cell int64) bool {
		first, shared := where[cell]
		if ok = shared && first != i; ok {
			at, from = x.index(i), x.index(first)
		}
		return !ok
	})
	return at, from, ok
}

// Disjoint reports whether two views of one memory are proved to share no cell, for all sizes.
func Disjoint(p *prove.Prover, a, b graph.Layout) bool {
	a, b = forwardsFrom(p, a), forwardsFrom(p, b)
	if isEmpty(p, a) || isEmpty(p, b) || apart(p, a, b) || onDifferentCells(p, a, b) {
		return true
	}
	x, y, ok := fixedPair(a, b)
	if !ok {
		return false
	}
	where := x.positions()
	shared := false
	y.each(func(_ int, cell int64) bool {
		_, shared = where[cell]
		return !shared
	})
	return !shared
}

// Repeats decides whether two elements of a value share a cell of its memory: Refused means that none do, Proved that
// some do. If sizes leave it open, views that show each element once count like their operand.
func Repeats(p *prove.Prover, n *graph.Node) prove.Verdict {
	verdict := Overlaps(p, LayoutOf(n))
	for memory, x := Storage(n), n; verdict == prove.Deferred && x != memory; {
		shown := x
		x = x.In(0)
		if shown.Op().View == nil {
			continue // a write has its operand's layout
		}
		if !shown.Op().Once {
			break
		}
		if Overlaps(p, LayoutOf(x)) == prove.Refused {
			return prove.Refused
		}
	}
	return verdict
}

// Overlaps decides whether two elements of a view share a cell: Refused means that none do, Proved that some do.
func Overlaps(p *prove.Prover, l graph.Layout) prove.Verdict {
	if isEmpty(p, l) {
		return prove.Refused
	}
	axes := axesOf(l)
	if nested(p, forwards(p, axes), 1) {
		return prove.Refused
	}
	for _, a := range axes {
		if a.step == 0 && p.AtLeast(a.size, 2) == prove.Proved {
			return prove.Proved
		}
	}
	x, ok := fixedLayout(l)
	if !ok {
		return prove.Deferred
	}
	if len(x.positions()) < x.count() {
		return prove.Proved
	}
	return prove.Refused
}

func isEmpty(p *prove.Prover, l graph.Layout) bool {
	for _, d := range l.Shape {
		if p.Equal(d, 0) == prove.Proved {
			return true
		}
	}
	return false
}

// sameCells reports whether each element has the same cell in both views.
func sameCells(p *prove.Prover, a, b graph.Layout) bool {
	if len(a.Shape) != len(b.Shape) || p.Equal(a.Offset, b.Offset) != prove.Proved {
		return false
	}
	for i, d := range a.Shape {
		if d != 1 && p.Equal(a.Strides[i], b.Strides[i]) != prove.Proved {
			return false
		}
	}
	return true
}

// run is an axis of a view: size elements with stride step, in cells.
type run struct{ step, size graph.Dim }

// axesOf lists the axes, except those of size 1.
func axesOf(l graph.Layout) (runs []run) {
	for i, d := range l.Shape {
		if d != 1 {
			runs = append(runs, run{l.Strides[i], d})
		}
	}
	return runs
}

// forwardsFrom returns a layout of the same cells whose strides are not negative.
func forwardsFrom(p *prove.Prover, l graph.Layout) graph.Layout {
	turned := l
	for i, step := range l.Strides {
		if p.AtLeast(step, 0) == prove.Refused && p.AtLeast(l.Shape[i], 1) == prove.Proved {
			if &turned.Strides[0] == &l.Strides[0] {
				turned.Strides = slices.Clone(l.Strides)
			}
			turned.Offset = turned.Offset.Plus(step.Times(l.Shape[i].Minus(1)))
			turned.Strides[i] = graph.Dim(0).Minus(step)
		}
	}
	return turned
}

// forwards makes negative strides positive: the axes cover cells in the same pattern.
func forwards(p *prove.Prover, axes []run) []run {
	turned := slices.Clone(axes)
	for i, a := range axes {
		if p.AtLeast(a.step, 0) == prove.Refused {
			turned[i].step = graph.Dim(0).Minus(a.step)
		}
	}
	return turned
}

// nested reports whether no two elements share a cell, because in some order of the axes each stride is at least the
// span of all inner axes.
func nested(p *prove.Prover, axes []run, span graph.Dim) bool {
	if len(axes) == 0 {
		return true
	}
	for i, a := range axes {
		if p.AtLeast(a.step.Minus(span), 0) != prove.Proved {
			continue
		}
		rest := append(append([]run(nil), axes[:i]...), axes[i+1:]...)
		if nested(p, rest, span.Plus(a.step.Times(a.size.Minus(1)))) {
			return true
		}
	}
	return false
}

// apart reports whether one view ends before the other begins.
func apart(p *prove.Prover, a, b graph.Layout) bool {
	aFirst, aLast, aKnown := cells(p, a)
	bFirst, bLast, bKnown := cells(p, b)
	return aKnown && bKnown &&
		(p.AtLeast(bFirst.Minus(aLast), 1) == prove.Proved || p.AtLeast(aFirst.Minus(bLast), 1) == prove.Proved)
}

// cells returns the first and the last cell of a view.
func cells(p *prove.Prover, l graph.Layout) (first, last graph.Dim, ok bool) {
	first, last = l.Offset, l.Offset
	for i, d := range l.Shape {
		length := l.Strides[i].Times(d.Minus(1))
		switch {
		case p.AtLeast(l.Strides[i], 0) == prove.Proved:
			last = last.Plus(length)
		case p.AtLeast(l.Strides[i], 0) == prove.Refused:
			first = first.Plus(length)
		default:
			return 0, 0, false
		}
	}
	return first, last, true
}

// onDifferentCells reports whether the views are adjacent along one axis of a common grid, such as two columns of a
// matrix: their offsets differ by at least the size of the first one, in steps of that axis.
func onDifferentCells(p *prove.Prover, a, b graph.Layout) bool {
	if p.AtLeast(b.Offset.Minus(a.Offset), 0) != prove.Proved {
		a, b = b, a
	}
	distance := b.Offset.Minus(a.Offset)
	// For two indices of one axis, neither view has that axis: its step is their distance.
	grid := append(commonGrid(axesOf(a), axesOf(b)), gridAxis{distance, 1, 1})
	for i, g := range grid {
		steps, exact := distance.ExactDiv(g.step)
		if !exact || g.step == 0 || p.AtLeast(steps.Minus(g.first), 0) != prove.Proved {
			continue
		}
		box := make([]run, len(grid))
		for j, other := range grid {
			box[j] = run{other.step, other.widest()}
			if !other.decided() {
				return false
			}
		}
		box[i].size = steps.Plus(g.second)
		if nested(p, box, 1) {
			return true
		}
	}
	return false
}

// gridAxis is an axis of a grid that contains two views, with the size of each there.
type gridAxis struct{ step, first, second graph.Dim }

func (g gridAxis) decided() bool { return g.first == g.second || g.first == 1 || g.second == 1 }

func (g gridAxis) widest() graph.Dim {
	if g.first == 1 {
		return g.second
	}
	return g.first
}

func commonGrid(a, b []run) (grid []gridAxis) {
	for _, r := range a {
		grid = append(grid, gridAxis{r.step, r.size, 1})
	}
next:
	for _, r := range b {
		for i := range grid {
			if grid[i].step == r.step && grid[i].second == 1 {
				grid[i].second = r.size
				continue next
			}
		}
		grid = append(grid, gridAxis{r.step, 1, r.size})
	}
	return grid
}

// fixed is a layout of numbers, small enough to be enumerated.
type fixed struct {
	shape, strides []int64
	offset         int64
}

func fixedPair(a, b graph.Layout) (x, y fixed, ok bool) {
	x, ok = fixedLayout(a)
	if ok {
		y, ok = fixedLayout(b)
	}
	return x, y, ok
}

func fixedLayout(l graph.Layout) (f fixed, ok bool) {
	count := int64(1)
	for i, d := range l.Shape {
		size, whole := d.Int()
		step, evenly := l.Strides[i].Int()
		if !whole || !evenly || size > maxEnumerated || count*size > maxEnumerated {
			return fixed{}, false
		}
		count *= size
		f.shape, f.strides = append(f.shape, size), append(f.strides, step)
	}
	f.offset, ok = l.Offset.Int()
	return f, ok
}

func (f fixed) count() int {
	n := int64(1)
	for _, d := range f.shape {
		n *= d
	}
	return int(n)
}

// positions returns the element in each cell, the first one of several.
func (f fixed) positions() map[int64]int {
	where := make(map[int64]int, f.count())
	f.each(func(at int, cell int64) bool {
		if _, known := where[cell]; !known {
			where[cell] = at
		}
		return true
	})
	return where
}

// index returns the index of an element, given its position in row-major order.
func (f fixed) index(at int) []int64 {
	list := make([]int64, len(f.shape))
	rest := int64(at)
	for axis := len(list) - 1; axis >= 0; axis-- {
		list[axis], rest = rest%f.shape[axis], rest/f.shape[axis]
	}
	return list
}

// each visits the elements in row-major order until visit returns false.
func (f fixed) each(visit func(at int, cell int64) bool) {
	index := make([]int64, len(f.shape))
	cell := f.offset
	for at, count := 0, f.count(); at < count; at++ {
		if !visit(at, cell) {
			return
		}
		for axis := len(index) - 1; axis >= 0; axis-- {
			index[axis]++
			cell += f.strides[axis]
			if index[axis] < f.shape[axis] {
				break
			}
			cell -= index[axis] * f.strides[axis]
			index[axis] = 0
		}
	}
}
