package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// stageOfRows writes the loop over the rows of a stage.
func (w *rowBlock) stageOfRows(stage int) {
	w.ofBlock = true
	b := w.section(rowprog.VecSection(stage))
	w.ofBlock = false
	if len(b.insts) == 0 {
		return
	}
	a, done := w.a, w.a.NewLabel()
	if flat := w.flat(b); flat != nil {
		general := a.NewLabel()
		a.CmpMemImm(inBlock(w.layout.Blocks.At), DenseBlocks)
		a.JumpIf(asm.NotEqual, general)
		w.vectorsOfRows(flat)
		if w.layout.Blocks.MustBeDense {
			a.Bind(general) // where nobody goes
			return
		}
		a.Jump(done)
		a.Bind(general)
	}
	p := w.plan(b)
	folds := w.foldsOf(b, &p)
	w.moveSums(b, false)
	w.eachRow(func() {
		w.spread(b, &p)
		w.elements(b, &p)
		for _, f := range folds {
			w.body(f.ofRow, 1, false, &f.held, mode{row: true, ofBlock: w})
		}
	})
	w.moveSums(b, true)
	for _, f := range folds {
		w.body(f.ofAll, 1, false, &pins{}, mode{})
	}
	a.Bind(done)
}

// spread broadcasts the row's values that a block uses to all lanes of registers, or of their slots.
func (w *rowBlock) spread(b *block, p *plan) {
	full := w.target.full()
	bring := func(h *slot, r asm.Vec) {
		op := asm.BROADCASTSS
		if h.size == 8 {
			op = asm.BROADCASTSD
		}
		w.a.M(op, full, r, 0, asm.Indexed(args, row, h.size, int32(h.rows)))
	}
	var stored []*slot
	store := func(h *slot) {
		if h.rows != 0 && !slices.Contains(stored, h) {
			stored = append(stored, h)
			bring(h, 0)
			w.a.M(asm.MOVUPSSt, full, 0, 0, h.mem)
		}
	}
	for _, n := range b.narrowed {
		store(n.from)
	}
	for i := range b.insts {
		if in := &b.insts[i]; in.form == slotForm && p.pins.of(in.slot) < 0 {
			store(in.slot)
		}
	}
	w.emitStraight(w.narrow32(b.narrowed))
	for r, h := range p.pins.slot {
		switch {
		case h == nil:
		case h.rows != 0:
			bring(h, asm.Vec(r))
		default:
			w.a.M(asm.MOVUPS, full, asm.Vec(r), 0, h.mem)
		}
	}
}

// isKeptInBlock reports whether an operand that a block of rows accumulates, one row after the other, is meanwhile kept
// in the block's own memory, in whole vectors. Otherwise the remainder of a row is stored under a mask, and the next
// row waits until that has reached the cache, 15 ns later.
func (c *compiler) isKeptInBlock(o *rowprog.Operand) bool {
	return c.ofBlock && o.Domain == rowprog.Vec && o.Reduced.Has(c.p.Outer-1) && o.Type.Computed() == o.Type &&
		o.Type.Size() >= 4 && c.p.Row*o.Type.Size() <= laneBytes
}

// moveSums copies the sums of a block to its own memory, or back.
func (w *rowBlock) moveSums(b *block, back bool) {
	a, full, bytes := w.a, w.target.full(), w.target.bytes()
	for i := range b.accs {
		acc := &b.accs[i]
		if !acc.isOverRows() {
			continue
		}
		size := acc.typ.Size()
		for v := range w.vectorsOf(acc) {
			kept, at := inBlock(acc.room+v*bytes), asm.At(w.e.base(acc.operand), int32(v*bytes))
			left := w.p.Row - v*bytes/size
			if back {
				a.M(asm.MOVUPS, full, 0, 0, kept)
			}
			switch isWhole := left >= bytes/size; {
			case isWhole && back:
				a.M(asm.MOVUPSSt, full, 0, 0, at)
			case isWhole:
				a.M(asm.MOVUPS, full, 0, 0, at)
			default:
				a.MovImm(rest, uint64(left))
				w.loadMasks(bytes / size)
				w.moveRest(0, at, uint8(size), back)
			}
			if !back {
				a.M(asm.MOVUPSSt, full, 0, 0, kept)
			}
		}
	}
}

// putRow stores the first lane of a register as the row's value of a slot.
func (w *rowBlock) putRow(in *inst, x asm.Vec) {
	op := asm.MOVSSSt
	if in.size == 8 {
		op = asm.MOVSDSt
	}
	w.a.M(op, asm.W128, x, 0, asm.Indexed(args, row, in.size, int32(in.slot.rows)))
}

// begin sets a vector of partial results to the neutral element.
func (w *rowBlock) begin(acc *accumulator, vector int, inRegister bool) {
	full, r := w.target.full(), asm.Vec(0)
	if inRegister {
		r = asm.Vec(acc.reg + vector)
	}
	w.a.M(asm.MOVUPS, full, r, 0, acc.identity.mem)
	if !inRegister {
		w.a.M(asm.MOVUPSSt, full, r, 0, inBlock(acc.room+vector*w.target.bytes()))
	}
}

// elements writes the code for the elements of a row.
func (w *rowBlock) elements(b *block, p *plan) {
	a := w.a
	for i := range b.accs {
		for u := range w.vectorsOf(&b.accs[i]) {
			if !b.accs[i].isOverRows() {
				w.begin(&b.accs[i], u, p.accReg)
			}
		}
	}
	a.Xor(index, index)
	vectors, left := w.p.Row/b.lanes, w.p.Row%b.lanes
	some := func(copies int) {
		w.body(b, copies, p.interleaved, &p.pins, mode{accReg: p.accReg})
		a.AddImm(index, int32(copies*b.lanes))
	}
	if loops := vectors / p.copies; loops > 0 {
		a.MovImm(rest, uint64(loops))
		top := a.Here()
		some(p.copies)
		if loops > 1 {
			a.SubImm(rest, 1)
			a.JumpIf(asm.NotEqual, top)
		}
	}
	if vectors %= p.copies; vectors > 0 {
		some(vectors)
	}
	if left == 0 {
		return
	}
	a.MovImm(rest, uint64(left))
	w.loadMasks(b.lanes)
	for k := range b.accs {
		b.accs[k].reg += vectors // elements go on in the lanes behind those of whole vectors
	}
	w.body(b, 1, false, &p.pins, mode{accReg: p.accReg, merges: p.accReg, masked: true, known: left})
	for k := range b.accs {
		b.accs[k].reg -= vectors
	}
}
