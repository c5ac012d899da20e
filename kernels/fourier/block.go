package fourier

import "unsafe"

// numbers are an operand or a result in memory, [outer, places, inner, width]; width is 1 for real numbers and 2 for
// complex ones.
type numbers[T float] struct {
	first                unsafe.Pointer
	places, inner, width int
}

func numbersOf[T float](x []T, places, inner, width int) numbers[T] {
	return numbers[T]{unsafe.Pointer(unsafe.SliceData(x)), places, inner, width}
}

// row is the address of the first place of a transform, which is counted through outer and inner.
func (m *numbers[T]) row(transform int) unsafe.Pointer {
	at := (transform/m.inner*m.places*m.inner + transform%m.inner) * m.width
	return unsafe.Add(m.first, at*int(unsafe.Sizeof(T(0))))
}

// step is the distance of places in bytes.
func (m *numbers[T]) step() int { return m.inner * m.width * int(unsafe.Sizeof(T(0))) }

// block is parts of elements, and says which of them are numbers in memory: all, or only the real parts if real numbers
// are treated as complex ones.
type block struct {
	first   unsafe.Pointer
	row     int  // from the part of one number to that of the next, in bytes
	swapped bool // real parts and imaginary ones are exchanged
}

// parts returns the addresses of the parts of a number and of the next one.
func (b *block) parts(number int) (unsafe.Pointer, unsafe.Pointer) {
	even, odd := unsafe.Add(b.first, number*b.row), unsafe.Add(b.first, (number+1)*b.row)
	if b.swapped {
		return odd, even
	}
	return even, odd
}

// layout says how the numbers of the lanes are stored in memory.
type layout uint8

const (
	inColumns layout = iota // side by side
	inRows                  // each transform's own are neighbours
	anywhere
)

// group is a number of transforms that are computed side by side.
type group struct {
	layout       layout
	first, count int // consecutive ones, as numbers counts them, or
	of           []int
}

// eachGroup calls a function with all transforms in groups. If adjacent ones do not fill a group, it is filled with
// others.
func (w *worker[T]) eachGroup(outer, inner int, f func(g group)) {
	lanes := lanesOf[T]()
	flush := func() {
		if len(w.of) > 0 {
			f(group{layout: anywhere, of: w.of})
			w.of = w.of[:0]
		}
	}
	w.of = w.of[:0]
	width, of := inner, inColumns // of what lies side by side
	if inner == 1 {
		width, of = outer, inRows
	}
	for first := 0; first < outer*inner; first += width {
		at := 0
		for ; at+lanes <= width; at += lanes {
			f(group{layout: of, first: first + at, count: lanes})
		}
		for ; at < width; at++ {
			if w.of = append(w.of, first+at); len(w.of) == lanes {
				flush()
			}
		}
	}
	flush()
}

// load copies the numbers of a group into a block.
func (w *worker[T]) load(b block, m numbers[T], g group) {
	a, size := &w.moves, int(unsafe.Sizeof(T(0)))
	count := m.places * m.width
	switch {
	case g.layout == inColumns && m.width == 2:
		a.from, a.fromStep, a.toStep, a.rows = m.row(g.first), m.step(), elementBytes, m.places
		a.to, a.toOther = b.parts(0)
		w.loops.part(a)
	case g.layout == inColumns:
		from := m.row(g.first)
		for j := range m.places {
			*(*[partBytes]byte)(unsafe.Add(b.first, j*b.row)) = *(*[partBytes]byte)(unsafe.Add(from, j*m.step()))
		}
	case g.layout == inRows && count >= vectorBytes/size:
		row := count * size
		a.fromStep, a.toStep, a.groups = 2*row, 2*b.row, g.count*size/vectorBytes
		move := func(number, pieces int) {
			a.from = unsafe.Add(m.row(g.first), number*size)
			a.fromOther = unsafe.Add(a.from, row)
			a.to, a.toOther = b.parts(number)
			a.rows = pieces
			w.loops.transpose(a)
		}
		piece := pieceBytes / size
		move(0, count/piece)
		if count%piece > 0 { // some move twice
			move(count-piece, 1)
		}
	default:
		w.gather(b, m, g)
	}
}

// store copies the numbers of a group out of a block.
func (w *worker[T]) store(m numbers[T], b block, g group) {
	a, size := &w.moves, int(unsafe.Sizeof(T(0)))
	count := m.places * m.width
	switch {
	case g.layout == inColumns && m.width == 2:
		a.to, a.toStep, a.fromStep, a.rows = m.row(g.first), m.step(), elementBytes, m.places
		a.from, a.fromOther = b.parts(0)
		w.loops.join(a)
	case g.layout == inColumns:
		to := m.row(g.first)
		for j := range m.places {
			*(*[partBytes]byte)(unsafe.Add(to, j*m.step())) = *(*[partBytes]byte)(b.part(j))
		}
	case g.layout == inRows && count >= vectorBytes/size:
		row, piece := count*size, vectorBytes/size
		a.fromStep, a.toStep, a.rows = 2*b.row, 2*row, g.count*size/pieceBytes
		move := func(number, groups int) {
			a.from, a.fromOther = b.parts(number)
			a.to = unsafe.Add(m.row(g.first), number*size)
			a.toOther = unsafe.Add(a.to, row)
			a.groups = groups
			w.loops.transpose(a)
		}
		move(0, count/piece)
		if count%piece > 0 {
			move(count-piece, 1)
		}
	default:
		w.scatter(m, b, g)
	}
}

// part is the address of the part of a number.
func (b *block) part(number int) unsafe.Pointer {
	if b.swapped {
		number ^= 1
	}
	return unsafe.Add(b.first, number*b.row)
}

// mostLanes is the most lanes of an element.
const mostLanes = partBytes / 4

// rows are the addresses of the first numbers of a group's transforms, lane by lane.
func (g *group) rows(first func(transform int) unsafe.Pointer, rows *[mostLanes]unsafe.Pointer) []unsafe.Pointer {
	for lane, transform := range g.of {
		rows[lane] = first(transform)
	}
	for lane := range g.count {
		rows[lane] = first(g.first + lane)
	}
	return rows[:max(g.count, len(g.of))]
}

// gather loads number by number. Lanes without a transform are 0.
func (w *worker[T]) gather(b block, m numbers[T], g group) {
	var room [mostLanes]unsafe.Pointer
	rows, size := g.rows(m.row, &room), int(unsafe.Sizeof(T(0)))
	for j := range m.places {
		for part := range m.width {
			to, from := b.part(j*m.width+part), j*m.step()+part*size
			if len(rows) < lanesOf[T]() {
				*(*[partBytes]byte)(to) = [partBytes]byte{}
			}
			for l, row := range rows {
				*lane[T](to, l*size) = *lane[T](row, from)
			}
		}
	}
}

// scatter stores number by number.
func (w *worker[T]) scatter(m numbers[T], b block, g group) {
	var room [mostLanes]unsafe.Pointer
	rows, size := g.rows(m.row, &room), int(unsafe.Sizeof(T(0)))
	for j := range m.places {
		for part := range m.width {
			from, to := b.part(j*m.width+part), j*m.step()+part*size
			for l, row := range rows {
				*lane[T](row, to) = *lane[T](from, l*size)
			}
		}
	}
}
