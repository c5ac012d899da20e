package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// A fused kernel computes values of its domain element by element. Where a reduction
// folds the last axes, its result and what is computed from it have one element for each
// row; the methods here say which values those are and how they lie over the domain.

// levelOf says how often the kernel computes values of a shape that it takes.
func (k *group) levelOf(shape graph.Shape) level {
	if k.row >= 0 && !shape.Equal(k.domain) {
		return perRow
	}
	return perElement
}

// rowShape is the shape of a value with one element a row that keeps all axes.
func (k *group) rowShape() graph.Shape {
	s := slices.Clone(k.domain)
	for axis := k.row; axis < len(s); axis++ {
		s[axis] = 1
	}
	return s
}

// overDomain gives where elements lie over the domain, for a layout of a value at a
// level.
func (k *group) overDomain(in graph.Layout, l level) graph.Layout {
	if l == perElement {
		return in
	}
	out := graph.Layout{Shape: k.domain, Strides: make([]graph.Dim, len(k.domain)), Offset: in.Offset}
	copy(out.Strides[:k.row], in.Strides)
	return out
}

// read gives where the elements lie that operand i of a node takes, over the domain.
func (k *group) read(n *graph.Node, l level, i int) graph.Layout {
	x := n.In(i)
	layout := shapeinfer.LayoutOf(x)
	if n.Op().Class != graph.Reduce {
		layout = shapeinfer.BroadcastView(layout, n.Shape(), n.Stretch(i))
	}
	return k.overDomain(layout, l)
}

// inRegister reports whether operand i of a node of the kernel, or of one that may
// become so, is taken as it was computed in the kernel: the same element, or the element
// of the same row.
func (k *group) inRegister(n *graph.Node, l level, i int) bool {
	x := n.In(i)
	made, ok := k.registers[shapeinfer.Viewed(x)]
	if !ok {
		return false
	}
	if made == perElement {
		return l == perElement && k.registersOf(x) && allSame(n.Stretch(i))
	}
	if slices.Contains(n.Stretch(i), graph.Undecided) {
		return false
	}
	got, own := k.read(n, l, i), k.overDomain(shapeinfer.LayoutOf(shapeinfer.Viewed(x)), perRow)
	if got.Offset != own.Offset {
		return false
	}
	for axis, d := range k.domain {
		if d != 1 && got.Strides[axis] != own.Strides[axis] {
			return false
		}
	}
	return true
}

// registersOf reports whether the kernel computes the very node, not one that it shows.
func (k *group) registersOf(x *graph.Node) bool {
	_, ok := k.registers[x]
	return ok
}

func allSame(kinds []graph.AxisKind) bool {
	for _, kind := range kinds {
		if kind != graph.Same {
			return false
		}
	}
	return true
}

// rowsFit reports whether a node leaves the kernel's rows whole.
func (k *group) rowsFit(n *graph.Node, l level) bool {
	return k.row < 0 || l == perRow || !cutsRows(n, k.domain, k.row) && k.hasEvenRows(n, k.row)
}

// canHaveRows reports whether the rows of the kernel can run from an axis on.
func (k *group) canHaveRows(row int) bool {
	for _, n := range k.nodes {
		if cutsRows(n, k.domain, row) || !k.hasEvenRows(n, row) {
			return false
		}
	}
	return true
}

// cutsRows reports whether a reduction folds some of the axes of rows and not others.
func cutsRows(n *graph.Node, domain graph.Shape, row int) bool {
	if n.Op().Class != graph.Reduce {
		return false
	}
	axes := n.Op().Axes(n)
	folded, kept := false, false
	for axis := row; axis < len(domain); axis++ {
		if domain[axis] != 1 {
			in := slices.Contains(axes, axis)
			folded, kept = folded || in, kept || !in
		}
	}
	return folded && kept
}

// hasEvenRows reports whether rows that run over several axes are one run of equal steps
// in all that the node reads and writes.
func (k *group) hasEvenRows(n *graph.Node, row int) bool {
	if len(k.rowAxes(row)) < 2 {
		return true
	}
	if dependsOnPosition(n) {
		return false
	}
	for i, x := range n.Operands() {
		if _, isNumber := x.ScalarValue(); isNumber {
			continue
		}
		if slices.Contains(n.Stretch(i), graph.Undecided) || !k.isEven(k.read(n, perElement, i), row) {
			return false
		}
	}
	return n.Op().Class != graph.Update || k.isEven(shapeinfer.LayoutOf(n), row)
}

// rowAxes lists the axes of more than one element over which rows run.
func (k *group) rowAxes(row int) (axes []int) {
	for axis := row; axis < len(k.domain); axis++ {
		if k.domain[axis] != 1 {
			axes = append(axes, axis)
		}
	}
	return axes
}

// isEven reports whether rows are one run of equal steps in a layout.
func (k *group) isEven(l graph.Layout, row int) bool {
	axes := k.rowAxes(row)
	for i := 1; i < len(axes); i++ {
		if inner := axes[i]; l.Strides[axes[i-1]] != l.Strides[inner].Times(k.domain[inner]) {
			return false
		}
	}
	return true
}
