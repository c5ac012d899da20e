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

// blockFold is how a reduction ends: of each row, and then of all rows of a block, if some is left to do.
type blockFold struct {
	ofRow, ofAll *block
	held         pins
}

// foldsOf lists how the reductions of a block end. What tells the places of elements is folded row by row. Of others, each row leaves one vector, and
// the vectors of all rows are folded together.
func (w *rowBlock) foldsOf(b *block, p *plan) (list []*blockFold) {
	for i := range b.accs {
		acc := &b.accs[i]
		if acc.kind == rowprog.NoReduction || acc.isOverRows() {
			continue
		}
		f := &blockFold{}
		list = append(list, f)
		if acc.kind.GivesIndex() {
			f.ofRow = w.foldIndex(acc, &b.accs[i+1], w.vectorsOf(acc))
			continue
		}
		held := &f.held
		if !p.accReg {
			held = nil
		}
		lanes := w.target.bytes() / laneSize(acc.typ)
		f.ofRow, f.ofAll = w.newBlock(lanes), w.newBlock(lanes)
		left, sums := w.leave(f.ofRow, acc, held), 0
		if acc.nans {
			sums = w.leave(f.ofRow, &b.accs[i+1], held)
		}
		for first := 0; first < w.rows; first += lanes {
			all := f.ofAll
			r := all.ended(acc, w.foldRows(all, acc, left, first))
			if acc.nans {
				r = all.orNaN(acc.typ, r, w.foldRows(all, &b.accs[i+1], sums, first))
			}
			size := lastingSize(acc.typ)
			to := &slot{rows: w.slotOf(acc.value).rows + first*int(size)}
			all.add(inst{form: perRowOutForm, width: w.target.full(), size: size, slot: to, args: [3]vreg{r, none, none}})
		}
	}
	return list
}

// leave has a row leave its partial results of a reduction, as one vector. It gives the place of those of all rows.
func (w *rowBlock) leave(b *block, acc *accumulator, held *pins) (room int) {
	room = w.layout.room(w.rows * w.target.bytes())
	x := b.foldedVectors(acc, held, w.vectorsOf(acc))
	b.add(inst{form: partialForm, width: w.target.full(), slot: &slot{rows: room}, args: [3]vreg{x, none, none}})
	return room
}

// foldRows folds the vectors that some rows have left, as many as a vector has lanes, each by halves, and puts their results side by side. Two
// vectors give one whose halves are theirs, folded once; so do pairs of those, whose quarters are those of four rows.
func (w *rowBlock) foldRows(b *block, acc *accumulator, room, first int) vreg {
	bytes := w.target.bytes()
	rows := pairing(bytes, laneSize(acc.typ))
	var fold func(rows []int) vreg
	fold = func(rows []int) vreg {
		if len(rows) == 1 {
			return b.at(&slot{mem: inBlock(room + (first+rows[0])*bytes)})
		}
		half := len(rows) / 2
		x, y := fold(rows[:half]), fold(rows[half:])
		return b.joins(acc, b.lowerHalves(x, y, bytes/len(rows)), b.upperHalves(x, y, bytes/len(rows)))
	}
	return fold(rows)
}

// lowerHalves puts the lower halves of all parts of 2·half bytes of two vectors into one vector, and upperHalves the upper ones, in the order that
// [pairing] knows.
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

// pairing is the order in which rows are paired so that the result of each comes to lie in the lane of its number, in vectors of some bytes with lanes of a size.
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
