package axisflow

import "github.com/broadloom/broadloom/graph"

// regrouped is a dependence of the same elements, in row-major order, in another shape.
func (d Dependence) regrouped(from, to graph.Shape) Dependence {
	lead, tail := kept(from, to)
	inFrom, inTo := from[lead:len(from)-tail], to[lead:len(to)-tail]
	behindFrom, behindTo := graph.RowMajor(inFrom).Strides, graph.RowMajor(inTo).Strides
	u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset, Terms: make([]Term, 0, len(d.Terms))}
	for _, t := range d.Terms {
		switch at := t.Axis - lead; {
		case at < 0:
			u.Terms = append(u.Terms, t)
		case at >= len(inFrom):
			t.Axis += len(to) - len(from)
			u.Terms = append(u.Terms, t)
		case !u.regroup(t, lead, t.Inner.Times(behindFrom[at]), behindTo, inTo):
			u.Mixed = true
		}
	}
	return u.normal()
}

// kept counts the leading and trailing axes that stay as they are.
func kept(from, to graph.Shape) (lead, tail int) {
	shorter := min(len(from), len(to))
	for lead < shorter && from[lead] == to[lead] && from[lead] != 0 {
		lead++
	}
	for tail < shorter-lead && from[len(from)-1-tail] == to[len(to)-1-tail] && to[len(to)-1-tail] != 0 {
		tail++
	}
	return lead, tail
}

// regroup adds a term whose digit changes every elements elements. It goes from the last axis to the first, and splits
// the term at axis boundaries. Axes are numbered from first on.
func (d *Dependence) regroup(t Term, first int, elements graph.Dim, behind []graph.Dim, to graph.Shape) bool {
	for axis := len(to) - 1; axis >= 0; axis-- {
		if to[axis] == 1 {
			continue
		}
		room, fits := to[axis].Times(behind[axis]).ExactDiv(elements)
		inner, aligned := elements.ExactDiv(behind[axis])
		if !fits || !aligned || room == 1 {
			continue
		}
		if _, isInside := room.ExactDiv(t.Size); isInside {
			d.Terms = append(d.Terms, Term{first + axis, inner, t.Size, t.Weight})
			return true
		}
		rest, isAcross := t.Size.ExactDiv(room)
		if !isAcross {
			return false
		}
		d.Terms = append(d.Terms, Term{first + axis, inner, room, t.Weight})
		elements = elements.Times(room)
		t.Size, t.Weight = rest, t.Weight.Times(room)
	}
	return false
}
