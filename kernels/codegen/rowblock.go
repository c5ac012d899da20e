package codegen

import (
	"encoding/binary"
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// A row of few elements takes less time than its results take from one stage to the next: a reduction is folded, stored, loaded into all lanes, and
// only then can the next stage begin. So blocks of rows are worked on together where rows are known to be short: each stage runs over one row after the
// other, none of which waits for the one before, and what is computed once a row is computed for all rows of the block at once, in lanes of vectors.
// Each row is computed as it is by itself, in the same order.

// rowBlock is code that works on blocks of rows.
type rowBlock struct {
	*compiler
	across      *rowprog.Program // with what is of a row in the place of what is of an element
	rows        int              // of a block
	first, next int              // where the addresses of the block's first row are kept, and those of the next block
	left        int              // where the number of rows is kept that are left with it
	again       asm.Label        // where one goes when some row of the block has a fault
	// Constants: see rowNumbers and columnNumbers.
	ofRow, ofColumn []asm.Label
}

// row is the number of the row that is worked on; of programs with so many operands that it holds the address of one, there are no blocks.
var row = pointerRegs[len(pointerRegs)-1]

// hasBlocks reports whether a program can run on blocks of rows: nothing is checked or picked for each element, and nothing is stored before all is checked, since
// a block with a fault runs again, row by row.
func (c *compiler) hasBlocks() bool {
	p := c.p
	if p.Row < 2 || p.Outer == 0 || len(p.Operands) >= len(pointerRegs) {
		return false
	}
	stored := rowprog.Section(p.Sections())
	for _, in := range slices.Backward(p.Insts) {
		switch in.Op {
		case rowprog.OpStore:
			stored = in.Section
		case rowprog.OpGuard:
			if in.Domain == rowprog.Vec || in.Domain == rowprog.Row && in.Section >= stored {
				return false
			}
		case rowprog.OpPick:
			if in.Domain == rowprog.Vec || p.Operands[in.Operand].Domain == rowprog.Vec {
				return false
			}
		}
	}
	return true
}

// blockLoop has rows of the last outer axis worked on in blocks where the caller wants that. The code stands at the end, to which one goes from here, and from
// there on back, to what works on the rows that are left, or to a place behind the loop over the axis.
func (c *compiler) blockLoop(after asm.Label) {
	if !c.hasBlocks() {
		return
	}
	w := &rowBlock{compiler: c, across: acrossRows(c.p), rows: c.target.bytes() / 4}
	reduces := c.p.Reduces()
	if !reduces && (c.p.Stages > 1 || w.flat(c.section(rowprog.VecSection(0))) == nil) {
		return
	}
	c.layout.Blocks, c.layout.BlockRows = c.layout.room(8), w.rows
	c.layout.MustBeDense = !reduces
	c.layout.Repeated = c.layout.room(8 * len(c.p.Operands))
	c.layout.SideBySide = w.sideBySide()
	w.first, w.next, w.left = c.layout.room(8*len(c.p.Operands)), c.layout.room(8*len(c.p.Operands)), c.layout.room(8)
	a, begin, alone := &c.a, c.a.NewLabel(), c.a.NewLabel()
	a.CmpMemImm(inBlock(c.layout.Blocks), 0)
	a.JumpIf(asm.NotEqual, begin)
	a.Bind(alone)
	c.atEnd = append(c.atEnd, func() {
		counter := inBlock(c.layout.Counter(c.p.Outer - 1))
		a.Bind(begin)
		a.MovLoad(temp, counter)
		a.MovStore(inBlock(w.left), temp)
		a.SubImm(temp, int32(w.rows))
		a.JumpIf(asm.Less, alone)
		w.again = a.NewLabel()
		w.write()
		a.MovLoad(temp, inBlock(w.left))
		a.SubImm(temp, int32(w.rows))
		a.MovStore(counter, temp)
		a.JumpIf(asm.NotEqual, begin)
		a.MovLoad(temp, inBlock(c.layout.Count(c.p.Outer-1)))
		a.MovStore(counter, temp)
		a.Jump(after)
		a.Bind(w.again) // after a fault: which row is the first to have one, the rows tell by themselves
		a.MovStoreImm(inBlock(offFaulted), 0)
		a.MovStoreImm(inBlock(c.layout.Blocks), 0)
		w.bringPointers(w.first)
		a.MovLoad(temp, inBlock(w.left))
		a.MovStore(counter, temp)
		a.Jump(alone)
	})
}

// sideBySide lists the operands whose elements, one of each row, are loaded or stored for all rows of a block at once.
func (w *rowBlock) sideBySide() (list []int) {
	for i := range w.p.Insts {
		in := &w.p.Insts[i]
		if (in.Op == rowprog.OpLoad || in.Op == rowprog.OpStore) && in.Section.Domain() == rowprog.Row && w.p.Operands[in.Operand].Domain == rowprog.Row {
			list = append(list, in.Operand)
		}
	}
	return list
}

// acrossRows is a program in which what is of a row is of an element.
func acrossRows(p *rowprog.Program) *rowprog.Program {
	q := *p
	q.Insts, q.Operands = slices.Clone(p.Insts), slices.Clone(p.Operands)
	for i := range q.Insts {
		if q.Insts[i].Domain == rowprog.Row {
			q.Insts[i].Domain = rowprog.Vec
		}
	}
	for i := range q.Operands {
		if q.Operands[i].Domain == rowprog.Row {
			q.Operands[i].Domain = rowprog.Vec
		}
	}
	return &q
}

// write writes what works on one block.
func (w *rowBlock) write() {
	for s := range w.p.Stages + 1 {
		w.keepBetween(w.phases(rowprog.RowSection(s)))
	}
	for v, h := range w.liveOut {
		if in := &w.p.Insts[v]; h != nil && in.Domain == rowprog.Row {
			h.rows = w.layout.room(w.rows * int(lastingSize(in.Type)))
		}
	}
	w.keepPointers(w.first)
	for i := range w.p.Operands {
		w.a.MovLoad(temp, inBlock(w.layout.Delta(w.p.Outer-1, i)))
		w.a.Shl(temp, log2(uint8(w.rows)))
		w.a.AddLoad(temp, inBlock(w.first+8*i))
		w.a.MovStore(inBlock(w.next+8*i), temp)
	}
	for s := range w.p.Stages {
		w.ofRows(s)
		w.stageOfRows(s)
		w.bringPointers(w.first)
	}
	w.ofRows(w.p.Stages)
	w.bringPointers(w.next)
}

// ofRows writes what is computed once a row before a stage.
func (w *rowBlock) ofRows(stage int) {
	for _, p := range w.phases(rowprog.RowSection(stage)) {
		if p.rowByRow {
			w.rowByRow(p.values)
		} else {
			w.allRows(p.values)
		}
	}
}

// phase is instructions of a section of the row that are carried out for all rows at once, or row by row.
type phase struct {
	values   []rowprog.Value
	rowByRow bool
}

// isRowByRow reports whether an instruction on values of a row is carried out row by row: rows pick from places of their own, add up one after the other, and
// have numbers.
func isRowByRow(in *rowprog.Inst) bool {
	return in.Op == rowprog.OpPick || in.Op == rowprog.OpAccumulate || in.Op == rowprog.OpIota
}

// phases are a section of the row. Effects come last, as in the section itself.
func (w *rowBlock) phases(s rowprog.Section) (list []phase) {
	at := map[rowprog.Value]int{} // the phase of a value
	isDone := func(x rowprog.Value) bool {
		_, here := at[x]
		return here || w.p.Insts[x].Section != s || w.p.Insts[x].Op == rowprog.OpReduce
	}
	rest := w.values(s)
	for _, effects := range []bool{false, true} {
		for idle := 0; idle < 2; {
			p := phase{rowByRow: len(list)%2 == 1}
			var later []rowprog.Value
			for _, v := range rest {
				in := &w.p.Insts[v]
				if isRowByRow(in) == p.rowByRow && in.Op.IsEffect() == effects && !slices.ContainsFunc(in.Uses(), func(x rowprog.Value) bool { return !isDone(x) }) {
					p.values = append(p.values, v)
					at[v] = len(list)
				} else {
					later = append(later, v)
				}
			}
			if idle++; len(p.values) > 0 {
				idle = 0
			}
			rest = later
			list = append(list, p)
		}
	}
	return list
}

// keepBetween gives what a phase of a section makes for a later one a place for the rows of a block.
func (w *rowBlock) keepBetween(list []phase) {
	made := map[rowprog.Value]int{}
	for i, p := range list {
		for _, v := range p.values {
			made[v] = i
			for _, x := range w.p.Insts[v].Uses() {
				if from, here := made[x]; here && from < i && w.liveOut[x] == nil {
					w.liveOut[x] = &slot{mem: inBlock(w.layout.room(vectorBytes))}
				}
			}
		}
	}
}

// allRows writes what is computed for all rows at once.
func (w *rowBlock) allRows(values []rowprog.Value) {
	lanes := w.rows
	if slices.ContainsFunc(values, w.isWide) {
		lanes /= 2
	}
	program := w.p
	w.p = w.across
	b := w.newBlock(lanes)
	b.rows = true
	b.addAll(values)
	w.p = program
	if len(b.insts) == 0 {
		return
	}
	w.a.Xor(index, index)
	w.body(b, w.rows/lanes, true, &pins{}, mode{})
	if b.guard {
		w.a.CmpMemImm(inBlock(offFaulted), 0)
		w.a.JumpIf(asm.NotEqual, w.again)
	}
}

// isWide reports whether an instruction makes or takes a value of 8 bytes.
func (w *rowBlock) isWide(v rowprog.Value) bool {
	in := &w.p.Insts[v]
	return laneSize(in.Type) == 8 || slices.ContainsFunc(in.Uses(), func(x rowprog.Value) bool { return laneSize(w.p.Insts[x].Type) == 8 })
}

// rowByRow writes a loop over rows in which instructions are carried out as they are outside of blocks.
func (w *rowBlock) rowByRow(values []rowprog.Value) {
	b := w.newBlock(w.target.bytes() / 8)
	b.addAll(values)
	if len(b.insts) == 0 {
		return
	}
	w.eachRow(func() {
		w.spread(b, &plan{})
		w.body(b, 1, false, &pins{}, mode{row: true, ofBlock: w})
		w.a.Dec(inBlock(w.layout.Counter(w.p.Outer - 1)))
	})
	w.bringPointers(w.first)
	w.a.MovLoad(temp, inBlock(w.left))
	w.a.MovStore(inBlock(w.layout.Counter(w.p.Outer-1)), temp)
}

// eachRow writes a loop over the rows of a block.
func (w *rowBlock) eachRow(body func()) {
	a := &w.a
	a.Xor(row, row)
	a.Align(32)
	again := a.Here()
	body()
	w.advance(w.p.Outer - 1)
	a.AddImm(row, 1)
	a.Mov(temp, row)
	a.SubImm(temp, int32(w.rows))
	a.JumpIf(asm.NotEqual, again)
}

// stageOfRows writes the loop over the rows of a stage.
func (w *rowBlock) stageOfRows(stage int) {
	b := w.section(rowprog.VecSection(stage))
	if len(b.insts) == 0 {
		return
	}
	a, done := &w.a, w.a.NewLabel()
	if flat := w.flat(b); flat != nil {
		general := a.NewLabel()
		a.CmpMemImm(inBlock(w.layout.Blocks), DenseBlocks)
		a.JumpIf(asm.NotEqual, general)
		w.vectorsOfRows(flat)
		if w.layout.MustBeDense {
			a.Bind(general) // where nobody goes
			return
		}
		a.Jump(done)
		a.Bind(general)
	}
	p := w.plan(b)
	folds := w.foldsOf(b, &p)
	w.eachRow(func() {
		w.spread(b, &p)
		w.elements(b, &p)
		for _, f := range folds {
			w.body(f.ofRow, 1, false, &f.held, mode{row: true, ofBlock: w})
		}
	})
	for _, f := range folds {
		if f.ofAll != nil {
			w.body(f.ofAll, 1, false, &pins{}, mode{})
		}
	}
	a.Bind(done)
}

// mostFlat is the most operations for all elements of a block that are written one behind the other.
const mostFlat = 400

// flat is the block of a stage that works on the elements of all rows in their order, whole vectors, where what is of a row is repeated; nil if
// something depends on where rows begin, or rows are long enough.
func (w *rowBlock) flat(b *block) *block {
	if b.lanes != w.rows || w.p.Row > b.lanes || len(b.accs) > 0 || len(b.narrowed) > 0 || b.operations()*w.p.Row > mostFlat {
		return nil
	}
	flat := *b
	flat.insts = slices.Clone(b.insts)
	for i := range flat.insts {
		switch in := &flat.insts[i]; in.form {
		case indexForm, axisForm, pickForm:
			return nil
		case loadForm, widenForm:
			if w.p.Stages > 1 && w.p.Operands[in.operand].Access == rowprog.InOut { // in pieces, which cannot be read as one until all are in the cache
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

// vectorsOfRows writes what works on the elements of all rows: as many vectors as a row has elements.
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

// repeatRows has operands that have the same row for all rows lie in memory of the block, once for each.
func (w *rowBlock) repeatRows(b *block) {
	a, full := &w.a, w.target.full()
	for i := range w.p.Operands {
		if !CanRepeat(&w.p.Operands[i]) || !slices.ContainsFunc(b.insts, func(in inst) bool { return in.form == loadForm && in.operand == i }) {
			continue
		}
		apart := a.NewLabel()
		a.CmpMemImm(inBlock(w.layout.Repeated+8*i), 0)
		a.JumpIf(asm.Equal, apart)
		room := w.layout.room(w.p.Row * w.target.bytes())
		const once, order = 0, 1
		a.MovImm(rest, uint64(w.p.Row))
		if w.p.Row == b.lanes {
			a.M(asm.MOVUPS, full, once, 0, asm.At(pointerRegs[i], 0))
		} else {
			w.loadMasks(b.lanes)
			w.loadLanes(once, full, 4, asm.At(pointerRegs[i], 0))
		}
		columns := w.columnNumbers()
		for v := range w.p.Row {
			a.M(asm.MOVUPS, full, order, 0, asm.Labelled(columns[v]))
			a.R(asm.PERMPS, full, order, order, once)
			a.M(asm.MOVUPSSt, full, order, 0, inBlock(room+v*w.target.bytes()))
		}
		a.Lea(pointerRegs[i], inBlock(room))
		a.Bind(apart)
	}
}

// placesOf is constants: for each of as many vectors as a row has elements, where rows of a block lie side by side, what place tells of its elements.
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

// rows and columns are the rows that elements belong to, and their numbers in these.
func (w *rowBlock) rowNumbers() []asm.Label {
	return w.placesOf(&w.ofRow, func(element int) int { return element / w.p.Row })
}
func (w *rowBlock) columnNumbers() []asm.Label {
	return w.placesOf(&w.ofColumn, func(element int) int { return element % w.p.Row })
}

// spread brings the row's values that a block uses into all lanes of registers, or of their slots.
func (w *rowBlock) spread(b *block, p *plan) {
	full, sizes := w.target.full(), map[*slot]uint8{}
	for v, h := range w.liveOut {
		if h != nil && h.rows != 0 {
			sizes[h] = lastingSize(w.p.Insts[v].Type)
		}
	}
	bring := func(h *slot, r asm.Vec) {
		op := asm.BROADCASTSS
		if sizes[h] == 8 {
			op = asm.BROADCASTSD
		}
		w.a.M(op, full, r, 0, asm.Indexed(args, row, sizes[h], int32(h.rows)))
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

// putRow stores the first lane of a register as the row's value of a slot.
func (w *rowBlock) putRow(in *inst, x asm.Vec) {
	op := asm.MOVSSSt
	if in.size == 8 {
		op = asm.MOVSDSt
	}
	w.a.M(op, asm.W128, x, 0, asm.Indexed(args, row, in.size, int32(in.slot.rows)))
}

// putPartial stores a register as the row's vector of partial results.
func (w *rowBlock) putPartial(in *inst, x asm.Vec) {
	w.a.Mov(temp, row)
	w.a.Shl(temp, log2(uint8(w.target.bytes())))
	w.a.M(asm.MOVUPSSt, w.target.full(), x, 0, asm.Indexed(args, temp, 1, int32(in.slot.rows)))
}

// elements writes what is done for the elements of a row.
func (w *rowBlock) elements(b *block, p *plan) {
	a := &w.a
	for i := range b.accs {
		acc, used := &b.accs[i], w.vectorsOf(&b.accs[i])
		for u := range used {
			r := asm.Vec(acc.reg + u)
			if !p.accReg {
				r = 0
			}
			if u == 0 || p.accReg {
				a.M(asm.MOVUPS, w.target.full(), r, 0, acc.identity.mem)
			}
			if !p.accReg {
				a.M(asm.MOVUPSSt, w.target.full(), r, 0, inBlock(acc.room+u*w.target.bytes()))
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
		if acc.kind == rowprog.NoReduction {
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
