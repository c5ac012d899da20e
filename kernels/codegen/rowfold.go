package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// putPartial stores a register as the row's vector of partial results.
func (w *rowBlock) putPartial(in *inst, x asm.Vec) {
	w.a.Mov(temp, row)
	w.a.Shl(temp, log2(uint8(w.target.bytes())))
	w.a.M(asm.MOVUPSSt, w.target.full(), x, 0, asm.Indexed(args, temp, 1, int32(in.slot.rows)))
}

// vectorsOf is the number of vectors of partial results that the elements of a row change.
func (w *rowBlock) vectorsOf(acc *accumulator) int {
	bytes := w.target.bytes()
	return (min(laneBytes, w.p.Row*laneSize(acc.typ)) + bytes - 1) / bytes
}

// blockFold is the end of a reduction: for each row, and then for all rows of a block.
type blockFold struct {
	ofRow, ofAll *block
	held         pins
}

// foldsOf lists the ends of the reductions of a block: each row leaves one vector, and the vectors of all rows are
// folded together.
func (w *rowBlock) foldsOf(b *block, p *plan) (list []*blockFold) {
	for i := range b.accs {
		acc := &b.accs[i]
		if acc.kind == rowprog.NoReduction || acc.isOverRows() {
			continue
		}
		lanes := w.target.bytes() / laneSize(acc.typ)
		f := &blockFold{ofRow: w.newBlock(lanes), ofAll: w.newBlock(lanes)}
		list = append(list, f)
		if acc.kind.GivesIndex() {
			w.foldIndices(f, acc, &b.accs[i+1])
			continue
		}
		held := &f.held
		if !p.accReg {
			held = nil
		}
		vectors := w.vectorsOf(acc)
		left, sums := w.leave(f.ofRow, f.ofRow.foldedVectors(acc, held, vectors)), 0
		if acc.nans {
			sums = w.leave(f.ofRow, f.ofRow.foldedVectors(&b.accs[i+1], held, vectors))
		}
		all := f.ofAll
		for first := 0; first < w.rows; first += lanes {
			joins := func(acc *accumulator, room int) vreg {
				return foldRows(all, laneSize(acc.typ), first, func(row int) vreg { return w.left(all, room, row) },
					func(x, y vreg, half int) vreg {
						return all.joins(acc, all.lowerHalves(x, y, half), all.upperHalves(x, y, half))
					})
			}
			r := all.ended(acc, joins(acc, left))
			if acc.nans {
				r = all.orNaN(acc.typ, r, joins(&b.accs[i+1], sums))
			}
			w.putRows(all, acc, first, lastingSize(acc.typ), r)
		}
	}
	return list
}

// foldIndices is the end of a reduction to indices.
func (w *rowBlock) foldIndices(f *blockFold, best, at *accumulator) {
	ofRow := f.ofRow.argReduction(best.kind, best.typ)
	x := ofRow.foldedVectors(best, at, w.vectorsOf(best))
	bests, places := w.leave(f.ofRow, x.best), w.leave(f.ofRow, x.at)
	all, r := f.ofAll, f.ofAll.argReduction(best.kind, best.typ)
	for first := 0; first < w.rows; first += all.lanes {
		won := foldRows(all, r.size, first, func(row int) winner {
			return winner{w.left(all, bests, row), w.left(all, places, row)}
		}, func(x, y winner, half int) winner {
			return r.merge(winner{all.lowerHalves(x.best, y.best, half), all.lowerHalves(x.at, y.at, half)},
				winner{all.upperHalves(x.best, y.best, half), all.upperHalves(x.at, y.at, half)})
		}).at
		w.putRows(all, best, first, 8, r.wide(won))
		if r.size == 4 {
			w.putRows(all, best, first+all.lanes/2, 8, r.wide(all.upper(won)))
		}
	}
}

// putRows stores the results of some rows, from a first one on, in lanes of a size.
func (w *rowBlock) putRows(b *block, acc *accumulator, first int, size uint8, x vreg) {
	to := &slot{rows: w.slotOf(acc.value).rows + first*int(size)}
	b.add(inst{form: perRowOutForm, width: w.target.full(), size: size, slot: to, args: [3]vreg{x, none, none}})
}

// leave stores a vector of each row and returns the place of those of all rows.
func (w *rowBlock) leave(b *block, x vreg) (room int) {
	room = w.layout.room(w.rows * w.target.bytes())
	b.add(inst{form: partialForm, width: w.target.full(), slot: &slot{rows: room}, args: [3]vreg{x, none, none}})
	return room
}

// left is the vector that leave stored for a row.
func (w *rowBlock) left(b *block, room, row int) vreg {
	return b.at(&slot{mem: inBlock(room + row*w.target.bytes())})
}

// foldRows folds the vectors left by rows, from a first one on as many as a vector has lanes, each by halves, and puts
// their results side by side. Two vectors give one whose halves are theirs, folded once. Pairs of those give one whose
// quarters belong to four rows, and so on. joins gets the bytes of a half.
func foldRows[T any](b *block, size, first int, left func(row int) T, joins func(x, y T, half int) T) T {
	bytes := b.c.target.bytes()
	var fold func(rows []int) T
	fold = func(rows []int) T {
		if len(rows) == 1 {
			return left(first + rows[0])
		}
		half := len(rows) / 2
		return joins(fold(rows[:half]), fold(rows[half:]), bytes/len(rows))
	}
	return fold(pairing(bytes, size))
}

// lowerHalves combines the lower halves of all parts of 2·half bytes of two vectors in one vector, upperHalves the
// upper ones. The order is that of [pairing].
func (b *block) lowerHalves(x, y vreg, half int) vreg {
	return b.partsOf(x, y, half, 0x44, 0x88, 0x20, asm.UNPCKLPD)
}
func (b *block) upperHalves(x, y vreg, half int) vreg {
	return b.partsOf(x, y, half, 0xee, 0xdd, 0x31, asm.UNPCKHPD)
}

func (b *block) partsOf(x, y vreg, half int, ofVectors, ofQuarters, ofTwo uint8, ofPairs *asm.Op) vreg {
	switch w := b.c.target.full(); {
	case half == 32:
		return b.binaryImm(asm.SHUFF64X2, w, x, y, ofVectors)
	case half == 16 && b.c.target.isAVX512():
		return b.binaryImm(asm.SHUFF64X2, w, x, y, ofQuarters)
	case half == 16:
		return b.binaryImm(asm.PERM2F128, w, x, y, ofTwo)
	case half == 8:
		return b.binary(ofPairs, w, x, y)
	default:
		return b.binaryImm(asm.SHUFPS, w, x, y, ofQuarters)
	}
}

// pairing is the order in which rows are paired so that the result of each ends in the lane of its number, in vectors
// of some bytes with lanes of a size.
func pairing(bytes, size int) []int {
	lanes := bytes / size
	var fold func(first, rows int) []int // the rows that lanes belong to, where rows are in order
	fold = func(first, rows int) []int {
		if rows == 1 {
			return slices.Repeat([]int{first}, lanes)
		}
		x, y := fold(first, rows/2), fold(first+rows/2, rows/2)
		half := lanes / rows
		part := lanes // within which halves of x come before those of y
		if half*size < 16 {
			part = 16 / size
		}
		var joined []int
		for at := 0; at < lanes; at += part {
			for _, v := range [][]int{x, y} {
				for from := at; from < at+part; from += 2 * half {
					joined = append(joined, v[from:from+half]...)
				}
			}
		}
		return joined
	}
	order := make([]int, lanes)
	for lane, place := range fold(0, lanes) {
		order[place] = lane
	}
	return order
}
