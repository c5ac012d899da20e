package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// index is what is known of a node's elements that are indices: each is a sum of parts and an offset. Row-major
// positions are such sums: row·width + column.
type index struct {
	parts  []part
	offset graph.Dim
	ok     bool
}

// part is a summand of an index: factor times the position along an axis of the node, of count positions. If axis is
// negative, it is factor times any number from 0 to count-1.
type part struct {
	axis          int
	factor, count graph.Dim
}

// maxParts limits the summands of an index, and maxChain the nodes through which it is computed.
const maxParts, maxChain = 16, 64

// indices caches what is known of nodes' elements as indices.
type indices map[*graph.Node]index

// of returns what is known of a node's elements.
func (m indices) of(n *graph.Node, chain int) (at index) {
	if known, ok := m[n]; ok {
		return known
	}
	if chain < maxChain && (n.DType() == graph.Int64 || n.DType() == graph.Int32) && n.Judged() && n.Err() == nil {
		at = m.computed(n, chain+1)
	}
	m[n] = at
	return at
}

func (m indices) computed(n *graph.Node, chain int) index {
	switch v, one := n.ScalarValue(); {
	case one && v > -exactly && v < exactly:
		return index{offset: graph.Dim(v), ok: true}
	case n.Op().Class == graph.Elementwise && n.Op().Emit != nil:
		e := Trace(n)
		return m.ofStep(e, n, e.last, chain)
	case n.Op().Class == graph.Movement && n.Op().Assemble == nil && len(n.Operands()) == 1:
		return m.of(n.In(0), chain).seen(n)
	}
	return index{}
}

// ofStep returns what is known of a value within an element's computation. A value that was checked to be a valid index
// is one, if nothing more is known.
func (m indices) ofStep(e *Element, n *graph.Node, s step, chain int) (at index) {
	isWide := s.dtype == graph.Int64 // valid indices cannot overflow it
	switch {
	case s.isOther:
	case s.isNumber:
		at = index{offset: s.number, ok: true}
	case s.index > 0:
		at = index{parts: []part{{s.index - 1, 1, n.Shape()[s.index-1]}}, ok: true}
	case s.isOperand:
		at = m.of(n.In(s.from[0]), chain).broadcast(n, s.from[0])
	case s.isPrim && s.prim == graph.PrimAdd && isWide:
		at = m.ofStep(e, n, e.steps[s.operands[0]], chain).plus(m.ofStep(e, n, e.steps[s.operands[1]], chain))
	case s.isPrim && s.prim == graph.PrimMul && isWide:
		at = m.ofStep(e, n, e.steps[s.operands[0]], chain).times(m.ofStep(e, n, e.steps[s.operands[1]], chain))
	}
	if below, checked := e.below[s.is]; checked && !at.ok {
		at = index{parts: []part{{-1, 1, below}}, ok: true}
	}
	return at
}

func (at index) plus(by index) index {
	if !at.ok || !by.ok || len(at.parts)+len(by.parts) > maxParts {
		return index{}
	}
	return index{slices.Concat(at.parts, by.parts), at.offset.Plus(by.offset), true}
}

// times multiplies an index by a constant one.
func (at index) times(by index) index {
	if len(at.parts) == 0 {
		at, by = by, at
	}
	if !at.ok || !by.ok || len(by.parts) > 0 {
		return index{}
	}
	u := index{slices.Clone(at.parts), at.offset.Times(by.offset), true}
	for i := range u.parts {
		u.parts[i].factor = u.parts[i].factor.Times(by.offset)
	}
	return u
}

// broadcast converts an index to the axes of an elementwise node that reads it.
func (at index) broadcast(n *graph.Node, operand int) index {
	lead, kinds := n.Rank()-n.In(operand).Rank(), n.Stretch(operand)
	u := index{slices.Clone(at.parts), at.offset, at.ok}
	for i, p := range u.parts {
		if p.axis < 0 {
			continue
		}
		if u.parts[i].axis += lead; kinds != nil && kinds[p.axis+lead] == graph.Undecided {
			return index{}
		}
	}
	return u
}

// seen converts an index to the axes of a view of it.
func (at index) seen(view *graph.Node) index {
	r := reader{from: view.In(0).Shape(), views: []*graph.Node{view}}
	u := index{offset: at.offset, ok: at.ok}
	for _, p := range at.parts {
		if p.axis < 0 {
			u.parts = append(u.parts, p)
			continue
		}
		l := r.along(p.axis)
		if !l.ok {
			return index{}
		}
		u.offset = u.offset.Plus(l.offset.Times(p.factor))
		for axis, f := range l.factors {
			if f != 0 {
				u.parts = append(u.parts, part{axis, p.factor.Times(f), view.Shape()[axis]})
			}
		}
	}
	return u
}

// digits returns the parts of an index by axis, if each can be recovered from the index: the position is
// floor(index/factor) modulo count. This requires that the parts below one add up to less than its factor, and that
// higher factors are multiples of factor times count.
func (at index) digits(g *graph.Graph) (digits map[int]part) {
	if !at.ok || at.offset != 0 {
		return nil
	}
	p := prove.NewProver(g.Bounds)
	left := slices.DeleteFunc(slices.Clone(at.parts), func(d part) bool { return d.count == 1 })
	for room := graph.Dim(1); len(left) > 0; {
		least := slices.IndexFunc(left, func(d part) bool {
			above := 0
			for _, e := range left {
				if holdsMultiple(p, e.factor, d.factor.Times(d.count)) {
					above++
				}
			}
			return above >= len(left)-1
		})
		if least < 0 || !holdsMultiple(p, left[least].factor, room) {
			return nil
		}
		d := left[least]
		if left = slices.Delete(left, least, least+1); d.axis >= 0 {
			if _, twice := digits[d.axis]; twice {
				return nil
			}
			if digits == nil {
				digits = map[int]part{}
			}
			digits[d.axis] = d
		}
		room = d.factor.Times(d.count)
	}
	return digits
}

// holdsMultiple reports whether a size is another one times a non-negative number.
func holdsMultiple(p *prove.Prover, d, of graph.Dim) bool {
	q, exact := d.ExactDiv(of)
	return exact && p.AtLeast(q, 0) == prove.Proved
}
