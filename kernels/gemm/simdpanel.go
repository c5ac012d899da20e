package gemm

import "unsafe"

// panelPass multiplies the block of A by a panel of B: nj columns from j on.
func (f *macroKernel[T]) panelPass(j, nj int) {
	if f.pairs != nil && f.pairPass(j, nj) {
		return
	}
	loops, _ := f.loops(nj)
	rows := len(loops) - 1
	f.pointA()
	f.pointC(j, nj)
	f.setEpilogue(j, nj)
	f.setHeight(rows)
	done, loops := f.prepareB(j, nj, loops)
	isPacked := f.isInScratch()
	done += f.copyNext(j, nj, f.ni/rows-done)
	if half := f.v.cols / 2; f.isQuarter(nj - half) {
		f.masks(half)
		f.tilesBelow(j, half, f.ni, f.v.half)
		f.args.b += uintptr(half * f.size)
		f.pointA()
		f.pointC(j+half, nj-half)
		f.tilesBelow(j, nj-half, f.ni, f.v.quarter)
	} else {
		f.tilesBelow(j, nj, f.ni-done*rows, loops)
	}
	f.storedToEpilogue(j, nj)
	f.visitPanel(j, nj, isPacked)
}

// loops returns the loops for a number of columns of a panel, and how many elements of a row of B they read without
// masks.
func (f *macroKernel[T]) loops(cols int) (loops []func(*tileArgs), reads int) {
	switch {
	case f.isQuarter(cols):
		return f.v.quarter, f.v.cols / 4
	case 2*cols <= f.v.cols:
		return f.v.half, f.v.cols / 2
	case cols < f.v.cols:
		return f.v.edge, f.v.cols
	}
	return f.v.full, f.v.cols
}

// quarterProducts is the least number of products of a sum in quarter tiles, since their masks cost more.
const quarterProducts = 32

// isQuarter reports whether a number of columns is left to quarter tiles.
func (f *macroKernel[T]) isQuarter(cols int) bool {
	return f.v.quarter != nil && 0 < cols && 4*cols <= f.v.cols && f.np >= quarterProducts
}

// tilesBelow computes the remaining rows of a panel.
func (f *macroKernel[T]) tilesBelow(j, nj, left int, loops []func(*tileArgs)) {
	rows := len(loops) - 1
	if f.readsA() && !sizes.bearsConflicts && sameSets(f.args.aRow) {
		rows = min(rows, sizes.lines)
	}
	f.setHeight(rows)
	f.args.listed = 0
	if nj == f.v.cols && !f.readsWindow {
		f.prefetchResults(f.ni-left, rows)
	}
	f.prefetchNext(j, nj, rows, (left+rows-1)/rows)
	f.prefetchWords(j, nj)
	whole, last := left/rows, left%rows
	if 0 < last && last < fewTileRows && whole > 0 { // shared with the tile before
		whole--
		f.runTile((rows+last+1)/2, loops)
		last = (rows + last) / 2
	}
	f.setHeight(rows)
	f.run(whole, loops[rows])
	if last > 0 {
		f.runTile(last, loops)
	}
}

// fewTileRows is the number of rows of a tile below which multiplications wait for sums: there are too few independent
// ones.
const fewTileRows = 4

// runTile computes one tile of some rows.
func (f *macroKernel[T]) runTile(rows int, loops []func(*tileArgs)) {
	f.setHeight(rows)
	f.run(1, loops[rows])
}

// setHeight sets the number of rows of tiles.
func (f *macroKernel[T]) setHeight(rows int) {
	f.args.aTile, f.args.cTile = rows*f.args.aRow, rows*f.args.cRow
}

// run computes some tiles.
func (f *macroKernel[T]) run(tiles int, loop func(*tileArgs)) {
	if tiles > 0 {
		f.args.tiles = tiles
		loop(f.args)
	}
}

// pointC points at columns of C.
func (f *macroKernel[T]) pointC(j, nj int) {
	args := f.args
	to := f.target(f.p, f.np)
	args.k, args.add, args.continues = f.np, 0, 0
	if to.add {
		args.add = 1
	}
	args.cRow = f.c.Row * f.size
	at := f.c.Start + f.i*f.c.Row + j*f.c.Col
	args.c = address(to.data, at)
	if to.begun != nil {
		args.continues, args.begun = 1, address(to.begun, at)-args.c
	}
	f.masks(nj)
	args.fetchC = 0
	if f.s.isLarge {
		args.fetchC = 1
	}
}

// masks sets the masks for the columns of a tile.
func (f *macroKernel[T]) masks(nj int) {
	switch {
	case f.isQuarter(nj):
		f.args.masks = f.v.quarterMasks(nj)
	case nj < f.v.cols:
		f.args.masks = f.v.masks(nj)
	}
}

// prepareB points at a panel of B. It returns the number of tiles that were computed while the panel was copied, and
// the loops for the others.
func (f *macroKernel[T]) prepareB(j, nj int, loops []func(*tileArgs)) (done int, rest []func(*tileArgs)) {
	args, isOne := f.args, f.ni < len(loops)
	copied := f.copied
	f.copied, f.readsWindow = 0, false
	switch {
	case f.pairs != nil: // but for numbers that are too small
		f.wideB(j, nj)
		args.b, args.bRow = address(f.s.wide, 0), f.v.cols*f.size
	case f.readsPacked(j):
	case f.isPacked:
		f.readPacked()
	case f.offsets != nil:
		switch {
		case !f.readsWindows(j, nj):
			f.packOffsets(j, nj)
		case isOne:
			f.readsWindow = true
			return 0, f.v.window
		default:
			return f.packing(f.v.packingWindow), loops
		}
	case copied > 0:
		f.packRows(j, nj, copied)
		f.readPacked()
	case f.b.Col == 1 && f.readsB(j, nj):
		args.b = address(f.b.Data, f.atB(j))
		args.bRow = f.b.Row * f.size
		if nj == f.v.cols && !isOne {
			args.fetch = args.b + uintptr(fetchRows*args.bRow)
			return f.packing(f.v.packingTile), loops
		}
	default:
		f.packB(j, nj)
	}
	return 0, loops
}

