package shapeinfer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// moves requires that a movement's arrangement is that of its result, within its operand.
func (c *operationCheck) moves() {
	for _, x := range c.n.Read() {
		if !c.want(x.DType() == c.n.DType(), "Infer returns dtype %s, but it moves elements of dtype %s", c.n.DType(),
			x.DType()) {
			return
		}
	}
	switch {
	case c.op.Assemble != nil:
		c.assembles()
	case c.takes(1) && !slices.Contains(c.n.Stretch(0), graph.Undecided):
		c.views()
	}
}

func (c *operationCheck) views() {
	x := c.n.In(0)
	var out graph.Layout
	ok := false
	c.guarded("View", func() { out, ok = c.op.View(c.n, graph.RowMajor(x.Shape())) })
	if !c.want(ok, "View returns no layout, even for an operand in row-major order") ||
		!c.want(len(out.Strides) == c.n.Rank() && !c.differ(out.Shape, c.n.Shape()),
			"View returns shape %s with %d strides, but Infer says %s", out.Shape, len(out.Strides), c.n.Shape()) {
		return
	}
	wrong := outside(prove.NewProver(c.n.Graph().Bounds), out, x.Shape())
	if wrong == "" && x.Shape().IsStatic() && c.n.Shape().IsStatic() && c.op.IsUsers() {
		c.guarded("View", func() { wrong = unlike(c.n, out, graph.Dim.Int) })
	}
	if wrong == "" && c.op.Once {
		wrong = shownTwice(out)
	}
	c.want(wrong == "", "%s", wrong)
}

// maxLookedAt bounds the elements of a view of which it is looked at whether two show one.
const maxLookedAt = 1 << 16

// shownTwice says which elements of a view show one element of its operand, though the operation claims Once, or
// nothing. Sizes and strides that are no numbers say nothing.
func shownTwice(out graph.Layout) string {
	if standAlone(out) {
		return ""
	}
	count := int64(1)
	for _, d := range out.Shape {
		count = min(count*min(int64(d), maxLookedAt), maxLookedAt)
	}
	first := map[graph.Dim][]graph.Dim{}
	index := make([]graph.Dim, len(out.Shape))
	for range count {
		at := out.Offset
		for axis, i := range index {
			at += i * out.Strides[axis]
		}
		if other, shown := first[at]; shown {
			return fmt.Sprintf("it claims Once, but View shows element %d of its operand at %v and at %v", at, other,
				index)
		}
		first[at] = slices.Clone(index)
		for axis := len(index) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < out.Shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return ""
}

// standAlone reports whether each axis of a view steps over all that those of smaller strides reach, or nothing is
// known of them.
func standAlone(out graph.Layout) bool {
	var axes []placed
	for axis, step := range out.Strides {
		if !step.IsConst() || !out.Shape[axis].IsConst() || !out.Offset.IsConst() || out.Shape[axis] == 0 {
			return true
		}
		axes = append(axes, placed{step: max(step, -step), size: out.Shape[axis]})
	}
	slices.SortFunc(axes, func(a, b placed) int { return cmp.Compare(a.step, b.step) })
	reach := graph.Dim(0)
	for _, a := range axes {
		if a.size > 1 && a.step <= reach {
			return false
		}
		reach += a.step * (a.size - 1)
	}
	return true
}

// outside says how a view reaches beyond its operand, or nothing where it may not. Strides of unknown sign are left to
// the binding of sizes.
func outside(p *prove.Prover, out graph.Layout, of graph.Shape) string {
	count, first, last := of.NumElements(), out.Offset, out.Offset
	for axis, step := range out.Strides {
		reach := step.Times(out.Shape[axis].Minus(1))
		switch r, known := reach.Int(); {
		case out.Shape[axis] == 0:
			return "" // nothing is ever read
		case !known:
			return ""
		case r < 0:
			first = first.Plus(reach)
		default:
			last = last.Plus(reach)
		}
	}
	if p.AtLeast(first, 0) == prove.Refused || p.AtLeast(count.Minus(last), 1) == prove.Refused {
		return fmt.Sprintf("View reaches elements %s to %s of an operand that has %s", first, last, count)
	}
	return ""
}

// assembles requires that operands lie within the result.
func (c *operationCheck) assembles() {
	var a graph.Assembly
	c.guarded("Assemble", func() { a = c.op.Assemble(c.n) })
	c.assembled(prove.NewProver(c.n.Graph().Bounds), a, c.n.Shape(), shapesOf(c.n.Operands()))
}

func shapesOf(values []*graph.Node) (list []graph.Shape) {
	for _, x := range values {
		list = append(list, x.Shape())
	}
	return list
}

// assembled requires it of operands and a result of some shapes.
func (c *operationCheck) assembled(p *prove.Prover, a graph.Assembly, result graph.Shape, in []graph.Shape) {
	if !c.want(len(a.Start) == len(a.Step), "Assemble returns %d positions and %d steps for %d operands", len(a.Start),
		len(a.Step), len(in)) ||
		!c.want(len(a.Start) == len(in), "Assemble returns %d positions for %d operands", len(a.Start), len(in)) {
		return
	}
	for i, x := range in {
		if a.Start[i] == nil {
			continue
		}
		if !c.want(len(x) == len(result) && len(a.Start[i]) == len(x) && len(a.Step[i]) == len(x),
			"Assemble places operand %d of %d axes by %d starts and %d steps in %d axes", i, len(x), len(a.Start[i]),
			len(a.Step[i]), len(result)) {
			return
		}
		for axis, size := range x {
			start, step := a.Start[i][axis], a.Step[i][axis]
			last := start.Plus(size.Minus(1).Times(step))
			outside := isNoPlace(start) || isNoPlace(step) || p.AtLeast(step, 1) == prove.Refused ||
				size != 0 && (p.AtLeast(start, 0) == prove.Refused ||
					p.AtLeast(result[axis].Minus(last), 1) == prove.Refused)
			if !c.want(!outside,
				"Assemble places operand %d at %s to %s in steps of %s along axis %d, whose size is %s", i, start, last,
				step, axis, result[axis]) {
				return
			}
		}
	}
	c.standApart(a, in)
}

// isNoPlace reports whether a start or a step was computed wrongly.
func isNoPlace(d graph.Dim) bool { return !d.Valid() || d.IsUnknown() }

// maxPlaced bounds the operands, and the elements of an axis, of which it is looked at whether
// their places meet.
const maxPlaced = 64

// standApart requires that no two operands have a place in common, where their sizes and places
// are numbers.
func (c *operationCheck) standApart(a graph.Assembly, in []graph.Shape) {
	for j := range in[:min(len(in), maxPlaced)] {
		for i := range j {
			if a.Start[i] == nil || a.Start[j] == nil {
				continue
			}
			meet := true
			for axis := range in[i] {
				meet = meet && meetOn(placed{a.Start[i][axis], a.Step[i][axis], in[i][axis]},
					placed{a.Start[j][axis], a.Step[j][axis], in[j][axis]})
			}
			c.want(!meet, "Assemble places operands %d and %d on one element", i, j)
		}
	}
}

// placed is where the elements of an axis stand.
type placed struct{ start, step, size graph.Dim }

// meetOn reports whether elements of two axes surely stand in one place.
func meetOn(a, b placed) bool {
	for _, d := range []graph.Dim{a.start, a.step, a.size, b.start, b.step, b.size} {
		if !d.IsConst() {
			return false
		}
	}
	for k := range min(a.size, maxPlaced) {
		from := a.start + k*a.step - b.start
		if from >= 0 && from%b.step == 0 && from/b.step < b.size {
			return true
		}
	}
	return false
}
