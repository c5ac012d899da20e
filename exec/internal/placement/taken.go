package placement

import (
	"cmp"
	"slices"
)

// taken is which memory is taken at what time.
type taken interface {
	// firstFree returns the lowest place for a block that is free while it lives.
	firstFree(k Block) (at int)
	// add takes the memory of a block at a place while it lives.
	add(k Block, at int)
}

// maxListed is the number of blocks up to which a list of all is faster than a timeline: its time grows with the square of their number.
const maxListed = 1 << 12

func newTaken(blocks, times int) taken {
	if blocks <= maxListed {
		return &listed{make([]piece, 0, blocks)}
	}
	return newTimeline(times)
}

// listed is all memory that is taken, in order.
type listed struct{ pieces []piece }

// piece is memory that is taken during some time.
type piece struct {
	span
	first, last int32
}

func (l *listed) firstFree(k Block) (at int) {
	if k.Bytes == 0 {
		return 0
	}
	first, last := int64(k.First), int64(k.Last)
	for i := range l.pieces {
		x := &l.pieces[i]
		if x.start >= at+k.Bytes {
			break
		}
		// A mask in place of a branch, which nothing could predict: this loop takes most of the time that buffers take to be placed.
		apart := ((last - int64(x.first)) | (int64(x.last) - first)) >> 63 // all ones where they live at different times
		at = max(at, x.end&^int(apart))
	}
	return at
}

func (l *listed) add(k Block, at int) {
	if k.Bytes == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(l.pieces, at, func(x piece, at int) int { return cmp.Compare(x.start, at) })
	l.pieces = slices.Insert(l.pieces, i, piece{span{at, at + k.Bytes}, int32(k.First), int32(k.Last)})
}

// timeline is a tree of periods, each of which consists
// of two. A block is noted at the longest periods during all of which it lives.
type timeline struct {
	end     int      // of the first period, that of all time
	periods []period // those that make up number i have the numbers 2i and 2i+1
	sets    []*spans // for firstFree
}

// period is a part of time.
type period struct {
	during spans // taken during all of it
	within spans // taken during all of it or of a part of it
}

func newTimeline(times int) *timeline {
	t := &timeline{end: 1}
	for t.end < times {
		t.end *= 2
	}
	t.periods = make([]period, 2*t.end)
	return t
}

// visit calls partly for the periods of which the block lives in a part, and wholly for the
// longest others in which it lives.
func (t *timeline) visit(k Block, partly, wholly func(*period)) {
	var in func(i, from, to int)
	in = func(i, from, to int) {
		switch p := &t.periods[i]; {
		case k.Last < from || to <= k.First:
		case k.First <= from && to-1 <= k.Last:
			wholly(p)
		default:
			partly(p)
			in(2*i, from, (from+to)/2)
			in(2*i+1, (from+to)/2, to)
		}
	}
	in(1, 0, t.end)
}

func (t *timeline) add(k Block, at int) {
	if k.Bytes == 0 {
		return
	}
	within := func(p *period) { p.within.add(span{at, at + k.Bytes}) }
	t.visit(k, within, func(p *period) {
		within(p)
		p.during.add(span{at, at + k.Bytes})
	})
}

func (t *timeline) firstFree(k Block) (at int) {
	if k.Bytes == 0 {
		return 0
	}
	t.sets = t.sets[:0]
	t.visit(k, func(p *period) { t.sets = append(t.sets, &p.during) }, func(p *period) { t.sets = append(t.sets, &p.within) })
	for agreed := 0; agreed < len(t.sets); {
		agreed = 0
		for _, s := range t.sets {
			if free := s.firstFree(at, k.Bytes); free > at {
				at = free
				break
			}
			agreed++
		}
	}
	return at
}

// span is a run of bytes.
type span struct{ start, end int }

// spans are runs of bytes that do not touch, in order.
type spans []span

// from returns the number of the first span that ends at or after a place.
func (s spans) from(at int) int {
	i, _ := slices.BinarySearchFunc(s, at, func(x span, at int) int { return cmp.Compare(x.end, at) })
	return i
}

// add joins a span with those that it touches.
func (s *spans) add(x span) {
	first := s.from(x.start)
	last := first
	for last < len(*s) && (*s)[last].start <= x.end {
		x.start, x.end = min(x.start, (*s)[last].start), max(x.end, (*s)[last].end)
		last++
	}
	*s = slices.Replace(*s, first, last, x)
}

// firstFree returns the lowest place, not before at, of some bytes between the spans.
func (s spans) firstFree(at, bytes int) int {
	for _, x := range s[s.from(at):] {
		if x.start >= at+bytes {
			break
		}
		at = max(at, x.end)
	}
	return at
}
