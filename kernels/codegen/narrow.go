package codegen

import (
	"math"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// An index within the row is an I64, whose lanes of 8 bytes would halve the number of lanes of its section. If indices
// are only converted, or compared with values from outside of the row, they are kept as I32. Rows are then shorter than
// [MostNarrow] elements. The other side of a comparison is clamped to the range of I32 once per row, beyond which
// comparisons do not change.

// MostNarrow is the most elements of a row for code with narrow indices.
const MostNarrow = math.MaxInt32

// narrowed is a value of I64 from outside of the row and its copy as I32.
type narrowed struct{ from, to *slot }

// canNarrow reports whether the only elements of 8 bytes in a section of the row are
// indices that can be narrow.
func (c *compiler) canNarrow(s rowprog.Section) bool {
	lo, hi := c.p.Span(s)
	for v := lo; v < hi; v++ {
		in := &c.p.Insts[v]
		if laneSize(in.Type) == 8 && in.Op != rowprog.OpIota && in.Op != rowprog.OpReduce {
			return false
		}
		for _, x := range in.Uses() {
			if laneSize(c.p.Insts[x].Type) < 8 {
				continue
			}
			switch {
			case in.Op >= rowprog.OpLt && in.Op <= rowprog.OpNe && c.p.Insts[x].Type == rowprog.I64:
			case in.Op == rowprog.OpConvert && c.p.Insts[x].Op == rowprog.OpIota:
			case in.Op == rowprog.OpGuard && c.p.Insts[x].Domain < rowprog.Vec:
			case in.Op == rowprog.OpPick && c.p.Operands[in.Operand].Domain == rowprog.Vec: // where a row begins
			default:
				return false
			}
		}
	}
	return true
}

// narrowArg is an argument of I64 as I32.
func (b *block) narrowArg(x rowprog.Value) vreg {
	if v, ok := b.vals[x]; ok {
		return v.v // the index
	}
	from := b.c.slotOf(x)
	if from.cons {
		return b.bits(rowprog.I32, uint64(uint32(max(-1, min(int64(from.bits), math.MaxInt32)))))
	}
	for _, n := range b.narrowed {
		if n.from == from {
			return b.at(n.to)
		}
	}
	n := narrowed{from, &slot{mem: inBlock(b.c.layout.room(vectorBytes))}}
	b.narrowed = append(b.narrowed, n)
	return b.at(n.to)
}

// narrow32 makes a block that sets the narrow copies.
func (c *compiler) narrow32(list []narrowed) *block {
	b := c.newBlock(c.target.bytes() / 8)
	t := rowprog.I64
	for _, n := range list {
		v := b.integer(rowprog.OpMax, t, b.at(n.from), b.bits(t, math.MaxUint64))
		v = b.narrow(b.integer(rowprog.OpMin, t, v, b.bits(t, math.MaxInt32)))
		b.add(inst{form: slotOutForm, size: 4, width: b.width(4), slot: n.to, args: [3]vreg{v, none, none}})
	}
	return b
}
