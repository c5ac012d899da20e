package gemm

// readsA reports whether A is read in place. It is not if its elements would fall into a few sets of the cache, or if
// few of each line were used at a time, unless little is computed from it.
func (f *macroKernel[T]) readsA() bool {
	switch cols := f.right - f.left; {
	case f.factorA.isConverted():
		return false
	case f.isGrouped && f.a.Col == 1: // each panel of B comes once for many rows, so that no cache bears it
		return !sameSets(f.a.Row*f.size) && !sameSets(2*f.a.Row*f.size)
	case f.bottom-f.top <= f.v.rows:
		return true
	case f.a.Row == 1 && f.a.Col*f.size%1024 == 0: // lines in a few sets
		return cols <= f.v.cols || cols <= 2*f.v.cols && f.np <= nearLines
	case f.a.Row == 1:
		return cols <= f.v.cols || cols <= 4*f.v.cols && f.np*f.a.Col*f.size <= nearPages
	case cols <= 2*f.v.cols:
		return true
	}
	return f.a.Col == 1 && !conflictMisses(f.a.Row*f.size)
}

// nearLines is the most such lines that are read again for every tile rather than copied.
const nearLines = 256

// nearPages is the most memory, in bytes, of a block whose rows each lie in a page of their own that is read again for
// every tile rather than copied: 64 pages of 4 KiB have entries in the first-level TLB of most processors.
const nearPages = 64 * 4 << 10

// conflictMisses reports whether all rows of a tile that are some bytes apart, or every other, fall into a few sets of
// the first-level cache. Some caches tolerate it.
func conflictMisses(row int) bool { return !sizes.bearsConflicts && (sameSets(row) || sameSets(2*row)) }

// sameSets reports whether rows that are some bytes apart fall into nearby sets.
func sameSets(row int) bool {
	set := row % sizes.way
	return row >= sizes.way/4 && min(set, sizes.way-set) < sizes.way/8
}

// pitch is the distance between copied rows of A: no power of two, since such rows would fall into a few sets of the
// cache.
func (f *macroKernel[T]) pitch() int { return f.np + 64/f.size }

// prepareA copies the rows of the block of A one after the other, unless they are read in place.
func (f *macroKernel[T]) prepareA() {
	switch {
	case f.readsA():
		return
	case f.factorA.isConverted():
		f.convertA()
		if f.pairs != nil {
			f.pairA()
		}
		return
	}
	a, pitch := &f.a, f.pitch()
	src := a.Start + f.i*a.Row + f.p*a.Col
	switch {
	case a.Col == 1:
		for r := range f.ni {
			copy(f.s.a[f.copiedA+r*pitch:][:f.np], a.Data[src+r*a.Row:])
		}
	case a.Row == 1:
		f.transpose(transposition[T]{src: a.Data, from: src, dst: f.s.a, to: f.copiedA, srcRow: a.Col, dstRow: pitch,
			rows: f.np, cols: f.ni}, f.v.transposers)
	default:
		for r := range f.ni {
			for k := range f.np {
				f.s.a[f.copiedA+r*pitch+k] = a.Data[src+r*a.Row+k*a.Col]
			}
		}
	}
}

// nearRows is the number of rows of a panel of B that stay in the first-level cache while one block of columns after
// another is transposed into them.
const nearRows = 128

// packB copies nj columns of B from (p, j) on into a panel as wide as a tile, row by row. Missing columns have
// arbitrary values: their sums are not stored.
func (f *macroKernel[T]) packB(j, nj int) {
	f.readPacked()
	b, cols, rows := &f.b, f.v.cols, f.np
	at := f.atB(j)
	dst := f.s.b[f.packed:][:rows*cols]
	if f.factorB.isConverted() {
		f.convertB(dst, j, nj)
		return
	}
	if b.Col == 1 {
		f.packRows(j, nj, 0)
		return
	}
	if b.Row == 1 {
		for k := 0; k < rows; k += nearRows {
			f.transpose(transposition[T]{src: b.Data, from: at + k, dst: dst, to: k * cols, srcRow: b.Col, dstRow: cols,
				rows: nj, cols: min(nearRows, rows-k)}, f.v.transposers)
		}
		return
	}
	for k := range rows {
		for c := range nj {
			dst[k*cols+c] = b.Data[at+k*b.Row+c*b.Col]
		}
	}
}
