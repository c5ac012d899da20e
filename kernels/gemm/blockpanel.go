package gemm

import "unsafe"

// This file makes panels of float32 of columns of blocks whose integers are contiguous, in two steps: words of 32 bits,
// each with consecutive integers of a column, are transposed, and with them scales and minima. Then each vector of
// words becomes as many rows of the panel as a word has integers. That moves a quarter or an eighth as many words as
// numbers.

// blockPanelArgs are the arguments of code that makes numbers of blocks of words of a panel. All rows have the columns
// of a panel, and follow one another.
type blockPanelArgs struct {
	blocks, words          int
	from, to               unsafe.Pointer
	scales, minima, levels unsafe.Pointer
}

// inWord is the number of integers of a word.
func (f *Factor) inWord() int {
	if f.inHalves() {
		return 2 * wordBytes
	}
	return wordBytes
}

// hasBlockPanels reports whether some products from an element of the first column on consist of words of B, whose
// blocks begin with the same rows in all columns.
func (f *macroKernel[T]) hasBlockPanels(at, products int) bool {
	b, from := &f.b, &f.factorB
	if !from.isBlocks() || f.v.blockPanels[0] == nil || b.Row != 1 {
		return false
	}
	each := from.inWord()
	return b.Col%from.Block == 0 && from.Block%each == 0 && at%each == 0 && products%each == 0
}

// turnedBlocks are words, scales and minima of columns of B that rows of the scratch memory hold.
type turnedBlocks[T any] struct {
	words, scales, minima []T
	inWord, block, first  int // elements of a word and of a block, and of the first block
	levels                *[sumLanes]float32
}

// turnBlocks transposes words, scales and minima of nj columns of B from an element of the first one on.
func (f *macroKernel[T]) turnBlocks(at, nj int) (t turnedBlocks[T]) {
	from, cols := &f.factorB, f.v.cols
	each, first := from.inWord(), at/from.Block
	words, blocks := f.np/each, (at+f.np-1)/from.Block-first+1
	f.s.runs = grow(f.s.runs, (words+2*blocks)*cols)
	t = turnedBlocks[T]{words: f.s.runs, scales: f.s.runs[words*cols:], minima: f.s.runs[(words+blocks)*cols:],
		inWord: each, block: from.Block, first: min(from.Block-at%from.Block, f.np), levels: &nibbles}
	f.turnColumns(t.words, unsafe.Slice((*T)(from.Data), from.Len/each), at/each, f.b.Col/each, nj, words, false)
	f.turnColumns(t.scales, asOwn[T](from.Scales), first, f.b.Col/from.Block, nj, blocks, true)
	if from.hasMinima() {
		t.levels = &unsignedNibbles
		f.turnColumns(t.minima, asOwn[T](from.Minima), first, f.b.Col/from.Block, nj, blocks, true)
	}
	return t
}

// turnColumns writes columns of some elements, a step apart, as rows of the width of a panel. It may prefetch those of
// the next panel.
func (f *macroKernel[T]) turnColumns(dst, src []T, at, step, cols, elements int, fetches bool) {
	m := transposition[T]{src: src, from: at, dst: dst, srcRow: step, dstRow: f.v.cols, rows: cols, cols: elements,
		farRow: noRow}
	if fetches {
		m.farRow = 1
	}
	f.transpose(m, f.v.transposers)
}

// blockPanel makes a panel of nj columns of B, of which the first begins at an element.
func (f *macroKernel[T]) blockPanel(dst []T, at, nj int) {
	t, cols := f.turnBlocks(at, nj), f.v.cols
	code := f.v.blockPanels[f.factorB.Type-Int8Blocks]
	n, count, b := t.first, 1, 0 // elements of blocks, and their number
	for k := 0; k < f.np; k += n * count {
		if k > 0 {
			n, count, b = min(t.block, f.np-k), max((f.np-k)/t.block, 1), b+count
		}
		f.s.blockPanel = blockPanelArgs{blocks: count, words: n / t.inWord,
			from: unsafe.Pointer(&t.words[k/t.inWord*cols]), to: unsafe.Pointer(&dst[k*cols]),
			scales: unsafe.Pointer(&t.scales[b*cols]), minima: unsafe.Pointer(&t.minima[b*cols]),
			levels: unsafe.Pointer(t.levels)}
		code(&f.s.blockPanel)
	}
}

// lineList lists the lines of the words of a panel, as offsets from the first word. Each is there for several products
// of a sum, so that they are asked for at equal intervals.
type lineList struct {
	made    lineListSizes
	offsets []int
}

// lineListSizes are what a list depends on: columns, the bytes between them and of each, where in a line the first one
// begins, and the products.
type lineListSizes struct{ columns, step, bytes, begin, products int }

// list lists the lines.
func (l *lineList) list(of lineListSizes) {
	if l.made == of {
		return
	}
	l.made, l.offsets = of, l.offsets[:0]
	times := max(of.products*line/(of.columns*roundUp(of.bytes, line)), 1)
	for c := range of.columns {
		first := of.begin + c*of.step
		for at := first &^ (line - 1); at < first+of.bytes; at += line {
			for range times {
				l.offsets = append(l.offsets, at-of.begin)
			}
		}
	}
	for len(l.offsets) < of.products {
		l.offsets = append(l.offsets, l.offsets[len(l.offsets)-1])
	}
}

// prefetchWords has tiles prefetch the words of the next panel, if they prefetch no other lines. Columns lie far apart,
// and no processor predicts them all.
func (f *macroKernel[T]) prefetchWords(j, nj int) {
	from, args, l := &f.factorB, f.args, &f.s.lines
	if !from.isBlocks() || f.b.Row != 1 || f.isPacked || args.listed != 0 || args.aCol != f.size {
		return
	}
	p, next := f.p, j+nj
	if f.bottom-f.top <= f.v.rows && f.p+f.np < f.to {
		p, next = f.p+f.np, j
	} else if f.bottom-f.top <= f.v.rows {
		p = f.from
	}
	if next >= f.right {
		return
	}
	base := uintptr(from.byteOf(f.b.Start + p*f.b.Row + next*f.b.Col))
	l.list(lineListSizes{columns: min(f.v.cols, f.right-next), step: from.bytes(f.b.Col), bytes: from.bytes(f.np),
		begin: int(base % line), products: f.np})
	if args.listed = f.np / unrolled * unrolled; args.listed > 0 {
		args.list, args.prefetchBase, args.prefetchTile = &l.offsets[0], base, 0
	}
}

// asOwn returns numbers of float32 as those of a product, which is one of float32.
func asOwn[T any](numbers []float32) []T {
	var own any = numbers
	return own.([]T)
}
