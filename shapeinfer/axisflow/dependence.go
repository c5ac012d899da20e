package axisflow

import (
	"cmp"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Term is a part of the position on a source axis: Weight times the digit floor(p/Inner) mod Size of a position p on
// an axis of the value.
type Term struct {
	Axis        int
	Inner, Size graph.Dim
	Weight      graph.Dim // 0 if unknown
}

// Dependence says from which positions of a source axis the elements of a value are computed: Offset plus the sum of
// all terms, which depend on the element's own position. If Mixed, elements are computed from several positions of
// the source axis, or from unknown ones; the terms are then those of only some of the paths.
type Dependence struct {
	Source int // its number in the flow
	Terms  []Term
	Offset graph.Dim
	Mixed  bool
}

// equal reports whether two dependences are the same.
func (d Dependence) equal(e Dependence) bool {
	return d.Source == e.Source && d.Mixed == e.Mixed && d.Offset == e.Offset && slices.Equal(d.Terms, e.Terms)
}

// whole is the dependence of a value on its own axis.
func whole(source, axis int, size graph.Dim) Dependence {
	return Dependence{Source: source, Terms: []Term{{Axis: axis, Inner: 1, Size: size, Weight: 1}}}
}

// either is the dependence of a value that is computed from both.
func (d Dependence) either(e Dependence) Dependence {
	if d.equal(e) {
		return d
	}
	u := Dependence{Source: d.Source, Mixed: true, Terms: d.Terms}
	if !slices.Equal(d.Terms, e.Terms) {
		u.Terms = slices.Concat(d.Terms, e.Terms)
		slices.SortFunc(u.Terms, compareTerms)
		u.Terms = slices.Compact(u.Terms)
	}
	return u
}

// mixed is the dependence of elements that are computed from several positions, with the remaining terms.
func (d Dependence) mixed(terms []Term) Dependence {
	return Dependence{Source: d.Source, Mixed: true, Terms: terms}
}

// On reports whether a term depends on an axis.
func (d Dependence) On(axis int) bool {
	return slices.ContainsFunc(d.Terms, func(t Term) bool { return t.Axis == axis })
}

// renumbered gives each term another axis. It drops terms with a negative axis: elements are computed from all
// positions of these, so the dependence is mixed.
func (d Dependence) renumbered(axes func(int) int) Dependence {
	same := true
	for _, t := range d.Terms {
		same = same && axes(t.Axis) == t.Axis
	}
	if same {
		return d
	}
	u := Dependence{Source: d.Source, Mixed: d.Mixed, Offset: d.Offset, Terms: make([]Term, 0, len(d.Terms))}
	for _, t := range d.Terms {
		if t.Axis = axes(t.Axis); t.Axis >= 0 {
			u.Terms = append(u.Terms, t)
		} else {
			u.Mixed = true
		}
	}
	return u.normal()
}

// normal sorts terms, and merges adjacent digits.
func (d Dependence) normal() Dependence {
	if d.Mixed {
		d.Offset = 0
	}
	d.Terms = slices.DeleteFunc(d.Terms, func(t Term) bool { return t.Size == 1 })
	slices.SortFunc(d.Terms, compareTerms)
	for i := 1; i < len(d.Terms); {
		a, b := d.Terms[i-1], d.Terms[i]
		if a.Axis != b.Axis || b.Inner != a.Inner.Times(a.Size) || b.Weight != a.Weight.Times(a.Size) {
			i++
			continue
		}
		d.Terms[i-1].Size = a.Size.Times(b.Size)
		d.Terms = slices.Delete(d.Terms, i, i+1)
	}
	return d
}

// compareTerms orders terms by axis, and those of one axis from the innermost. The order of incomparable symbolic sizes
// is arbitrary, but always the same.
func compareTerms(a, b Term) int {
	if c := cmp.Or(cmp.Compare(a.Axis, b.Axis), compareInner(a.Inner, b.Inner)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.Weight, b.Weight))
}

// compareInner orders a size before its multiples.
func compareInner(a, b graph.Dim) int {
	if a == b {
		return 0
	}
	if _, exact := b.ExactDiv(a); exact {
		return -1
	}
	if _, exact := a.ExactDiv(b); exact {
		return 1
	}
	return cmp.Compare(a, b)
}
