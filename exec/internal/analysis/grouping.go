package analysis

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// BlockScales are the attributes of a product whose second factor is integers of 8 or 4 bits. Its third operand has the
// scale of each block of so many of them, in the order in which they lie in memory. If there is a fourth one, it has
// the minima of blocks in the same order, and the integers have no signs.
type BlockScales struct {
	Block int
	// Halved is the axis of the factor, counted from the last one as 1, along which each byte has two integers of 4
	// bits. 0 means 8 bits.
	Halved int
	// InLanes says that the product is one row whose sums may have the order of gemm's lanes.
	InLanes bool
}

// GroupedAxes are the axes of a value that form the second operand of a product: its batch, rows and columns.
type GroupedAxes struct{ Batch, Rows, Cols []int }

// Grouping describes a product's second operand as a value with grouped axes.
type Grouping struct {
	Of       *graph.Node
	Axes     GroupedAxes
	Reshapes int // that are skipped between the operand and the value
}

// GroupingOf reports how a product's second operand groups axes of another value: the operand is a view of a reshape
// that would have to copy. It returns nil if it is not. Reshapes may follow each other, as those do that make the
// windows of all images rows of one matrix. A view of 16 bits may be converted to Float32: Of then has 16 bits.
func GroupingOf(n *graph.Node) *Grouping {
	b := n.In(1)
	if b.Rank() < 2 || slices.Contains(n.Stretch(1), graph.Undecided) {
		return nil
	}
	if half := HalfOf(b); half != nil {
		b = half
	}
	var found *Grouping
	groups := make([][]int, b.Rank())
	for axis := range groups {
		groups[axis] = []int{axis}
	}
	for of := b; ; {
		below, inner := ungroup(of)
		if below == nil {
			return found
		}
		for axis, group := range groups {
			var axes []int
			for _, a := range group {
				axes = append(axes, inner[a]...)
			}
			groups[axis] = axes
		}
		rank := len(groups)
		next := &Grouping{Of: below, Axes: GroupedAxes{Rows: groups[rank-2], Cols: groups[rank-1]}, Reshapes: 1}
		if found != nil {
			next.Reshapes += found.Reshapes
		}
		for _, group := range groups[:rank-2] {
			if len(group) > 1 {
				return found
			}
			next.Axes.Batch = append(next.Axes.Batch, append(slices.Clone(group), -1)[0]) // -1 if the size is 1
		}
		found, of = next, below
	}
}

// HalfOf returns the Float16 or BFloat16 value that a node only converts to Float32; nil if it does something else.
func HalfOf(n *graph.Node) *graph.Node {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) != 1 || n.DType() != graph.Float32 {
		return nil
	}
	x := n.In(0)
	if !x.DType().IsHalf() || !x.Shape().Equal(n.Shape()) {
		return nil
	}
	p := Examine(n)
	if last := p.Steps[p.Result]; last.Kind != ConvertStep || last.Args[0] != 0 {
		return nil
	}
	return x
}

// ungroup returns the operand of the reshape under a view, if the reshape would have to copy and only groups axes. For
// each axis of the view, it also returns the axes that it groups. Otherwise it returns nil.
func ungroup(x *graph.Node) (of *graph.Node, axes [][]int) {
	r, views := ReshapeOf(x)
	if r == nil {
		return nil, nil
	}
	shown := graph.RowMajor(r.Shape())
	for _, v := range slices.Backward(views) {
		ok := false
		if shown, ok = v.Op().View(v, shown); !ok {
			return nil, nil
		}
	}
	groups := groupAxes(r.In(0).Shape(), r.Shape())
	from, ok := ShownAxes(shown, r.Shape())
	if groups == nil || !ok {
		return nil, nil
	}
	for axis, at := range from {
		switch {
		case at >= 0:
			axes = append(axes, groups[at])
		case shown.Shape[axis] == 1:
			axes = append(axes, []int{})
		default:
			return nil, nil
		}
	}
	return r.In(0), axes
}

// ReshapeOf returns the reshape under a value that would have to copy, and the views between them, the last one first.
// It returns nil if there is none.
func ReshapeOf(x *graph.Node) (reshape *graph.Node, views []*graph.Node) {
	for ; alias.IsView(x); x = x.In(0) {
		views = append(views, x)
	}
	if !IsReshape(x) {
		return nil, nil
	}
	return x, views
}

// groupAxes returns, for each axis of a reshaped value, the axes that it groups; nil if it splits one. Axes of size 1
// belong to none.
func groupAxes(from, to graph.Shape) [][]int {
	groups := make([][]int, len(to))
	at := 0
	for axis, size := range to {
		have := graph.Dim(1)
		for ; have != size; at++ {
			if at == len(from) {
				return nil
			}
			if from[at] != 1 {
				groups[axis] = append(groups[axis], at)
				have = have.Times(from[at])
			}
		}
	}
	return groups
}

// Layout returns a value's layout over the axes of the batch, the rows and the columns.
func (j GroupedAxes) Layout(of graph.Layout, batch graph.Shape) graph.Layout {
	l := graph.Layout{Shape: slices.Clone(batch), Strides: make([]graph.Dim, len(batch)), Offset: of.Offset}
	for i, axis := range j.Batch {
		if axis >= 0 {
			l.Strides[len(batch)-len(j.Batch)+i] = of.Strides[axis]
		}
	}
	for _, axis := range append(slices.Clone(j.Rows), j.Cols...) {
		l.Shape, l.Strides = append(l.Shape, of.Shape[axis]), append(l.Strides, of.Strides[axis])
	}
	return l
}
