package fourier

import "unsafe"

// long is a transform of many contiguous numbers as rows·columns transforms of fewer, side by side.
type long[T float] struct {
	rows, columns sequence[T]   // of the columns of a matrix, which are of length rows, and of its rows
	factors       []elements[T] // of each block of columns
	mirror        elements[T]   // for real numbers, by place
}

// leastLong times the number of lanes is the least length of a long transform.
const leastLong = 16

// newLong returns the way to transform n contiguous numbers, which may be pairs of real ones. It is nil if they are
// few, or n is no product of two numbers that fill all lanes.
func newLong[T float](poller Poller, n int, real bool) *long[T] {
	lanes := lanesOf[T]()
	if n < leastLong*lanes {
		return nil
	}
	var best *long[T]
	least := 0
	for rows := lanes; rows*lanes <= n; rows++ {
		if n%rows != 0 {
			continue
		}
		l := &long[T]{rows: sequence[T]{length: rows}, columns: sequence[T]{length: n / rows}}
		cost := (rows+lanes-1)/lanes*n/rows*len(radicesOf(n/rows)) + (n/rows+lanes-1)/lanes*rows*len(radicesOf(rows))
		if best == nil || cost < least {
			best, least = l, cost
		}
	}
	if best == nil {
		return nil
	}
	best.rows, best.columns = newSequence[T](poller, best.rows.length), newSequence[T](poller, best.columns.length)
	for block := range best.blocks(best.columns.length) {
		var e elements[T]
		f := unsafe.Slice((*T)(e.room(best.rows.length)), 2*lanes*best.rows.length)
		first := best.block(best.columns.length, block)
		for k := range best.rows.length {
			poll(poller, rootCost*lanes)
			for l := range lanes {
				re, im := root(k*(first+l), n)
				f[2*k*lanes+l], f[(2*k+1)*lanes+l] = T(re), T(im)
			}
		}
		best.factors = append(best.factors, e)
	}
	if real {
		count := best.mirrorBlocks(n)
		f := unsafe.Slice((*T)(best.mirror.room(count)), 2*lanes*count)
		for i := range count * lanes {
			poll(poller, rootCost)
			re, im := root(i, 2*n)
			f[i/lanes*2*lanes+i%lanes], f[(i/lanes*2+1)*lanes+i%lanes] = T(re/2), T(im/2)
		}
	}
	return best
}

// blocks is the number of blocks of lanes in a length, and block the place where one begins: the last one may overlap
// the one before.
func (l *long[T]) blocks(length int) int { return (length + lanesOf[T]() - 1) / lanesOf[T]() }

func (l *long[T]) block(length, i int) int { return min(i*lanesOf[T](), length-lanesOf[T]()) }

// mirrorBlocks is the number of blocks of the mirrored places: those up to the middle.
func (l *long[T]) mirrorBlocks(n int) int { return n/2/lanesOf[T]() + 1 }

// run transforms contiguous numbers. Their parts are swapped if the exponent has a plus sign.
func (l *long[T]) run(w *worker[T], y, x unsafe.Pointer, plus bool) {
	size := int(unsafe.Sizeof(T(0)))
	rows, columns := l.rows.length, l.columns.length
	most := max(rows, columns)
	first, second := w.first.room(most), w.second.room(most)
	middle := w.middle.room(l.blocks(rows) * columns)
	for i := range l.blocks(columns) {
		w.poll(rows * lanesOf[T]())
		c := l.block(columns, i)
		place := numbers[T]{unsafe.Add(x, 2*c*size), rows, columns, 2}
		w.load(block{first, partBytes, plus}, place, group{layout: inColumns})
		z := l.rows.run(w, first, second, l.factors[i].all())
		a := &w.moves
		a.fromStep, a.toStep, a.groups, a.rows = 2*elementBytes, 2*elementBytes, partBytes/vectorBytes,
			partBytes/pieceBytes
		for k := range l.blocks(rows) {
			from, to := unsafe.Add(z, l.block(rows, k)*elementBytes), unsafe.Add(middle, (k*columns+c)*elementBytes)
			for part := 0; part < elementBytes; part += partBytes {
				a.from, a.to = unsafe.Add(from, part), unsafe.Add(to, part)
				a.fromOther, a.toOther = unsafe.Add(a.from, elementBytes), unsafe.Add(a.to, elementBytes)
				w.loops.transpose(a)
			}
		}
	}
	for k := range l.blocks(rows) {
		w.poll(columns * lanesOf[T]())
		z := l.columns.run(w, unsafe.Add(middle, k*columns*elementBytes), second, nil)
		place := numbers[T]{unsafe.Add(y, 2*l.block(rows, k)*size), columns, rows, 2}
		w.store(place, block{z, partBytes, plus}, group{layout: inColumns})
	}
}

