package gemm

import "unsafe"

// thinDotArgs are the arguments of a product of few rows of bytes by B in place. Steps are in bytes.
type thinDotArgs struct {
	steps   int // words where rows of B are contiguous, else vectors
	b       uintptr
	bStep   int // between rows, or columns
	a       uintptr
	aRow    int
	sums    uintptr
	sumsRow int
	blocks  int // of columns
}

// thinSide is the number of columns of a block whose bytes are contiguous.
const thinSide = 4

// thinWords is the least number of words in a sum of such a column.
const thinWords = 16

// If B has more than thinBytes, sums are computed thinSome words at a time, so that its rows are read line by line.
const (
	thinBytes = 1 << 20
	thinSome  = 4
)

// thinPitch is the distance between rows of sums. The last block of columns is computed at full width.
const thinPitch = dotColumns + 64

// isThin reports whether few rows are multiplied by B in place. That takes as long as packing B would.
func (f *dotBlock) isThin(c region) bool {
	rows, cols := c.bottom-c.top, c.right-c.left
	if f.turn != 0 {
		rows++ // of ones
	}
	if f.thinRows == nil || rows >= len(f.thinRows) || f.offsets != nil || f.packed != nil {
		return false
	}
	if f.problem.b.Col == 1 {
		return cols >= 2*f.cols && f.k >= f.each
	}
	return f.problem.b.Row == 1 && f.problem.b.Col > 0 && cols >= thinSide && f.k >= thinWords*f.each
}

// thin computes a region of few rows, whose sums are first computed in separate memory.
func (f *dotBlock) thin(c region) {
	rows, all := c.bottom-c.top, c.bottom-c.top
	if f.turn != 0 {
		all++
	}
	f.p, f.np = 0, f.k
	pitch := roundUp(f.roundWords(f.k), thinWords) + thinWords
	f.s.a = grow(f.s.a, all*pitch)
	m := &f.problem.a
	for r := range rows {
		f.packRow(f.s.a[r*pitch:][:pitch], m.Start+(c.top+r)*m.Row, m.Col)
	}
	if f.turn != 0 {
		ones := unsafe.Slice((*byte)(unsafe.Pointer(&f.s.a[rows*pitch])), pitch*wordBytes)
		for i := range ones[:f.k] {
			ones[i] = 1
		}
		clear(ones[f.k:])
	}
	if over := f.k % f.each; over != 0 { // the last word of the sums, of which those before have some elements
		for r := range all {
			f.s.a[r*pitch+pitch-1] = f.s.a[r*pitch+f.k/f.each] << ((f.each - over) * 8)
		}
	}
	f.s.c = grow(f.s.c, 2*all*thinPitch) // of the columns, and of a last block
	for left := c.left; left < c.right; {
		cols := c.right - left
		if cols > thinPitch {
			cols = dotColumns
		}
		if f.problem.b.Col == 1 {
			f.thinSumsOfRows(left, cols, all, pitch)
		} else {
			f.thinSumsOfColumns(left, cols, all, pitch)
		}
		for r := range rows {
			f.putSums(f.s.c[r*thinPitch:][:cols], f.s.c[rows*thinPitch:], c.top+r, left)
		}
		left += cols
	}
}

// runThin computes the sums of some blocks of columns, from one on. B begins at an element, A at a word.
func (f *dotBlock) runThin(loops []func(*thinDotArgs), steps, b, bStep, a, rows, pitch, sums, blocks int) {
	if blocks == 0 {
		return
	}
	f.s.thin = thinDotArgs{steps: steps, b: uintptr(f.b.at(b)), bStep: bStep, a: address(f.s.a, a),
		aRow: pitch * wordBytes,
		sums: address(f.s.c, sums), sumsRow: thinPitch * wordBytes, blocks: blocks}
	loops[rows](&f.s.thin)
}

// thinSumsOfRows computes the sums if rows of B are contiguous. The last block may overlap the one before it.
func (f *dotBlock) thinSumsOfRows(left, cols, rows, pitch int) {
	block, words, step := 2*f.cols, f.k/f.each, f.problem.b.Row
	at, last, over := f.problem.b.Start+left, rows*thinPitch, cols%block
	for r := range rows {
		clear(f.s.c[r*thinPitch:][:cols])
		clear(f.s.c[last+r*thinPitch:][:block])
	}
	run := func(words, a, b int) {
		f.runThin(f.thinRows, words, b, step, a, rows, pitch, 0, cols/block)
		if over != 0 {
			f.runThin(f.thinRows, words, b+cols-block, step, a, rows, pitch, last, 1)
		}
	}
	some := words
	if words*f.each*step > thinBytes {
		some = thinSome
	}
	for w := 0; w < words; w += some {
		run(min(some, words-w), w, at+w*f.each*step)
	}
	if f.k%f.each != 0 {
		run(1, pitch-1, at+(f.k-f.each)*step)
	}
	for r := range rows {
		copy(f.s.c[r*thinPitch:][cols-over:cols], f.s.c[last+r*thinPitch:][block-over:])
	}
}

// thinSumsOfColumns computes the sums if columns of B are contiguous. Vectors may reach past their ends, where A is 0,
// or past the data.
func (f *dotBlock) thinSumsOfColumns(left, cols, rows, pitch int) {
	bytes, step := f.cols*2, f.problem.b.Col
	steps := (f.k + bytes - 1) / bytes
	at := f.problem.b.Start + left*step
	whole := cols
	for whole > 0 && at+(whole-1)*step+steps*bytes > f.b.Len {
		whole--
	}
	run := func(j, blocks int) {
		f.runThin(f.thinColumns, steps, at+j*step, step, 0, rows, pitch, j, blocks)
	}
	run(0, whole/thinSide)
	switch {
	case whole < thinSide:
		whole = 0
	case whole%thinSide != 0:
		run(whole-thinSide, 1)
	}
	for j := whole; j < cols; j++ {
		for r := range rows {
			f.s.c[r*thinPitch+j] = f.thinSum(f.s.a[r*pitch:], at+j*step)
		}
	}
}

// thinSum multiplies packed bytes of A by a column.
func (f *dotBlock) thinSum(a []int32, at int) (sum int32) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), f.k)
	for k, v := range bytes {
		x := int32(v)
		if f.b.Type == Uint8 { // A has a sign, then
			x = int32(int8(v))
		}
		sum += x * f.b.load(at+k)
	}
	return sum
}

// putSums writes sums to a row of C, or adds them to it, corrected by the sums of B's columns.
func (f *dotBlock) putSums(sums, ofColumns []int32, i, left int) {
	at := f.c.Start + i*f.c.Row + left*f.c.Col
	for j, v := range sums {
		if f.turn != 0 {
			v += f.turn * ofColumns[j]
		}
		if f.add {
			v += f.c.Data[at]
		}
		f.c.Data[at] = v
		at += f.c.Col
	}
}
