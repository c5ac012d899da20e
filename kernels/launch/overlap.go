package launch

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// term is a number of bytes times an integer between lo and hi.
type term struct{ step, lo, hi int }

// overlap reports whether two operands share a byte of memory: whether the difference
// of two of their elements' addresses can be smaller than an element.
func overlap(p *rowprog.Program, a *Args, x, y int) bool {
	ox, oy := &p.Operands[x], &p.Operands[y]
	if !hasElements(ox, a) || !hasElements(oy, a) {
		return false
	}
	terms := make([]term, 0, 2*rowprog.MaxOuter+2)
	for axis := 0; axis <= len(a.Outer); axis++ {
		last := a.Size(axis) - 1
		terms = addTerm(terms, a.Stride[x][axis]*ox.Type.Size(), last)
		terms = addTerm(terms, -a.Stride[y][axis]*oy.Type.Size(), last)
	}
	// Long steps first: the remaining terms then bound the search tightly.
	slices.SortFunc(terms, func(s, t term) int { return t.step - s.step })
	effort := 10000
	distance := int(uintptr(a.Ptr[x]) - uintptr(a.Ptr[y]))
	return reaches(terms, 1-ox.Type.Size()-distance, oy.Type.Size()-1-distance, &effort)
}

// addTerm adds step times an index of at most last. Terms with the same step are merged.
func addTerm(terms []term, step, last int) []term {
	if step == 0 || last <= 0 {
		return terms
	}
	t := term{step, 0, last}
	if step < 0 {
		t = term{-step, -last, 0}
	}
	for i := range terms {
		if terms[i].step == t.step {
			terms[i].lo += t.lo
			terms[i].hi += t.hi
			return terms
		}
	}
	return append(terms, t)
}

// reaches reports whether the sum of the terms can be in [lo, hi]. It returns true when its effort is used up.
func reaches(terms []term, lo, hi int, effort *int) bool {
	if *effort--; *effort < 0 {
		return true
	}
	if len(terms) == 0 {
		return lo <= 0 && 0 <= hi
	}
	least, most := 0, 0
	for _, t := range terms[1:] {
		least += t.step * t.lo
		most += t.step * t.hi
	}
	t := terms[0]
	first := max(t.lo, ceilDiv(lo-most, t.step))
	last := min(t.hi, floorDiv(hi-least, t.step))
	for i := first; i <= last; i++ {
		if reaches(terms[1:], lo-i*t.step, hi-i*t.step, effort) {
			return true
		}
	}
	return false
}

func floorDiv(x, y int) int {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

func ceilDiv(x, y int) int { return -floorDiv(-x, y) }
