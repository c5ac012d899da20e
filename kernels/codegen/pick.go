package codegen

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Elements at computed places are loaded one by one. Gather instructions take twice the time on AMD's processors, and
// more on Intel's with the mitigation of Gather Data Sampling (CVE-2022-40982).

// pickWork is the number of operations that a vector of picked elements counts as.
const pickWork = 20

// rowPick says where the row of an operand that an index names begins.
type rowPick struct {
	in      *rowprog.Inst
	address *slot
}

// pickRow reads a row of an operand, element by element.
func (b *block) pickRow(in *rowprog.Inst) vreg {
	if b.c.ofTiles {
		refuse("rows that are picked in tiles")
	}
	i := slices.IndexFunc(b.rowPicks, func(p rowPick) bool {
		return p.in.Operand == in.Operand && p.in.Args == in.Args
	})
	if i < 0 {
		i = len(b.rowPicks)
		b.rowPicks = append(b.rowPicks, rowPick{in, &slot{mem: inBlock(b.c.layout.room(vectorBytes))}})
	}
	return b.cse(inst{form: loadForm, op: asm.MOVUPS, width: b.width(in.Type.Size()), size: uint8(in.Type.Size()),
		operand: in.Operand, slot: b.rowPicks[i].address,
		args: [3]vreg{none, none, none}})
}

// findRows finds where picked rows begin. If the index is out of range, that is the operand's own row.
func (c *compiler) findRows(b *block) {
	a := c.a
	if c.stage == 0 && c.p.Outer > 0 {
		c.fetchPickedRows(b)
	}
	for _, p := range b.rowPicks {
		inside := a.NewLabel()
		a.MovLoad(temp, c.slotOf(p.in.Args[0]).mem)
		a.CmpLoad(temp, c.slotOf(p.in.Args[1]).mem)
		a.JumpIf(asm.Below, inside)
		a.Xor(temp, temp)
		a.Bind(inside)
		a.Shl(temp, log2(uint8(p.in.Type.Size())))
		a.Add(temp, c.e.base(p.in.Operand))
		a.MovStore(p.address.mem, temp)
	}
}

// Picked rows are prefetched rowsAhead rows before they are needed, but at most mostOfAhead bytes of each: processors
// predict the rest.
const (
	rowsAhead   = 1 << rowsAheadLog
	mostOfAhead = 1 << 10

	rowsAheadLog = 3
)

// fetchPickedRows prefetches later rows if their indices are in memory: those of the last outer axis, and of the one
// before if indices continue there.
func (c *compiler) fetchPickedRows(b *block) {
	a, axis := c.a, c.p.Outer-1
	over := asm.NoLabel
	for _, p := range b.rowPicks {
		index, step := c.rowIndex(p.in.Args[0])
		if index == nil {
			continue
		}
		if over == asm.NoLabel {
			over = a.NewLabel()
			c.rowsLeft()
			a.SubImm(temp, rowsAhead+1)
			a.JumpIf(asm.Less, over)
		}
		next := a.NewLabel()
		if axis > 0 {
			goesOn := a.NewLabel()
			a.CmpMemImm(inBlock(c.layout.Delta(axis-1, index.Operand)), 0)
			a.JumpIf(asm.Equal, goesOn)
			a.MovLoad(temp, inBlock(c.layout.Counter(axis)))
			a.SubImm(temp, rowsAhead+1)
			a.JumpIf(asm.Less, next)
			a.Bind(goesOn)
		}
		a.MovLoad(temp, inBlock(c.layout.Delta(axis, index.Operand)))
		a.Shl(temp, rowsAheadLog)
		a.Add(temp, c.e.base(index.Operand))
		if index.Type == rowprog.I64 {
			a.MovLoad(temp, asm.At(temp, 0))
		} else {
			a.MovLoad32(temp, asm.At(temp, 0))
		}
		a.MulLoad(temp, c.slotOf(step).mem)
		size := log2(uint8(p.in.Type.Size()))
		a.Shl(temp, size)
		a.Add(temp, c.e.base(p.in.Operand))
		a.MovLoad(temp2, inBlock(offN))
		a.Shl(temp2, size)
		c.fetchRow()
		a.Bind(next)
	}
	if over != asm.NoLabel {
		a.Bind(over)
	}
}

