package lower

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// collapseAxes chooses the axes of the kernel's program. It drops axes of size 1, and merges adjacent axes that every
// operand and every reduction treats alike, so that rows are long. The row is the last axis, or the axis along which an
// index is sought.
func (l *Lowering) collapseAxes() {
	rank := len(l.p.Space)
	var axes [][]int
	for axis, d := range l.p.Space {
		if d != 1 {
			axes = append(axes, []int{axis})
		}
	}
	if len(axes) > 1 && !l.anyDependsOnPosition() {
		axes = l.merge(axes)
	}
	if n := l.k.Nodes[0]; l.k.Closed && n.Op().Class == graph.Reduce {
		axes = rowLast(axes, n.Op().Axes(n))
	}
	l.p.Axes = axes
	l.axisOf = make([]int, rank)
	for i := range l.axisOf {
		l.axisOf[i] = -1
	}
	for at, group := range axes {
		for _, axis := range group {
			l.axisOf[axis] = at
		}
	}
}

// rowLast moves the group with a reduced axis to the end.
func rowLast(axes [][]int, reduced []int) [][]int {
	for at, group := range axes {
		if slices.Contains(reduced, group[0]) {
			return append(slices.Delete(slices.Clone(axes), at, at+1), group)
		}
	}
	if len(axes) > 0 { // no axis is folded: the row has one element
		return append(slices.Clone(axes), nil)
	}
	return axes
}

func (l *Lowering) anyDependsOnPosition() bool {
	return slices.ContainsFunc(l.k.Nodes, analysis.DependsOnPosition)
}

// merge merges adjacent axes if for every operand the outer stride is the inner stride times the inner size, and no
// reduction folds only one of them.
func (l *Lowering) merge(axes [][]int) [][]int {
	layouts, undecided := l.layouts()
	var merged [][]int
	for _, group := range axes {
		if n := len(merged); n > 0 && l.mergeable(merged[n-1], group, layouts, undecided) {
			merged[n-1] = append(merged[n-1], group...)
			continue
		}
		merged = append(merged, group)
	}
	return merged
}

func (l *Lowering) mergeable(outer, inner []int, layouts []graph.Layout, undecided []bool) bool {
	a, b := outer[len(outer)-1], inner[0]
	if undecided[a] || undecided[b] {
		return false
	}
	for _, layout := range layouts {
		if layout.Strides[a] != layout.Strides[b].Times(l.p.Space[b]) {
			return false
		}
	}
	for _, n := range l.k.Nodes {
		if n.Op().Class == graph.Reduce && !(l.k.LevelFor(n) == fusion.PerRow && b >= l.k.Row) {
			axes := n.Op().Axes(n)
			if slices.Contains(axes, a) != slices.Contains(axes, b) {
				return false
			}
		}
	}
	return true
}

// layouts returns the layouts over the iteration space of all loads, all reductions' results and all in-place writes.
// Other stores are row-major, so they merge everywhere. undecided marks axes that may turn out to be broadcast.
func (l *Lowering) layouts() (list []graph.Layout, undecided []bool) {
	undecided = make([]bool, len(l.p.Space))
	for _, n := range l.k.Computed() {
		level := l.k.LevelFor(n)
		for i, x := range n.Operands() {
			if _, isNumber := x.ScalarValue(); isNumber || l.k.InRegister(n, level, i) {
				continue
			}
			o := l.loaded(n, level, i)
			list = append(list, o.Layout)
			for axis := range o.Undecided {
				undecided[axis] = undecided[axis] || o.Undecided[axis]
			}
		}
		for _, o := range l.k.Forwarded[n] {
			list = append(list, o.Layout)
		}
		switch n.Op().Class {
		case graph.Reduce:
			list = append(list, l.k.OverSpace(fusion.ReducedLayout(n), level))
		case graph.Update:
			list = append(list, l.k.OverSpace(alias.LayoutOf(n), level))
		}
	}
	return list, undecided
}
