package gemm

import (
	"slices"
	"unsafe"
)

// pointA returns the address of rows of A as words, and the distance between rows. Rows are read in place if their
// elements form such words; otherwise they are packed.
func (f *dotBlock) pointA(top, bottom int) (a uintptr, row int) {
	size := typeSizes[f.a.Type]
	m := &f.problem.a
	at := m.Start + top*m.Row + f.p*m.Col
	isWhole := f.np == f.words*f.each && (f.whole == nil || (bottom-top)%f.rows == 0) && f.turn == 0
	if m.Col == 1 && size*f.each == wordBytes && isWhole {
		return uintptr(f.a.at(at)), m.Row * size
	}
	pitch := f.words + 64/wordBytes // no power of two, which would fall into few sets of the cache
	f.s.a = grow(f.s.a, pitch*roundUp(bottom-top, f.rows))
	for r := range bottom - top {
		f.packRow(f.s.a[r*pitch:][:f.words], at+r*m.Row, m.Col)
	}
	return address(f.s.a, 0), pitch * wordBytes
}

// at is the address of an element.
func (f *Factor) at(i int) unsafe.Pointer { return unsafe.Add(f.Data, i*typeSizes[f.Type]) }

// load returns an element.
func (f *Factor) load(i int) int32 {
	switch p := f.at(i); f.Type {
	case Int8:
		return int32(*(*int8)(p))
	case Uint8:
		return int32(*(*uint8)(p))
	case Int16, FastBFloat16:
		return int32(*(*int16)(p))
	case Uint16:
		return int32(*(*uint16)(p))
	default:
		return *(*int32)(p)
	}
}

// packRow packs a row of A from an element on. Incomplete words are padded with 0, whatever B has there.
func (f *dotBlock) packRow(to []int32, at, step int) {
	n, size := f.np, wordBytes/f.each
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&to[0])), len(to)*wordBytes)
	done := 0
	switch {
	case f.turn != 0:
		f.packTurned(bytes, at, step)
		return
	case step == 1 && size == typeSizes[f.a.Type]:
		copy(bytes, unsafe.Slice((*byte)(f.a.at(at)), n*size))
		done = n
	case step == 1 && f.widen[f.a.Type] != nil && n >= 16:
		done = n / 16 * 16
		f.s.wide = widenArgs{groups: done / 16, from: f.a.at(at), to: unsafe.Pointer(&to[0])}
		f.widen[f.a.Type](&f.s.wide)
	}
	clear(bytes[done*size:])
	for k := done; k < n; k++ {
		store(unsafe.Pointer(&bytes[k*size]), size, f.a.load(at+k*step))
	}
}

// packTurned packs a row of bytes, with their highest bits flipped.
func (f *dotBlock) packTurned(to []byte, at, step int) {
	const group = 32
	done := 0
	if step == 1 && f.np >= group {
		done = f.np / group * group
		f.s.wide = widenArgs{groups: done / group, from: f.a.at(at), to: unsafe.Pointer(&to[0])}
		f.copyTurned(&f.s.wide)
	}
	for k := done; k < f.np; k++ {
		to[k] = *(*byte)(f.a.at(at + k*step)) ^ 0x80
	}
	clear(to[f.np:])
}

// store writes an integer of a size in bytes.
func store(p unsafe.Pointer, size int, v int32) {
	switch size {
	case 1:
		*(*int8)(p) = int8(v)
	case 2:
		*(*int16)(p) = int16(v)
	default:
		*(*int32)(p) = v
	}
}

// panelLen is the number of words of a packed panel. The last row holds the initial values of the sums.
func (f *dotBlock) panelLen() int { return (f.words + 1) * f.cols }

// pointB points at the columns of B up to right, in panels as wide as a tile: packed for all runs, or packed now.
func (f *dotBlock) pointB(right int) {
	f.panels = (right - f.left + f.cols - 1) / f.cols
	if f.packed != nil && f.left%f.cols == 0 {
		f.panelsAt = address(f.packed, f.packedAt())
		return
	}
	f.s.b = grow(f.s.b, f.panels*f.panelLen())
	f.panelsAt = address(f.s.b, 0)
	f.packB(f.s.b, right)
}

