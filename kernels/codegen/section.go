package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// section makes the micro-operations of a section.
func (c *compiler) section(s rowprog.Section) *block {
	b := c.newBlock(c.lanes(s))
	b.narrowIndex = !b.pairs()
	b.addAll(c.values(s))
	return b
}

// values lists the instructions of a section.
func (c *compiler) values(s rowprog.Section) (list []rowprog.Value) {
	lo, hi := c.p.Span(s)
	for v := lo; v < hi; v++ {
		list = append(list, v)
	}
	return list
}

// addAll adds the micro-operations of instructions.
func (b *block) addAll(values []rowprog.Value) {
	c := b.c
	for _, v := range values {
		in := &c.p.Insts[v]
		if c.isLoadedInRow(in) {
			continue
		}
		if in.Op != rowprog.OpConst {
			b.inst(v, in)
		}
		if h := c.liveOut[v]; h != nil && in.Op != rowprog.OpConst && in.Op != rowprog.OpReduce {
			out := inst{form: slotOutForm, size: lastingSize(in.Type), width: b.width(laneSize(in.Type)), slot: h,
				args: [3]vreg{b.narrowOf(v), none, none}}
			if b.rows {
				out.form = perRowOutForm
			}
			b.add(out)
		}
	}
	if b.rounds {
		b.dropUnused()
	}
	b.hoistStores()
}

// lanes is the number of lanes in a section.
func (c *compiler) lanes(s rowprog.Section) int {
	if s.Domain() != rowprog.Vec || !c.canNarrow(s) {
		return c.target.bytes() / 8
	}
	return c.target.bytes() / 4
}

// laneSize is the size of the lane of an element: for a Bool, that of its mask; for a type for memory alone, that of
// its computed type.
func laneSize(t rowprog.Type) int { return max(t.Computed().Size(), 4) }

// lastingSize is the size of the lanes of a value in its slot.
func lastingSize(t rowprog.Type) uint8 { return uint8(laneSize(t)) }

// narrowOf is a value; a Bool is a mask in lanes of 4 bytes.
func (b *block) narrowOf(v rowprog.Value) vreg {
	if b.c.p.Insts[v].Type == rowprog.Bool {
		return b.mask(v, 4)
	}
	return b.vals[v].v
}

// arg is the virtual register of an argument, which may come from outside.
func (b *block) arg(x rowprog.Value) vreg {
	b.fetch(x)
	return b.narrowOf(x)
}

// maskArg is a Bool argument as a mask in lanes of a size.
func (b *block) maskArg(x rowprog.Value, size int) vreg {
	b.fetch(x)
	return b.mask(x, size)
}

// fetch records the value of an argument that comes from outside.
func (b *block) fetch(x rowprog.Value) {
	if _, ok := b.vals[x]; ok {
		return
	}
	if in := &b.c.p.Insts[x]; b.c.isLoadedInRow(in) {
		b.vals[x] = masked{b.load(in), none}
		return
	}
	h := b.c.slotOf(x)
	if b.rows && h.rows != 0 {
		size := lastingSize(b.c.p.Insts[x].Type)
		b.vals[x] = masked{
			b.cse(inst{form: perRowForm, width: b.width(int(size)), size: size, slot: h,
				args: [3]vreg{none, none, none}}), none}
		return
	}
	b.vals[x] = masked{b.at(h), none}
}

// isLoadedInRow reports whether an element of a row is loaded at its use: for rows of one or two vectors, it is not
// worth a slot.
func (c *compiler) isLoadedInRow(in *rowprog.Inst) bool {
	return c.ofTiles && in.Op == rowprog.OpLoad && in.Domain == rowprog.Row
}

// keep records the value of an instruction; a Bool is a mask in lanes of a size.
func (b *block) keep(v rowprog.Value, m vreg, size int) {
	if b.pairs() && size == 8 && b.c.p.Insts[v].Type == rowprog.Bool {
		b.vals[v] = masked{none, m}
		return
	}
	b.vals[v] = masked{m, none}
}