// all are the elements as numbers.
func (e *elements[T]) all() []T {
	p := unsafe.Pointer(unsafe.SliceData(*e))
	skip := -int(uintptr(p)) & (partBytes - 1) / int(unsafe.Sizeof(T(0)))
	return (*e)[skip:]
}

// ofReal computes the first half of the transform of contiguous real numbers.
func (l *long[T]) ofReal(w *worker[T], y, x unsafe.Pointer, points int) {
	z := w.complexNumbers(points + 1)
	p := unsafe.Pointer(unsafe.SliceData(z))
	l.run(w, p, x, false)
	copy(z[2*points:], z[:2])
	l.mirrored(w, w.loops.ofReal[1], y, p, points, false)
}

// complexNumbers returns memory for n pairs.
func (w *worker[T]) complexNumbers(n int) []T {
	if len(w.numbers) < 2*n {
		w.numbers = make([]T, 2*n)
	}
	return w.numbers[:2*n]
}

// toReal computes contiguous real numbers; x has the first half of their transform.
func (l *long[T]) toReal(w *worker[T], y, x unsafe.Pointer, points int) {
	p := unsafe.Pointer(unsafe.SliceData(w.complexNumbers(points + 1)))
	l.mirrored(w, w.loops.toReal[1], p, x, points, true)
	l.run(w, y, p, true)
}

// mirrored runs the step of transforms of real numbers, between points numbers and one more. For the way back to real
// numbers, the imaginary parts of the first and of the last one are ignored, and those of results are swapped.
func (l *long[T]) mirrored(w *worker[T], step func(*stepArgs), y, x unsafe.Pointer, points int, back bool) {
	lanes, size := lanesOf[T](), int(unsafe.Sizeof(T(0)))
	count := l.mirrorBlocks(points)
	ahead, behind := w.ahead.room(count), w.behind.room(count)
	last := unsafe.Add(behind, (count-1)*elementBytes) // of the first places
	upper := 2 * (points + 1 - lanes) * size           // of the last places
	move := func(from, to unsafe.Pointer, fromStep, toStep int, f func(*moveArgs)) {
		a := &w.moves
		a.from, a.to, a.fromStep, a.toStep, a.rows = from, to, fromStep, toStep, count
		f(a)
	}
	a := &w.moves
	a.toOther = unsafe.Add(ahead, partBytes)
	move(x, ahead, elementBytes, elementBytes, w.loops.part)
	a.toOther = unsafe.Add(last, partBytes)
	move(unsafe.Add(x, upper), last, -elementBytes, -elementBytes, w.loops.partBack)
	if back {
		*lane[T](ahead, partBytes), *lane[T](last, partBytes) = 0, 0
	}
	s := &w.steps
	s.x, s.y, s.xMirror, s.yMirror, s.inner = ahead, ahead, last, last, count
	s.factors = unsafe.Pointer(unsafe.SliceData(l.mirror.all()))
	step(s)
	out := block{ahead, partBytes, back}
	a.from, a.fromOther = out.parts(0)
	move(a.from, y, elementBytes, elementBytes, w.loops.join)
	out.first = last
	a.from, a.fromOther = out.parts(0)
	move(a.from, unsafe.Add(y, upper), -elementBytes, -elementBytes, w.loops.joinBack)
}
