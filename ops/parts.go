package ops

import "github.com/broadloom/broadloom/graph"

const (
	// polledPart is how many elements a function computes before it polls again, in loops of which each turn is short.
	polledPart = 1 << 14
	// polledBytes is how many bytes are copied in the time that an element of arithmetic takes.
	polledBytes = 16
)

// nextPart polls, and takes the next elements from rest.
func nextPart[T any](a *graph.Arrays, rest *[]T) (part []T) {
	part = (*rest)[:min(len(*rest), polledPart)]
	*rest = (*rest)[len(part):]
	a.Poll(len(part))
	return part
}

// nextSteps polls, and returns up to which of some steps the next ones go, from one on. A step has width elements.
func nextSteps(a *graph.Arrays, from, steps, width int) (end int) {
	end = min(from+max(polledPart/width, 1), steps)
	a.Poll((end - from) * width)
	return end
}

// copyPolling copies bytes, and polls. Go's copy of a megabyte or more at once leaves nothing in a cache.
func copyPolling(a *graph.Arrays, dst, src []byte) {
	for len(src) > 0 {
		n := copy(dst, src[:min(len(src), polledPart*polledBytes)])
		a.Poll(n / polledBytes)
		dst, src = dst[n:], src[n:]
	}
}
