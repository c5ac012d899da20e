package gemm

import "unsafe"

// piecesArgs are the arguments of code that copies rows made up of pieces. Offsets and places count elements, toRow
// bytes.
type piecesArgs struct {
	rows, pieces int
	offsets      *int // of the rows
	piece        *piece
	from, to     unsafe.Pointer
	toRow        int
}

// packOffsets copies nj columns of B, which has offsets, from (p, j) on into a panel. Missing columns have arbitrary
// values: their sums are not stored.
func (f *macroKernel[T]) packOffsets(j, nj int) {
	f.readPacked()
	o, block := f.offsets, f.p/BlockLen(f.k)
	rows, cols := o.Rows[f.p:][:f.np], o.Cols[j:][:nj]
	if o.runs != nil && !f.factorB.isConverted() {
		f.transposeWhereTheyLie(o.runs[block], cols)
		return
	}
	switch whole := o.stays(block, j, f.b.Start, o.step*pieceBytes/f.size, f.factorB.elements(len(f.b.Data))); {
	case whole && o.along == alongColumns:
		f.copyPieces(rows, o.pieces[j/f.v.cols], f.s.b[f.packed:], f.v.cols)
	case whole && o.along == alongRows:
		f.copyPieces(cols, o.pieces[block], f.s.runs, f.pitch())
		f.transposeRuns(rows, cols)
	default:
		f.packElements(rows, cols)
	}
}

// readsWindows reports whether vectors of columns from j on are contiguous and so are read in place, and points at them
// if so.
func (f *macroKernel[T]) readsWindows(j, nj int) bool {
	o := f.offsets
	if nj < f.v.cols || f.factorB.isConverted() || j%f.v.cols != 0 || !o.contiguous[j/f.v.cols] {
		return false
	}
	args := f.args
	args.b = uintptr(unsafe.Pointer(&o.Rows[f.p]))
	args.from = address(f.b.Data, f.b.Start) + uintptr(o.Cols[j]*f.size)
	args.second = address(f.b.Data, f.b.Start) + uintptr(o.Cols[j+nj/2]*f.size)
	return true
}

// copyPieces copies pieces of each row of offsets into rows of dst. Pieces are copied at full length even if they have
// fewer elements: the next piece, or the next row, overwrites the excess.
func (f *macroKernel[T]) copyPieces(offsets []int, pieces []piece, dst []T, toRow int) {
	args := &f.s.pieces
	code := &f.v.copyPieces
	*args = piecesArgs{rows: len(offsets), pieces: len(pieces), offsets: &offsets[0], piece: &pieces[0],
		to: unsafe.Pointer(&dst[0]), toRow: toRow * f.size}
	if f.factorB.isConverted() {
		args.from, code = f.factorB.at(f.b.Start), &f.v.convertPieces[f.factorB.Type-Float16]
	} else {
		args.from = unsafe.Pointer(&f.b.Data[f.b.Start])
	}
	code[f.offsets.step](args)
}

// transposeRuns transposes the columns that copyPieces has copied, in whole blocks, which may reach past the last
// column.
func (f *macroKernel[T]) transposeRuns(rows, cols []int) {
	f.transpose(transposition[T]{src: f.s.runs, dst: f.s.b, to: f.packed, srcRow: f.pitch(), dstRow: f.v.cols,
		rows: roundUp(len(cols), pieceBytes/f.size), cols: len(rows)}, f.v.transposers)
}

// transposeWhereTheyLie transposes long runs of columns.
func (f *macroKernel[T]) transposeWhereTheyLie(runs []run, cols []int) {
	for _, r := range runs {
		for k := 0; k < r.len; k += nearRows {
			f.transpose(transposition[T]{src: f.b.Data, from: f.b.Start + cols[0] + r.from + k, dst: f.s.b,
				to:     f.packed + (r.to+k)*f.v.cols,
				srcRow: f.offsets.colStep, dstRow: f.v.cols, rows: len(cols), cols: min(nearRows, r.len-k)},
				f.v.transposers)
		}
	}
}

// packElements copies one element at a time.
func (f *macroKernel[T]) packElements(rows, cols []int) {
	dst := f.s.b[f.packed:]
	for k, r := range rows {
		row, to := f.b.Start+r, dst[k*f.v.cols:][:len(cols)]
		for c, at := range cols {
			to[c] = element(&f.b, &f.factorB, row+at)
		}
	}
}