// packing computes a tile with a loop that also packs the B that it reads, for the other tiles.
func (f *macroKernel[T]) packing(loop func(*tileArgs)) (done int) {
	f.args.to = address(f.s.b, f.packed)
	f.run(1, loop)
	f.readPacked()
	return 1
}

// copyNext has the tiles that are left copy the next panel of B, if it is to be packed and there are enough tiles. It
// returns the number of tiles that are then done.
func (f *macroKernel[T]) copyNext(j, nj, left int) (done int) {
	args := f.args
	if f.b.Col != 1 || f.factorB.isConverted() || f.packedB != nil || f.isPacked || f.offsets != nil || nj < f.v.cols ||
		j+2*nj > f.stop ||
		f.ni < copySteps*f.v.rows || args.aCol != f.size {
		return 0
	}
	args.from, args.fromRow = address(f.b.Data, f.atB(j+nj)), f.b.Row*f.size
	args.to = address(f.s.b, f.nextPacked())
	args.fetch, args.fetchTile = args.from+uintptr(fetchRows*args.fromRow), f.np/copySteps*args.fromRow
	done = min(left, copySteps)
	f.run(done, f.v.packNextTile)
	f.copied = f.np / copySteps * done
	return done
}

// toNextPacked is the number of elements from a kept panel of B to the one that is multiplied next.
func (f *macroKernel[T]) toNextPacked(j int) int {
	if f.hasPacked(j) && f.bottom-f.top > f.v.rows { // all columns before the next block of K
		return f.k * f.v.cols
	}
	return f.np * f.v.cols
}

// atB is the index in the data of the first row of the panel of B from column j on.
func (f *macroKernel[T]) atB(j int) int { return f.b.Start + f.p*f.b.Row + j*f.b.Col }

// packRows packs the rows of a panel of B, nj contiguous columns, from a row on. Rows are copied at the width of a
// panel as long as there is memory after them.
func (f *macroKernel[T]) packRows(j, nj, row int) {
	cols, step := f.v.cols, f.b.Row
	at := f.atB(j) + row*step
	if left := len(f.b.Data) - cols - at; left >= 0 && step > 0 && row < f.np {
		rows := min(left/step+1, f.np-row)
		copyLines(unsafe.Pointer(&f.s.b[f.packed+row*cols]), unsafe.Pointer(&f.b.Data[at]), rows, cols*f.size,
			step*f.size)
		row, at = row+rows, at+rows*step
	}
	for ; row < f.np; row++ {
		copy(f.s.b[f.packed+row*cols:][:nj], f.b.Data[at:])
		at += step
	}
}

// copyLines copies rows of one or two lines of the cache to one behind the other, from some
// bytes apart. What is behind the columns of a row may be written meanwhile, by whom it
// belongs to: it is copied, but not used.
//
//go:norace
func copyLines(dst, src unsafe.Pointer, rows, width, step int) {
	for range rows - 1 {
		copyLine(dst, src)
		if width > line {
			copyLine(unsafe.Add(dst, line), unsafe.Add(src, line))
		}
		dst, src = unsafe.Add(dst, width), unsafe.Add(src, step)
	}
	copy(unsafe.Slice((*byte)(dst), width), unsafe.Slice((*byte)(src), width))
}

// copyLine copies a line word by word, which takes a fraction of the time of a call.
//
//go:norace
func copyLine(dst, src unsafe.Pointer) {
	to, from := (*[line / 8]uint64)(dst), (*[line / 8]uint64)(src)
	to[0], to[1], to[2], to[3] = from[0], from[1], from[2], from[3]
	to[4], to[5], to[6], to[7] = from[4], from[5], from[6], from[7]
}

// readsB reports whether rows of B, whose columns are contiguous, are read in place, at least the first time. Whole
// panels are. Others are if they need not be packed for later and there is memory after them. It may belong to others,
// since the values read from it are not used.
func (f *macroKernel[T]) readsB(j, nj int) bool {
	if f.factorB.isConverted() {
		return false
	}
	if nj == f.v.cols || f.keeps {
		return nj == f.v.cols
	}
	if half := f.v.cols / 2; f.isQuarter(nj - half) { // those behind the first half
		j, nj = j+half, nj-half
	}
	if f.v.loadsWithMasks && !f.isQuarter(nj) {
		return true
	}
	_, reads := f.loops(nj)
	first := f.atB(j)
	last := first + (f.np-1)*f.b.Row
	return isMapped(f.b.Data, max(first, last)+reads)
}

// isMapped reports whether elements before an end can be read although some may be past the data: they are in the page
// of its last element.
func isMapped[T any](data []T, end int) bool {
	const page = 4096 // or a part of one
	if end <= len(data) {
		return true
	}
	last := address(data, len(data)-1) + unsafe.Sizeof(data[0]) - 1
	return last/page == (last+uintptr(end-len(data))*unsafe.Sizeof(data[0]))/page
}

// readPacked points at the packed panel of B.
func (f *macroKernel[T]) readPacked() {
	f.args.b, f.args.bRow = address(f.s.b, f.packed), f.v.cols*f.size
}
