package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// movement: the same elements, rearranged.
func movement(n *graph.Node, in []Value) Value {
	switch {
	case n.Op().Assemble != nil:
		return assembled(n, in)
	case len(n.Read()) != 1:
		return scrambled(in)
	case isRegrouped(n):
		from, to := n.In(0).Shape(), n.Shape()
		return in[0].each(func(d Dependence) Dependence { return d.regrouped(from, to) })
	}
	r := reader{from: n.In(0).Shape(), views: []*graph.Node{n}}
	return in[0].each(func(d Dependence) Dependence { return r.read(d, n) })
}

// isRegrouped reports whether a movement keeps all elements of its operand in row-major order.
func isRegrouped(n *graph.Node) bool {
	if len(n.Stretch(0)) > 0 || n.Rank() == 0 {
		return false
	}
	l, ok := View(n, graph.RowMajor(n.In(0).Shape()))
	return ok && l.IsRowMajor() && keepsElements(n)
}

// keepsElements reports whether a value has as many elements as its operand, for all sizes that the operation allows.
func keepsElements(n *graph.Node) bool {
	from, to := n.In(0).Shape().NumElements(), n.Shape().NumElements()
	if from == to || prove.NewProver(n.Graph().Bounds).Equal(from, to) == prove.Proved {
		return true
	}
	return slices.ContainsFunc(n.Graph().Requirements(), func(r graph.Requirement) bool {
		return r.Node == n && (r.Kind == graph.MustEqual || r.Kind == graph.MustBeMultipleOf)
	})
}

// read is a dependence through a view.
func (r *reader) read(d Dependence, n *graph.Node) Dependence {
	u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset, Terms: make([]Term, 0, len(d.Terms))}
	for _, t := range d.Terms {
		l := r.along(t.Axis)
		if !l.ok {
			u.Mixed = true
			continue
		}
		u.add(t, l, r.from[t.Axis], n.Shape())
	}
	return u.normal()
}

// add adds what a view of some shape shows of a term, whose axis has a given size.
func (d *Dependence) add(t Term, l linear, from graph.Dim, to graph.Shape) {
	if t.Inner == 1 && t.Size == from {
		for axis, f := range l.factors {
			if f != 0 {
				d.Terms = append(d.Terms, Term{axis, 1, to[axis], t.Weight.Times(f)})
			}
		}
		d.Offset = d.Offset.Plus(l.offset.Times(t.Weight))
		return
	}
	axis, factor, one := l.only()
	if !one {
		d.Mixed = true
		return
	}
	t.Axis = axis
	if _, even := l.offset.ExactDiv(t.Inner.Times(t.Size)); factor != 1 || !even {
		d.Mixed, t.Weight = true, 0
	}
	d.Terms = append(d.Terms, t)
}

// assembled: operands are put at positions of the result.
func assembled(n *graph.Node, in []Value) Value {
	a := n.Op().Assemble(n)
	forms := [2]Value{}
	for form := range forms {
		for i, v := range in {
			if i >= len(a.Start) || a.Start[i] == nil {
				continue // the operand has no elements there
			}
			placed := v.each(func(d Dependence) Dependence {
				return d.placed(n.In(i).Shape(), n.Shape(), a.Start[i], a.Step[i], form == 1)
			})
			forms[form] = forms[form].either(placed)
		}
	}
	at := -1
	return forms[0].each(func(d Dependence) Dependence {
		at++
		if e := forms[1][at]; d.Mixed && !e.Mixed {
			return e
		}
		return d
	})
}

// placed is the dependence of an operand that is put at a position of a result. An operand's position is the result's
// minus the start or, if periodic, the result's modulo the operand's size, if the start is a multiple of that.
func (d Dependence) placed(from, to, start, step graph.Shape, periodic bool) Dependence {
	u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset, Terms: slices.Clone(d.Terms)}
	for i, t := range u.Terms {
		s := start[t.Axis]
		_, even := s.ExactDiv(t.Inner.Times(t.Size))
		switch isAll := t.Inner == 1 && t.Size == from[t.Axis]; {
		case step[t.Axis] != 1:
			u.Mixed, u.Terms[i].Weight = true, 0
		case isAll && !periodic:
			u.Terms[i].Size = to[t.Axis]
			u.Offset = u.Offset.Minus(s.Times(t.Weight))
		case !even:
			u.Mixed, u.Terms[i].Weight = true, 0
		}
	}
	return u.normal()
}
