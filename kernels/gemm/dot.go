package gemm

import "unsafe"

// Type is the element type of a factor that has fewer bits than the sums: see [Factor].
type Type uint8

// The types. The zero value means that of the sums.
const (
	Own Type = iota
	Int8
	Uint8
	Int16
	Uint16
	FastBFloat16 // of both factors, where [MultipliesBFloat16]
	numWordTypes
)

// The types whose products are summed in float32.
const (
	Float16 = numWordTypes + iota
	BFloat16
	Int8Blocks  // integers, each times the scale of its block
	Int4Blocks  // the same of 4 bits, from -8 to 7: two in a byte, the first in the lower half
	Uint8Blocks // from 0 to 255, each times the scale of its block, plus the minimum of that
	Uint4Blocks // the same of 4 bits, from 0 to 15
	numTypes
)

// typeSizes are the sizes of elements in bytes.
var typeSizes = [...]int{Own: 4, Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, FastBFloat16: 2, Float16: 2, BFloat16: 2,
	Int8Blocks: 1, Uint8Blocks: 1}

// Factor holds the elements of A or B if these have fewer bits than the sums. They replace the Data of the [Matrix],
// whose Start and strides count them. Integers are for products of int32, the other types for products of float32.
type Factor struct {
	Type Type
	Data unsafe.Pointer
	Len  int // in elements
	// Of blocks, element i has the scale i / Block, wherever it is in the matrix, and the minimum of the same index if
	// the type has minima.
	Block  int
	Scales []float32
	Minima []float32
}

// elements returns the number of elements, or n if the matrix has its own.
func (f *Factor) elements(n int) int {
	if f.Type == Own {
		return n
	}
	return f.Len
}

// dots are the loops for products of integers, in words of 32 bits that hold consecutive elements along K. Sums are
// exact modulo 2^32, so all loops give the same bits.
type dots struct {
	each       int // integers of a word
	rows, cols int // of the largest tile
	unit       int // words come in multiples of so many
	tiles      []func(*dotArgs)
	// whole computes tiles of full height if tiles is nil. Remaining rows are copied into a tile of full height.
	whole  func(*dotArgs)
	config unsafe.Pointer // of whole
	// isFloat says that sums are float32. Incomplete words are then padded with 0 in B too, since infinity times 0 is
	// not 0.
	isFloat bool
	// interleave packs words from pieces of rows, by the type of B; nil if there is no code for it. interleaveOther
	// does the same for every other element, and panel for whole rows of a panel.
	interleave, interleaveOther [numWordTypes]func(*interleaveArgs)
	panel                       func(*panelArgs)
	widen                       [numWordTypes]func(*widenArgs)
	// thinRows and thinColumns multiply few rows by B in place, if its rows or its columns are contiguous.
	thinRows, thinColumns []func(*thinDotArgs)
	// turn is the factor of the sums of B's columns that corrects for flipped highest bits in A's bytes. They are
	// flipped if A is to have a sign and B none, or the reverse. 0 means that bytes are not flipped.
	turn       int32
	copyTurned func(*widenArgs)
}

// dotArgs are the arguments of a loop over words. Steps are in bytes. Package gen knows the offsets of the fields.
type dotArgs struct {
	words        int
	a, b, c      uintptr
	aRow, cRow   int
	add          int // whether sums begin with C
	tiles        int // to compute, one below the other; a and c are moved on by as many
	aTile, cTile int
	config       unsafe.Pointer
	begin        uintptr // a row of sums, with which those of all rows begin
}

// panelArgs are the arguments of code that packs words from whole rows of a panel.
type panelArgs struct {
	rows    int // of words
	from    unsafe.Pointer
	fromRow int // bytes
	to      unsafe.Pointer
}

// interleaveArgs are the arguments of code that packs rows of words. Offsets and places count elements, toRow bytes.
type interleaveArgs struct {
	rows, pieces int
	offsets      *int // of the rows of B
	piece        *piece
	from, to     unsafe.Pointer
	toRow        int
}

