package placement

import (
	"cmp"
	"slices"
)

// taken records which memory is in use at which times.
type taken interface {
	// firstFree returns the lowest offset that is free during the block's live range.
	firstFree(k Block) (at int)
	// add marks a block's memory as in use during its live range.
	add(k Block, at int)
}

// maxListed is the number of blocks up to which a list is faster than a timeline. The time of a list is quadratic.
const maxListed = 1 << 12

func newTaken(blocks, times int) taken {
	if blocks <= maxListed {
		return &listed{make([]piece, 0, blocks)}
	}
	return newTimeline(times)
}

// listed is the list of all memory in use, by offset.
type listed struct{ pieces []piece }

// piece is memory in use during some time.
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
		// A mask instead of a branch, which would be unpredictable: most of the time of placing buffers is spent in
		// this loop.
		apart := ((last - int64(x.first)) | (int64(x.last) - first)) >> 63 // all ones if live ranges are disjoint
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

// timeline is a binary tree of periods. A block is stored in the longest periods that lie within its live range.
type timeline struct {
	end     int      // end of the root, which spans all times
	periods []period // the children of period i are 2i and 2i+1
	sets    []*spans // for firstFree
}

// period is a part of time.
type period struct {
	during spans // in use during all of it
	within spans // in use during all or a part of it
}

func newTimeline(times int) *timeline {
	t := &timeline{end: 1}
	for t.end < times {
		t.end *= 2
	}
	t.periods = make([]period, 2*t.end)
	return t
}

// visit calls wholly for the longest periods within the block's live range, and partly for those that overlap it only
// in part.
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
	t.visit(k, func(p *period) { t.sets = append(t.sets, &p.during) }, func(p *period) {
		t.sets = append(t.sets, &p.within)
	})
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

// span is a range of bytes.
type span struct{ start, end int }

// spans are disjoint, non-adjacent ranges of bytes, in order.
type spans []span

// from returns the index of the first span that ends at or after an offset.
func (s spans) from(at int) int {
	i, _ := slices.BinarySearchFunc(s, at, func(x span, at int) int { return cmp.Compare(x.end, at) })
	return i
}

// add adds a span, merged with those that it touches.
func (s *spans) add(x span) {
	first := s.from(x.start)
	last := first
	for last < len(*s) && (*s)[last].start <= x.end {
		x.start, x.end = min(x.start, (*s)[last].start), max(x.end, (*s)[last].end)
		last++
	}
	*s = slices.Replace(*s, first, last, x)
}

// firstFree returns the lowest offset from at on where some bytes fit between the spans.
func (s spans) firstFree(at, bytes int) int {
	for _, x := range s[s.from(at):] {
		if x.start >= at+bytes {
			break
		}
		at = max(at, x.end)
	}
	return at
}