// inst makes the micro-operations of an instruction.
func (b *block) inst(v rowprog.Value, in *rowprog.Inst) {
	switch in.Op {
	case rowprog.OpLoad:
		b.keep(v, b.load(in), 4)
	case rowprog.OpPick:
		b.keep(v, b.pick(in), 4)
	case rowprog.OpIota:
		b.keep(v, b.iota(in), 8)
	case rowprog.OpReduce:
		b.reduce(v, in)
	case rowprog.OpStore:
		b.store(in, b.arg(in.Args[0]))
	case rowprog.OpAccumulate:
		b.accumulate(in)
	case rowprog.OpGuard:
		b.guardInst(in)
	case rowprog.OpConvert:
		b.convertInst(v, in)
	case rowprog.OpSelect:
		b.selectInst(v, in)
	default:
		t := b.c.p.Insts[in.Args[0]].Type
		if in.Op == rowprog.OpDiv && t == rowprog.F32 {
			if q := b.quotientOfByte(in); q != none {
				b.keep(v, q, 4)
				return
			}
		}
		var x [3]vreg
		for i, u := range in.Uses() {
			if t == rowprog.I64 && b.narrowIndex {
				x[i] = b.narrowArg(u)
			} else {
				x[i] = b.arg(u)
			}
		}
		if t == rowprog.I64 && b.narrowIndex {
			t = rowprog.I32
		}
		switch {
		case t == rowprog.Bool:
			b.keep(v, b.boolean(in.Op, x[0], x[1]), 4)
		case in.Op >= rowprog.OpLt && in.Op <= rowprog.OpNe && t.IsFloat():
			b.keep(v, b.compareFloat(in.Op, t, x[0], x[1]), t.Size())
		case in.Op >= rowprog.OpLt && in.Op <= rowprog.OpNe:
			b.keep(v, b.compareInt(in.Op, t, x[0], x[1]), t.Size())
		case in.Op == rowprog.OpExp && t == rowprog.F32 && b.c.isNotPositive(in.Args[0]):
			b.keep(v, vec32{b, b.width(4)}.exp(x[0]), 4)
		case in.Op == rowprog.OpExpOrZero && t == rowprog.F32 && b.c.isNotPositive(in.Args[0]):
			b.keep(v, vec32{b, b.width(4)}.expOrZero(x[0]), 4)
		case t.IsFloat():
			b.keep(v, b.float(in.Op, t, x[0], x[1], x[2]), t.Size())
		default:
			b.keep(v, b.integer(in.Op, t, x[0], x[1]), t.Size())
		}
	}
}

// guardInst adds a guard. Its culprit is a number: a Bool is 0 or 1.
func (b *block) guardInst(in *rowprog.Inst) {
	culprit, t := in.Args[1], b.c.p.Insts[in.Args[1]].Type
	g := inst{form: guardForm, width: b.width(4), size: lastingSize(t), code: in.Code,
		args: [3]vreg{b.arg(in.Args[0]), none, none}}
	switch {
	case t.Computed() != t:
		refuse("guards that tell elements of %v", t)
	case t == rowprog.Bool:
		g.args[1] = b.fromBool(rowprog.I32, b.maskArg(culprit, 4))
	default:
		g.args[1] = b.arg(culprit)
	}
	b.guard = true
	b.add(g)
}

func (b *block) convertInst(v rowprog.Value, in *rowprog.Inst) {
	from := b.c.p.Insts[in.Args[0]].Type
	if from == rowprog.I64 && b.narrowIndex {
		from = rowprog.I32
	}
	switch {
	case from.Computed() == in.Type: // as the value is held
		b.keep(v, b.arg(in.Args[0]), 4)
	case in.Type.Computed() != in.Type:
		b.keep(v, b.rounded(in.Type, b.arg(in.Args[0])), 4)
	case from == rowprog.Bool:
		b.keep(v, b.fromBool(in.Type, b.maskArg(in.Args[0], in.Type.Size())), in.Type.Size())
	case in.Type == rowprog.Bool:
		b.keep(v, b.toBool(from, b.arg(in.Args[0])), from.Size())
	default:
		if from == rowprog.F32 && in.Type == rowprog.I32 {
			if x := b.lowestBits(v); x != none {
				b.keep(v, x, 4)
				return
			}
		}
		b.keep(v, b.convert(in.Type, from, b.arg(in.Args[0])), in.Type.Size())
	}
}

func (b *block) selectInst(v rowprog.Value, in *rowprog.Inst) {
	size := laneSize(in.Type)
	mask := b.maskArg(in.Args[0], size)
	b.keep(v, b.choose(b.width(size), size, mask, b.arg(in.Args[1]), b.arg(in.Args[2])), size)
}

// load reads an operand: a vector in a section of the row, else one element.
func (b *block) load(in *rowprog.Inst) vreg {
	size := in.Type.Size()
	if isPacked(in.Type) {
		return b.loadPacked(in)
	}
	ld := inst{form: loadForm, width: b.width(laneSize(in.Type)), size: uint8(size), operand: in.Operand,
		args: [3]vreg{none, none, none}}
	switch {
	case in.Domain != rowprog.Vec:
		ld.form = splatForm
	case b.c.p.Operands[in.Operand].Step != 0:
		return b.loadApart(ld)
	case in.Type == rowprog.Bool:
		ld.form, ld.op = widenForm, asm.PMOVZXBD
	default:
		ld.op = asm.MOVUPS
	}
	x := b.add(ld)
	if in.Type == rowprog.Bool {
		return b.greater(rowprog.I32, x, b.bits(rowprog.I32, 0))
	}
	return x
}

