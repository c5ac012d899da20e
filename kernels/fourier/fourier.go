package fourier

import "unsafe"

// Poller is asked time and again in long transforms, after some elements. It ends a call with a panic, after which
// results are undefined.
type Poller interface{ Poll(elements int) }

// Complex computes y[o,k,i], for all k, as the sums over j of x[o,j,i]·exp(-2πi·j·k/n), or with a plus sign. Both are
// [outer, n, inner] pairs.
func Complex[T float](poller Poller, y, x []T, n, inner int, plus bool) {
	if len(x) == 0 {
		return
	}
	planOf[T](poller, n, false).all(poller, y, x, len(x)/(2*n*inner), inner, plus)
}

// Real computes y[o,k,i], for k up to n/2, as the sums over j of x[o,j,i]·exp(-2πi·j·k/n). x is [outer, n, inner]
// numbers, and y [outer, n/2+1, inner] pairs.
func Real[T float](poller Poller, y, x []T, n, inner int) {
	if len(x) == 0 {
		return
	}
	p := planOf[T](poller, n, true)
	in, out := numbersOf(x, n, inner, 1), numbersOf(y, n/2+1, inner, 2)
	p.each(poller, out, in, len(x)/(n*inner), inner, false,
		func(w *worker[T], y, x unsafe.Pointer) { p.long.ofReal(w, y, x, p.points()) },
		func(w *worker[T], g group) { p.ofReal(w, out, in, g) })
}

// ToReal computes the sums over k of x[o,k,i]·exp(2πi·j·k/n). x has the n/2+1 first pairs of n; the others are their
// conjugates. The imaginary parts of the first one and, for even n, of the last are ignored. x is [outer, n/2+1, inner]
// pairs, and y [outer, n, inner] numbers.
func ToReal[T float](poller Poller, y, x []T, n, inner int) {
	if len(y) == 0 {
		return
	}
	p := planOf[T](poller, n, true)
	in, out := numbersOf(x, n/2+1, inner, 2), numbersOf(y, n, inner, 1)
	p.each(poller, out, in, len(y)/(n*inner), inner, false,
		func(w *worker[T], y, x unsafe.Pointer) { p.long.toReal(w, y, x, p.points()) },
		func(w *worker[T], g group) { p.toReal(w, out, in, g) })
}

// all transforms complex numbers.
func (p *plan[T]) all(poller Poller, y, x []T, outer, inner int, plus bool) {
	in, out := numbersOf(x, p.length, inner, 2), numbersOf(y, p.length, inner, 2)
	p.each(poller, out, in, outer, inner, plus,
		func(w *worker[T], y, x unsafe.Pointer) { p.long.run(w, y, x, plus) },
		func(w *worker[T], g group) { p.transform(w, out, in, g, plus) })
}

// each computes transforms in the way that suits their length: all by convolutions, long ones one by one, or groups
// side by side.
func (p *plan[T]) each(poller Poller, out, in numbers[T], outer, inner int, plus bool, long func(w *worker[T], y,
	x unsafe.Pointer),
	sideBySide func(w *worker[T], g group)) {
	w := p.workers.Get().(*worker[T])
	w.poller = poller
	switch {
	case p.cyclic != nil:
		p.convolved(w, out, in, outer*inner, plus)
	case p.long != nil && inner == 1:
		for i := range outer {
			long(w, out.row(i), in.row(i))
		}
	default:
		w.eachGroup(outer, inner, func(g group) {
			w.poll(p.length * lanesOf[T]())
			sideBySide(w, g)
		})
	}
	w.poller = nil
	p.workers.Put(w) // not after a panic
}
