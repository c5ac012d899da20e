package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// An ArgMax or ArgMin has two accumulators: in each lane the best element so far, and its index, which is -1 if there
// is none yet.

// winner is a candidate: an element and its index.
type winner struct{ best, at vreg }

// argReduction is the type of elements, the type of indices, and the comparison.
type argReduction struct {
	*block
	typ, index rowprog.Type
	size       int // of a lane
	beats      rowprog.Op
}

func (b *block) argReduction(kind rowprog.Reduction, t rowprog.Type) argReduction {
	r := argReduction{b, t, rowprog.I32, laneSize(t), rowprog.OpGt}
	if r.size == 8 {
		r.index = rowprog.I64
	}
	if kind == rowprog.ArgMin {
		r.beats = rowprog.OpLt
	}
	return r
}

// reduceIndex updates the candidates with a vector.
func (b *block) reduceIndex(v rowprog.Value, kind rowprog.Reduction, t rowprog.Type, x vreg) {
	r := b.argReduction(kind, t)
	room := func() int { return b.c.layout.room(laneBytes) }
	old := winner{
		b.addAccumulator(accumulator{kind: kind, typ: t, reg: -1, value: v, identity: b.c.constant(laneType(t), 0),
			room: room()}),
		b.addAccumulator(accumulator{typ: r.index, reg: -1, value: rowprog.None,
			identity: b.c.constant(r.index, r.unset()), room: room()}),
	}
	i := b.iota(&rowprog.Inst{Op: rowprog.OpIota, Domain: rowprog.Vec})
	if b.pairs() && r.size == 4 { // next to elements of 8 bytes
		i = b.narrow(i)
		b.c.narrow = true
	}
	w := b.width(r.size)
	better := b.either(asm.ORPS, w, r.beating(x, old.best), old.at) // -1 has the sign that choose looks at
	k := len(b.accs) - 2
	b.setAccumulator(k, b.choose(w, r.size, better, x, old.best))
	b.setAccumulator(k+1, b.choose(w, r.size, better, i, old.at))
}

// unset is the index -1.
func (r argReduction) unset() uint64 {
	if r.index == rowprog.I64 {
		return math.MaxUint64
	}
	return math.MaxUint32
}

// beating is a mask of the lanes in which x wins over y: a NaN wins over all numbers.
func (r argReduction) beating(x, y vreg) vreg {
	switch {
	case r.typ == rowprog.Bool:
		return r.boolean(r.beats, x, y)
	case !r.typ.IsFloat():
		return r.compareInt(r.beats, r.typ, x, y)
	}
	f, w := floatOpsOf(r.typ), r.width(r.size)
	nan := r.binary(asm.ANDNPS, w, r.binaryImm(f.cmp, w, y, y, cmpUnord), r.binaryImm(f.cmp, w, x, x, cmpUnord))
	return r.either(asm.ORPS, w, r.compareFloat(r.beats, r.typ, x, y), nan)
}

// merge returns the better of two candidates in each lane; if they are equal, the first.
func (r argReduction) merge(x, y winner) winner {
	w := r.width(r.size)
	earlier := r.binary(asm.ANDNPS, w, r.beating(x.best, y.best), r.greater(r.index, x.at, y.at))
	second := r.either(asm.ORPS, w, r.beating(y.best, x.best), earlier)
	second = r.binary(asm.ANDNPS, w, r.greater(r.index, r.bits(r.index, 0), y.at), second) // y is set
	second = r.either(asm.ORPS, w, second, x.at)                                           // or x is not
	return winner{r.choose(w, r.size, second, y.best, x.best), r.choose(w, r.size, second, y.at, x.at)}
}

// foldIndex makes a block that merges all lanes and stores the index in its slot.
func (c *compiler) foldIndex(best, at *accumulator) *block {
	bytes := c.target.bytes()
	b := c.newBlock(bytes / laneSize(best.typ))
	r := b.argReduction(best.kind, best.typ)
	first := r.foldedVectors(best, at, laneBytes/bytes)
	for _, swap := range b.halvings(r.size) {
		first = r.merge(first, winner{swap(first.best), swap(first.at)})
	}
	b.add(inst{form: slotOutForm, size: 8, width: c.target.full(), slot: c.slotOf(best.value),
		args: [3]vreg{r.wide(first.at), none, none}})
	return b
}

// foldedVectors merges the first set vectors of candidates until one is left. The other vectors have no candidates.
func (r argReduction) foldedVectors(best, at *accumulator, set int) winner {
	bytes := r.c.target.bytes()
	x := make([]winner, set)
	for i := range x {
		x[i] = winner{r.at(&slot{mem: inBlock(best.room + i*bytes)}), r.at(&slot{mem: inBlock(at.room + i*bytes)})}
	}
	return byHalves(x, laneBytes/bytes, r.merge)
}

// wide is the indices in the lower half of a vector, or all of them, as I64.
func (r argReduction) wide(at vreg) vreg {
	if r.size == 8 {
		return at
	}
	return r.unary(asm.PMOVSXDQ, r.c.target.full(), at)
}
