package fourier

import "unsafe"

// transform computes the transforms of complex numbers of a group.
func (p *plan[T]) transform(w *worker[T], y, x numbers[T], g group, plus bool) {
	first, second := w.first.room(p.length), w.second.room(p.length)
	w.load(block{first, partBytes, plus}, x, g)
	w.store(y, block{p.complex.run(w, first, second, nil), partBytes, plus}, g)
}

// ofReal computes the first halves of the transforms of the real numbers of a group.
func (p *plan[T]) ofReal(w *worker[T], y, x numbers[T], g group) {
	points := p.points()
	first, second := w.first.room(points+1), w.second.room(points+1)
	from := block{first: first, row: partBytes}
	if !p.halved() { // their imaginary parts are 0
		from.row = elementBytes
		for j := range points {
			*(*[partBytes]byte)(unsafe.Add(first, j*elementBytes+partBytes)) = [partBytes]byte{}
		}
	}
	w.load(from, x, g)
	z := p.complex.run(w, first, second, nil)
	if p.halved() {
		*(*[elementBytes]byte)(unsafe.Add(z, points*elementBytes)) = *(*[elementBytes]byte)(z)
		p.mirrored(w, w.loops.ofReal[0], z)
	}
	w.store(y, block{z, partBytes, false}, g)
}

// toReal computes the real numbers of a group; x has the first halves of their transforms.
func (p *plan[T]) toReal(w *worker[T], y, x numbers[T], g group) {
	points := p.points()
	first, second := w.first.room(points+1), w.second.room(points+1)
	w.load(block{first, partBytes, false}, x, g)
	clearImaginary(first, 0)
	if p.halved() {
		clearImaginary(first, points)
		p.mirrored(w, w.loops.toReal[0], first)
		w.store(y, block{p.complex.run(w, first, second, nil), partBytes, true}, g)
		return
	}
	// Real numbers are their own conjugates, and so have the transform of the conjugates.
	lanes := lanesOf[T]()
	all := unsafe.Slice((*T)(first), 2*points*lanes)
	for k := 1; k < x.places; k++ {
		e, other := all[2*k*lanes:][:2*lanes], all[2*(points-k)*lanes:][:2*lanes]
		copy(other, e)
		for i := lanes; i < 2*lanes; i++ {
			e[i] = -e[i]
		}
	}
	w.store(y, block{p.complex.run(w, first, second, nil), elementBytes, false}, g)
}

// clearImaginary makes the imaginary parts of an element 0.
func clearImaginary(elements unsafe.Pointer, number int) {
	*(*[partBytes]byte)(unsafe.Add(elements, number*elementBytes+partBytes)) = [partBytes]byte{}
}

// mirrored runs the step of transforms of real numbers in place.
func (p *plan[T]) mirrored(w *worker[T], step func(*stepArgs), elements unsafe.Pointer) {
	a, last := &w.steps, unsafe.Add(elements, p.points()*elementBytes)
	a.x, a.y, a.xMirror, a.yMirror = elements, elements, last, last
	a.factors, a.inner = unsafe.Pointer(unsafe.SliceData(p.mirror)), p.points()/2+1
	step(a)
}
