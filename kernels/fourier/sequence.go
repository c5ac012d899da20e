package fourier

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/fourier/internal/butterfly"
)

// sequence is the steps of the transforms of a length.
type sequence[T float] struct {
	length int
	steps  []step[T]
}

// step is one of them: transforms of radix points.
type step[T float] struct {
	radix, before, left int // before is the product of the radices before, and left that of those after
	factors             []T // of the results from 1 on, for each place of left
}

// radicesOf are the numbers of points in the order of the steps; nil if a length is no product of them.
func radicesOf(n int) (list []int) {
	for _, p := range []int{13, 11, 7, 5, 3} {
		for ; n%p == 0; n /= p {
			list = append(list, p)
		}
	}
	twos := 0
	for ; n%2 == 0; n /= 2 {
		twos++
	}
	if n != 1 {
		return nil
	}
	// Eight points at a time, except for what is left.
	switch {
	case twos == 1:
		list = append(list, 2)
	case twos%3 == 1 && twos > 3:
		list, twos = append(list, 4, 4), twos-4
	case twos%3 == 2:
		list, twos = append(list, 4), twos-2
	}
	for ; twos >= 3; twos -= 3 {
		list = append(list, 8)
	}
	return list
}

// isSmooth reports whether there are steps for a length.
func isSmooth(n int) bool { return n == 1 || radicesOf(n) != nil }

func newSequence[T float](poller Poller, n int) sequence[T] {
	s := sequence[T]{length: n}
	before, left := 1, n
	for _, radix := range radicesOf(n) {
		left /= radix
		st := step[T]{radix: radix, before: before, left: left}
		if left > 1 {
			for p := range left {
				poll(poller, rootCost*radix)
				for k := 1; k < radix; k++ {
					re, im := root(p*k, radix*left)
					st.factors = append(st.factors, T(re), T(im))
				}
			}
		}
		s.steps = append(s.steps, st)
		before *= radix
	}
	return s
}

// root is exp(-2πi·k/n), as exact as float64 allows: the angle is reduced to the first eighth of the circle.
func root(k, n int) (re, im float64) {
	k %= n
	eighth := 8 * k / n
	// The nearest multiple of a quarter, and the signed remainder.
	quarter := (eighth + 1) / 2
	s, c := math.Sincos(2 * math.Pi * float64(4*k-quarter*n) / float64(4*n))
	switch quarter % 4 {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	return c, -s
}

// run transforms the elements at x. The result may be at other, which it may overwrite; it returns where. If last is
// given, results are multiplied by its elements.
func (s *sequence[T]) run(w *worker[T], x, other unsafe.Pointer, last []T) unsafe.Pointer {
	l, a := w.loops, &w.steps
	for i := range s.steps {
		st := &s.steps[i]
		w.poll(s.length)
		kind := butterfly.Rest
		a.x, a.y = x, other
		a.factors = unsafe.Pointer(unsafe.SliceData(st.factors))
		a.xStep, a.yStep = st.before*st.left*elementBytes, st.before*elementBytes
		a.inner, a.outer, a.ySkip = st.before, st.left, (st.radix-1)*st.before*elementBytes
		switch {
		case st.left == 1 && last != nil:
			kind, a.factors = butterfly.All, unsafe.Pointer(unsafe.SliceData(last))
		case st.left == 1:
			kind = butterfly.None
		}
		l.transforms[st.radix][kind](a)
		x, other = other, x
	}
	return x
}
