package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Mixes reports whether a reshape mixes axes: some elements of one axis are inside another one, so that no axis of
// the result between them is an axis of the operand, a part of one, or several of them. Both shapes have the same
// number of elements.
//
// Each axis begins and ends at a distance in memory: these are its boundaries. A reshape that merges and splits axes
// keeps the boundaries of one side among those of the other. It mixes if two boundaries are not multiples of each
// other, as in [8, seq, 64] to [seq, 512], or if an axis is cut and neither part is an axis. A named size counts as a
// multiple only of the numbers that it was declared a multiple of. If all sizes are numbers, one must be in both
// shapes, or the operand must have three axes that the result lacks, like images that are cut into patches: otherwise
// nothing says what the axes are.
func Mixes(p *prove.Prover, from, to graph.Shape) bool {
	from, to = Core(from, to)
	if len(from) < 2 || len(to) < 2 || isShear(from, to) || arePairs(from) {
		return false
	}
	return isExchange(from, to) || (len(from) > 2 || hasKin(from, to)) && scan(p, from, to)
}

// hasKin reports whether sizes suggest that something in the result is an axis of the operand: a named size, or a
// number that occurs in both.
func hasKin(from, to graph.Shape) bool {
	return slices.ContainsFunc(from, func(d graph.Dim) bool { return d.IsSymbolic() || slices.Contains(to, d) })
}

// Core returns the shapes without axes of size 1, and without those that are the same at both ends.
func Core(from, to graph.Shape) (graph.Shape, graph.Shape) {
	isOne := func(d graph.Dim) bool { return d == 1 }
	from = slices.DeleteFunc(slices.Clone(from), isOne)
	to = slices.DeleteFunc(slices.Clone(to), isOne)
	if hides(from) || hides(to) {
		return nil, nil
	}
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	for len(from) > 0 && len(to) > 0 && from[len(from)-1] == to[len(to)-1] {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	return from, to
}

// hides reports whether nothing can be said of a shape.
func hides(s graph.Shape) bool {
	return slices.ContainsFunc(s, func(d graph.Dim) bool { return d == 0 || !prove.IsJudgeable(d) })
}

// isShear reports whether two axes of the same kind change places: their sizes differ by a constant, as n and n+1. This
// is a way to shift rows against each other on purpose.
func isShear(from, to graph.Shape) bool {
	if len(from) != 2 || len(to) != 2 || from[0] != to[1] || from[1] != to[0] {
		return false
	}
	by, known := from[0].Minus(from[1]).Int()
	return known && (from[0].IsSymbolic() || by == 1 || by == -1)
}

// arePairs reports whether two axes count pairs within one set, as n and n-1. Together they are one list, which may be
// split in another way.
func arePairs(s graph.Shape) bool {
	if len(s) != 2 || !s[0].IsSymbolic() || s[0] == s[1] {
		return false
	}
	_, known := s[0].Minus(s[1]).Int()
	return known
}

// isExchange reports whether the result has the operand's sizes in another order, where an axis of one may be several
// adjacent axes of the other.
func isExchange(from, to graph.Shape) bool {
	if len(from) > len(to) {
		from, to = to, from
	}
	return exchanges(slices.Clone(from), to, true)
}

// exchanges reports whether the sizes in to, with adjacent ones merged, are those remaining in left, each once. inOrder
// says that so far they came in order, so nothing was exchanged yet.
func exchanges(left, to graph.Shape, inOrder bool) bool {
	if len(left) == 0 || len(to) == 0 {
		return len(left) == len(to) && !inOrder
	}
	size := graph.Dim(1)
	for taken, d := range to {
		size = size.Times(d)
		at := slices.Index(left, size)
		if at >= 0 && exchanges(slices.Delete(slices.Clone(left), at, at+1), to[taken+1:], inOrder && at == 0) {
			return true
		}
	}
	return false
}

// scan compares the boundaries of both shapes from the last axis to the first.
func scan(p *prove.Prover, from, to graph.Shape) bool {
	s, t := boundariesOf(from), boundariesOf(to)
	i, j := len(from)-1, len(to)-1
	alone := true // whether the axes after axis i of the operand end where an axis of the result does
	cut := false  // whether axis i is split, and its inner part is not a separate axis
	for i >= 0 && j >= 0 {
		switch {
		case i == 0 && j == 0 || s.before[i] == t.before[j] || p.Equal(s.behind[i], t.behind[j]) == prove.Proved:
			i, j, alone, cut = i-1, j-1, true, false
		case j == 0 || i > 0 && isMultiple(p, t, j, s, i):
			if cut {
				return true
			}
			i, alone = i-1, false
		case i == 0 || isMultiple(p, s, i, t, j):
			j, cut = j-1, !alone
		default:
			return true
		}
	}
	return false
}

// boundaries are, for each axis, the product of the sizes from it on, and of those before it.
type boundaries struct{ behind, before []graph.Dim }

func boundariesOf(s graph.Shape) boundaries {
	b := boundaries{make([]graph.Dim, len(s)), make([]graph.Dim, len(s))}
	product := graph.Dim(1)
	for i, d := range s {
		b.before[i] = product
		product = product.Times(d)
	}
	product = 1
	for i, d := range slices.Backward(s) {
		product = product.Times(d)
		b.behind[i] = product
	}
	return b
}

// isMultiple reports whether the boundary before axis i of a is a multiple of that before axis j of b. The elements
// after it may show that or, since both shapes have the same number of elements, those before it, in reverse.
func isMultiple(p *prove.Prover, a boundaries, i int, b boundaries, j int) bool {
	return divides(p, b.behind[j], a.behind[i]) || divides(p, a.before[i], b.before[j])
}

func divides(p *prove.Prover, d, e graph.Dim) bool {
	if _, exact := e.ExactDiv(d); exact {
		return true
	}
	return p.Judge(graph.Requirement{Kind: graph.MustBeMultipleOf, A: e, B: d}) == prove.Proved
}
