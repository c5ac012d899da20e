package lower

import (
	"github.com/broadloom/broadloom/kernels/amd64"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// laneBytes is the size of all partial results of a reduction over the row: 64 lanes of
// 4 bytes or 32 of 8.
const laneBytes = 256

// accumulator is a reduction over the row. Its partial results lie in memory; the main
// loop holds them in registers if it can.
type accumulator struct {
	value    rowprog.Value
	kind     rowprog.Reduction
	typ      rowprog.Type
	identity *home
	room     int // in the block of arguments
	reg      int // the first of its registers in the main loop, -1 for none
}

// reduce combines a vector into the partial results.
func (b *block) reduce(v rowprog.Value, in *rowprog.Inst) {
	t := b.c.p.Insts[in.Args[0]].Type
	if in.Reduction.GivesIndex() {
		refuse("%v", in.Reduction)
	}
	x := b.arg(in.Args[0])
	identity := scalar.Identity(in.Reduction, t)
	if t == rowprog.Bool && identity == 1 {
		identity = 1<<32 - 1
	}
	a := accumulator{v, in.Reduction, t, b.c.constant(laneType(t), identity), b.c.layout.room(laneBytes), -1}
	k := len(b.accs)
	b.accs = append(b.accs, a)
	size, w := laneSize(t), b.width(laneSize(t))
	old := b.add(inst{form: accForm, width: w, size: uint8(size), operand: k, args: [3]micro{none, none, none}})
	b.add(inst{form: setAccForm, width: w, size: uint8(size), operand: k, args: [3]micro{b.combine(in.Reduction, t, old, x), none, none}})
}

// laneType is the type of the lanes that hold elements of a type.
func laneType(t rowprog.Type) rowprog.Type {
	if t == rowprog.Bool {
		return rowprog.I32
	}
	return t
}

// fold makes a block that combines the partial results of a reduction by halves and
// puts the result into its home.
func (c *compiler) fold(a *accumulator) *block {
	t := a.typ
	bytes, w := c.target.bytes(), c.target.full()
	b := c.newBlock(bytes / laneSize(t))
	x := make([]micro, laneBytes/bytes)
	for i := range x {
		h := &home{mem: inBlock(a.room + i*bytes)}
		x[i] = b.at(h)
	}
	for h := len(x) / 2; h > 0; h /= 2 {
		for i := range h {
			x[i] = b.combine(a.kind, t, x[i], x[i+h])
		}
	}
	r := x[0]
	if c.target.wide() {
		r = b.combine(a.kind, t, r, b.binaryImm(amd64.SHUFF64X2, w, r, r, 0x4e))
		r = b.combine(a.kind, t, r, b.binaryImm(amd64.SHUFF64X2, w, r, r, 0xb1))
	} else {
		r = b.combine(a.kind, t, r, b.binaryImm(amd64.PERM2F128, w, r, r, 1))
	}
	r = b.combine(a.kind, t, r, b.unaryImm(amd64.PSHUFD, w, r, 0x4e))
	if laneSize(t) == 4 {
		r = b.combine(a.kind, t, r, b.unaryImm(amd64.PSHUFD, w, r, 0xb1))
	}
	b.add(inst{form: homeOutForm, size: lastingSize(t), width: w, home: c.homeOf(a.value), args: [3]micro{r, none, none}})
	return b
}
