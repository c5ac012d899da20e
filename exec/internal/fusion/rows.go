package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// IsReadInMemory reports whether some reader does not take a value from a register.
func (k *Group) IsReadInMemory(readers []Reader) bool {
	for _, r := range readers {
		if k.isForwardedTo(r) {
			continue
		}
		if r.By != k || !k.InRegister(r.Node, k.LevelFor(r.Node), r.Operand) {
			return true
		}
	}
	return false
}

// LevelFor says how often the kernel computes what a member reads.
func (k *Group) LevelFor(n *graph.Node) Level {
	if n.Op().Class == graph.Reduce {
		return k.levelOf(n.In(0).Shape())
	}
	return k.levelOf(n.Shape())
}

// A fused kernel computes the values of its iteration space element by element. If a reduction folds the last axes, its
// result and what is computed from it have one element for each row. The methods here say which values those are, and
// return their layouts over the iteration space.

// levelOf says how often the kernel computes values of a shape.
func (k *Group) levelOf(shape graph.Shape) Level {
	if k.Row >= 0 && !shape.Equal(k.Space) {
		return PerRow
	}
	return PerElement
}

// rowShape returns the shape of a value with one element for each row that keeps all axes.
func (k *Group) rowShape() graph.Shape {
	s := slices.Clone(k.Space)
	for axis := k.Row; axis < len(s); axis++ {
		s[axis] = 1
	}
	return s
}

// OverSpace converts the layout of a value at a level to one over the iteration space.
func (k *Group) OverSpace(in graph.Layout, l Level) graph.Layout {
	if l == PerElement {
		return in
	}
	out := graph.Layout{Shape: k.Space, Strides: make([]graph.Dim, len(k.Space)), Offset: in.Offset}
	copy(out.Strides[:k.Row], in.Strides)
	return out
}

// Read returns the layout of a node's operand i over the iteration space.
func (k *Group) Read(n *graph.Node, l Level, i int) graph.Layout {
	x := n.In(i)
	if n.Op().Class == graph.Gather {
		return k.OverSpace(readPicked(n, i), l)
	}
	layout := alias.LayoutOf(x)
	if n.Op().Class != graph.Reduce {
		layout = alias.BroadcastView(layout, n.Shape(), n.Stretch(i))
	}
	return k.OverSpace(layout, l)
}

// longRow is the number of elements from which a row takes longer than a separate kernel for the sum of the rows'
// results, such as the losses of examples. A kernel that sums over its rows is split into chunks of rows; without that
// sum, threads share single rows.
const longRow = 1 << 12

// hasLongRows reports whether the kernel's rows are known to be long.
func (k *Group) hasLongRows() bool {
	n, known := k.Space[k.Row:].NumElements().Int()
	return known && n >= longRow
}

// minScores is the number of elements from which rows after a product may be scores, which run in chains.
const minScores = 1 << 8

// mayBeScores reports whether the kernel's rows may be scores of one position with many.
func (k *Group) mayBeScores() bool {
	n, known := k.Space[k.Row:].NumElements().Int()
	return !known || n >= minScores
}

// readsAcross reports whether an elementwise node reads a value across its rows: the value is contiguous along another
// axis than the last one.
func readsAcross(n *graph.Node) bool {
	for _, x := range n.Operands() {
		if !alias.IsView(x) || !x.Shape().Equal(n.Shape()) {
			continue
		}
		l := alias.LayoutOf(x)
		last := len(l.Shape) - 1
		for last > 0 && l.Shape[last] == 1 {
			last--
		}
		if last > 0 && l.Strides[last] != 0 && l.Strides[last] != 1 && slices.Contains(l.Strides[:last], 1) {
			return true
		}
	}
	return false
}

// maxAcrossBytes is the size of rows that a kernel can read across one at a time. Their cache lines, each with elements
// of several rows, stay in a second-level cache.
const maxAcrossBytes = 1 << 20

// isFarAcross reports whether rows that share cache lines of n's operand, which n reads across, take more than
// maxAcrossBytes.
func isFarAcross(n *graph.Node) bool {
	l := alias.LayoutOf(n.In(0))
	rows, known := l.Shape[max(slices.Index(l.Strides, 1), 0):].NumElements().Int()
	return known && rows > int64(maxAcrossBytes/n.DType().Size())
}