// iota is the index along an axis.
func (b *block) iota(in *rowprog.Inst) vreg {
	if in.Domain != rowprog.Vec {
		return b.add(inst{form: axisForm, width: b.c.target.full(), size: 8, operand: in.Axis,
			args: [3]vreg{none, none, none}})
	}
	size, add := 8, asm.PADDQ
	if b.narrowIndex {
		size, add = 4, asm.PADDD
		b.c.narrow = true
	}
	first := b.add(inst{form: indexForm, width: b.c.target.full(), size: uint8(size), args: [3]vreg{none, none, none}})
	return b.either(add, b.c.target.full(), first, b.at(b.c.iotaConst(size)))
}

// store writes a value to an operand.
func (b *block) store(in *rowprog.Inst, x vreg) {
	o := &b.c.p.Operands[in.Operand]
	st := inst{form: storeForm, op: asm.MOVUPSSt, width: b.width(laneSize(o.Type)), size: uint8(o.Type.Size()),
		operand: in.Operand,
		args:    [3]vreg{x, none, none}}
	switch {
	case isPacked(o.Type):
		b.packedStore(&st, o, x)
	case o.Domain == rowprog.Vec && o.Type == rowprog.Bool:
		st.form = bytesOutForm
	case o.Domain == rowprog.Vec:
	case o.Type == rowprog.Bool:
		st.form = byteOutForm
	default:
		st.form, st.op = splatOutForm, asm.MOVSSSt
		if o.Type.Size() == 8 {
			st.op = asm.MOVSDSt
		}
	}
	b.add(st)
}

// accumulate combines a value into an operand, whose elements hold the reduction's neutral element at first. For rows
// of tiles they are in registers, for rows of blocks in the block's own memory.
func (b *block) accumulate(in *rowprog.Inst) {
	o := &b.c.p.Operands[in.Operand]
	if b.c.ofTiles || b.c.isKeptInBlock(o) {
		acc := accumulator{kind: in.Reduction, typ: o.Type, operand: in.Operand}
		if !b.c.ofTiles {
			acc.reg, acc.room = -1, b.c.layout.room(laneBytes)
		}
		old := b.addAccumulator(acc)
		b.setAccumulator(len(b.accs)-1, b.combine(in.Reduction, o.Type, old, b.arg(in.Args[0])))
		return
	}
	old := b.load(&rowprog.Inst{Op: rowprog.OpLoad, Type: o.Type, Domain: o.Domain, Operand: in.Operand})
	b.store(in, b.combine(in.Reduction, o.Type, old, b.arg(in.Args[0])))
}

// combine is one step of a reduction.
func (b *block) combine(r rowprog.Reduction, t rowprog.Type, x, y vreg) vreg {
	op := [...]rowprog.Op{rowprog.Sum: rowprog.OpAdd, rowprog.Prod: rowprog.OpMul, rowprog.Max: rowprog.OpMax,
		rowprog.Min: rowprog.OpMin}[r]
	switch {
	case t == rowprog.Bool:
		return b.boolean(op, x, y)
	case t.IsFloat():
		return b.float(op, t, x, y, none)
	}
	return b.integer(op, t, x, y)
}

// hoistStores moves each store to where its value is known and the section has no more loads, so that the value's
// register is free early.
func (b *block) hoistStores() {
	lastLoad := -1
	for i := range b.insts {
		if f := b.insts[i].form; f == loadForm || f == widenForm || f == apartForm {
			lastLoad = i
		}
	}
	type move struct{ from, after int }
	var moves []move
	for i := range b.insts {
		if in := &b.insts[i]; (in.form == storeForm || in.form == packedForm) && i > 0 {
			moves = append(moves, move{i, max(int(in.args[0]), lastLoad)})
		}
	}
	if len(moves) < 2 {
		return // the only store comes last anyway, and its value just before
	}
	order := make([]int, 0, len(b.insts))
	for i := range b.insts {
		moved := false
		for _, m := range moves {
			moved = moved || m.from == i && m.after < i
		}
		if !moved {
			order = append(order, i)
		}
		for _, m := range moves {
			if m.after == i && m.after < m.from {
				order = append(order, m.from)
			}
		}
	}
	b.reorder(order)
}

// reorder puts the operations in an order, given by their present numbers.
func (b *block) reorder(order []int) {
	number := make([]vreg, len(b.insts))
	for at, i := range order {
		number[i] = vreg(at)
	}
	moved := make([]inst, len(order))
	for at, i := range order {
		moved[at] = b.insts[i]
		for k, x := range moved[at].args {
			if x != none {
				moved[at].args[k] = number[x]
			}
		}
	}
	b.insts = moved
}
