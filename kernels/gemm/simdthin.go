package gemm

// thinArgs are the arguments of a product of few rows and contiguous columns of B. Steps are in bytes.
type thinArgs struct {
	pieces    int // of each column, of 16 bytes
	b         uintptr
	bCol      int
	factors   uintptr
	factorRow int
	sums      uintptr
	sumsRow   int
	blocks    int // of columns, each of thinVectors vectors
	fetching
}

// fetching is the order in which lines of B are prefetched, while columns before them are multiplied.
type fetching struct {
	ahead   int // from the block that is multiplied to the one that is fetched
	step    int // from a line to the next
	line    int // from the end of a quarter of the columns to their next lines
	quarter int // from the end of their last lines to the next quarter
	lines   int // of a column
	//lint:ignore U1000 machine code keeps it here
	turns int // how many of them are left: the loop's own
}

// thinVectors is the number of vectors of columns in a block. thinCols is the number of columns whose sums stay in the
// first-level cache. thinProducts is the least number of products of a sum for which columns are transposed as they are
// multiplied.
const (
	thinVectors  = 2
	thinCols     = 1024
	thinProducts = 8
	// Columns are prefetched if they have at most thinLong bytes: the processor prefetches longer ones by itself.
	thinLong = 1 << 10
	// thinPad is the number of elements between copied columns, so that they do not fall into a few sets of a cache.
	thinPad = 16
	// thinAhead is how far ahead, in bytes.
	thinAhead = 1 << 14

	vectorsInTile = 2
)

// thinScratch is how many elements thinRows needs in the memory of packed panels: sums of all rows, and a row of B, and
// then a block of columns of k elements.
func (v *simdTiles) thinScratch(k int) int {
	return v.thinCopied() + v.thinBlock()*(k+thinPad)
}

// thinCopied is where the block of columns begins.
func (v *simdTiles) thinCopied() int { return len(v.thin) * (thinCols + thinVectors*v.cols) }

// thinBlock is the number of columns in a block.
func (v *simdTiles) thinBlock() int { return thinVectors * v.cols / vectorsInTile }

// isThin reports whether few rows are multiplied by contiguous columns that would take longer to pack than to multiply:
// the loops transpose them in registers.
func (q *problem[T]) isThin(v *simdTiles, c region, s *Scratch[T]) bool {
	return v != nil && c.top < c.bottom && c.bottom-c.top < len(v.thin) && c.right-c.left >= v.thinBlock() &&
		q.k >= thinProducts && q.b.Row == 1 && q.b.Col > 1 && q.readsElements() &&
		q.offsets == nil && q.packedB == nil && q.part == nil && s.epilogue == nil &&
		s.reader == nil
}

// thinRows computes a region of few rows. The last block of columns may overlap the one before it: the sums of the
// overlap are computed twice, but stored once.
func (f *macroKernel[T]) thinRows() {
	for left := f.left; left < f.right; {
		cols := f.right - left
		if cols >= thinCols+f.v.thinBlock() {
			cols = thinCols
		}
		pitch := roundUp(cols, f.v.thinBlock())
		for p, np := f.from, 0; p < f.to; p += np {
			np = f.pieceLen(p)
			f.thinSums(p, np, left, cols, pitch)
			for r := range f.bottom - f.top {
				f.putRow(f.s.b[r*pitch:][:cols], f.c.Data, f.top+r, left, f.add || p > f.from)
			}
		}
		left += cols
	}
}

