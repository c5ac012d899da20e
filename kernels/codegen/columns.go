package codegen

import (
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Rows may be accumulated over the last outer axis, as [1000, 33, 31] over the second one. If they are short, each
// waits for the one before: it reads what that has just stored, 8 ns later. Such rows are processed in columns of some
// vectors instead, whose sums stay in registers from the first row to the last. The order of each element's sum is the
// same.

// columnVectors are the vectors of a column, widest columns first.
var columnVectors = []int{4, 2, 1}

// hasColumns reports whether all accumulation of a program is over the last outer axis, and nothing depends on the
// order of rows and columns.
func (c *compiler) hasColumns() bool {
	p := c.p
	if p.Outer == 0 || p.Stages > 1 {
		return false
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		switch in.Op {
		case rowprog.OpReduce, rowprog.OpGuard, rowprog.OpPick:
			return false
		case rowprog.OpStore, rowprog.OpAccumulate:
			if p.Operands[in.Operand].Domain != rowprog.Vec {
				return false
			}
		}
	}
	lo, hi := p.Span(rowprog.RowSection(1))
	accumulates := false
	for _, o := range p.Operands {
		if o.Access == rowprog.Acc {
			accumulates = true
			if !o.Reduced.Has(p.Outer-1) || o.Type.Computed() != o.Type || o.Type.Size() < 4 {
				return false
			}
		}
	}
	return accumulates && lo == hi
}

// columns writes code that processes rows column by column.
type columns struct {
	*compiler
	row, vec *block
	saved    int // where the addresses of the first row are kept
}

// columnLoop writes code that processes the rows of the last outer axis column by column, if the caller asks for it.
// The code is at the end: control jumps there from here, and then to a place after the loop over the axis.
func (c *compiler) columnLoop(after asm.Label) {
	if !c.hasColumns() {
		return
	}
	c.ofTiles = true // what is accumulated is in registers, and elements of rows are loaded where they are used
	w := &columns{compiler: c, row: c.section(rowprog.RowSection(0)), vec: c.section(rowprog.VecSection(0))}
	c.ofTiles = false
	if len(w.vec.accs) > w.mostHeld() {
		return
	}
	hasRoutine := func(in inst) bool { return in.form == routineForm }
	if len(w.vec.narrowed) > 0 || slices.ContainsFunc(w.vec.insts, hasRoutine) ||
		slices.ContainsFunc(w.row.insts, hasRoutine) ||
		slices.ContainsFunc(w.vec.accs, func(a accumulator) bool {
			return a.typ.Size()*w.vec.lanes != c.target.bytes()
		}) {
		return
	}
	c.layout.Columns = c.layout.room(8)
	w.saved = c.layout.room(8 * len(c.p.Operands))
	begin := c.a.NewLabel()
	c.a.CmpMemImm(inBlock(c.layout.Columns), 0)
	c.a.JumpIf(asm.NotEqual, begin)
	c.atEnd = append(c.atEnd, func() {
		c.a.Bind(begin)
		w.write()
		c.a.Jump(after)
	})
}

// firstHeld is the highest register of sums; the others are below it. mostHeld is how many are kept in registers.
func (w *columns) firstHeld() int { return w.target.registers() - spare - 1 }
func (w *columns) mostHeld() int  { return w.firstHeld() / 2 }

// write writes loops over columns, each with one over rows inside.
func (w *columns) write() {
	a := w.a
	w.keepPointers(w.saved)
	a.Xor(index, index)
	a.MovLoad(rest, inBlock(offN))
	for _, vectors := range columnVectors {
		p, ok := w.plan(vectors)
		if !ok {
			continue
		}
		step := int32(vectors * w.vec.lanes)
		over := a.NewLabel()
		a.SubImm(rest, step)
		a.JumpIf(asm.Less, over)
		again := a.Here()
		w.column(&p, mode{accReg: true})
		a.AddImm(index, step)
		a.SubImm(rest, step)
		a.JumpIf(asm.NotLess, again)
		a.Bind(over)
		a.AddImm(rest, step)
	}
	done := a.NewLabel()
	a.Test(rest, rest)
	a.JumpIf(asm.Equal, done)
	w.loadMasks(w.vec.lanes)
	p, _ := w.plan(1)
	w.column(&p, mode{accReg: true, masked: true})
	a.Bind(done)
}

// plan decides what stays in registers for a column of some vectors. ok is false if there are too few registers for
// more than one.
func (w *columns) plan(vectors int) (p plan, ok bool) {
	first, held := w.firstHeld(), vectors*len(w.vec.accs)
	if held > w.mostHeld() {
		return p, false
	}
	p.copies = vectors
	for k := range w.vec.accs {
		w.vec.accs[k].reg = first - (k+1)*vectors + 1
	}
	for r := range held {
		p.pins.acc[first-r] = true
	}
	_, fewest := w.dryRun(w.vec, 1, false, &p.pins, mode{accReg: true})
	peak, spills := w.dryRun(w.vec, vectors, true, &p.pins, mode{accReg: true})
	if p.interleaved = isWorthSpilling(spills-fewest, w.vec.operations()*vectors); !p.interleaved && vectors > 1 {
		return p, false
	}
	p.pin(w.vec, first-held, min(w.target.registers()-peak, w.target.registers()-spare-leastFree)-held)
	return p, true
}

// column writes the loop over the rows of a column.
func (w *columns) column(p *plan, m mode) {
	a, axis := w.a, w.p.Outer-1
	for k := range w.vec.accs {
		w.vec.accs[k].reg = w.firstHeld() - (k+1)*p.copies + 1
	}
	w.bringPointers(w.saved)
	w.moveSums(p.copies, m, false)
	if len(w.row.insts) == 0 {
		p.pins.load(w.compiler)
	}
	a.Align(32)
	again := a.Here()
	if len(w.row.insts) > 0 {
		taken := pins{acc: p.pins.acc}
		if m.masked && !w.target.isAVX512() {
			taken.acc[w.target.mask4()], taken.acc[w.target.mask8()] = true, true
		}
		w.body(w.row, 1, false, &taken, mode{row: true})
		p.pins.load(w.compiler)
	}
	w.body(w.vec, p.copies, p.interleaved, &p.pins, m)
	w.advance(axis)
	a.Dec(inBlock(w.layout.Counter(axis)))
	a.JumpIf(asm.NotEqual, again)
	a.MovLoad(temp, inBlock(w.layout.Count(axis)))
	a.MovStore(inBlock(w.layout.Counter(axis)), temp)
	w.moveSums(p.copies, m, true)
}

// moveSums loads the sums of a column into their registers, or stores them.
func (w *columns) moveSums(vectors int, m mode, back bool) {
	width := w.target.full()
	for _, acc := range w.vec.accs {
		size := uint8(acc.typ.Size())
		for u := range vectors {
			r, at := asm.Vec(acc.reg+u), asm.Indexed(w.e.base(acc.operand), index, size, int32(u*w.target.bytes()))
			switch {
			case !m.masked && back:
				w.a.M(asm.MOVUPSSt, width, r, 0, at)
			case !m.masked:
				w.a.M(asm.MOVUPS, width, r, 0, at)
			default:
				w.moveRest(r, at, size, back)
			}
		}
	}
}

// moveRest loads the remainder of a row, or stores it.
func (c *compiler) moveRest(r asm.Vec, at asm.Mem, size uint8, back bool) {
	switch {
	case !back:
		c.loadLanes(r, c.target.full(), size, at)
	case c.target.isAVX512():
		c.storeLanes(r, c.target.full(), size, at)
	case size == 8:
		c.a.M(asm.MASKMOVPDSt, c.target.full(), r, c.target.mask8(), at)
	default:
		c.a.M(asm.MASKMOVPSSt, c.target.full(), r, c.target.mask4(), at)
	}
}
