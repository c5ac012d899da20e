package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// laneBytes is the size of all partial results of a reduction over the row: 64 lanes of 4 bytes or 32 of 8.
const laneBytes = 256

// accumulator is a reduction over the row, whose partial results are in memory, or in registers if the main loop can
// hold them. Or it is a reduction over the rows of tiles, which is in registers.
type accumulator struct {
	kind rowprog.Reduction
	typ  rowprog.Type
	reg  int // the first of its registers, -1 for none

	// Over the row:
	value    rowprog.Value
	identity *slot
	room     int  // in the block of arguments
	nans     bool // the next accumulator tells whether an element was NaN

	operand int // Over rows.
}

// isOverRows reports whether the accumulator combines rows, not the elements of one.
func (a *accumulator) isOverRows() bool { return a.identity == nil }

// reduce combines a vector into the partial results.
func (b *block) reduce(v rowprog.Value, in *rowprog.Inst) {
	t := b.c.p.Insts[in.Args[0]].Type
	x := b.arg(in.Args[0])
	if in.Reduction.GivesIndex() {
		b.reduceIndex(v, in.Reduction, t, x)
		return
	}
	if in.Reduction == rowprog.MaxNumber {
		b.reduceNumber(v, t, x)
		return
	}
	if b.c.target.isAVX512() && t.IsFloat() && (in.Reduction == rowprog.Max || in.Reduction == rowprog.Min) {
		b.reduceExtreme(v, in.Reduction, t, x)
		return
	}
	identity := scalar.Identity(in.Reduction, t)
	if t == rowprog.Bool && identity == 1 {
		identity = 1<<32 - 1
	}
	old := b.addAccumulator(
		accumulator{kind: in.Reduction, typ: t, reg: -1, value: v, identity: b.c.constant(laneType(t), identity),
			room: b.c.layout.room(laneBytes)})
	b.setAccumulator(len(b.accs)-1, b.combine(in.Reduction, t, old, x))
}

// reduceNumber updates the greatest number.
func (b *block) reduceNumber(v rowprog.Value, t rowprog.Type, x vreg) {
	old := b.addAccumulator(
		accumulator{kind: rowprog.MaxNumber, typ: t, reg: -1, value: v,
			identity: b.c.constant(t, scalar.Identity(rowprog.MaxNumber, t)), room: b.c.layout.room(laneBytes)})
	b.setAccumulator(len(b.accs)-1, b.greaterNumber(t, x, old))
}

// greaterNumber is the greater of x and a number y; y if x is NaN.
func (b *block) greaterNumber(t rowprog.Type, x, y vreg) vreg {
	return b.binary(floatOpsOf(t).max, b.width(t.Size()), x, y)
}

// reduceExtreme updates the greatest or least number and a sum of magnitudes, which is NaN from the first NaN on. The
// instruction ignores a NaN; six dependent instructions would be needed for one that does not.
func (b *block) reduceExtreme(v rowprog.Value, kind rowprog.Reduction, t rowprog.Type, x vreg) {
	room := func() int { return b.c.layout.room(laneBytes) }
	old := b.addAccumulator(
		accumulator{kind: kind, typ: t, reg: -1, value: v, identity: b.c.constant(t, scalar.Identity(kind, t)),
			room: room(), nans: true})
	sum := b.addAccumulator(
		accumulator{typ: t, reg: -1, value: rowprog.None, identity: b.c.constant(t, 0), room: room()})
	k := len(b.accs) - 2
	b.setAccumulator(k, b.extremeNumber(kind, t, old, x))
	if !b.c.signed {
		x = b.float(rowprog.OpAbs, t, x, none, none)
	}
	b.setAccumulator(k+1, b.float(rowprog.OpAdd, t, sum, x, none))
}

// extremeNumber is the greater or the lesser of two numbers; +0 is greater than -0.
func (b *block) extremeNumber(kind rowprog.Reduction, t rowprog.Type, x, y vreg) vreg {
	const signOfResult, greater = 4, 1
	imm := uint8(signOfResult)
	if kind == rowprog.Max {
		imm |= greater
	}
	op := asm.RANGEPS
	if t == rowprog.F64 {
		op = asm.RANGEPD
	}
	return b.binaryImm(op, b.width(t.Size()), x, y, imm)
}

// addAccumulator adds an accumulator and returns its value before the current vector.
func (b *block) addAccumulator(a accumulator) vreg {
	b.accs = append(b.accs, a)
	size := laneSize(a.typ)
	return b.add(inst{form: accForm, width: b.width(size), size: uint8(size), operand: len(b.accs) - 1,
		args: [3]vreg{none, none, none}})
}

// setAccumulator sets an accumulator.
func (b *block) setAccumulator(k int, x vreg) {
	size := laneSize(b.accs[k].typ)
	b.add(inst{form: setAccForm, width: b.width(size), size: uint8(size), operand: k, args: [3]vreg{x, none, none}})
}

// laneType is the type of the lanes that hold elements of a type.
func laneType(t rowprog.Type) rowprog.Type {
	if t == rowprog.Bool {
		return rowprog.I32
	}
	return t
}

