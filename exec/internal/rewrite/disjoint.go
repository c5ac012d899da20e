package rewrite

import (
	"github.com/broadloom/broadloom/graph"
)

// maxCompared bounds the slices with which others are compared one by one.
const maxCompared = 512

// countDisjoint counts the first slices of which surely no two have an element at one place.
func countDisjoint(list []slice) int {
	var taken box
	for i, p := range list {
		if i > 0 && !taken.isOutside(p) && (i > maxCompared || !isDisjoint(p, list[:i])) {
			return i
		}
		taken.take(p)
	}
	return len(list)
}

// box is what slices reach over, by axis: slices that come in order lie before or behind all
// that have come.
type box []extent

// extent is a part of an axis: from start up to end. It is not known unless that of every slice
// is comparable.
type extent struct {
	start, end graph.Dim
	known      bool
}

func extentOf(p slice, axis int) extent {
	return extent{p.start[axis], p.start[axis].Plus(p.x.Shape()[axis].Minus(1).Times(p.step[axis])).Plus(1), true}
}

// isBefore reports whether what is in an extent surely ends where another one begins, or before.
func (e extent) isBefore(f extent) bool { return e.known && f.known && isAtMost(e.end, f.start) }

// isAtMost reports whether a is surely at most b.
func isAtMost(a, b graph.Dim) bool {
	gap, known := b.Minus(a).Int()
	return known && gap >= 0
}

// isOutside reports whether a slice surely is before or behind all that was taken.
func (b box) isOutside(p slice) bool {
	if p.x == nil {
		return false
	}
	for axis, taken := range b {
		if e := extentOf(p, axis); e.isBefore(taken) || taken.isBefore(e) {
			return true
		}
	}
	return false
}

// take adds what a slice reaches over.
func (b *box) take(p slice) {
	if p.x == nil {
		*b = nil
		return
	}
	if *b == nil {
		*b = make(box, len(p.start))
		for axis := range *b {
			(*b)[axis] = extentOf(p, axis)
		}
		return
	}
	for axis := range *b {
		(*b)[axis] = (*b)[axis].with(extentOf(p, axis))
	}
}

// with returns the least extent that holds both.
func (e extent) with(f extent) extent {
	switch {
	case isAtMost(f.start, e.start):
		e.start = f.start
	case !isAtMost(e.start, f.start):
		e.known = false
	}
	switch {
	case isAtMost(e.end, f.end):
		e.end = f.end
	case !isAtMost(f.end, e.end):
		e.known = false
	}
	return e
}

// isDisjoint reports whether a slice surely has no element where one of the others has.
func isDisjoint(p slice, others []slice) bool {
	for _, o := range others {
		apart := false
		if p.x == nil || o.x == nil {
			return false
		}
		for axis := range p.start {
			apart = apart || disjointAlong(p, o, axis)
		}
		if !apart {
			return false
		}
	}
	return true
}

// disjointAlong reports whether the places of two slices along an axis differ: one ends
// before the other begins, or they alternate.
func disjointAlong(p, q slice, axis int) bool {
	if e, f := extentOf(p, axis), extentOf(q, axis); e.isBefore(f) || f.isBefore(e) {
		return true
	}
	step, whole := p.step[axis].Int()
	distance, known := p.start[axis].Minus(q.start[axis]).Int()
	return whole && known && p.step[axis] == q.step[axis] && distance%step != 0
}
