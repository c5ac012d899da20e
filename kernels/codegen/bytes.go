package codegen

import (
	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// In a section of the row whose values are all Bools and integers of 8 bits, elements can stay bytes, four times as
// many in a vector as there are lanes. A loop on such vectors comes first; the usual loops are for what is left.
// Integers of 8 bits are computed as I32, of which a byte is the lowest one: enough for sums and products, whose lowest
// byte depends on no others, and for all operations if it tells the whole value. Bools are bytes of 0 and 1.

// exactness says as which bytes a value can be told from its lowest byte.
type exactness uint8

const (
	lowest   exactness = 0 // it cannot
	unsigned exactness = 1 << 0
	signed   exactness = 1 << 1
)

// byteBlock is a block on vectors of bytes.
type byteBlock struct {
	*block
	w     asm.Width
	exact map[rowprog.Value]exactness
	one   vreg
}

// bytesOf makes the micro-operations of a section of the row on bytes; nil if it has other values.
func (c *compiler) bytesOf(s rowprog.Section) *block {
	if !c.areBytes(s) {
		return nil
	}
	b := byteBlock{c.newBlock(c.target.bytes()), c.target.full(), map[rowprog.Value]exactness{}, none}
	b.one = b.constant(1)
	for _, v := range c.values(s) {
		in := &c.p.Insts[v]
		switch in.Op {
		case rowprog.OpConst:
		case rowprog.OpLoad:
			b.set(v, b.add(inst{form: loadForm, op: asm.MOVUPS, width: b.w, size: 1, operand: in.Operand,
				args: [3]vreg{none, none, none}}), exactnessOf(in.Type))
		case rowprog.OpStore:
			b.add(inst{form: storeForm, op: asm.MOVUPSSt, width: b.w, size: 1, operand: in.Operand,
				args: [3]vreg{b.value(in.Args[0]), none, none}})
		default:
			x, e := b.apply(in)
			if x == none {
				return nil
			}
			b.set(v, x, e)
		}
	}
	b.hoistStores()
	return b.block
}

// areBytes reports whether a section has nothing but elements of a byte, integers computed of them, and constants.
func (c *compiler) areBytes(s rowprog.Section) bool {
	lo, hi := c.p.Span(s)
	found := false
	for v := lo; v < hi; v++ {
		in := &c.p.Insts[v]
		switch in.Op {
		case rowprog.OpLoad, rowprog.OpStore:
			found = true
			if o := &c.p.Operands[in.Operand]; o.Type.Size() != 1 || o.Type.Computed() == rowprog.F32 ||
				o.Domain != rowprog.Vec || o.Step != 0 {
				return false
			}
		case rowprog.OpPick, rowprog.OpIota, rowprog.OpReduce, rowprog.OpAccumulate, rowprog.OpGuard:
			return false
		}
		t := in.Type.Computed()
		if t != rowprog.Bool && t != rowprog.I32 && t != rowprog.NoType || c.liveOut[v] != nil {
			return false
		}
		for _, x := range in.Uses() {
			if def := &c.p.Insts[x]; def.Op != rowprog.OpConst && def.Section != in.Section {
				return false
			}
		}
	}
	return found
}

func exactnessOf(t rowprog.Type) exactness {
	switch t {
	case rowprog.Bool:
		return unsigned | signed
	case rowprog.U8:
		return unsigned
	case rowprog.I8:
		return signed
	}
	return lowest
}

func (b *byteBlock) set(v rowprog.Value, x vreg, e exactness) {
	b.vals[v] = masked{x, none}
	b.exact[v] = e
}

// constant is a byte in all places.
func (b *byteBlock) constant(x byte) vreg { return b.bits(rowprog.I32, uint64(x)*0x01010101) }

// value is a value of the section, or a constant.
func (b *byteBlock) value(x rowprog.Value) vreg {
	if _, ok := b.vals[x]; !ok {
		in := &b.c.p.Insts[x]
		bits := int64(in.Bits)
		if in.Type == rowprog.I32 {
			bits = int64(int32(in.Bits))
		}
		e := lowest
		if in.Type == rowprog.U8 || bits >= 0 && bits <= 0xff {
			e |= unsigned
		}
		if in.Type == rowprog.I8 || bits >= -0x80 && bits < 0x80 {
			e |= signed
		}
		b.set(x, b.constant(byte(in.Bits)), e)
	}
	return b.vals[x].v
}

// apply makes the micro-operations of an operation. Its value is none if bytes are not enough for it.
func (b *byteBlock) apply(in *rowprog.Inst) (vreg, exactness) {
	var x [3]vreg
	all := unsigned | signed
	for i, u := range in.Uses() {
		x[i] = b.value(u)
		all &= b.exact[u]
	}
	isBool := b.c.p.Insts[in.Args[0]].Type == rowprog.Bool
	switch {
	case in.Op == rowprog.OpConvert:
		return b.convertByte(in, x[0], isBool)
	case in.Op == rowprog.OpSelect: // of two values, one is what is left of their difference
		mask := b.binary(asm.PSUBB, b.w, b.constant(0), x[0])
		chosen := b.either(asm.ANDPS, b.w, b.either(asm.XORPS, b.w, x[1], x[2]), mask)
		return b.either(asm.XORPS, b.w, x[2], chosen), b.exact[in.Args[1]] & b.exact[in.Args[2]]
	case isBool:
		return b.boolByte(in.Op, x[0], x[1]), unsigned | signed
	case in.Op >= rowprog.OpLt && in.Op <= rowprog.OpNe:
		return b.compareBytes(in.Op, all, x[0], x[1]), unsigned | signed
	}
	return b.integerByte(in, all, x[0], x[1])
}

// convertByte converts between integers and Bools.
func (b *byteBlock) convertByte(in *rowprog.Inst, x vreg, isBool bool) (vreg, exactness) {
	e := b.exact[in.Args[0]]
	switch {
	case in.Type == rowprog.Bool && !isBool:
		if e == lowest {
			return none, lowest
		}
		return b.either(asm.PMINUB, b.w, x, b.one), unsigned | signed
	case in.Type == rowprog.U8, in.Type == rowprog.I8:
		return x, exactnessOf(in.Type)
	case in.Type == rowprog.I32, in.Type == rowprog.Bool:
		return x, e
	}
	return none, lowest
}

// boolByte is boolean for bytes of 0 and 1.
func (b *byteBlock) boolByte(op rowprog.Op, x, y vreg) vreg {
	not := func(x vreg) vreg { return b.either(asm.XORPS, b.w, x, b.one) }
	switch op {
	case rowprog.OpNot:
		return not(x)
	case rowprog.OpAnd, rowprog.OpMin:
		return b.either(asm.ANDPS, b.w, x, y)
	case rowprog.OpOr, rowprog.OpMax:
		return b.either(asm.ORPS, b.w, x, y)
	case rowprog.OpXor, rowprog.OpNe:
		return b.either(asm.XORPS, b.w, x, y)
	case rowprog.OpEq:
		return not(b.either(asm.XORPS, b.w, x, y))
	case rowprog.OpLt:
		return b.binary(asm.ANDNPS, b.w, x, y)
	case rowprog.OpGt:
		return b.binary(asm.ANDNPS, b.w, y, x)
	case rowprog.OpLe:
		return b.either(asm.ORPS, b.w, not(x), y)
	case rowprog.OpGe:
		return b.either(asm.ORPS, b.w, not(y), x)
	}
	return none
}

// compareBytes compares integers that their bytes tell. Of a difference that is not 0, the lesser of it and 1 is 1.
func (b *byteBlock) compareBytes(op rowprog.Op, e exactness, x, y vreg) vreg {
	if e == lowest {
		return none
	}
	above := func(x, y vreg) vreg { // where x is greater
		if e&unsigned == 0 { // in their order, from the least one on
			least := b.constant(0x80)
			x, y = b.either(asm.XORPS, b.w, x, least), b.either(asm.XORPS, b.w, y, least)
		}
		return b.either(asm.PMINUB, b.w, b.binary(asm.PSUBUSB, b.w, x, y), b.one)
	}
	differ := func() vreg { return b.either(asm.PMINUB, b.w, b.either(asm.XORPS, b.w, x, y), b.one) }
	not := func(x vreg) vreg { return b.either(asm.XORPS, b.w, x, b.one) }
	switch op {
	case rowprog.OpLt:
		return above(y, x)
	case rowprog.OpLe:
		return not(above(x, y))
	case rowprog.OpGt:
		return above(x, y)
	case rowprog.OpGe:
		return not(above(y, x))
	case rowprog.OpEq:
		return not(differ())
	}
	return differ()
}

// integerByte is a primitive on the lowest bytes of integers; e says what these tell of all of them.
func (b *byteBlock) integerByte(in *rowprog.Inst, e exactness, x, y vreg) (vreg, exactness) {
	w, zero := b.w, func() vreg { return b.constant(0) }
	switch in.Op {
	case rowprog.OpNeg:
		return b.binary(asm.PSUBB, w, zero(), x), lowest
	case rowprog.OpNot:
		return b.either(asm.XORPS, w, x, b.constant(0xff)), e & signed
	case rowprog.OpAdd:
		return b.either(asm.PADDB, w, x, y), lowest
	case rowprog.OpSub:
		return b.binary(asm.PSUBB, w, x, y), lowest
	case rowprog.OpMul:
		return b.productOfBytes(x, y), lowest
	case rowprog.OpAnd:
		return b.either(asm.ANDPS, w, x, y), e | (b.exact[in.Args[0]]|b.exact[in.Args[1]])&unsigned
	case rowprog.OpOr:
		return b.either(asm.ORPS, w, x, y), e
	case rowprog.OpXor:
		return b.either(asm.XORPS, w, x, y), e
	}
	switch {
	case e&unsigned != 0:
		switch in.Op {
		case rowprog.OpMax:
			return b.either(asm.PMAXUB, w, x, y), e
		case rowprog.OpMin:
			return b.either(asm.PMINUB, w, x, y), e
		case rowprog.OpAbs:
			return x, e
		case rowprog.OpSign:
			return b.either(asm.PMINUB, w, x, b.one), unsigned | signed
		}
	case e&signed != 0:
		switch in.Op {
		case rowprog.OpMax:
			return b.either(asm.PMAXSB, w, x, y), e
		case rowprog.OpMin:
			return b.either(asm.PMINSB, w, x, y), e
		case rowprog.OpAbs: // 128 too is told as an unsigned byte
			return b.either(asm.PMAXSB, w, x, b.binary(asm.PSUBB, w, zero(), x)), unsigned
		case rowprog.OpSign:
			return b.either(asm.PMINSB, w, b.either(asm.PMAXSB, w, x, b.constant(0xff)), b.one), signed
		}
	}
	return none, lowest
}

// productOfBytes multiplies in words: the lower bytes, and the upper ones, for which one of them stays in its place.
func (b *byteBlock) productOfBytes(x, y vreg) vreg {
	w := b.w
	lower := b.either(asm.ANDPS, w, b.either(asm.PMULLW, w, x, y), b.bits(rowprog.I32, 0x00ff00ff))
	inPlace := b.either(asm.ANDPS, w, y, b.bits(rowprog.I32, 0xff00ff00))
	upper := b.either(asm.PMULLW, w, b.shift(asm.PSRLW, w, x, 8), inPlace)
	return b.either(asm.ORPS, w, lower, upper)
}

// byteLoop writes a loop over whole vectors of bytes, and says how many cycles an element takes; 0 if there is none.
func (c *compiler) byteLoop(stage int) (work float64) {
	b := c.bytesOf(rowprog.VecSection(stage))
	if b == nil {
		return 0
	}
	p := c.plan(b)
	p.pins.load(c)
	c.vectors(b, &p, p.copies, mode{})
	if p.copies > 1 {
		c.vectors(b, &p, 1, mode{})
	}
	return b.work()
}