// packB packs the columns of B up to right. A row of a panel has a word of consecutive elements of each column.
func (f *dotBlock) packB(to []int32, right int) {
	whole := f.np / f.each // words of which nothing is missing
	f.listRows()
	for panel := range f.panels {
		j := f.left + panel*f.cols
		words, begin := to[:f.words*f.cols], to[f.words*f.cols:][:f.cols]
		if f.isFloat {
			clear(words[whole*f.cols:])
		}
		f.packPanel(words, j, min(f.cols, right-j))
		clear(begin)
		if f.turn != 0 {
			f.sumColumns(words, begin)
		}
		to = to[f.panelLen():]
	}
}

// sumColumns adds up the columns of a packed panel, times the factor that corrects for the flipped bits of A.
func (f *dotBlock) sumColumns(panel, sums []int32) {
	f.s.a = grow(f.s.a, f.words)
	ones := unsafe.Slice((*byte)(unsafe.Pointer(&f.s.a[0])), f.words*wordBytes)
	for i := range ones {
		ones[i] = 1
	}
	clear(ones[f.np:])
	f.s.args = dotArgs{words: f.words, a: address(f.s.a, 0), b: address(panel, 0), c: address(sums, 0),
		begin: address(sums, 0), tiles: 1}
	f.tiles[1](&f.s.args)
	for i := range sums {
		sums[i] *= f.turn
	}
}

// listRows lists the offsets of rows of B.
func (f *dotBlock) listRows() {
	if f.offsets != nil {
		f.s.offsets = append(f.s.offsets[:0], f.offsets.Rows[f.p:][:f.np]...)
		return
	}
	f.s.offsets = f.s.offsets[:0]
	for k := range f.np {
		f.s.offsets = append(f.s.offsets, (f.p+k)*f.problem.b.Row)
	}
}

// column is the offset of a column of B.
func (f *dotBlock) column(j int) int {
	if f.offsets != nil {
		return f.offsets.Cols[j]
	}
	return j * f.problem.b.Col
}

// packPanel packs nj columns from j on.
func (f *dotBlock) packPanel(to []int32, j, nj int) {
	b, start := &f.b, f.problem.b.Start
	size := wordBytes / f.each
	rows := f.s.offsets
	if f.offsets == nil && f.problem.b.Row == 1 && size == typeSizes[b.Type] {
		f.packColumns(to, j, nj)
		return
	}
	if f.panel != nil && f.offsets == nil && f.problem.b.Col == 1 && nj == f.cols && len(rows) >= f.each {
		done := len(rows) / f.each * f.each
		f.s.panel = panelArgs{rows: done / f.each, from: b.at(start + rows[0] + j), fromRow: f.problem.b.Row,
			to: unsafe.Pointer(&to[0])}
		f.panel(&f.s.panel)
		f.packLast(to, j, nj, done)
		return
	}
	done := f.interleavePieces(to, j, nj)
	if f.isFloat {
		clear(to[done/f.each*f.cols:]) // pieces may reach there
	}
	if size == 1 {
		done = f.gatherBytes(to, j, nj, done)
	}
	f.packLast(to, j, nj, done)
}

// packLast packs the rows from first on, element by element.
func (f *dotBlock) packLast(to []int32, j, nj, first int) {
	b, start, rows, size := &f.b, f.problem.b.Start, f.s.offsets, wordBytes/f.each
	for k := first; k < len(rows); k++ {
		dst := unsafe.Add(unsafe.Pointer(&to[k/f.each*f.cols]), k%f.each*size)
		for c := range nj {
			store(unsafe.Add(dst, c*wordBytes), size, b.load(start+rows[k]+f.column(j+c)))
		}
	}
}

