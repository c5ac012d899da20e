package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Remedy is an order of axes with which a reshape does not mix them.
type Remedy struct {
	// Split is the operand's shape with one axis split, or nil if none needs to be.
	Split graph.Shape
	// Perm is the permutation of its axes: axis i becomes axis Perm[i] of the operand.
	Perm []int
	// Gives is the resulting shape.
	Gives graph.Shape
}

// maxPermuted is the most axes whose permutations are tried.
const maxPermuted = 6

// Unmix looks for an order of the operand's axes, or of those with one axis split, from which the reshape does not
// mix them. It prefers the order that exchanges the fewest pairs of axes.
func Unmix(p *prove.Prover, from, to graph.Shape) (r Remedy, ok bool) {
	if perm, ok := reorder(p, from, to); ok {
		return Remedy{Perm: perm, Gives: permuted(from, perm)}, true
	}
	for axis, size := range from {
		for _, part := range to {
			other, exact := size.ExactDiv(part)
			if !exact || other == 1 || part == 1 {
				continue
			}
			for _, parts := range [][]graph.Dim{{other, part}, {part, other}} {
				split := slices.Replace(slices.Clone(from), axis, axis+1, parts...)
				perm, found := reorder(p, split, to)
				if found && (!ok || exchangedIn(perm) < exchangedIn(r.Perm)) {
					r, ok = Remedy{Split: split, Perm: perm, Gives: permuted(split, perm)}, true
				}
			}
		}
	}
	return r, ok
}

// reorder finds the order that exchanges the fewest pairs of axes.
func reorder(p *prove.Prover, from, to graph.Shape) (best []int, ok bool) {
	if len(from) > maxPermuted {
		return nil, false
	}
	fewest := len(from) * len(from)
	permutations(len(from), func(perm []int) {
		if pairs := exchangedIn(perm); pairs > 0 && pairs < fewest && !Mixes(p, permuted(from, perm), to) {
			best, fewest = slices.Clone(perm), pairs
		}
	})
	return best, best != nil
}

func permuted(s graph.Shape, perm []int) graph.Shape {
	out := make(graph.Shape, len(s))
	for i, a := range perm {
		out[i] = s[a]
	}
	return out
}

// exchangedIn counts the exchanged pairs of axes.
func exchangedIn(perm []int) (pairs int) {
	for i, a := range perm {
		for _, b := range perm[i+1:] {
			if a > b {
				pairs++
			}
		}
	}
	return pairs
}

// permutations calls f with each order of n axes.
func permutations(n int, f func([]int)) {
	perm := make([]int, 0, n)
	var extend func()
	extend = func() {
		if len(perm) == n {
			f(perm)
			return
		}
		for a := range n {
			if !slices.Contains(perm, a) {
				perm = append(perm, a)
				extend()
				perm = perm[:len(perm)-1]
			}
		}
	}
	extend()
}
