package gemm

// prefetchLists are the lines that tiles prefetch of matrices that they write or read once: C, or the memory of an
// Epilogue. A tile accesses short pieces of their rows, which no processor predicts, and all at once. So they are
// prefetched earlier, one by one: many requests at a time would delay those for A and B.
type prefetchLists struct {
	matrices []uintptr // the first element of each that belongs to the first tile
	row      int       // bytes from row to row of all

	// The last list: for matrices at these distances, and for these sizes.
	apart   []uintptr
	made    prefetchSizes
	offsets []int // from the first matrix on, of whole unrolled steps
}

// prefetchSizes are the sizes that a list depends on, in rows and bytes.
type prefetchSizes struct{ rows, row, width, misaligned int }

const (
	line     = 64 // bytes, of a cache
	unrolled = 4  // products, in the loops
	fewLines = 16 // that can be asked for at once
)

// list lists the lines of tiles of some rows, some bytes wide.
func (l *prefetchLists) list(rows, width int) {
	sizes := prefetchSizes{rows, l.row, width, int(l.matrices[0] % line)}
	if l.made == sizes && l.areAsFarApart() {
		return
	}
	l.made, l.apart, l.offsets = sizes, l.apart[:0], l.offsets[:0]
	base := l.matrices[0]
	for _, m := range l.matrices {
		l.apart = append(l.apart, m-base)
	}
	for r := range rows {
		for _, m := range l.matrices {
			first := m + uintptr(r*l.row)
			for at := first &^ (line - 1); at < first+uintptr(width); at += line {
				l.offsets = append(l.offsets, int(at-base))
			}
		}
	}
	for len(l.offsets)%unrolled != 0 {
		l.offsets = append(l.offsets, l.offsets[len(l.offsets)-1])
	}
}

// areAsFarApart reports whether the matrices are at the same distances from each other as those listed.
func (l *prefetchLists) areAsFarApart() bool {
	if len(l.apart) != len(l.matrices) {
		return false
	}
	for i, m := range l.matrices {
		if m-l.matrices[0] != l.apart[i] {
			return false
		}
	}
	return true
}

// prefetchResults has the tiles that are left of a panel, of a number of rows each, prefetch along with their products
// the memory that they access besides A and B: that of an epilogue, or C if it is large.
func (f *macroKernel[T]) prefetchResults(done, rows int) {
	lists, args := &f.s.prefetch, f.args
	width := f.v.cols * f.size
	lines := rows * width / line // of C
	isMuch := f.s.isLarge && fewLines < lines && 2*lines <= f.np
	if args.code == 0 && !isMuch || args.aCol != f.size || f.np < unrolled || f.bottom-f.top <= f.v.rows {
		return
	}
	if args.code == 0 {
		lists.matrices = lists.matrices[:0]
	}
	if args.code == 0 || args.add != 0 && lists.row == args.cRow {
		lists.matrices, lists.row = append(lists.matrices, args.c-uintptr(done*args.cRow)), args.cRow
	}
	if len(lists.matrices) == 0 {
		return
	}
	lists.list(min(rows, f.ni), width)
	args.fetchC, args.listed = 0, min(len(lists.offsets), f.np/unrolled*unrolled)
	args.list, args.prefetchBase, args.prefetchTile = &lists.offsets[0], lists.matrices[0]+uintptr(done*lists.row),
		rows*lists.row
}

// prefetchNext has the tiles that are left of a panel of B, of a number of rows each, prefetch what comes next. It is
// an equal share of the next panel if that is packed, if it will be packed from contiguous columns, or if no other tile
// reads this one. A single tile reads panels that were packed in advance as one stream, which the processor prefetches
// by itself: prefetching panels ahead as well would delay requests that are needed sooner. From memory, 4 rows take 0.7
// of the time without, and 12 rows 0.8 (Zen 4). If columns of A are contiguous, each tile prefetches a share of the
// next block of K; else the part of A of the next tile.
func (f *macroKernel[T]) prefetchNext(j, nj, rows, tiles int) {
	args := f.args
	switch {
	case tiles == 0:
	case f.comesAgain || tiles == 1 && f.hasPacked(j):
		args.fetch, args.fetchTile, args.stretch = args.b, 0, 0
	case f.isPacked || f.hasPacked(j):
		if f.ni >= f.v.rows { // whose loop fetches a line in copySteps
			tiles = max(tiles, copySteps)
		}
		args.fetch = args.b + uintptr(f.toNextPacked(j)*f.size)
		f.share(f.np*args.bRow, tiles)
	case f.ni <= f.v.rows && f.b.Col == 1 && !f.factorB.isConverted():
		args.fetch, args.stretch = args.b+uintptr(nj*f.size), args.bRow
		if j+nj == f.right { // the next rows begin with the first columns
			args.fetch = args.b + uintptr(f.np*args.bRow-(j-f.region.left)*f.size)
		}
	case f.b.Row == 1 && !f.factorB.isConverted() && f.offsets == nil && j+nj < f.stop:
		args.fetch = address(f.b.Data, f.atB(j+nj))
		f.share(f.together(f.v.cols, f.b.Col*f.size), tiles)
	case args.aRow == f.size && f.ni*f.size == args.aCol && f.p+f.np < f.to:
		panel, panels := (j-f.region.left)/f.v.cols, f.v.panels(f.right-f.region.left)
		share := f.np * args.aCol / panels
		args.fetch = address(f.a.Data, f.a.Start+f.i*f.a.Row+(f.p+f.np)*f.a.Col) + uintptr(panel*share)
		f.share(share, tiles)
	default:
		args.fetch, args.fetchTile, args.stretch = args.a+uintptr(args.aTile), args.aTile, 0
		if args.aCol == f.size {
			args.stretch = f.perProduct(f.together(rows, args.aRow))
		}
	}
}

// share has each of some tiles prefetch an equal part of a number of bytes, with products that prefetch nothing else.
func (f *macroKernel[T]) share(bytes, tiles int) {
	f.args.fetchTile = (bytes + tiles - 1) / tiles
	f.args.stretch = f.perProduct(f.args.fetchTile)
}

// perProduct is how many of these bytes each such product prefetches.
func (f *macroKernel[T]) perProduct(bytes int) int {
	products := max(f.np-f.args.listed, 1)
	return (bytes + products - 1) / products
}

// together is how many bytes rows of the block of K that are some bytes apart take if they are prefetched together with
// the gaps between them; 0 if the gaps are large.
func (f *macroKernel[T]) together(rows, step int) int {
	const most = 256
	if gap := step - f.np*f.size; gap < 0 || gap > most {
		return 0
	}
	return rows * step
}