// rowsLeft loads the number of remaining rows of the last two outer axes, the current one included, into temp.
func (c *compiler) rowsLeft() {
	a, axis := c.a, c.p.Outer-1
	if axis == 0 {
		a.MovLoad(temp, inBlock(c.layout.Counter(axis)))
		return
	}
	a.MovLoad(temp, inBlock(c.layout.Counter(axis-1)))
	a.SubImm(temp, 1)
	a.MulLoad(temp, inBlock(c.layout.Count(axis)))
	a.AddLoad(temp, inBlock(c.layout.Counter(axis)))
}

// fetchRow prefetches the row at temp; temp2 is its size in bytes.
func (c *compiler) fetchRow() {
	a, done, line := c.a, c.a.NewLabel(), int32(0)
	for lines := int32(2); ; lines *= 2 {
		for ; line < lines; line++ {
			a.Prefetch(asm.At(temp, 64*line))
		}
		if 64*lines == mostOfAhead {
			break
		}
		more := 64 * lines // bytes, of which temp2 knows half already
		if lines > 2 {
			more /= 2
		}
		a.SubImm(temp2, more)
		a.JumpIf(asm.Less, done)
	}
	a.Bind(done)
}

// rowIndex returns the load of a row's number and the step from row to row, if a value is the product of both; nil for
// other values.
func (c *compiler) rowIndex(v rowprog.Value) (load *rowprog.Inst, step rowprog.Value) {
	product := &c.p.Insts[v]
	if product.Op != rowprog.OpMul {
		return nil, rowprog.None
	}
	for i, x := range product.Uses() {
		in, step := &c.p.Insts[x], product.Args[1-i]
		if in.Op == rowprog.OpConvert {
			in = &c.p.Insts[in.Args[0]]
		}
		if in.Op == rowprog.OpLoad && in.Domain == rowprog.Row && (in.Type == rowprog.I64 || in.Type == rowprog.I32) &&
			c.p.Insts[step].Domain < rowprog.Row {
			return in, step
		}
	}
	return nil, rowprog.None
}

// pick reads the elements of an operand at the places in a vector of indices. Lanes beyond a limit read the first
// element.
func (b *block) pick(in *rowprog.Inst) vreg {
	if b.c.p.Operands[in.Operand].Domain == rowprog.Vec {
		return b.pickRow(in)
	}
	index, limit := b.arg(in.Args[0]), b.arg(in.Args[1])
	t, size := b.c.p.Insts[in.Args[0]].Type, in.Type.Size()
	if size == 8 && t == rowprog.I32 { // lanes of 8 bytes
		index, limit, t = b.convert(rowprog.I64, t, index), b.convert(rowprog.I64, t, limit), rowprog.I64
	}
	w := b.width(t.Size())
	inside := b.either(asm.ANDPS, w, b.greater(t, limit, index), b.greater(t, index, b.bits(t, 1<<(8*t.Size())-1)))
	index = b.either(asm.ANDPS, w, index, inside)
	most, known := b.isConst(limit)
	if known && int64(most) <= math.MaxInt32 && size < t.Size() && b.c.target.isAVX512() {
		index, t = b.narrow(index), rowprog.I32 // two at a time reach general registers
	}
	return b.cse(inst{form: pickForm, width: b.width(size), size: uint8(size), imm: uint8(t.Size()),
		operand: in.Operand, args: [3]vreg{index, none, none}})
}

// pick loads elements one by one. Indices are loaded into general registers directly: reading parts of a vector that
// has just been stored takes longer.
func (e *emitter) pick(i int32, nd *node) {
	in, a := nd.in, e.a
	if e.row {
		e.pickOne(i, nd)
		return
	}
	index, r, part, some := e.get(nd.args[0]), e.take(), e.take(), e.take()
	base := e.base(in.operand)
	e.accIndex = 0            // temp2 is needed
	each := 16 / int(in.size) // lanes of 128 bits
	for lane := range e.lanes {
		to, at := r, lane%each
		if lane >= each {
			to = part
		}
		element := asm.Indexed(base, e.placeOf(in, lane, index, some), in.size, 0)
		switch {
		case at == 0 && in.size == 8:
			a.M(asm.MOVSD, asm.W128, to, 0, element)
		case at == 0:
			a.M(asm.MOVSS, asm.W128, to, 0, element)
		case in.size == 8:
			a.M(asm.MOVHPD, asm.W128, to, to, element)
		default:
			a.M(asm.INSERTPS, asm.W128, to, to, element, byte(at)<<4)
		}
		if to == part && at == each-1 {
			e.insertPart(r, part, lane/each)
		}
	}
	e.settle(nd)
	e.define(i, r)
}