// fold makes a block that combines the partial results of a reduction by halves and stores the result in its slot. They
// are in memory, or in the accumulator's registers; slots are then pinned to these. NaNs do not count in an extreme.
func (c *compiler) fold(a *accumulator, held *pins) *block {
	b := c.newBlock(c.target.bytes() / laneSize(a.typ))
	b.fill(a, b.ended(a, b.folded(a, held)))
	return b
}

// joins is one step of an accumulator. NaNs do not count in an extreme.
func (b *block) joins(a *accumulator, x, y vreg) vreg {
	switch {
	case a.nans:
		return b.extremeNumber(a.kind, a.typ, x, y)
	case a.kind == rowprog.MaxNumber:
		return b.greaterNumber(a.typ, x, y)
	case a.kind == rowprog.NoReduction: // that tells NaNs
		return b.float(rowprog.OpAdd, a.typ, x, y, none)
	}
	return b.combine(a.kind, a.typ, x, y)
}

// ended is the result of a reduction from its combined partial results.
func (b *block) ended(a *accumulator, x vreg) vreg {
	if a.kind == rowprog.MaxNumber {
		return b.float(rowprog.OpAdd, a.typ, x, b.bits(a.typ, 0), none) // makes -0 to +0
	}
	return x
}

// orNaN is an extreme of numbers, or NaN if the sum that detects NaNs is NaN.
func (b *block) orNaN(t rowprog.Type, x, sum vreg) vreg {
	w := b.c.target.full()
	return b.either(asm.ORPS, w, x, b.binaryImm(floatOpsOf(t).cmp, w, sum, sum, cmpUnord))
}

// folds lists the blocks that combine the partial results, in memory, of a block's reductions.
func (c *compiler) folds(b *block) (list []*block) {
	for i := range b.accs {
		switch acc := &b.accs[i]; {
		case acc.kind.GivesIndex():
			list = append(list, c.foldIndex(acc, &b.accs[i+1]))
		case acc.nans:
			list = append(list, c.foldExtreme(acc, &b.accs[i+1], nil))
		case acc.kind != rowprog.NoReduction:
			list = append(list, c.fold(acc, nil))
		}
	}
	return list
}

// foldExtreme is fold for an extreme and the sum that detects NaNs.
func (c *compiler) foldExtreme(a, sum *accumulator, held *pins) *block {
	b := c.newBlock(c.target.bytes() / laneSize(a.typ))
	b.fill(a, b.orNaN(a.typ, b.folded(a, held), b.folded(sum, held)))
	return b
}

// fill stores the result of a reduction in its slot.
func (b *block) fill(a *accumulator, r vreg) {
	b.add(inst{form: slotOutForm, size: lastingSize(a.typ), width: b.c.target.full(), slot: b.c.slotOf(a.value),
		args: [3]vreg{r, none, none}})
}

// folded combines the partial results of an accumulator by halves, until all lanes are equal.
func (b *block) folded(a *accumulator, held *pins) vreg {
	r := b.foldedVectors(a, held, laneBytes/b.c.target.bytes())
	for _, swap := range b.halvings(laneSize(a.typ)) {
		r = b.joins(a, r, swap(r))
	}
	return r
}

// foldedVectors combines the partial results of an accumulator by halves, until one vector is left. Only the first set
// vectors have changed; the others hold the neutral element.
func (b *block) foldedVectors(a *accumulator, held *pins, set int) vreg {
	bytes := b.c.target.bytes()
	x := make([]vreg, set)
	for i := range x {
		h := &slot{mem: inBlock(a.room + i*bytes)}
		x[i] = b.at(h)
		if held != nil {
			held.slot[a.reg+i] = h
		}
	}
	return byHalves(x, laneBytes/bytes, func(x, y vreg) vreg { return b.joins(a, x, y) })
}

// byHalves combines the partial results of the first of all vectors by halves, until one is left. The other vectors
// hold the neutral element.
func byHalves[T any](x []T, all int, join func(x, y T) T) T {
	for h := all / 2; h > 0; h /= 2 {
		for i := range max(0, min(h, len(x)-h)) {
			x[i] = join(x[i], x[i+h])
		}
		x = x[:min(h, len(x))]
	}
	return x[0]
}

// halvings lists the shuffles that exchange the halves of a vector, then those of its halves, and so on down to single
// lanes of a size.
func (b *block) halvings(size int) (swaps []func(x vreg) vreg) {
	w := b.c.target.full()
	blocks := func(imm uint8) {
		swaps = append(swaps, func(x vreg) vreg { return b.binaryImm(asm.SHUFF64X2, w, x, x, imm) })
	}
	lanes := func(imm uint8) {
		swaps = append(swaps, func(x vreg) vreg { return b.unaryImm(asm.PSHUFD, w, x, imm) })
	}
	if b.c.target.isAVX512() {
		blocks(0x4e)
		blocks(0xb1)
	} else {
		swaps = append(swaps, func(x vreg) vreg { return b.binaryImm(asm.PERM2F128, w, x, x, 1) })
	}
	lanes(0x4e)
	if size == 4 {
		lanes(0xb1)
	}
	return swaps
}