// widenArgs are the arguments of code that widens groups of sixteen bytes.
type widenArgs struct {
	groups   int
	from, to unsafe.Pointer
}

// Sizes of what is packed at a time: words of a sum, bytes of A and columns of B.
const (
	dotWords   = 512
	dotBlockA  = 240 << 10
	dotColumns = 512
)

// dotScratch is the memory of products of integers.
type dotScratch struct {
	a, b, c []int32 // blocks of A and B, a tile of C
	offsets []int   // of rows of B
	columns []int   // offsets of columns of B
	pieces  []piece
	args    dotArgs
	inter   interleaveArgs
	wide    widenArgs
	panel   panelArgs
	thin    thinDotArgs

	transpose transposeArgs
	problem   problem[int32]
	bits      Product[int32] // of float32, whose sums are moved as integers
}

// inWords returns the product as one whose words are multiplied, of integers or of BFloat16, and its loops; nil for
// other products.
func (p *Product[T]) inWords(s *Scratch[T]) (*Product[int32], *dots) {
	q, ok := any(p).(*Product[int32])
	switch {
	case p.Part != nil || !ok && p.FactorA.Type != FastBFloat16:
		return nil, nil
	case !ok:
		q = &s.dots.bits
		*q = Product[int32]{M: p.M, N: p.N, K: p.K, Add: p.Add, Offsets: p.Offsets, FactorA: p.FactorA,
			FactorB: p.FactorB,
			Batch:   p.Batch, StepA: p.StepA, StepB: p.StepB, StepC: p.StepC,
			Packed: inWordsOf(p.Packed), Stopped: p.Stopped,
			A: Matrix[int32]{Start: p.A.Start, Row: p.A.Row, Col: p.A.Col},
			B: Matrix[int32]{Start: p.B.Start, Row: p.B.Row, Col: p.B.Col},
			C: Matrix[int32]{Data: inWordsOf(p.C.Data), Start: p.C.Start, Row: p.C.Row, Col: p.C.Col}}
	}
	d := dotsFor(q.FactorA.Type, q.FactorB.Type)
	if d == nil {
		return nil, nil
	}
	return q, d
}

// dotBlock is a product of integers in progress: the columns from left on, the rows from top on, the words from p on.
type dotBlock struct {
	*problem[int32]
	*dots
	a, b         Factor
	s            *dotScratch
	p, np        int // elements of the sums
	words        int
	left, panels int
	packed       []int32 // B for all runs, if it is packed so
	panelsAt     uintptr // the panels of the columns and words at hand
}

// MultipliesBFloat16 reports whether products of float32 can have factors of BFloat16, which needs AMX. The sums then
// have their own order. Of every 32 products, the even ones are added up from 0 by fused multiply-adds, and so are the
// odd ones. The sum of both is added to that of the products before. Subnormal inputs count as 0, and subnormal results
// become 0.
func MultipliesBFloat16() bool { return dotsFor(FastBFloat16, FastBFloat16) != nil }

// runWords computes a part, as RunPart does.
func (s *Scratch[T]) runWords(q *Product[int32], d *dots, lo, hi, left, right int) {
	problem := &s.dots.problem
	for lo < hi && !q.isStopped() {
		index, first := lo/q.M, lo%q.M
		c := region{first, min(q.M, first+hi-lo), left, right}
		*problem = q.matrix(index)
		b := dotBlock{problem: problem, dots: d, a: q.FactorA.or(&q.A), b: q.FactorB.or(&q.B), s: &s.dots,
			packed: q.Packed}
		if q.Packed != nil {
			problem.b = q.B
		}
		if q.N == 1 && q.M > 1 && q.Offsets == nil {
			problem.transpose()
			b.a, b.b = b.b, b.a
			b.dots = dotsFor(q.FactorB.Type, q.FactorA.Type)
			c = region{c.left, c.right, c.top, c.bottom}
		}
		b.run(c)
		lo += min(q.M-first, hi-lo)
		s.rows.whole(lo)
	}
}

