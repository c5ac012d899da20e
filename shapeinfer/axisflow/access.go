package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// elementwise: each element is computed from the operands' elements at its position.
func elementwise(n *graph.Node, in []Value) (v Value) {
	for i, x := range n.Operands() {
		v = v.either(met(n, i, x, in[i]))
	}
	return v
}

// met is an operand's contribution to a broadcasting node.
func met(n *graph.Node, i int, x *graph.Node, v Value) Value {
	kinds, lead := n.Stretch(i), n.Rank()-x.Rank()
	if kinds == nil && lead == 0 || len(v) == 0 {
		return v
	}
	undecided := func(t Term) bool { return kinds != nil && kinds[t.Axis+lead] == graph.Undecided }
	return v.each(func(d Dependence) Dependence {
		if slices.ContainsFunc(d.Terms, undecided) {
			d = d.mixed(d.Terms)
		}
		return d.renumbered(func(axis int) int { return axis + lead })
	})
}

// reduction: folded axes are read whole.
func reduction(n *graph.Node, v Value) Value {
	x := n.In(0)
	if n.Op().Axes == nil {
		return undecidedReduction(n, v)
	}
	folded := n.Op().Axes(n)
	keeps := n.Rank() == x.Rank()
	return v.each(func(d Dependence) Dependence {
		return d.renumbered(func(axis int) int {
			before, is := slices.BinarySearch(folded, axis)
			switch {
			case is:
				return -1
			case keeps:
				return axis
			}
			return axis - before
		})
	})
}

// undecidedReduction is a reduction of the axes that have size 1 only in the result.
func undecidedReduction(n *graph.Node, v Value) Value {
	from, to := n.In(0).Shape(), n.Shape()
	return v.each(func(d Dependence) Dependence {
		if slices.ContainsFunc(d.Terms, func(t Term) bool { return from[t.Axis] != to[t.Axis] && to[t.Axis] != 1 }) {
			d = d.mixed(d.Terms)
		}
		return d.renumbered(func(axis int) int {
			if to[axis] == 1 && from[axis] != 1 {
				return -1
			}
			return axis
		})
	})
}

// product: rows are those of the first operand and columns those of the second. The axis that is summed is read whole.
func product(n *graph.Node, in []Value) Value {
	a, b := n.In(0), n.In(1)
	batch := max(a.Rank(), b.Rank(), 2) - 2
	rows := func(axis int) int {
		switch {
		case axis == a.Rank()-1:
			return -1
		case axis == a.Rank()-2:
			return batch
		}
		return axis + batch - (a.Rank() - 2)
	}
	columns := func(axis int) int {
		switch {
		case axis == max(b.Rank()-2, 0):
			return -1
		case axis == b.Rank()-1:
			return n.Rank() - 1
		}
		return axis + batch - (b.Rank() - 2)
	}
	return factor(n, a, in[0], rows).either(factor(n, b, in[1], columns))
}

// factor is an operand's contribution to a product.
func factor(n, x *graph.Node, v Value, axes func(int) int) Value {
	repeats := func(t Term) bool {
		at := axes(t.Axis)
		return at >= 0 && x.Shape()[t.Axis] != n.Shape()[at]
	}
	return v.each(func(d Dependence) Dependence {
		if slices.ContainsFunc(d.Terms, repeats) {
			d = d.mixed(d.Terms)
		}
		return d.renumbered(axes)
	})
}

// function: an example of the result is computed from all elements of the same example of each operand, and of operands
// that all examples share.
func function(n *graph.Node, in []Value) (all Value) {
	core, _ := n.Op().Core(n)
	for i, x := range n.Operands() {
		batch := x.Rank() - core[i]
		all = all.either(in[i].each(func(d Dependence) Dependence {
			return d.renumbered(func(axis int) int {
				if axis < batch {
					return axis
				}
				return -1
			})
		}))
	}
	return all
}

// gather: the axis to which indices refer may be read anywhere, and elements added by index may go anywhere, unless
// more is known of the indices.
func (f *Flow) gather(n *graph.Node, in []Value) Value {
	axis, index, at := n.Op().Axes(n)[0], n.In(1).Rank(), f.indices.of(n.In(1), 0)
	indexed := func(a int) (int, bool) { return a - axis, a >= axis && a < axis+index }
	if n.Op().Fold != graph.NoFold {
		digits := at.digits(n.Graph())
		others := func(a int) int {
			if a < axis {
				return a
			}
			return a - index + 1
		}
		byIndex := func(a int) (int, bool) { return a, true }
		added := in[0].each(func(d Dependence) Dependence { return d.stored(axis, digits, indexed, others) })
		return added.either(in[1].each(func(d Dependence) Dependence {
			return d.stored(axis, digits, byIndex, others)
		}))
	}
	picked := in[0].each(func(d Dependence) Dependence { return d.picked(axis, index, at.digits(n.Graph())) })
	return picked.either(in[1].each(func(d Dependence) Dependence {
		return d.renumbered(func(a int) int { return a + axis })
	}))
}

// stored is the dependence of elements that are added along an axis by index. indexed returns which axis of the indices
// an axis of the value is, and others the new number of the remaining axes. If an axis of the indices is a digit of the
// element's position, the dependence follows that digit; otherwise elements of all its positions may be added.
func (d Dependence) stored(axis int, digits map[int]part, indexed func(int) (int, bool),
	others func(int) int) Dependence {
	u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset, Terms: make([]Term, 0, len(d.Terms))}
	for _, t := range d.Terms {
		at, is := indexed(t.Axis)
		if !is {
			t.Axis = others(t.Axis)
			u.Terms = append(u.Terms, t)
			continue
		}
		digit, known := digits[at]
		if _, within := digit.count.ExactDiv(t.Inner.Times(t.Size)); !known || !within {
			u.Mixed = true
			continue
		}
		u.Terms = append(u.Terms, Term{axis, t.Inner.Times(digit.factor), t.Size, t.Weight})
	}
	return u.normal()
}

// picked is the dependence of elements that are picked along an axis by indices of rank index, of which digits are
// known.
func (d Dependence) picked(axis, index int, digits map[int]part) Dependence {
	u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset, Terms: make([]Term, 0, len(d.Terms))}
	for _, t := range d.Terms {
		switch {
		case t.Axis > axis:
			t.Axis += index - 1
		case t.Axis == axis:
			if t.Axis = digitOf(digits, t); t.Axis < 0 {
				u.Mixed = true
				continue
			}
			t.Axis, t.Inner = t.Axis+axis, 1
		}
		u.Terms = append(u.Terms, t)
	}
	return u.normal()
}

// digitOf returns the axis of the indices whose position is a term of the picked position; -1 if there is none.
func digitOf(digits map[int]part, t Term) int {
	for at, d := range digits {
		if d.factor == t.Inner && d.count == t.Size {
			return at
		}
	}
	return -1
}

// version: a value after a write to a part of its memory.
func version(n *graph.Node, in []Value) Value {
	write := n.In(1)
	views := alias.ViewsOf(write)
	r := reader{from: n.Shape(), views: views}
	return in[0].either(in[1].each(func(d Dependence) Dependence {
		u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset}
		for _, t := range d.Terms {
			axis, ok := r.shows(t.Axis)
			if !ok {
				u.Mixed = true
				continue
			}
			t.Axis = axis
			u.Terms = append(u.Terms, t)
		}
		return u.normal()
	}))
}