// gatherBytes packs whole words of bytes at arbitrary places, from a row on, and returns how many rows are done.
func (f *dotBlock) gatherBytes(to []int32, j, nj, first int) (done int) {
	f.s.columns = f.s.columns[:0]
	for c := range nj {
		f.s.columns = append(f.s.columns, f.column(j+c))
	}
	rows, start := f.s.offsets, f.problem.b.Start
	for done = first; done+4 <= len(rows); done += 4 {
		r0, r1 := f.b.at(start+rows[done]), f.b.at(start+rows[done+1])
		r2, r3 := f.b.at(start+rows[done+2]), f.b.at(start+rows[done+3])
		words := to[done/4*f.cols:][:nj]
		for c, at := range f.s.columns[:len(words)] {
			low := uint32(*(*uint8)(unsafe.Add(r0, at))) | uint32(*(*uint8)(unsafe.Add(r1, at)))<<8
			high := uint32(*(*uint8)(unsafe.Add(r2, at))) | uint32(*(*uint8)(unsafe.Add(r3, at)))<<8
			words[c] = int32(low | high<<16)
		}
	}
	return done
}

// packColumns packs columns whose elements are contiguous, and so form words already.
func (f *dotBlock) packColumns(to []int32, j, nj int) {
	words, each := f.np/f.each, f.each
	side, done := 32/wordBytes, 0
	if v := transposes; v != nil && words >= side {
		done = words / side * side
		for c := 0; c+side <= nj; c += side {
			t := transposeArgs{blocks: done / side, src: f.b.at(f.problem.b.Start + f.p + (j+c)*f.problem.b.Col),
				dst:    unsafe.Pointer(&to[c]),
				srcRow: f.problem.b.Col * typeSizes[f.b.Type], dstRow: f.cols * wordBytes}
			f.s.transpose = t
			v(&f.s.transpose)
		}
	}
	for c := range nj {
		first := done
		if c >= nj/side*side {
			first = 0
		}
		from := f.problem.b.Start + f.p + (j+c)*f.problem.b.Col
		for k := first; k < words; k++ {
			to[k*f.cols+c] = *(*int32)(f.b.at(from + k*each))
		}
		for k := words * each; k < f.np; k++ {
			store(unsafe.Add(unsafe.Pointer(&to[k/each*f.cols+c]), k%each*(wordBytes/each)), wordBytes/each,
				f.b.load(from+k))
		}
	}
}

// interleavePieces packs whole words of rows that consist of contiguous pieces, or of pieces of every other element. It
// returns how many rows are done. Pieces are copied at full length even if they have fewer elements: the next piece, or
// the next row, overwrites the excess.
func (f *dotBlock) interleavePieces(to []int32, j, nj int) (done int) {
	if done = f.interleaveSteps(to, j, nj, 1, f.interleave[f.b.Type]); done == 0 {
		done = f.interleaveSteps(to, j, nj, 2, f.interleaveOther[f.b.Type])
	}
	return done
}

// interleaveSteps does this for columns that are a step apart.
func (f *dotBlock) interleaveSteps(to []int32, j, nj, step int, code func(*interleaveArgs)) (done int) {
	rows, words := f.s.offsets, f.np/f.each
	if code == nil || words == 0 {
		return 0
	}
	side := 4 * f.each // columns of a piece
	if f.offsets == nil && f.problem.b.Col != step {
		return 0
	}
	f.s.pieces = f.s.pieces[:0]
	highest := 0
	for c := 0; c < nj; {
		n := 1
		for n < side && c+n < nj && (f.offsets == nil || f.offsets.Cols[j+c+n] == f.offsets.Cols[j+c+n-1]+step) {
			n++
		}
		from := f.column(j + c)
		highest = max(highest, from)
		f.s.pieces = append(f.s.pieces, piece{from, c})
		c += n
	}
	if len(f.s.pieces)*leastRun > nj {
		return 0
	}
	// The last piece may reach past the panel's last row, and past the data.
	last := f.s.pieces[len(f.s.pieces)-1].to + side
	start, length := f.problem.b.Start, side*step
	for words > 0 {
		reach := start + slices.Max(rows[(words-1)*f.each:words*f.each]) + highest + length
		if (words-1)*f.cols+last <= len(to) && reach <= f.b.Len {
			break
		}
		words--
	}
	if words == 0 || start+slices.Max(rows[:words*f.each])+highest+length > f.b.Len {
		return 0
	}
	f.s.inter = interleaveArgs{rows: words, pieces: len(f.s.pieces), offsets: &rows[0], piece: &f.s.pieces[0],
		from: f.b.at(start), to: unsafe.Pointer(&to[0]), toRow: f.cols * wordBytes}
	code(&f.s.inter)
	return words * f.each
}