// pickOne loads one element into all lanes, whose indices are equal.
func (e *emitter) pickOne(i int32, nd *node) {
	index, base := e.get(nd.args[0]), e.base(nd.in.operand)
	at, op := e.placeOf(nd.in, 0, index, index), asm.BROADCASTSS
	if nd.in.size == 8 {
		op = asm.BROADCASTSD
	}
	e.accIndex = 0 // temp2 may have been needed
	e.settle(nd)
	r := e.take()
	e.a.M(op, nd.in.width, r, 0, asm.Indexed(base, at, nd.in.size, 0))
	e.define(i, r)
}

// placeOf loads the index of a lane into a general register. It is called for all lanes in order, and keeps 128 bits of
// the indices in some.
func (e *emitter) placeOf(in *inst, lane int, index, some asm.Vec) asm.Reg {
	a, size := e.a, int(in.imm)
	at := lane * size
	if at%16 == 0 && at > 0 {
		extract, width := asm.EXTRACTF128, asm.W256
		if e.c.target.isAVX512() {
			extract = asm.EXTRACTF32X4
			if e.lanes*size == 64 {
				width = asm.W512
			}
		}
		a.R(extract, width, index, 0, some, byte(at/16))
	}
	if at >= 16 {
		index = some
	}
	switch at % 16 {
	case 0:
		a.R(asm.MOVQSt, asm.W128, index, 0, asm.Vec(temp))
	case 8:
		a.R(asm.PEXTRQSt, asm.W128, index, 0, asm.Vec(temp), 1)
	default: // the upper half of the one before
		a.Shr(temp, 32)
		return temp
	}
	if size == 8 {
		return temp
	}
	a.Mov32(temp2, temp)
	return temp2
}

// insertPart inserts 128 bits into a vector that is filled up to there.
func (e *emitter) insertPart(r, part asm.Vec, at int) {
	switch {
	case !e.c.target.isAVX512():
		e.a.R(asm.INSERTF128, asm.W256, r, r, part, byte(at))
	case at == 1:
		e.a.R(asm.INSERTF32X4, asm.W256, r, r, part, byte(at))
	default:
		e.a.R(asm.INSERTF32X4, asm.W512, r, r, part, byte(at))
	}
}

// picksAhead is how many elements of a row ahead picked elements are prefetched: processors predict a sequence of
// lines, but not one of indices.
const picksAhead = 256

// fetchPicks prefetches the elements that indices in memory will pick: for a vector of indices, the element of the
// first. Neighbours are often near each other.
func (c *compiler) fetchPicks(b *block, step int32) {
	a, skip := c.a, asm.NoLabel
	for i := range b.insts {
		in := &b.insts[i]
		if in.form != pickForm {
			continue
		}
		load := b.loadedIndex(in.args[0])
		if load == nil {
			continue
		}
		if skip == asm.NoLabel {
			skip = a.NewLabel()
			a.Mov(temp, rest)
			a.SubImm(temp, picksAhead)
			a.JumpIf(asm.Less, skip)
		}
		for at := int32(0); at < step; at += int32(b.lanes) {
			place := asm.Indexed(c.e.base(load.operand), index, load.size, (picksAhead+at)*int32(load.size))
			if load.size == 8 {
				a.MovLoad(temp, place)
			} else {
				a.MovLoad32(temp, place)
			}
			a.Prefetch(asm.Indexed(c.e.base(in.operand), temp, in.size, 0))
		}
	}
	if skip != asm.NoLabel {
		a.Bind(skip)
	}
}

// loadedIndex returns the load of an index whose out-of-range values have been replaced, or nil if the index is
// computed.
func (b *block) loadedIndex(v vreg) *inst {
	for {
		switch in := &b.insts[v]; {
		case in.isLoad():
			return in
		case in.form == unaryForm && in.op == asm.PMOVSXDQ:
			v = in.args[0]
		case in.form == binaryForm && in.op == asm.ANDPS:
			if v = in.args[0]; b.insts[v].form == binaryForm { // the mask of those inside
				v = in.args[1]
			}
		default:
			return nil
		}
	}
}
