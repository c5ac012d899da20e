package codegen

import (
	"encoding/binary"
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// mostFlat is the most operations for all elements of a block in straight-line code.
const mostFlat = 400

// flat is the block of a stage that processes the elements of all rows in order, in whole vectors, with values per row
// repeated. It is nil if something depends on where rows begin, or rows are long enough.
func (w *rowBlock) flat(b *block) *block {
	if b.lanes != w.rows || w.p.Row > b.lanes || len(b.accs) > 0 || len(b.narrowed) > 0 ||
		b.operations()*w.p.Row > mostFlat {
		return nil
	}
	flat := *b
	flat.insts = slices.Clone(b.insts)
	for i := range flat.insts {
		switch in := &flat.insts[i]; in.form {
		case indexForm, axisForm, pickForm:
			return nil
		case loadForm, widenForm:
			if w.p.Stages > 1 && w.p.Operands[in.operand].Access == rowprog.InOut {
				// in pieces, which cannot be read as one until all are in the cache
				return nil
			}
		case slotForm:
			if in.slot.rows != 0 {
				in.form, in.width = repeatForm, b.width(4)
			}
		}
	}
	return &flat
}

// vectorsOfRows writes the code for the elements of all rows: as many vectors as a row has elements.
func (w *rowBlock) vectorsOfRows(b *block) {
	w.repeatRows(b)
	copies := 2
	if b.operations() > smallBody {
		copies = 1
	}
	for first := 0; first < w.p.Row; first += copies {
		w.a.MovImm(index, uint64(first*b.lanes))
		w.body(b, min(copies, w.p.Row-first), true, &pins{}, mode{vector: first, ofBlock: w})
	}
}

// repeatRows copies operands that have the same row for all rows to memory of the block, once for each row.
func (w *rowBlock) repeatRows(b *block) {
	a, full := w.a, w.target.full()
	for i := range w.p.Operands {
		if !CanRepeat(&w.p.Operands[i]) || !slices.ContainsFunc(b.insts, func(in inst) bool {
			return in.form == loadForm && in.operand == i
		}) {
			continue
		}
		apart := a.NewLabel()
		a.CmpMemImm(inBlock(w.layout.Blocks.Repeated(i)), 0)
		a.JumpIf(asm.Equal, apart)
		room := w.layout.room(w.p.Row * w.target.bytes())
		const once, order = 0, 1
		a.MovImm(rest, uint64(w.p.Row))
		if w.p.Row == b.lanes {
			a.M(asm.MOVUPS, full, once, 0, asm.At(w.e.base(i), 0))
		} else {
			w.loadMasks(b.lanes)
			w.loadLanes(once, full, 4, asm.At(w.e.base(i), 0))
		}
		columns := w.columnNumbers()
		for v := range w.p.Row {
			a.M(asm.MOVUPS, full, order, 0, asm.Labelled(columns[v]))
			a.R(asm.PERMPS, full, order, order, once)
			a.M(asm.MOVUPSSt, full, order, 0, inBlock(room+v*w.target.bytes()))
		}
		if i < len(w.bases) {
			a.Lea(w.bases[i], inBlock(room))
		} else {
			a.Lea(temp, inBlock(room))
			a.MovStore(inBlock(w.layout.Pointer(i)), temp)
		}
		a.Bind(apart)
	}
}

// placesOf returns constants for contiguous rows of a block: for each of as many vectors as a row has elements, the
// place of each of its elements.
func (w *rowBlock) placesOf(list *[]asm.Label, place func(element int) int) []asm.Label {
	lanes := w.target.bytes() / 4
	for v := len(*list); v < w.p.Row; v++ {
		var at []byte
		for i := range lanes {
			at = binary.LittleEndian.AppendUint32(at, uint32(place(v*lanes+i)))
		}
		*list = append(*list, w.a.Data(at, len(at)))
	}
	return *list
}

// rowNumbers are the rows of elements. columnNumbers are their places in their rows.
func (w *rowBlock) rowNumbers() []asm.Label {
	return w.placesOf(&w.ofRow, func(element int) int { return element / w.p.Row })
}
func (w *rowBlock) columnNumbers() []asm.Label {
	return w.placesOf(&w.ofColumn, func(element int) int { return element % w.p.Row })
}