// thinSums computes the sums of np products from p on, for a number of columns, at least one block. Rows of sums are
// pitch apart. Columns that fall into a few sets of the first-level cache are copied first, a block at a time: each
// piece of them would come from the second-level cache. With 1024 float32 apart, two rows by 512 columns take 0.09 ms
// instead of 0.30 on a Zen 4.
func (f *macroKernel[T]) thinSums(p, np, left, cols, pitch int) {
	rows, block := f.bottom-f.top, f.v.thinBlock()
	factors := f.s.a[:rows*np]
	for r := range rows {
		f.copyFactors(factors[r*np:][:np], f.a.Start+(f.top+r)*f.a.Row+p*f.a.Col)
	}
	isCopied, loops, bytes := f.copiesColumns(), f.v.rowLoopsOf(&f.factorB).thin, f.bytesB()
	if isCopied {
		loops, bytes = f.v.thin, f.size
	}
	each := 16 / bytes // products of a piece
	whole := np / each * each
	f.s.thin = thinArgs{pieces: whole / each, bCol: f.b.Col * bytes, factors: address(factors, 0),
		factorRow: np * f.size, sumsRow: pitch * f.size, fetching: f.fetching(np)}
	run := func(j, blocks int, b uintptr) {
		f.s.thin.b, f.s.thin.sums, f.s.thin.blocks = b, address(f.s.b, j), blocks
		loops[rows](&f.s.thin)
	}
	first := f.b.Start + p + left*f.b.Col
	if isCopied {
		copied, pitch := f.s.b[f.v.thinCopied():], np+thinPad
		f.s.thin.bCol, f.s.thin.fetching = pitch*f.size, fetching{lines: 1}
		for j := 0; j < cols; j += block {
			j := min(j, cols-block)
			f.copyColumns(copied, pitch, first+j*f.b.Col, block, np)
			run(j, 1, address(copied, 0))
		}
	} else {
		run(0, cols/block, f.addressB(first))
		if cols%block != 0 {
			run(cols-block, 1, f.addressB(first+(cols-block)*f.b.Col))
		}
	}
	for k := whole; k < np; k++ {
		f.addColumn(factors[k:], p+k, np, left, cols, pitch)
	}
}

// copiesColumns reports whether columns are copied before they are multiplied, as elements of the product's type: if
// they would fall into a few sets of a cache, or are of Float16, for which there are no other loops.
func (f *macroKernel[T]) copiesColumns() bool {
	return f.factorB.Type == Float16 || conflictMisses(f.b.Col*f.bytesB())
}

// copyColumns copies np elements of columns of B, the first of which is given.
func (f *macroKernel[T]) copyColumns(to []T, pitch, first, columns, np int) {
	if f.factorB.isHalf() {
		f.convert(to, pitch, &f.factorB, first, f.b.Col, columns, np)
		return
	}
	for i := range columns {
		copy(to[i*pitch:][:np], f.b.Data[first+i*f.b.Col:])
	}
}

// fetching returns the order in which columns of np elements are prefetched. The processor recognizes lines that follow
// one another, and fetches more of them: so do lines of contiguous columns.
func (f *macroKernel[T]) fetching(np int) fetching {
	const line = 64
	length, apart, columns := np*f.bytesB(), f.b.Col*f.bytesB(), f.v.thinBlock()
	block := columns * apart
	switch quarter := columns / 4; {
	case length > thinLong:
		return fetching{lines: 1}
	case length == apart:
		return fetching{ahead: roundUp(thinAhead, block), step: line, lines: 1}
	default:
		lines := max(length/line, 1)
		return fetching{ahead: block, step: apart, line: line - quarter*apart, quarter: quarter*apart - lines*line,
			lines: lines}
	}
}

// addColumn adds the products of one row of B, whose elements are apart, to sums. Sums past the last column get
// arbitrary values.
func (f *macroKernel[T]) addColumn(factors []T, k, np, left, cols, pitch int) {
	rows := f.bottom - f.top
	row := f.s.b[rows*pitch:][:pitch]
	for j := range cols {
		row[j] = element(&f.b, &f.factorB, f.b.Start+k+(left+j)*f.b.Col)
	}
	for r := range rows {
		f.s.gemv = gemvArgs{vectors: pitch / (f.v.cols / vectorsInTile), sums: address(f.s.b, r*pitch),
			b: address(row, 0), factors: address(factors, r*np)}
		f.v.addRow(&f.s.gemv)
	}
}
