package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Where a user's movement puts elements is judged once more when its sizes are bound: until then its strides may be of
// any sign, and so large that they lead anywhere.

// checkArrangements requires of users' movements whose sizes have names that they stay within their operands.
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
	if !c.want(ok && len(out.Strides) == c.n.Rank() &&
		len(out.Shape) == c.n.Rank(), "View returns a different arrangement than before") {
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

// named lists the sizes of a node and its operands, by whose names an error tells them.
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

// of returns a size as a number, or as it is where it has none.
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

// unlike says how a View that shows out of a dense operand shows other elements of one whose axes lie in another order,
// or nothing. It looks at the corners of the result and what is next to its first element: an arrangement is the same
// everywhere between.
func unlike(n *graph.Node, out graph.Layout, value func(graph.Dim) (int64, bool)) string {
	x := n.In(0)
	turned := slices.Clone(x.Shape())
	slices.Reverse(turned)
	in := graph.RowMajor(turned)
	slices.Reverse(in.Strides)
	in.Shape, in.Offset = x.Shape(), 5
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
	rank := len(sizes)
	for corner := range 1 << min(rank, 6) {
		for _, far := range []bool{false, true} {
			at, moved, index := strides[rank], to[rank], make([]int64, rank)
			for axis, size := range sizes {
				if corner>>axis&1 != 0 && axis < 6 {
					if index[axis] = min(1, size-1); far {
						index[axis] = size - 1
					}
				}
				at, moved = at+index[axis]*strides[axis], moved+index[axis]*to[axis]
			}
			want, left := from[len(operand)], at
			for axis := len(operand) - 1; axis >= 0; axis-- {
				want += left % operand[axis] * from[axis]
				left /= operand[axis]
			}
			if moved != want {
				return fmt.Sprintf(
					"View shows element %d of its operand at %v, but another one if the operand's axes have another order in memory: it must use the offset and the strides of the layout that it gets",
					at, index)
			}
		}
	}
	return ""
}
