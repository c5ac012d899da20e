package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Users' movements are checked again when their sizes are bound. Until then, strides may have either sign, and be
// arbitrarily large.

// checkArrangements requires that users' movements of named sizes stay within their operands.
func (b *binder) checkArrangements() {
	if len(b.problems) > 0 {
		return
	}
	for _, n := range b.nodes {
		op := n.Op()
		if op.Class != graph.Movement || op.View == nil && op.Assemble == nil || !n.Judged() || n.Err() != nil ||
			!op.IsUsers() || !b.isNamed(n) {
			continue
		}
		c := operationCheck{n: n, op: op}
		c.guarded("the operation", func() { b.checkArrangement(&c) })
		if c.wrong != "" {
			b.problemAt(n.Pos(), "%s%s\nused by %s at %s", op.NotWhole(c.wrong).Summary, b.where(b.named(n)...),
				graph.Describe(n), n.Pos())
		}
	}
}

func (b *binder) checkArrangement(c *operationCheck) {
	p := prove.NewProver(c.n.Graph().Bounds)
	if c.op.Assemble != nil {
		c.assembled(p, b.assembly(c.op.Assemble(c.n)), b.shape(c.n.Shape()), b.shapes(c.n.Operands()))
		return
	}
	x := c.n.In(0)
	if slices.Contains(c.n.Stretch(0), graph.Undecided) {
		return
	}
	out, ok := c.op.View(c.n, graph.RowMajor(x.Shape()))
	ok = ok && len(out.Strides) == c.n.Rank() && len(out.Shape) == c.n.Rank()
	if !c.want(ok, "View returns a different arrangement than before") {
		return
	}
	wrong := outside(p, b.layout(out), b.shape(x.Shape()))
	if wrong == "" {
		wrong = unlike(c.n, out, func(d graph.Dim) (int64, bool) { v, err := b.value(d); return v, err == nil })
	}
	if wrong == "" && c.op.Once {
		wrong = shownTwice(b.layout(out))
	}
	c.want(wrong == "", "%s", wrong)
}

// named lists the sizes on which a node depends, whose names an error shows.
func (b *binder) named(n *graph.Node) (sizes []graph.Dim) {
	sizes = slices.Clone(n.Shape())
	for _, x := range n.Operands() {
		sizes = append(sizes, x.Shape()...)
	}
	return append(sizes, n.AttrDims()...)
}

func (b *binder) isNamed(n *graph.Node) bool {
	return slices.ContainsFunc(b.named(n), func(d graph.Dim) bool { return !d.IsConst() })
}

// of returns the value of a size, or the size itself if it has none.
func (b *binder) of(d graph.Dim) graph.Dim {
	if v, err := b.value(d); err == nil {
		return graph.Dim(v)
	}
	return d
}

func (b *binder) shape(s []graph.Dim) graph.Shape {
	out := make(graph.Shape, len(s))
	for i, d := range s {
		out[i] = b.of(d)
	}
	return out
}

func (b *binder) shapes(values []*graph.Node) (list []graph.Shape) {
	for _, s := range shapesOf(values) {
		list = append(list, b.shape(s))
	}
	return list
}

func (b *binder) layout(l graph.Layout) graph.Layout {
	return graph.Layout{Shape: b.shape(l.Shape), Strides: b.shape(l.Strides), Offset: b.of(l.Offset)}
}

func (b *binder) assembly(a graph.Assembly) (out graph.Assembly) {
	for i := range min(len(a.Start), len(a.Step)) {
		if a.Start[i] == nil {
			out.Put(nil, nil)
			continue
		}
		out.Put(b.shape(a.Start[i]), b.shape(a.Step[i]))
	}
	return out
}

// unlike says how a View is wrong that returns other elements, or nothing, for an operand whose axes have another order
// in memory. It is "" for one that uses the strides and the offset that it gets.
func unlike(n *graph.Node, out graph.Layout, value func(graph.Dim) (int64, bool)) string {
	x := n.In(0)
	in := reversedOrder(x.Shape())
	other, ok := n.Op().View(n, in)
	if !ok || x.Rank() < 2 {
		return "" // its elements are copied first
	}
	if len(other.Strides) != len(out.Strides) {
		return "View returns different numbers of strides for different layouts of its operand"
	}
	known := true
	read := func(list []graph.Dim, more ...graph.Dim) (numbers []int64) {
		for _, d := range slices.Concat(list, more) {
			v, ok := value(d)
			known = known && ok
			numbers = append(numbers, v)
		}
		return numbers
	}
	sizes, operand := read(out.Shape), read(x.Shape())
	strides, to, from := read(out.Strides, out.Offset), read(other.Strides, other.Offset), read(in.Strides, in.Offset)
	if !known || slices.Contains(sizes, 0) || slices.Contains(operand, 0) {
		return ""
	}
	for _, index := range corners(sizes) {
		at := placeOf(index, strides)
		if placeOf(index, to) != placeOf(unravel(at, operand), from) {
			return fmt.Sprintf(
				"View shows element %d of its operand at %v, but another one if the operand's axes have another order in memory: it must use the offset and the strides of the layout that it gets",
				at, index)
		}
	}
	return ""
}

// reversedOrder is a layout whose first axis is contiguous, with an offset.
func reversedOrder(shape graph.Shape) graph.Layout {
	reversed := slices.Clone(shape)
	slices.Reverse(reversed)
	l := graph.RowMajor(reversed)
	slices.Reverse(l.Strides)
	l.Shape, l.Offset = shape, 5
	return l
}

// maxCornerAxes bounds the axes along which corners are taken: there are twice as many with each.
const maxCornerAxes = 6

// corners lists indices that tell two affine layouts of some sizes apart: the first element, those next to it, and the
// last ones, along all combinations of axes.
func corners(sizes []int64) (list [][]int64) {
	for set := range 1 << min(len(sizes), maxCornerAxes) {
		near, far := make([]int64, len(sizes)), make([]int64, len(sizes))
		for axis, size := range sizes[:min(len(sizes), maxCornerAxes)] {
			if set>>axis&1 != 0 {
				near[axis], far[axis] = min(1, size-1), size-1
			}
		}
		list = append(list, near, far)
	}
	return list
}

// placeOf returns the place of an element in memory: strides ends with the offset.
func placeOf(index, strides []int64) int64 {
	at := strides[len(index)]
	for axis, i := range index {
		at += i * strides[axis]
	}
	return at
}

// unravel returns the index of an element with a number, in row-major order.
func unravel(number int64, sizes []int64) []int64 {
	index := make([]int64, len(sizes))
	for axis := len(sizes) - 1; axis >= 0; axis-- {
		index[axis] = number % sizes[axis]
		number /= sizes[axis]
	}
	return index
}
