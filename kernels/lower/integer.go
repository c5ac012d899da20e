package lower

import (
	"github.com/broadloom/broadloom/kernels/amd64"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// integer makes a primitive of integers.
func (b *block) integer(op rowprog.Op, t rowprog.Type, x, y micro) micro {
	w := b.width(t.Size())
	add, sub := amd64.PADDD, amd64.PSUBD
	if t == rowprog.I64 {
		add, sub = amd64.PADDQ, amd64.PSUBQ
	}
	zero := func() micro { return b.bits(t, 0) }
	switch op {
	case rowprog.OpNeg:
		return b.binary(sub, w, zero(), x)
	case rowprog.OpAbs:
		if t == rowprog.I32 {
			return b.unary(amd64.PABSD, w, x)
		}
		return b.choose(w, 8, x, b.binary(sub, w, zero(), x), x) // by the sign bit
	case rowprog.OpSign:
		return b.binary(sub, w, b.greater(t, zero(), x), b.greater(t, x, zero()))
	case rowprog.OpNot:
		return b.not(w, x)
	case rowprog.OpAdd:
		return b.either(add, w, x, y)
	case rowprog.OpSub:
		return b.binary(sub, w, x, y)
	case rowprog.OpMul:
		if t == rowprog.I32 {
			return b.either(amd64.PMULLD, w, x, y)
		}
		return b.multiply64(x, y)
	case rowprog.OpMax, rowprog.OpMin:
		if t == rowprog.I64 {
			mask := b.greater(t, x, y)
			if op == rowprog.OpMin {
				x, y = y, x
			}
			return b.choose(w, 8, mask, x, y)
		}
		if op == rowprog.OpMax {
			return b.either(amd64.PMAXSD, w, x, y)
		}
		return b.either(amd64.PMINSD, w, x, y)
	case rowprog.OpAnd:
		return b.either(amd64.ANDPS, w, x, y)
	case rowprog.OpOr:
		return b.either(amd64.ORPS, w, x, y)
	case rowprog.OpXor:
		return b.either(amd64.XORPS, w, x, y)
	case rowprog.OpDiv, rowprog.OpRem, rowprog.OpFloorDiv:
		if t == rowprog.I32 {
			return b.divide32(op, x, y)
		}
		return b.divide64(op, x, y)
	case rowprog.OpPow:
		return b.powerInt(t, x, y)
	}
	refuse("%v of %v", op, t)
	return none
}

// greater is a mask of x > y of integers.
func (b *block) greater(t rowprog.Type, x, y micro) micro {
	if t == rowprog.I64 {
		return b.binary(amd64.PCMPGTQ, b.width(8), x, y)
	}
	return b.binary(amd64.PCMPGTD, b.width(4), x, y)
}

func (b *block) equal(t rowprog.Type, x, y micro) micro {
	if t == rowprog.I64 {
		return b.either(amd64.PCMPEQQ, b.width(8), x, y)
	}
	return b.either(amd64.PCMPEQD, b.width(4), x, y)
}

// compareInt is a mask of a comparison.
func (b *block) compareInt(op rowprog.Op, t rowprog.Type, x, y micro) micro {
	w := b.width(t.Size())
	switch op {
	case rowprog.OpLt:
		return b.greater(t, y, x)
	case rowprog.OpLe:
		return b.not(w, b.greater(t, x, y))
	case rowprog.OpGt:
		return b.greater(t, x, y)
	case rowprog.OpGe:
		return b.not(w, b.greater(t, y, x))
	case rowprog.OpEq:
		return b.equal(t, x, y)
	}
	return b.not(w, b.equal(t, x, y))
}

// multiply64 puts a product together from those of the halves.
func (b *block) multiply64(x, y micro) micro {
	w := b.width(8)
	if b.c.target.wide() {
		return b.either(amd64.PMULLQ, w, x, y)
	}
	xy := b.either(amd64.PMULUDQ, w, b.shift(amd64.PSRLQ, w, x, 32), y)
	yx := b.either(amd64.PMULUDQ, w, b.shift(amd64.PSRLQ, w, y, 32), x)
	upper := b.shift(amd64.PSLLQ, w, b.either(amd64.PADDQ, w, xy, yx), 32)
	return b.either(amd64.PADDQ, w, b.either(amd64.PMULUDQ, w, x, y), upper)
}

// boolean makes a primitive of Bools, which are masks of lanes of 4 bytes.
func (b *block) boolean(op rowprog.Op, x, y micro) micro {
	w := b.width(4)
	switch op {
	case rowprog.OpNot:
		return b.not(w, x)
	case rowprog.OpAnd, rowprog.OpMin:
		return b.either(amd64.ANDPS, w, x, y)
	case rowprog.OpOr, rowprog.OpMax:
		return b.either(amd64.ORPS, w, x, y)
	case rowprog.OpXor, rowprog.OpNe:
		return b.either(amd64.XORPS, w, x, y)
	case rowprog.OpEq:
		return b.not(w, b.either(amd64.XORPS, w, x, y))
	case rowprog.OpLt:
		return b.binary(amd64.ANDNPS, w, x, y)
	case rowprog.OpGt:
		return b.binary(amd64.ANDNPS, w, y, x)
	case rowprog.OpLe:
		return b.either(amd64.ORPS, w, b.not(w, x), y)
	case rowprog.OpGe:
		return b.either(amd64.ORPS, w, b.not(w, y), x)
	}
	refuse("%v of bool", op)
	return none
}
