package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Filters that are large beside their images have numbers that meet nothing but the padding: of 3×3 on an image of one
// place with a row of zeros around it, all but the one in the middle. These add nothing to any sum, and the bytes of
// such filters, which few places share, are what takes the time. So a convolution is computed with the numbers that
// some place has an element for, which are neighbours along each axis.

// seenTaps are the numbers of filters that meet an element along an axis, and the zeros that are left around these:
// fewer than none are elements that no number meets.
type seenTaps struct{ first, count, before, after int }

// seenAlong returns those along an axis. Nothing is left out where a size is not known, or where no number meets any
// element.
func seenAlong(size, kernel, places graph.Dim, padding, stride, dilation int) (s seenTaps, fewer bool) {
	n, known := size.Int()
	k, alsoKnown := kernel.Int()
	p, knownToo := places.Int()
	if !known || !alsoKnown || !knownToo || n == 0 || p == 0 {
		return s, false
	}
	at := func(tap, place int) int { return tap*dilation - padding + place*stride }
	last := int(k)
	for s.first < last && at(s.first, int(p)-1) < 0 {
		s.first++
	}
	for s.first < last && at(last-1, 0) >= int(n) {
		last--
	}
	s.count = last - s.first
	s.before = -at(s.first, 0)
	s.after = at(last-1, int(p)-1) + 1 - int(n)
	return s, 0 < s.count && s.count < int(k)
}

// seenOf returns those along all axes of a convolution, and whether they are fewer than there are. Where only views of
// filters do, they are single ones.
func seenOf(x, w, places graph.Shape, a ConvAttrs, onlyViews bool) (all []seenTaps, fewer bool) {
	for i, k := range w[2:] {
		s, less := seenAlong(x[2+i], k, places[i], a.Padding[i], a.Stride[i], a.Dilation[i])
		if !less {
			n, known := k.Int()
			if !known {
				return nil, false
			}
			s = seenTaps{0, int(n), a.Padding[i], a.Padding[i]}
		}
		if onlyViews && s.count != 1 {
			return nil, false
		}
		all, fewer = append(all, s), fewer || less
	}
	return all, fewer
}

// onlySeen is a convolution, x and w without the numbers that meet nothing but padding.
func onlySeen(x, w node, a ConvAttrs, all []seenTaps) (node, node, ConvAttrs) {
	padding := make([]int, len(all))
	for i, s := range all {
		w = Slice(w, 2+i, graph.Dim(s.first), graph.Dim(s.first+s.count), 1)
		if s.before == s.after && s.before >= 0 {
			padding[i] = s.before
			continue
		}
		x = Pad(x, 2+i, graph.Dim(s.before), graph.Dim(s.after), 0)
	}
	a.Padding = padding
	return x, w, a
}

// onlySeen are the filters w of a convolution of x without the numbers that meet nothing but zeros, and its arguments
// then.
func (a depthwiseAttrs) onlySeen(x, w node, places graph.Shape) (seen node, b depthwiseAttrs, fewer bool) {
	b = a
	b.Before, b.After = slices.Clone(a.Before), slices.Clone(a.After)
	for i, spread := range a.Spread {
		padding, known := a.Before[i].Int()
		s, less := seenAlong(x.Shape()[2+i], w.Shape()[2+i], places[i], int(padding), a.Stride[i], a.Dilation[i])
		if !known || !less || spread != 1 || s.before < 0 || s.after < 0 {
			continue
		}
		w = Slice(w, 2+i, graph.Dim(s.first), graph.Dim(s.first+s.count), 1)
		b.Before[i], b.After[i], fewer = graph.Dim(s.before), graph.Dim(s.after), true
	}
	return w, b, fewer
}