// or returns the factor, or one made of the matrix if the matrix has the type of the sums.
func (f Factor) or(m *Matrix[int32]) Factor {
	if f.Type == Own {
		f.Data, f.Len = unsafe.Pointer(unsafe.SliceData(m.Data)), len(m.Data)
	}
	return f
}

// run computes a part of C.
func (f *dotBlock) run(c region) {
	if c.top == c.bottom || c.left == c.right {
		return
	}
	if f.k == 0 {
		f.clear(c)
		return
	}
	if f.isThin(c) {
		f.thin(c)
		return
	}
	steps := dotWords * f.each
	rows := max(dotBlockA/(wordBytes*min(dotWords, f.roundWords(f.k)))/f.rows, 1) * f.rows
	for left := c.left; left < c.right; left += dotColumns {
		right := min(left+dotColumns, c.right)
		for f.p = 0; f.p < f.k; f.p += f.np {
			f.np = min(steps, f.k-f.p)
			f.words, f.left = f.roundWords(f.np), left
			f.pointB(right)
			for top := c.top; top < c.bottom && !f.isStopped(); top += rows {
				f.rowsOf(top, min(top+rows, c.bottom), right)
			}
		}
	}
}

// wordBytes is the size of a word, and of a sum.
const wordBytes = 4

// roundWords is the number of words that a number of elements takes.
func (f *dots) roundWords(elements int) int {
	return roundUp((elements+f.each-1)/f.each, f.unit)
}

// rowsOf multiplies some rows of A by the packed columns.
func (f *dotBlock) rowsOf(top, bottom, right int) {
	args := &f.s.args
	*args = dotArgs{words: f.words, config: f.config}
	if f.add || f.p > 0 {
		args.add = 1
	}
	a, aRow := f.pointA(top, bottom)
	for panel := range f.panels {
		j := f.left + panel*f.cols
		args.b = f.panelsAt + uintptr(panel*f.panelLen()*wordBytes)
		args.begin = args.b + uintptr(f.words*f.cols*wordBytes)
		args.a, args.aRow, args.aTile = a, aRow, f.rows*aRow
		whole := 0
		if j+f.cols <= right && f.c.Col == 1 {
			whole = (bottom - top) / f.rows
			args.c, args.cRow = address(f.c.Data, f.c.Start+top*f.c.Row+j), f.c.Row*wordBytes
			args.cTile = f.rows * args.cRow
			f.multiply(f.rows, whole)
			if left := (bottom - top) % f.rows; left > 0 && f.whole == nil {
				f.multiply(left, 1)
				continue
			}
		}
		for i := top + whole*f.rows; i < bottom; i += f.rows {
			f.edge(i, min(f.rows, bottom-i), j, min(f.cols, right-j), a+uintptr((i-top)*aRow))
		}
	}
}

// multiply computes tiles of some rows.
func (f *dotBlock) multiply(rows, tiles int) {
	f.s.args.tiles = tiles
	switch {
	case tiles == 0:
	case f.whole != nil:
		f.whole(&f.s.args)
	default:
		f.tiles[rows](&f.s.args)
	}
}

// edge computes a tile that lacks rows or columns, or whose columns are not contiguous in C.
func (f *dotBlock) edge(i, rows, j, cols int, a uintptr) {
	args := &f.s.args
	f.s.c = grow(f.s.c, f.rows*f.cols)
	row := func(r int) (sums []int32, at int) {
		return f.s.c[r*f.cols:][:cols], f.c.Start + (i+r)*f.c.Row + j*f.c.Col
	}
	for r := 0; r < rows && args.add != 0; r++ {
		sums, at := row(r)
		for n := range sums {
			sums[n] = f.c.Data[at+n*f.c.Col]
		}
	}
	args.a, args.c, args.cRow = a, address(f.s.c, 0), f.cols*wordBytes
	f.multiply(rows, 1)
	for r := range rows {
		sums, at := row(r)
		for n, v := range sums {
			f.c.Data[at+n*f.c.Col] = v
		}
	}
}
