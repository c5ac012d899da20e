package rewrite

import (
	"github.com/broadloom/broadloom/graph"
)

// maxCompared is the most slices with which another one is compared individually.
const maxCompared = 512

// countDisjoint returns how many slices, from the first on, are proved to be disjoint.
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

// box is the bounding box of slices. Slices that come in order lie entirely before or after it.
type box []extent

// extent is a range of an axis, from start up to but excluding end. It is not known if the slices' ranges cannot be
// compared.
type extent struct {
	start, end graph.Dim
	known      bool
}

func extentOf(p slice, axis int) extent {
	return extent{p.start[axis], p.start[axis].Plus(p.x.Shape()[axis].Minus(1).Times(p.step[axis])).Plus(1), true}
}

// isBefore reports whether one extent is known to end at or before the start of another.
func (e extent) isBefore(f extent) bool { return e.known && f.known && isAtMost(e.end, f.start) }

// isAtMost reports whether a is known to be at most b.
func isAtMost(a, b graph.Dim) bool {
	gap, known := b.Minus(a).Int()
	return known && gap >= 0
}

// isOutside reports whether a slice is known to lie outside the box.
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

// take extends the box by a slice.
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

// with returns the smallest extent that contains both.
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

// isDisjoint reports whether a slice is known to overlap none of the others.
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

// disjointAlong reports whether two slices have no common position along an axis: one ends before the other begins, or
// they interleave.
func disjointAlong(p, q slice, axis int) bool {
	if e, f := extentOf(p, axis), extentOf(q, axis); e.isBefore(f) || f.isBefore(e) {
		return true
	}
	step, whole := p.step[axis].Int()
	distance, known := p.start[axis].Minus(q.start[axis]).Int()
	return whole && known && p.step[axis] == q.step[axis] && distance%step != 0
}