// isFoldedAcross reports whether values computed elementwise from one that n reads across are reduced: over any axes if
// rows are far apart, and over other than the last axes if rows are short. A kernel that reduces reads its operands row
// by row, but a separate kernel copies blocks.
func (f *fuser) isFoldedAcross(n *graph.Node) bool {
	const most = 64 // values to examine
	isFar := isFarAcross(n)
	if !isFar && rewrite.ShortRows(n.Shape()) == 0 {
		return false
	}
	list := []*graph.Node{n}
	for i := 0; i < len(list) && i < most; i++ {
		for _, user := range f.usersOf(list[i]) {
			switch user.Op().Class {
			case graph.Reduce:
				if isFar || rowOf(user) < 0 {
					return true
				}
			case graph.Elementwise:
				if user.Shape().Equal(n.Shape()) && !slices.Contains(list, user) {
					list = append(list, user)
				}
			}
		}
	}
	return false
}

// usersOf lists the nodes with operand x. Few programs need it, so the lists are made on first use.
func (f *fuser) usersOf(x *graph.Node) []*graph.Node {
	if f.users == nil {
		f.users = map[*graph.Node][]*graph.Node{}
		for _, n := range f.u.Sequence {
			for _, y := range n.Operands() {
				f.users[y] = append(f.users[y], n)
			}
		}
	}
	return f.users[x]
}

// InRegister reports whether operand i of a node of the kernel, or of a candidate, is used as it was computed in the
// kernel: the same element, or the element of the same row.
func (k *Group) InRegister(n *graph.Node, l Level, i int) bool {
	x := n.In(i)
	if n.Op().Class == graph.Gather {
		return k.takesPicked(n, i)
	}
	made, ok := k.Registers[alias.Viewed(x)]
	if !ok {
		return false
	}
	if made == PerElement {
		return l == PerElement && k.registersOf(x) && allSame(n.Stretch(i))
	}
	if slices.Contains(n.Stretch(i), graph.Undecided) {
		return false
	}
	got, own := k.Read(n, l, i), k.OverSpace(alias.LayoutOf(alias.Viewed(x)), PerRow)
	if got.Offset != own.Offset {
		return false
	}
	for axis, d := range k.Space {
		if d != 1 && got.Strides[axis] != own.Strides[axis] {
			return false
		}
	}
	return true
}

// registersOf reports whether the kernel computes the node itself, not just the value under a view.
func (k *Group) registersOf(x *graph.Node) bool {
	_, ok := k.Registers[x]
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

// rowsFit reports whether a node does not split the kernel's rows.
func (k *Group) rowsFit(n *graph.Node, l Level) bool {
	return k.Row < 0 || l == PerRow || !splitsRows(n, k.Space, k.Row) && k.hasUniformRows(n, k.Row)
}

// canHaveRows reports whether the kernel's rows can begin at an axis.
func (k *Group) canHaveRows(row int) bool {
	for _, n := range k.Nodes {
		if splitsRows(n, k.Space, row) || !k.hasUniformRows(n, row) {
			return false
		}
	}
	return true
}

// splitsRows reports whether a reduction folds only some of the axes of rows.
func splitsRows(n *graph.Node, space graph.Shape, row int) bool {
	if n.Op().Class != graph.Reduce {
		return false
	}
	axes := n.Op().Axes(n)
	reduced, kept := false, false
	for axis := row; axis < len(space); axis++ {
		if space[axis] != 1 {
			in := slices.Contains(axes, axis)
			reduced, kept = reduced || in, kept || !in
		}
	}
	return reduced && kept
}

// hasUniformRows reports whether rows over several axes have one constant stride in all that the node reads and writes.
func (k *Group) hasUniformRows(n *graph.Node, row int) bool {
	if len(k.rowAxes(row)) < 2 {
		return true
	}
	if analysis.DependsOnPosition(n) {
		return false
	}
	for i, x := range n.Operands() {
		if _, isNumber := x.ScalarValue(); isNumber {
			continue
		}
		if slices.Contains(n.Stretch(i), graph.Undecided) || !k.isUniform(k.Read(n, PerElement, i), row) {
			return false
		}
	}
	return n.Op().Class != graph.Update || k.isUniform(alias.LayoutOf(n), row)
}

// rowAxes lists the axes of rows that have more than one element.
func (k *Group) rowAxes(row int) (axes []int) {
	for axis := row; axis < len(k.Space); axis++ {
		if k.Space[axis] != 1 {
			axes = append(axes, axis)
		}
	}
	return axes
}

// isUniform reports whether rows have one constant stride in a layout.
func (k *Group) isUniform(l graph.Layout, row int) bool {
	axes := k.rowAxes(row)
	for i := 1; i < len(axes); i++ {
		if inner := axes[i]; l.Strides[axes[i-1]] != l.Strides[inner].Times(k.Space[inner]) {
			return false
		}
	}
	return true
}
