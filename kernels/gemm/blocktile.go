package gemm

import "unsafe"

// This file multiplies few rows by such columns of blocks. Numbers are made of words in registers, right before they
// are multiplied: no panel of float32 is stored.

// blockTileArgs are the arguments of code that multiplies rows by the words of a panel. Steps are in bytes. The first
// block has the first of the words, the others each. With the words of a row, two listed lines are prefetched, as
// offsets from fetch.
type blockTileArgs struct {
	words, first, each           int
	from, scales, minima, levels unsafe.Pointer
	a                            unsafe.Pointer
	aRow                         int
	c                            unsafe.Pointer
	cRow                         int
	add                          int
	list                         *int
	fetch                        uintptr
}

// fetchesOfWord is the number of lines that are prefetched with the words of a row.
const fetchesOfWord = 2

// hasBlockTiles reports whether rows are multiplied so.
func (f *macroKernel[T]) hasBlockTiles() bool {
	from := &f.factorB
	return from.isBlocks() && f.ni < len(f.v.blockTiles[from.Type-Int8Blocks]) && f.packedB == nil && f.pairs == nil &&
		f.a.Col == 1 && !f.factorA.isConverted() && !f.continues() && BlockLen(f.k)%from.inWord() == 0 &&
		f.hasBlockPanels(f.b.Start+f.from, f.to-f.from)
}

// blockTiles computes the columns of whole panels. It returns the first that is left.
func (f *macroKernel[T]) blockTiles() (left int) {
	cols, args := f.v.cols, &f.s.blockTile
	code := f.v.blockTiles[f.factorB.Type-Int8Blocks][f.ni]
	j := f.left
	for ; j+cols <= f.right; j += cols {
		for f.p = f.from; f.p < f.to; f.p += f.np {
			f.np = f.pieceLen(f.p)
			t, to := f.turnBlocks(f.atB(j), cols), f.target(f.p, f.np)
			*args = blockTileArgs{words: f.np / t.inWord, first: t.first / t.inWord, each: t.block / t.inWord,
				from: unsafe.Pointer(&t.words[0]), scales: unsafe.Pointer(&t.scales[0]),
				minima: unsafe.Pointer(&t.minima[0]), levels: unsafe.Pointer(t.levels),
				a:    unsafe.Pointer(&f.a.Data[f.a.Start+f.i*f.a.Row+f.p]),
				aRow: f.a.Row * f.size, c: unsafe.Pointer(&to.data[f.c.Start+f.i*f.c.Row+j]), cRow: f.c.Row * f.size}
			if to.add {
				args.add = 1
			}
			f.listNext(args, j)
			code(args)
		}
		if f.p -= f.np; f.runsEpilogue() {
			f.s.epilogue.Stored(f.first+f.i, f.first+f.i+f.ni, j, j+cols)
		}
	}
	return j
}

// listNext lists the lines of the next panel's words.
func (f *macroKernel[T]) listNext(args *blockTileArgs, j int) {
	from, cols, l := &f.factorB, f.v.cols, &f.s.lines
	p, next := f.p+f.np, j
	if p >= f.to {
		p, next = f.from, min(j+cols, f.right-cols)
	}
	args.fetch = uintptr(from.byteOf(f.b.Start + p*f.b.Row + next*f.b.Col))
	l.list(lineListSizes{columns: cols, step: from.bytes(f.b.Col), bytes: from.bytes(f.np),
		begin: int(args.fetch % line), products: max(fetchesOfWord*args.words, unrolled)})
	args.list = &l.offsets[0]
}
